//! Comparison of workloads that are timed in turn. Their ratios stay valid when the machine's speed drifts;
//! absolute times do not.

use std::time::{Duration, Instant};

/// Number of times that each workload is timed.
pub const PAIRS: usize = 15;

/// Least value, median and largest value of some figures.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// Least value.
    pub min: f64,
    /// Median.
    pub median: f64,
    /// Largest value.
    pub max: f64,
}

impl Spread {
    /// Computes the spread of at least one figure.
    ///
    /// # Panics
    ///
    /// If there is no figure.
    pub fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_by(f64::total_cmp);
        let (Some(&min), Some(&max)) = (figures.first(), figures.last()) else {
            panic!("a spread of nothing")
        };
        Spread { min, median: figures[figures.len() / 2], max }
    }
}

impl std::fmt::Display for Spread {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = f.precision().unwrap_or(2);
        let text = format!("{:.digits$} / {:.digits$} / {:.digits$}", self.min, self.median, self.max);
        // The precision applies to the figures; `pad` would cut the text to it.
        write!(f, "{text:<width$}", width = f.width().unwrap_or(0))
    }
}

/// Returns the time that the work took.
pub fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

/// A workload that returns its time.
pub type Timed<'a> = Box<dyn FnMut() -> Duration + 'a>;

/// Times all workloads in turn, [`PAIRS`] times after one uncounted round. Returns nanoseconds, by workload.
pub fn interleaved(things: &mut [Timed<'_>]) -> Vec<Vec<f64>> {
    for thing in things.iter_mut() {
        thing();
    }
    let mut times = vec![Vec::with_capacity(PAIRS); things.len()];
    for _ in 0..PAIRS {
        for (thing, times) in things.iter_mut().zip(&mut times) {
            times.push(thing().as_secs_f64() * 1e9);
        }
    }
    times
}

/// Returns the ratios of one workload's times to the other's, round by round.
pub fn ratios(times: &[f64], peer: &[f64]) -> Spread {
    Spread::of(times.iter().zip(peer).map(|(time, peer)| time / peer).collect())
}
