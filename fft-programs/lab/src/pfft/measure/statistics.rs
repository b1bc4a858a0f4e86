//! How often to repeat a measurement, and what the mean of the repetitions is worth.
//!
//! Algorithm 8 of Khokhriakov, Manumachu and Lastovetsky, *IEEE Access* 6 (2018), appendix B: repeat until
//! the mean of the times lies in a confidence interval of 95% whose half width is 2.5% of it, but at least 10
//! times, at most 100,000 times, and not when an hour was spent. The half width is t · s/√n, with s the
//! standard deviation of the n times.
//!
//! *Where we depart.* The paper takes the quantile t(0.95, n−1), which leaves 5% at each end and so makes an
//! interval of 90%. Ours is t(0.975, n−1). Its groups are measured at once, so that they disturb one another
//! as they will in use; here one repetition gives the times of all groups, and all means must be good enough.
//! The minimum of repetitions is at least 2, since one has no deviation.
//!
//! *What the interval is worth.* For a number of repetitions that is fixed beforehand it covers the mean of
//! normally distributed times with the confidence it claims. To stop as soon as it looks narrow enough
//! favours samples that happen to look narrow, so that it then covers a little less often (about 93% instead
//! of 95% in the worst cases tried); the minimum of repetitions limits that. It says nothing where times
//! depend on one another, as on a computer that grows warm. [`normality`](super::normality()) looks at the
//! distribution.

use earth_papers::partition::Point;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::normality::normality;

/// When a mean is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reliability {
    /// How often intervals cover the true mean: 0.95.
    pub confidence: f64,
    /// The half width to reach, as a fraction of the mean: 0.025.
    pub tolerance: f64,
    /// Repetitions before the first look: 10.
    pub least: u32,
    /// Repetitions after which it is given up: 100,000.
    pub most: u32,
    /// Seconds after which it is given up, of the slowest group's times alone: 3,600. The least repetitions
    /// are made even so.
    pub seconds: f64,
}

impl Default for Reliability {
    /// The paper's.
    fn default() -> Self {
        Self { confidence: 0.95, tolerance: 0.025, least: 10, most: 100_000, seconds: 3600.0 }
    }
}

/// Why repetitions came to an end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The means of all groups are good enough.
    Precise,
    /// There were as many as allowed.
    Repetitions,
    /// They took as long as allowed.
    Time,
}

/// The result of repeated timing.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// A point for each group.
    pub points: Vec<Point>,
    /// Why no more were made.
    pub stop: Stop,
    /// The seconds that all repetitions took: the sum of the slowest group's times.
    pub seconds: f64,
}

/// Why there is no mean.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MeasureError<E> {
    /// Options that allow no measurement.
    #[error(
        "a mean needs a confidence between 0 and 1, a tolerance above 0, a time limit, and at least 2 \
         repetitions, no fewer than the least"
    )]
    Unreliable(Reliability),
    /// A clock that went wrong.
    #[error("the clock says that a repetition took {seconds} seconds")]
    BadTime {
        /// The time by the clock.
        seconds: f64,
    },
    /// The repetition failed.
    #[error(transparent)]
    Failed(E),
}

/// Repeats `timing` until the mean of each group's times is as reliable as asked. `timing` runs all `groups`
/// at once and puts down the seconds that each took.
///
/// *Cost besides `timing`.* A quantile a repetition, microseconds; 8 bytes a repetition and group.
///
/// ```
/// use earth_lab::pfft::measure::{Reliability, Stop, repeat};
///
/// let mut times = [1.0, 1.02, 0.98].into_iter().cycle();
/// let measured = repeat(Reliability::default(), 1, |seconds: &mut [f64]| {
///     seconds[0] = times.next().unwrap();
///     Ok::<(), std::io::Error>(())
/// })?;
/// assert_eq!((measured.stop, measured.points[0].repetitions), (Stop::Precise, 10));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// Options that allow no measurement, a time that is negative, infinite or none (or a mean of 0), or what
/// `timing` returns.
pub fn repeat<E>(
    reliability: Reliability,
    groups: usize,
    mut timing: impl FnMut(&mut [f64]) -> Result<(), E>,
) -> Result<Measured, MeasureError<E>> {
    let Reliability { confidence, tolerance, least, most, seconds: limit } = reliability;
    let sensible = 0.0 < confidence && confidence < 1.0 && tolerance > 0.0 && limit >= 0.0;
    if !sensible || least.max(2) > most {
        return Err(MeasureError::Unreliable(reliability));
    }
    let mut times = vec![0.0; groups];
    let mut samples = vec![Vec::new(); groups];
    let mut moments = vec![Moments::default(); groups];
    let mut spent = 0.0;
    for repetition in 1..=most {
        times.fill(0.0);
        timing(&mut times).map_err(MeasureError::Failed)?;
        for ((samples, moments), &seconds) in samples.iter_mut().zip(&mut moments).zip(&times) {
            if !(seconds.is_finite() && seconds >= 0.0) {
                return Err(MeasureError::BadTime { seconds });
            }
            samples.push(seconds);
            moments.add(seconds);
        }
        spent += times.iter().copied().fold(0.0, f64::max);
        if repetition < least.max(2) {
            continue;
        }
        let t = student(confidence, f64::from(repetition - 1));
        let precise = |moments: &Moments| moments.half_width(t) <= tolerance * moments.mean;
        let stop = if moments.iter().all(precise) {
            Stop::Precise
        } else if spent > limit {
            Stop::Time
        } else if repetition == most {
            Stop::Repetitions
        } else {
            continue;
        };
        let point = |(moments, samples): (&Moments, &Vec<f64>)| {
            let (mean, half_width) = (moments.mean, moments.half_width(t));
            Point { mean, half_width, repetitions: repetition, normality: normality(samples) }
        };
        let points: Vec<_> = moments.iter().zip(&samples).map(point).collect();
        // A clock too coarse for what it timed.
        if let Some(point) = points.iter().find(|point| point.mean <= 0.0) {
            return Err(MeasureError::BadTime { seconds: point.mean });
        }
        return Ok(Measured { points, stop, seconds: spent });
    }
    unreachable!("the last repetition returns")
}

/// The number of standard errors on each side of a mean that make an interval of `confidence`: the quantile
/// (1 + `confidence`)/2 of Student's t with so many degrees of freedom.
///
/// # Panics
///
/// If the confidence is not between 0 and 1, or there is not a degree of freedom.
pub fn student(confidence: f64, degrees: f64) -> f64 {
    assert!((0.0..1.0).contains(&confidence), "{confidence} is no confidence");
    let t = StudentsT::new(0.0, 1.0, degrees).unwrap_or_else(|error| panic!("{degrees} degrees: {error}"));
    t.inverse_cdf(f64::midpoint(1.0, confidence))
}

/// Mean and deviation of numbers as they come (Welford), which cancel nothing.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    number: f64,
    mean: f64,
    /// The sum of squared deviations from the mean.
    squares: f64,
}

impl Moments {
    fn add(&mut self, sample: f64) {
        self.number += 1.0;
        let off = sample - self.mean;
        self.mean += off / self.number;
        self.squares += off * (sample - self.mean);
    }

    /// `t` standard errors of the mean.
    fn half_width(&self, t: f64) -> f64 {
        t * (self.squares / (self.number - 1.0) / self.number).sqrt()
    }
}

#[cfg(test)]
#[path = "statistics_tests.rs"]
mod tests;
