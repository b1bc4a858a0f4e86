//! Costs of synchronization and of the programs' steps: the part of a plan's time that the model does not
//! predict without them.
//!
//! Plans of one kind are measured. Each plan has a known number of occurrences of each unknown cost. Least
//! squares over these counts gives the costs.

use std::num::NonZeroUsize;

use earth_codelets::Isa;
use earth_fft::advisor::{Forecast, Lines, PassWork, Rates};
use earth_fft::{Complex, Layout, Problem, TransformError};

use super::{CalibrationEffort, fit, time};

/// Points of a row of real numbers; below it, the length and the number of gathered lines.
const POINTS: usize = 1024;
const GATHERED: [usize; 2] = [121, 64];

/// Plans on nodes: the names of the costs fitted to this kind, then algorithm, lengths and block of each
/// plan.
type Kind = (&'static [&'static str], &'static [(&'static str, &'static [usize], usize)]);
const KINDS: [Kind; 4] = [
    (
        &["run", "part", "tile"],
        &[
            ("two-pass", &[64, 64], 32),
            ("two-pass", &[64, 64], 8),
            ("two-pass", &[64, 64], 2),
            ("two-pass", &[96, 120], 8),
            ("two-pass", &[128, 128], 16),
            ("transpose", &[4096], 32),
            ("transpose", &[4096], 8),
        ],
    ),
    (
        &["sender", "exchange", "reorder"],
        &[
            ("sender", &[1 << 10], 1 << 5),
            ("sender", &[1 << 12], 1 << 6),
            ("sender", &[1 << 12], 1 << 10),
            ("sender", &[1 << 14], 1 << 5),
            ("sender", &[1 << 14], 1 << 13),
            ("sender", &[1 << 16], 1 << 12),
        ],
    ),
    (&["ask"], &[("receiver", &[1 << 11], 0)]),
    (&["ask-shared"], &[("receiver-shared", &[1 << 11], 0)]),
];

/// Adds the costs of nodes and of steps.
///
/// # Errors
///
/// Returns the errors of planning and of running plans; none is expected.
pub(super) fn measure(
    rates: &mut Rates,
    threads: usize,
    care: CalibrationEffort,
) -> Result<(), TransformError> {
    rates.steps = ["real", "gathered"].map(|name| (name.to_owned(), 0.0)).into();
    if let Some(real) = earth_codelets::real::<f64>(Isa::best(), 2 * POINTS) {
        let mut row = vec![Complex::default(); POINTS + 1];
        let step = time::of_work(care, || real.split(1.0, &mut row));
        rates.steps.insert("real".to_owned(), step / POINTS as f64);
    }
    let [len, lines] = GATHERED;
    let columns = Layout { strides: vec![lines], distance: 1 };
    let plan = earth_papers::planner().plan::<f64>(&Problem::complex(&[len]).batch(lines).layout(columns))?;
    let mut points = vec![Complex::default(); len * lines];
    let all = time::of(care, || plan.process(&mut points))?;
    let rows = rates.kernel("rustfft", Lines::Rows, size_of::<Complex<f64>>(), len);
    let rows = rows.map_or(0.0, |rates| rates.line(len) * lines as f64);
    rates.steps.insert("gathered".to_owned(), (all - rows).max(0.0) / (len * lines) as f64);
    for (names, plans) in KINDS {
        let costs = fitted(rates, names, plans, threads, care)?;
        for (name, cost) in names.iter().zip(costs) {
            match *name {
                "run" => rates.nodes.run = cost,
                "part" => rates.nodes.part = cost,
                "tile" => rates.nodes.tile = cost,
                step => {
                    rates.steps.insert(step.to_owned(), cost);
                }
            }
        }
    }
    Ok(())
}

/// Fits the cost of each of these names.
fn fitted(
    rates: &mut Rates,
    names: &[&'static str],
    plans: &[(&'static str, &[usize], usize)],
    threads: usize,
    care: CalibrationEffort,
) -> Result<Vec<f64>, TransformError> {
    for name in names.iter().filter(|name| !["run", "part", "tile"].contains(name)) {
        rates.steps.insert((*name).to_owned(), 0.0);
    }
    // The papers' programs need a power of two nodes.
    let nodes = NonZeroUsize::new(1 << threads.max(1).ilog2());
    let mut rows = Vec::new();
    for &(algorithm, lengths, block) in plans {
        let planner = earth_papers::by_name(algorithm, NonZeroUsize::new(block))?.nodes(nodes);
        let plan = planner.rates(rates.clone()).plan::<f64>(&Problem::complex(lengths))?;
        let mut points = vec![Complex::default(); lengths.iter().product()];
        let all = time::of(care, || plan.process(&mut points))?;
        let Some(forecast) = plan.forecast() else { continue };
        let left = (all - forecast.nanoseconds()).max(all / 20.0);
        rows.push((names.iter().map(|name| times(forecast, name)).collect(), left));
    }
    Ok(fit::costs(&rows))
}

/// Returns how often a call has the cost of this name, per thread.
fn times(forecast: &Forecast, name: &str) -> f64 {
    let passes = forecast.passes.iter().map(|(pass, _)| {
        let times = match (name, &pass.work) {
            ("part", _) => pass.parts as f64,
            ("tile", _) => pass.tiles as f64,
            (_, PassWork::Steps(step, count)) if *step == name => *count as f64,
            _ => 0.0,
        };
        times * pass.uneven / pass.threads as f64
    });
    if name == "run" { 1.0 } else { passes.sum() }
}
