//! The outcome of a transform: its values, its time and its counters.

use num_complex::Complex;
use serde::Serialize;

use super::groups::Shared;

/// The runtime's counters of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Fibers run.
    pub fibers: u64,
    /// Tokens made.
    pub tokens: u64,
    /// Functions invoked on a named node.
    pub invokes: u64,
    /// Signals delivered to slots.
    pub signals: u64,
    /// Bytes of blocks moved.
    pub bytes_moved: u64,
}

/// The seconds that each part of a transform took, by the clock of its main function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Parts {
    /// From the start until all nodes have their points.
    pub setup: f64,
    /// Stages that need no other node, where they come first.
    pub local: f64,
    /// The paper's multithreaded phase: until the last point is back.
    pub multithreaded: f64,
    /// From then until the result is in natural order.
    pub reordering: f64,
}

/// The seconds that units were at work and had nothing to do, summed over the units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Use {
    /// Execution units at work; with one thread a node, synchronization included.
    pub eu_busy: f64,
    /// Execution units without work.
    pub eu_idle: f64,
    /// Synchronization units at work, if they have threads of their own.
    pub su_busy: f64,
    /// Synchronization units without work, if they have threads of their own.
    pub su_idle: f64,
}

/// A finished transform.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// All N values, in natural order.
    pub spectrum: Vec<Complex<T>>,
    /// The program that ran, for people: what `auto` became.
    pub algorithm_used: String,
    /// The number of nodes that took part.
    pub nodes: usize,
    /// The number of points a thread, where there are threads; of a matrix the rows of a row block.
    pub block: Option<usize>,
    /// The time of the whole transform, reordering included.
    pub seconds: f64,
    /// The time of each part.
    pub parts: Parts,
    /// The time that units were at work in, and had nothing to do.
    pub units: Use,
    /// The counters of the run.
    pub counters: Counters,
    /// Asks for operands, the paper's tokens; 0 where nobody asks.
    pub paper_tokens: u64,
    /// Half butterflies, one output each, that the multithreaded phase computed.
    pub half_butterflies: u64,
    /// Whether a matrix was transformed in its own memory, and not through a second one.
    pub in_place: Option<bool>,
    /// How groups of nodes shared a matrix, if they did.
    pub groups: Option<Shared>,
    /// Remarks for people, each a sentence.
    pub notes: Vec<String>,
}

impl<T> Outcome<T> {
    /// The customary [rate](gflops()).
    pub fn gflops(&self) -> f64 {
        gflops(self.spectrum.len(), self.seconds)
    }
}

/// The customary rate, 5 N log2 N operations for `n` points in the time taken; 0 for N of 1, which takes none.
pub fn gflops(n: usize, seconds: f64) -> f64 {
    let operations = 5.0 * n as f64 * (n as f64).log2();
    if operations == 0.0 { 0.0 } else { operations / seconds / 1e9 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_five_n_log_n_over_the_time() {
        let mut outcome = Outcome {
            spectrum: vec![Complex::new(0.0, 0.0); 1024],
            algorithm_used: String::new(),
            nodes: 1,
            block: None,
            seconds: 2e-6,
            parts: Parts::default(),
            units: Use::default(),
            counters: Counters::default(),
            paper_tokens: 0,
            half_butterflies: 0,
            in_place: None,
            groups: None,
            notes: Vec::new(),
        };
        assert!((outcome.gflops() - 25.6).abs() < 1e-9);
        outcome.spectrum.truncate(1);
        outcome.seconds = 0.0;
        assert!(outcome.gflops().abs() < f64::EPSILON);
    }
}
