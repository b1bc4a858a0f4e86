//! A planned algorithm.

use std::any::Any;
use std::fmt;

use earth::Reply;
use earth_kernels::Real;
use num_complex::Complex;

use super::Runs;
use crate::advisor::Pass;
use crate::dataflow::points::Points;
use crate::problem::UntypedProblem;

/// Algorithm with its plan of one problem, which the nodes of a machine run. `Display` describes the passes
/// over the points, and the bytes of blocks that it moves.
pub trait Program<T: Real>: Any + fmt::Debug + fmt::Display + Send + Sync {
    /// Returns the block size, if the program has blocks: points of a thread, or for a matrix rows of a row
    /// block.
    fn block(&self) -> Option<usize> {
        None
    }

    /// Returns whether the program transforms a matrix in place, without a second matrix. `None` for a
    /// series.
    fn is_in_place(&self) -> Option<bool> {
        None
    }

    /// Returns remarks on the plan, each a sentence for people.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// Returns the counts of a run, by the formulas in the module documentation of the program.
    fn counts(&self) -> Counts {
        Counts::default()
    }

    /// Returns the memory that a run on this number of nodes takes besides the points.
    fn memory(&self, _nodes: usize) -> Memory {
        Memory::default()
    }

    /// Returns the passes of a run on this number of nodes, for the [advisor](crate::advisor). `None` in a
    /// plan for phantoms, or if the rate of a pass is not measured.
    fn passes(&self, _: &UntypedProblem, _nodes: usize) -> Option<Vec<Pass>> {
        None
    }

    /// Returns how the program runs.
    fn runs(&self) -> Runs<'_, T>;
}

/// Counts of the papers, which no schedule changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Operand requests without requests for roots: the tokens of the paper on the receiver-initiated FFT. 0
    /// for the other programs.
    pub requests: u64,
    /// Half butterflies, of one point each, in the multithreaded phase. Row kernels are not counted.
    pub half_butterflies: u64,
}

/// Bytes that a run takes besides its points.
///
/// The arrays are exact. Frames count the values of their functions, without the runtime's own words and
/// without queues. For a program of many small functions, the memory is therefore correct only in its order
/// of magnitude.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// Bytes of arrays and scratch.
    pub arrays: u64,
    /// Bytes of the frames of functions, for each unit of a node.
    pub frames: u64,
}

impl Memory {
    /// Returns the memory of this number of points in arrays, and of frames with this number of bytes.
    pub fn of<T: Real>(points: u64, frames: u64) -> Self {
        Self { arrays: bytes::<T>(points), frames }
    }

    /// Returns the bytes of a tile in transit: its handle, in an inlet with its address at both ends.
    pub fn of_tile<T: Real>() -> u64 {
        (size_of::<Points<T>>() + 2 * size_of::<Reply<Points<T>>>()) as u64
    }
}

/// Returns the bytes of this number of points.
pub fn bytes<T: Real>(points: u64) -> u64 {
    points.saturating_mul(size_of::<Complex<T>>() as u64)
}
