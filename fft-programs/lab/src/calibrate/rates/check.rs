//! Errors of the model: plans of sizes that no rate was measured with, predicted and measured.
//!
//! Sizes are drawn from a seed, one class after another in turn, about uniformly in the logarithm of their
//! points.

use std::num::NonZeroUsize;

use earth_codelets::smooth_part;
use earth_console::work::Progress;
use earth_fft::advisor::Rates;
use earth_fft::{Complex, Kind, Plan, Precision, Problem, TransformError, default_nodes};
use earth_report::numbers::mean;
use earth_report::spread::Spread;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};
use serde::Serialize;

use super::{CalibrationEffort, kernels, time};

/// Effort of measuring a plan.
const CARE: CalibrationEffort = CalibrationEffort { milliseconds: 10.0, bytes: 0 };

/// Seed of the drawn sizes.
const SEED: u64 = 2;

/// Plan, predicted and measured. The field names are the JSON keys.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Error {
    /// Class of the size.
    pub class: &'static str,
    /// Problem that the plan solves.
    pub problem: String,
    /// Predicted time of a call, in seconds.
    pub predicted_s: f64,
    /// Median measured time of a call, in seconds.
    pub measured_s: f64,
    /// Predicted time over measured time.
    pub ratio: f64,
}

/// Errors of the predictions for a class of sizes, or for all sizes.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Checked {
    /// Name of the class.
    pub class: &'static str,
    /// Number of plans.
    pub plans: usize,
    /// Predicted time over measured time: minimum, median and maximum.
    pub ratio: [f64; 3],
    /// Distance of that ratio from 1, up or down: minimum, median and maximum.
    pub error: [f64; 3],
}

/// Class of sizes: name, number of dimensions, binary logarithms of the fewest and the most points, whether
/// the lengths may have any prime factors, and the kind of transform.
#[derive(Clone, Copy, Debug)]
struct Class {
    name: &'static str,
    dimensions: usize,
    powers: [f64; 2],
    any: bool,
    how: How,
}

/// Kind of transform of a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    /// Complex points, one thread.
    Alone,
    /// Complex points, all nodes.
    Nodes,
    /// Real numbers; the planner chooses the threads.
    Real,
    /// Complex points in single precision; the planner chooses the threads.
    Single,
    /// Many transforms side by side, about 2^18 points in total.
    Batch,
}

const fn class(name: &'static str, dimensions: usize, powers: [f64; 2], any: bool, how: How) -> Class {
    Class { name, dimensions, powers, any, how }
}

const CLASSES: [Class; 10] = [
    class("series, one thread", 1, [4.0, 18.0], false, How::Alone),
    class("series of any length, one thread", 1, [4.0, 15.0], true, How::Alone),
    class("long series, nodes", 1, [17.0, 21.5], false, How::Nodes),
    class("matrices, one thread", 2, [8.0, 20.0], false, How::Alone),
    class("matrices, nodes", 2, [14.0, 22.0], false, How::Nodes),
    class("volumes, nodes", 3, [14.0, 21.5], false, How::Nodes),
    class("real series", 1, [6.0, 20.0], false, How::Real),
    class("real matrices", 2, [10.0, 21.0], false, How::Real),
    class("batches", 1, [4.0, 12.0], false, How::Batch),
    class("single precision, matrices", 2, [10.0, 21.0], false, How::Single),
];

/// Predicts and measures plans of `sizes` sizes.
///
/// # Errors
///
/// Returns the errors of planning and of running plans; none is expected.
pub fn checked(
    rates: &Rates,
    sizes: usize,
    progress: &impl Progress,
) -> Result<(Vec<Error>, Vec<Checked>), TransformError> {
    progress.begin(sizes as u64);
    let mut errors = Vec::new();
    let mut draw = Draw::new();
    for size in 0..sizes {
        let class = CLASSES[size % CLASSES.len()];
        let lengths = draw.lengths(class);
        errors.extend(measured(rates, class, &lengths)?);
        progress.done(1);
    }
    let of = |name: &'static str, errors: Vec<&Error>| {
        let [ratio, error] =
            [|error: &Error| error.ratio, |error: &Error| error.ratio.max(1.0 / error.ratio) - 1.0].map(
                |of: fn(&Error) -> f64| {
                    let Spread { min, median, max, .. } =
                        Spread::of(errors.iter().map(|error| of(error)).collect());
                    [min, median, max]
                },
            );
        Checked { class: name, plans: errors.len(), ratio, error }
    };
    let by_class =
        CLASSES.iter().map(|class| (class.name, errors.iter().filter(|e| e.class == class.name).collect()));
    let all = [("all", errors.iter().collect())];
    let found = by_class.chain(all).filter(|(_, errors): &(_, Vec<_>)| !errors.is_empty());
    let summary = found.map(|(name, errors)| of(name, errors)).collect();
    Ok((errors, summary))
}

/// Predicts and measures a plan of a size; returns `None` if the plan cannot be predicted.
fn measured(rates: &Rates, class: Class, lengths: &[usize]) -> Result<Option<Error>, TransformError> {
    let one = NonZeroUsize::MIN;
    let nodes = match class.how {
        How::Alone | How::Batch => Some(one),
        How::Nodes => NonZeroUsize::new(default_nodes(earth::Config::Spn)),
        How::Real | How::Single => None,
    };
    let planner = earth_papers::planner().rates(rates.clone()).nodes(nodes);
    let points = lengths.iter().product();
    match class.how {
        How::Real => {
            let plan = planner.plan_real_to_complex::<f64>(&Problem::real_to_complex(lengths))?;
            let last = lengths.last().map_or(1, |last| *last);
            let numbers = vec![0.0; points];
            let mut spectrum = vec![Complex::default(); points / last * (last / 2 + 1)];
            error(class, &plan, || plan.process(&numbers, &mut spectrum))
        }
        How::Single => {
            let plan = planner.plan::<f32>(&Problem::complex(lengths))?;
            let mut points = vec![Complex::default(); points];
            error(class, &plan, || plan.process(&mut points))
        }
        how => {
            let batch = if how == How::Batch { ((1 << 18) / points).max(1) } else { 1 };
            let plan = planner.plan::<f64>(&Problem::complex(lengths).batch(batch))?;
            let mut points = vec![Complex::default(); points * batch];
            error(class, &plan, || plan.process(&mut points))
        }
    }
}

fn error<T: Precision, K: Kind>(
    class: Class,
    plan: &Plan<T, K>,
    call: impl FnMut() -> Result<(), TransformError>,
) -> Result<Option<Error>, TransformError> {
    let Some(forecast) = plan.forecast() else { return Ok(None) };
    let (predicted, measured) = (forecast.nanoseconds(), time::of(CARE, call)?);
    let ratio = predicted / measured;
    let problem = format!("{}, of {}", plan.problem(), T::NAME);
    let [predicted_s, measured_s] = [predicted, measured].map(|nanoseconds| nanoseconds / 1e9);
    Ok(Some(Error { class: class.name, problem, predicted_s, measured_s, ratio }))
}

/// Generator of sizes.
struct Draw(Xoshiro256PlusPlus);

impl Draw {
    fn new() -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(SEED))
    }

    /// Draws lengths of a class, excluding all lengths used to measure rates.
    fn lengths(&mut self, class: Class) -> Vec<usize> {
        let [least, most] = class.powers;
        let each = self.0.random_range(least..most) / class.dimensions as f64;
        // Sides differ by a factor of at most four.
        let powers: Vec<f64> = (0..class.dimensions).map(|_| self.0.random_range(-1.0..1.0)).collect();
        let mean = mean(powers.iter().copied());
        let length = |power: f64| {
            let from = (each + power - mean).exp2().round().max(2.0) as usize;
            let fits = |len: &usize| {
                (class.any || smooth_part(*len) == *len)
                    && (class.how != How::Real || len.is_multiple_of(2))
                    && !kernels::is_measured(*len)
            };
            (from..=8 * from).find(fits).unwrap_or(from)
        };
        powers.into_iter().map(length).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_of_their_class_and_were_not_measured() {
        let mut draw = Draw::new();
        for _ in 0..10 {
            for class in CLASSES {
                let lengths = draw.lengths(class);
                assert_eq!(lengths.len(), class.dimensions);
                assert!(!lengths.iter().any(|len| kernels::is_measured(*len)), "{lengths:?}");
                assert!(class.any || lengths.iter().all(|len| smooth_part(*len) == *len), "{lengths:?}");
                let points = lengths.iter().product::<usize>() as f64;
                let [least, most] = class.powers;
                assert!((least - 1.0..most + 3.0).contains(&points.log2()), "{class:?}: {lengths:?}");
            }
        }
    }
}
