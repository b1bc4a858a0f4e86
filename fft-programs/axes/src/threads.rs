//! Plans for at most a number of threads.
//!
//! A planner with a number of nodes shares even small problems, which one thread does faster. So:
//!
//! 1. A large problem is planned for that number of nodes, at most one for each usable core.
//! 2. For another problem the planner chooses freely, for a batch of many arrays for example. Its choice is
//!    limited if it takes too many nodes.

use std::num::NonZeroUsize;

use earth_fft::{Config, Elements, Planner, Precision, default_nodes};

use crate::error::AxesError;
use crate::plan::AxesPlan;
use crate::problem::AxesProblem;
use crate::real::{RealPlan, RealProblem};

/// The least points of an array of several transformed axes that the threads of a call share. Two real
/// numbers are one point. Time of two threads relative to one (`f64`, medians of 25, AVX-512):
///
/// | array | 64 x 64 | 128 x 128 | 256 x 256 | 512 x 512 | 64 x 64 x 64 | 720 x 720 |
/// |---|---|---|---|---|---|---|
/// | relative time | 2.3 | 1.2 | 0.7 | 0.6 | 0.6 | 0.5 |
///
/// The planner's own bound is higher: a planner shares arrays without being asked to.
const SHARED_ARRAY: usize = 1 << 17;

/// The least points of a series that the threads of a call share. Relative time of two threads: 0.85 at 2^16
/// points, 0.65 at 2^17, and 0.5 at 2^18 on cores with one third-level cache. Others need more points.
const SHARED_SERIES: usize = 1 << 18;

impl<T: Precision> AxesPlan<T> {
    /// Plans a problem for at most `threads` threads. The planner has no number of nodes.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn with_threads(planner: &Planner, problem: &AxesProblem, threads: usize) -> Result<Self, AxesError> {
        let limited = |nodes: usize| Self::new(&planner.clone().nodes(NonZeroUsize::new(nodes)), problem);
        if threads <= 1 {
            return limited(1);
        }
        if is_large(problem) {
            return limited(threads.min(default_nodes(Config::Spn)));
        }
        let free = Self::new(planner, problem)?;
        if free.nodes() <= threads { Ok(free) } else { limited(threads) }
    }
}

impl<T: Precision> RealPlan<T> {
    /// Plans a problem for at most `threads` threads. The planner has no number of nodes. Only lines that the
    /// planner shares by itself have more than one thread.
    ///
    /// # Errors
    ///
    /// The errors of [`new`](Self::new).
    pub fn with_threads(planner: &Planner, problem: &RealProblem, threads: usize) -> Result<Self, AxesError> {
        if threads > 1 && threads >= default_nodes(Config::Spn) {
            return Self::new(planner, problem);
        }
        Self::new(&planner.clone().nodes(NonZeroUsize::MIN), problem)
    }
}

/// Returns whether several threads are faster for one transform.
fn is_large(problem: &AxesProblem) -> bool {
    let lengths = problem.transformed.iter().map(|axis| axis.length);
    let count = lengths.fold(1, usize::saturating_mul);
    let points = if problem.elements == Elements::ComplexToComplex { count } else { count / 2 };
    points >= if problem.transformed.len() == 1 { SHARED_SERIES } else { SHARED_ARRAY }
}
