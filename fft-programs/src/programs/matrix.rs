//! The two-dimensional FFTs as one function on vectors.
//!
//! [`matrix`] chooses by the shape alone: a square matrix is transformed in place, any other one
//! through a second matrix.
//!
//! *The rows of a row block*, unless given, are [`default_rows`].

use std::time::{Duration, Instant};

use earth::{Block, Machine, Shared};
use earth_fftw::Effort;
use earth_kernels::{Direction, Real};
use num_complex::Complex;

use super::compiled;
use super::error::TransformError;
use crate::dataflow::Phases;
use crate::dataflow::matrix::dealing::Dealing;
use crate::dataflow::matrix::{MatrixError, MatrixPlan, MatrixRecipe};
use crate::dataflow::rectangle::RectangleJob;
use crate::dataflow::square::SquareJob;
use crate::kernel::Kernel;

/// A finished transform of a matrix, and all that is known about it.
#[derive(Clone, Debug)]
pub struct TransformedMatrix<T> {
    /// All values, row by row, `[k1][k2]`; the inverse is divided by their number.
    pub spectrum: Vec<Complex<T>>,
    /// The time of each part.
    pub phases: Phases,
    /// The time that planning took. Not part of the phases.
    pub planning: Duration,
    /// The time from the start of the run until the machine was quiet.
    pub elapsed: Duration,
    /// That time in cycles, on a simulated machine.
    pub cycles: Option<u64>,
    /// The machine's counters.
    pub counters: earth::Counters,
    /// The rows of a row block, of the matrix and of its transpose; of the largest, if groups have others.
    pub blocks: [usize; 2],
    /// Whether the program worked in place, as it does for a square, not through a second matrix. Through
    /// bytes it copies what moves between nodes all the same.
    pub in_place: bool,
    /// What was written down of the run, on a machine that [traces](earth::Machine::trace).
    pub records: Option<earth::records::Records>,
}

/// The 2-D FFT of a matrix of `rows` x `cols` points, given row by row, on all nodes of `machine`: in place
/// ([`square`](crate::dataflow::square)) or through a second matrix
/// ([`rectangle`](crate::dataflow::rectangle)).
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
    let blocks = cut(rows, cols, block, machine.node_count());
    let recipe = MatrixRecipe::new(rows, cols, blocks, direction);
    transformed(machine, Block::from_vec(rows, cols, data)?, recipe, start.elapsed())
}

/// How groups of nodes share a matrix: the methods of Khokhriakov, Manumachu and Lastovetsky (2018) are
/// distributions, and lengths of rows ([`pass`](crate::dataflow::matrix::pass)).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sharing {
    /// The nodes of a group.
    pub threads: usize,
    /// The rows of each group, of the matrix and of its transpose.
    pub distribution: [Vec<usize>; 2],
    /// The rows of a row block; none means four blocks a node of whatever rows its group has, as
    /// [`default_rows`] does.
    pub block: Option<usize>,
    /// The leading dimensions of groups' rows at work, of the matrix and of its transpose; 0, or no such group, is
    /// their length.
    pub strides: [Vec<usize>; 2],
    /// The lengths that groups' chirps go through, of the matrix and of its transpose; 0, or no such group, is no
    /// chirp.
    pub chirps: [Vec<usize>; 2],
    /// The lengths to which rows are filled up with zeros, if they are: then the result is not the transform of the
    /// matrix.
    pub spectrum: Option<[usize; 2]>,
    /// The row kernel.
    pub kernel: Kernel,
    /// How hard its planner tries.
    pub effort: Effort,
    /// Whether each step waits for the one before, see [`MatrixRecipe::barrier`].
    pub barrier: bool,
}

impl Sharing {
    /// Has groups of `threads` nodes share a square: group `i` gets `distribution[i]` rows in both passes.
    pub fn of_square(threads: usize, distribution: Vec<usize>) -> Self {
        Self { threads, distribution: [distribution.clone(), distribution], ..Self::default() }
    }

    /// The number of groups.
    pub fn groups(&self) -> usize {
        self.distribution[0].len()
    }

    /// The rows of a row block of a group that has so many rows.
    pub(super) fn block_of(&self, rows: usize) -> usize {
        self.block.unwrap_or_else(|| default_rows_of(rows, self.groups(), self.threads))
    }

    /// Whether a matrix of so many rows and columns is transformed in its own memory.
    pub(super) fn is_in_place(&self, [rows, cols]: [usize; 2]) -> bool {
        let leading = |pass: usize| self.leading_dimensions(pass, [cols, rows][pass]);
        rows == cols && self.distribution[0] == self.distribution[1] && leading(0) == leading(1)
    }

    /// The leading dimension of rows of `len` points at work, by group.
    pub(super) fn leading_dimensions(&self, pass: usize, len: usize) -> Vec<usize> {
        let of_group = |group: usize| match (self.spectrum, self.strides[pass].get(group)) {
            (Some(lengths), _) => lengths[pass],
            (None, None | Some(0)) => len,
            (None, Some(&stride)) => stride,
        };
        (0..self.groups()).map(of_group).collect()
    }

    fn recipe(&self, direction: Direction) -> MatrixRecipe {
        let block = |rows| self.block_of(rows);
        let dealt = |pass: usize| Dealing::grouped(&self.distribution[pass], self.threads, block);
        MatrixRecipe::dealt([dealt(0), dealt(1)], direction).barrier(self.barrier).passes(|pass, recipe| {
            let [strides, chirps] = [&self.strides, &self.chirps].map(|of_pass| of_pass[pass].clone());
            let recipe = recipe.strides(strides).chirp(chirps).kernel(&self.kernel, self.effort);
            match self.spectrum {
                Some(lengths) => recipe.spectrum(lengths[pass]),
                None => recipe,
            }
        })
    }
}

/// The 2-D FFT of a matrix of `rows` x `cols` points, given row by row, by groups of nodes of `machine`: in
/// place if it is a square and both passes are dealt alike, else through a second matrix.
///
/// *Cost.* Beside that of [`matrix`], memory for the padded rows of groups that have some, and a copy there and back.
///
/// # Errors
///
/// The errors of [`matrix`]; rows that are dealt and are not there, groups that are not the machine, lengths that are
/// too short.
pub fn grouped<T: Real>(
    machine: &mut Machine,
    rows: usize,
    cols: usize,
    data: Vec<Complex<T>>,
    sharing: &Sharing,
    direction: Direction,
) -> Result<TransformedMatrix<T>, TransformError> {
    let start = Instant::now();
    for (pass, rows) in [rows, cols].into_iter().enumerate() {
        let dealt = sharing.distribution[pass].iter().fold(0usize, |sum, &rows| sum.saturating_add(rows));
        if dealt != rows {
            return Err(MatrixError::Dealt { dealt, rows }.into());
        }
    }
    let (groups, threads, nodes) = (sharing.groups(), sharing.threads, machine.node_count());
    if groups != sharing.distribution[1].len() || groups.checked_mul(threads) != Some(nodes) {
        return Err(MatrixError::Nodes { groups, threads, nodes }.into());
    }
    let recipe = sharing.recipe(direction);
    transformed(machine, Block::from_vec(rows, cols, data)?, recipe, start.elapsed())
}

fn transformed<T: Real>(
    machine: &mut Machine,
    points: Block<Complex<T>>,
    recipe: MatrixRecipe,
    planning: Duration,
) -> Result<TransformedMatrix<T>, TransformError> {
    let (blocks, in_place) = (recipe.blocks(), recipe.is_in_place());
    let start = Instant::now();
    let plan = Shared::new(MatrixPlan::new(recipe)?);
    let planning = planning + start.elapsed();
    let run = if in_place {
        compiled::square(machine, SquareJob::new(points, plan))?
    } else {
        compiled::rectangle(machine, RectangleJob::new(points, plan))?
    };
    let earth::Run { value, counters, elapsed, cycles, records, .. } = run;
    Ok(TransformedMatrix {
        spectrum: value.spectrum.into_vec(),
        phases: value.phases,
        planning,
        elapsed,
        cycles,
        counters,
        blocks,
        in_place,
        records,
    })
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
    rows.div_ceil(default_blocks(nodes)).max(1)
}

/// The number of rows of a row block, of `rows` rows of one of `groups` groups of `threads` nodes. A group of a single
/// node has four blocks, too, since the others wait for its tiles.
pub fn default_rows_of(rows: usize, groups: usize, threads: usize) -> usize {
    let blocks = if groups == 1 { default_blocks(threads) } else { 4 * threads };
    rows.div_ceil(blocks.max(1)).max(1)
}

fn default_blocks(nodes: usize) -> usize {
    if nodes <= 1 { 1 } else { 4 * nodes }
}
