//! Repetition of a measurement, and the confidence interval of the mean.
//!
//! Algorithm 8 of Khokhriakov, Manumachu and Lastovetsky, *IEEE Access* 6 (2018), appendix B. It repeats
//! until the mean of the times is in a 95% confidence interval whose half width is 2.5% of the mean. It
//! repeats at least 10 times and at most 100,000 times, and stops after an hour. The half width is t · s/√n,
//! where s is the standard deviation of the n times.
//!
//! *Differences from the paper.* The paper takes the quantile t(0.95, n−1), which leaves 5% at each end and
//! so gives an interval of 90%. Ours is t(0.975, n−1). The paper measures its groups at once, so that they
//! disturb each other as they will in use. Here one repetition gives the times of all groups, and all means
//! must be good enough. The minimum of repetitions is at least 2, because one sample has no deviation.
//!
//! *Meaning of the interval.* For a number of repetitions that is fixed beforehand, it covers the mean of
//! normally distributed times with the stated confidence. Stopping as soon as it looks narrow enough favors
//! samples that happen to look narrow. It then covers a little less often (about 93% instead of 95% in the
//! worst cases tried); the minimum of repetitions limits this. The interval means little where times depend
//! on each other, as on a computer that heats up. [`normality`](super::normality()) tests the distribution.

use earth_papers::partition::Point;
use statrs::distribution::{ContinuousCDF as _, StudentsT};

use super::normality::normality;

/// Conditions under which a mean is good enough.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reliability {
    /// Probability that the interval covers the true mean: 0.95.
    pub confidence: f64,
    /// Half width to reach, as a fraction of the mean: 0.025.
    pub tolerance: f64,
    /// Repetitions before the first check: 10.
    pub least: u32,
    /// Repetitions after which the measurement stops: 100,000.
    pub most: u32,
    /// Time after which the measurement stops, in seconds, summed over the slowest group's times only: 3,600.
    /// The fewest repetitions are done in any case.
    pub seconds: f64,
}

impl Default for Reliability {
    /// Returns the paper's values.
    fn default() -> Self {
        Self { confidence: 0.95, tolerance: 0.025, least: 10, most: 100_000, seconds: 3600.0 }
    }
}

/// Reason why the repetitions stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The means of all groups are good enough.
    Precise,
    /// The maximum of repetitions was reached.
    Repetitions,
    /// The time limit was reached.
    Time,
}

/// Result of repeated timing.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Measured point of each group.
    pub points: Vec<Point>,
    /// Reason why the repetitions stopped.
    pub stop: Stop,
    /// Time of all repetitions, in seconds: the sum of the slowest group's times.
    pub seconds: f64,
}

/// Error of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum MeasureError<E> {
    /// Options that allow no measurement.
    #[error(
        "a mean needs a confidence between 0 and 1, a tolerance above 0, a time limit, and a maximum of at least 2 \
         repetitions that is not below the minimum"
    )]
    Unreliable(Reliability),
    /// Implausible time from the clock.
    #[error("a repetition took {seconds} seconds by the clock; a time must be positive and finite")]
    TimeError {
        /// Time by the clock, in seconds.
        seconds: f64,
    },
    /// The repetition failed.
    #[error(transparent)]
    Failed(E),
}

/// Repeats `timing` until the mean of each group's times is as reliable as `reliability` requires. `timing`
/// runs all `groups` at once and writes the seconds of each.
///
/// *Cost besides `timing`.* A quantile per repetition, microseconds; 8 bytes per repetition and group.
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
/// Returns an error for options that allow no measurement, for a time that is negative, infinite or NaN, for
/// a mean of 0, and any error of `timing`.
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
                return Err(MeasureError::TimeError { seconds });
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
        // The clock is too coarse for such short times.
        if let Some(point) = points.iter().find(|point| point.mean <= 0.0) {
            return Err(MeasureError::TimeError { seconds: point.mean });
        }
        return Ok(Measured { points, stop, seconds: spent });
    }
    unreachable!("the last repetition returns")
}

/// Returns the number of standard errors on each side of a mean that make an interval of `confidence`: the
/// quantile (1 + `confidence`)/2 of Student's t with `degrees` degrees of freedom.
///
/// # Panics
///
/// Panics if the confidence is not at least 0 and below 1, or if `degrees` is not positive.
pub fn student(confidence: f64, degrees: f64) -> f64 {
    assert!(
        (0.0..1.0).contains(&confidence),
        "the confidence is {confidence}; it must be at least 0 and below 1"
    );
    let t = StudentsT::new(0.0, 1.0, degrees)
        .unwrap_or_else(|error| panic!("no Student's t with {degrees} degrees of freedom: {error}"));
    t.inverse_cdf(f64::midpoint(1.0, confidence))
}

/// Running mean and deviation (Welford's algorithm), without cancellation.
#[derive(Clone, Copy, Debug, Default)]
struct Moments {
    number: f64,
    mean: f64,
    /// Sum of squared deviations from the mean.
    squares: f64,
}

impl Moments {
    fn add(&mut self, sample: f64) {
        self.number += 1.0;
        let off = sample - self.mean;
        self.mean += off / self.number;
        self.squares += off * (sample - self.mean);
    }

    /// Returns `t` standard errors of the mean.
    fn half_width(&self, t: f64) -> f64 {
        t * (self.squares / (self.number - 1.0) / self.number).sqrt()
    }
}

#[cfg(test)]
#[path = "statistics_tests.rs"]
mod tests;
