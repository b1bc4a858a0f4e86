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

/// An algorithm with its plan of one problem, which the nodes of a machine run. `Display` says what it does to the points,
/// and how many bytes of blocks it moves.
pub trait Program<T: Real>: Any + fmt::Debug + fmt::Display + Send + Sync {
    /// The points of a thread, or of a matrix the rows of a row block, if it has any.
    fn block(&self) -> Option<usize> {
        None
    }

    /// Whether it transforms a matrix in its own memory, and not through a second one. `None` for a series.
    fn is_in_place(&self) -> Option<bool> {
        None
    }

    /// Remarks on the plan, each a sentence for people.
    fn notes(&self) -> &[String] {
        &[]
    }

    /// The counts of a run, by the formulas at the head of its file.
    fn counts(&self) -> Counts {
        Counts::default()
    }

    /// The memory beside the points that a run on so many nodes takes.
    fn memory(&self, _nodes: usize) -> Memory {
        Memory::default()
    }

    /// The passes of a run on so many nodes, for the [advisor](crate::advisor). `None` if the rate of one is not measured,
    /// or in a plan for phantoms.
    fn passes(&self, _: &UntypedProblem, _nodes: usize) -> Option<Vec<Pass>> {
        None
    }

    /// How it runs.
    fn runs(&self) -> Runs<'_, T>;
}

/// The counts of the papers, which no schedule changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Asks for operands, roots not counted: the tokens of the paper on the receiver-initiated FFT. 0 for the other
    /// programs.
    pub asks: u64,
    /// Half butterflies, one point each, that the multithreaded phase computes; row kernels are not counted.
    pub half_butterflies: u64,
}

/// The bytes that a run takes beside its points.
///
/// The arrays are exact. Frames count the values of their functions, without the runtime's own words and without queues.
/// So the memory of a program of many small functions is only of the right order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// Arrays and scratch.
    pub arrays: u64,
    /// The frames of functions, which each unit of a node has.
    pub frames: u64,
}

impl Memory {
    /// The memory of so many points in arrays, and of frames.
    pub fn of<T: Real>(points: u64, frames: u64) -> Self {
        Self { arrays: bytes::<T>(points), frames }
    }

    /// The bytes of a tile on its way: its handle, in an inlet with its address at both ends.
    pub fn of_tile<T: Real>() -> u64 {
        (size_of::<Points<T>>() + 2 * size_of::<Reply<Points<T>>>()) as u64
    }
}

/// The bytes of so many points.
pub fn bytes<T: Real>(points: u64) -> u64 {
    points.saturating_mul(size_of::<Complex<T>>() as u64)
}
