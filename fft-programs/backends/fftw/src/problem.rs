//! A whole transform as it is asked of a library.

use std::time::Duration;

use earth_kernels::Direction;

use crate::effort::Effort;

/// The transform of a matrix, or of a series, which is a matrix of one row: plain data. What is not said otherwise is
/// as [`new`](Self::new) has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MatrixProblem {
    /// The rows.
    pub rows: usize,
    /// The points of a row.
    pub cols: usize,
    /// The points from the beginning of a row to that of the next, in the input and in the output.
    pub distance: usize,
    /// Whether the output lies where the input was. Otherwise it lies in another array, and the input stays.
    pub in_place: bool,
    /// The threads of the library's own that share the transform.
    pub threads: usize,
    /// The direction.
    pub direction: Direction,
    /// How hard the planner tries.
    pub effort: Effort,
    /// About how long the planner may try; what it has found by then is the plan. A library that knows no such limit
    /// takes as long as it takes.
    pub limit: Option<Duration>,
}

impl MatrixProblem {
    /// Rows without gaps, in place, by one thread, forward, planned by a guess.
    pub fn new(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            distance: cols,
            in_place: true,
            threads: 1,
            direction: Direction::Forward,
            effort: Effort::Estimate,
            limit: None,
        }
    }
}
