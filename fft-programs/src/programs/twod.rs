//! The two-dimensional FFTs as one function on vectors.
//!
//! [`matrix`] chooses by the shape alone: a square matrix is transformed in place, any other one
//! through a second matrix.
//!
//! *The rows of a row block*, unless given, are [`default_rows`].

use std::time::{Duration, Instant};

use earth::{Block, Machine};
use earth_kernels::{Direction, Real};
use num_complex::Complex;

use super::TransformError;
use crate::oned::planned::Planned;
use crate::twod::rectangle::{RectangleFft, RectangleJob};
use crate::twod::square::{SquareFft, SquareJob};
use crate::twod::{MatrixPhases, MatrixPlan, MatrixRecipe};

/// A finished transform of a matrix, and all that is known about it.
#[derive(Clone, Debug)]
pub struct TransformedMatrix<T> {
    /// All values, row by row, `[k1][k2]`; the inverse is divided by their number.
    pub spectrum: Vec<Complex<T>>,
    /// Where the time went.
    pub phases: MatrixPhases,
    /// The time that planning took, if nobody held a plan. Not part of the phases.
    pub planning: Duration,
    /// The time from the start of the run until the machine was quiet.
    pub elapsed: Duration,
    /// The same in cycles, on a simulated machine.
    pub cycles: Option<u64>,
    /// What the machine counted.
    pub counters: earth::Counters,
    /// The rows of a row block, of the matrix and of its transpose.
    pub blocks: [usize; 2],
    /// Whether the program worked in place, as it does for a square, not through a second matrix. Through
    /// bytes it copies what moves between nodes all the same.
    pub in_place: bool,
    /// What the run looked like, on a machine that [traces](earth::Machine::trace).
    pub trace: Option<earth::Trace>,
}

/// The 2-D FFT of a matrix of `rows` x `cols` points, given row by row, on all nodes of `machine`: in place
/// ([`twod::square`](crate::twod::square)) or through a second matrix
/// ([`twod::rectangle`](crate::twod::rectangle)).
///
/// `block` is the number of rows of a row block, in both passes; none means [`default_rows`] for each.
///
/// # Errors
///
/// A matrix of no points, `data` of another length than `rows * cols`, more points than a block can hold, row
/// blocks of no rows, or the machine's.
pub fn matrix<T: Real>(
    machine: &mut Machine,
    rows: usize,
    cols: usize,
    data: Vec<Complex<T>>,
    block: Option<usize>,
    direction: Direction,
) -> Result<TransformedMatrix<T>, TransformError> {
    let start = Instant::now();
    let points = Block::from_vec(rows, cols, data)?;
    let blocks = cut(rows, cols, block, machine.node_count());
    let plan: Planned<MatrixPlan<T>> = Planned::of(MatrixRecipe::new(rows, cols, blocks, direction))?;
    let planning = start.elapsed();
    let in_place = rows == cols;
    let run = if in_place {
        machine.run::<SquareFft<T>>(Box::new(SquareJob::new(points, plan)))?
    } else {
        machine.run::<RectangleFft<T>>(Box::new(RectangleJob::new(points, plan)))?
    };
    let earth::Run { value, counters, elapsed, cycles, trace } = run;
    let (spectrum, phases) = (value.spectrum.into_vec(), value.phases);
    Ok(TransformedMatrix { spectrum, phases, planning, elapsed, cycles, counters, blocks, in_place, trace })
}

/// The rows of a row block, of the matrix and of its transpose.
pub(super) fn cut(rows: usize, cols: usize, block: Option<usize>, nodes: usize) -> [usize; 2] {
    [rows, cols].map(|side| block.unwrap_or_else(|| default_rows(side, nodes)))
}

/// The number of rows of a row block, of `rows` rows on `nodes` nodes: all of them on one node, where tiles
/// serve nothing; else so that each node has four blocks, as far as there are rows, to have some at work
/// while others wait for tiles, and so that a last block of few rows leaves no node without work for long.
/// More blocks mean more tiles: their number is the square.
pub fn default_rows(rows: usize, nodes: usize) -> usize {
    let blocks = if nodes <= 1 { 1 } else { 4 * nodes };
    rows.div_ceil(blocks).max(1)
}
