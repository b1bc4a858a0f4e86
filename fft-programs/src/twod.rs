//! Two-dimensional FFTs as dataflow programs: threaded functions that run, unchanged, on every machine.
//!
//! * [`square`]: N x N points, in place, by exchanging tiles across the diagonal.
//! * [`rectangle`]: R x C points of any sizes, through a second matrix.
//!
//! Both are the row-column method: transform the rows, transpose, transform what are rows now,
//! transpose back. Rows are dealt in *row blocks*, to the nodes in turn. What two row blocks have in
//! common across a transpose is a *tile*; tiles move by ownership, and each is turned as soon as it is
//! there. There is no barrier between the four steps: a row block goes on when its own tiles have come,
//! while others may be a step behind.
//!
//! Of a [phantom](earth::Block::phantom) matrix the same fibers run, and the same tiles move, without a point;
//! its plan is that of [`MatrixRecipe::phantom`], without row kernels.
//!
//! [`programs::twod`](crate::programs::twod) runs them for matrices in vectors, and
//! [`programs::phantom`](crate::programs::phantom) for such as are larger than memory.

use std::time::Duration;

use earth::{Block, Eu, Operands, join_all_cols, join_all_rows, wire};
use earth_kernels::{Direction, Real, RowKernel as _, RustFft, scale};
use num_complex::Complex;

use crate::oned::planned::{Plan, Tables};
use crate::oned::{copied, nanoseconds};
use crate::work;

pub mod rectangle;
pub mod square;

/// Points on their way.
type Points<T> = Block<Complex<T>>;

/// Rows cut into blocks of a number of rows each, the last one of those that are left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RowBlocks {
    rows: usize,
    block: usize,
}

impl RowBlocks {
    /// `rows` rows in blocks of `block`.
    ///
    /// # Panics
    ///
    /// If `block` is 0.
    pub fn new(rows: usize, block: usize) -> Self {
        assert!(block > 0, "row blocks of no rows");
        Self { rows, block }
    }

    /// The number of blocks.
    pub fn count(self) -> usize {
        self.rows.div_ceil(self.block)
    }

    /// The rows of all blocks but perhaps the last one.
    pub fn block(self) -> usize {
        self.block
    }
}

wire! {
    /// What a plan of a transform of a matrix is made of.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct MatrixRecipe {
        rows: usize,
        cols: usize,
        blocks: [usize; 2],
        inverse: bool,
        phantom: bool,
    }
}

impl MatrixRecipe {
    /// Transforms of `rows` x `cols` points. `blocks` are the rows of a block: of the
    /// matrix, and of its transpose.
    pub fn new(rows: usize, cols: usize, blocks: [usize; 2], direction: Direction) -> Self {
        Self { rows, cols, blocks, inverse: direction == Direction::Inverse, phantom: false }
    }

    /// The same for phantom matrices: a plan that knows how they are cut and computes nothing.
    pub fn phantom(rows: usize, cols: usize, blocks: [usize; 2]) -> Self {
        Self { rows, cols, blocks, inverse: false, phantom: true }
    }
}

/// Why a matrix cannot be dealt.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MatrixError {
    /// It has no points.
    #[error("a matrix of {rows} x {cols} has no points to transform")]
    NoPoints {
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
    },
    /// Row blocks of 0 rows were asked for.
    #[error("a row block has at least one row")]
    NoRows,
}

/// What all row blocks of one transform share: how it is cut, and the row kernels.
#[derive(Debug)]
pub struct MatrixPlan<T: Real> {
    direction: Direction,
    /// Of the matrix, and of its transpose.
    cut: [RowBlocks; 2],
    /// For the rows of the matrix, and for those of its transpose.
    kernels: Tables<[RustFft<T>; 2]>,
}

impl<T: Real> MatrixPlan<T> {
    /// How the rows of the matrix are cut, and those of its transpose.
    pub fn cut(&self) -> [RowBlocks; 2] {
        self.cut
    }

    /// Transforms the rows of a row block that has them whole, in the first pass or in the second. They are
    /// taken one at a time, since a kernel may round otherwise when it is given several. The inverse is
    /// divided by the number of points here, in the second pass, while a row is in the cache.
    fn transform(&self, pass: usize, rows: &mut Points<T>) {
        let kernel = &self.kernels.get()[pass];
        let points = self.cut[0].rows * self.cut[1].rows;
        let mut scratch = kernel.scratch();
        for row in rows.iter_rows_mut() {
            kernel.transform(self.direction, row, &mut scratch);
            if pass == 1 && self.direction == Direction::Inverse {
                scale(row, T::of(1.0 / points as f64));
            }
        }
    }

    /// Whether this is the plan of a matrix of that many rows and columns, and of that kind.
    #[track_caller]
    fn check(&self, matrix: &Points<T>) {
        let (found, planned) = ((matrix.rows(), matrix.cols()), (self.cut[0].rows, self.cut[1].rows));
        assert_eq!(found, planned, "a matrix of other rows and columns than the plan's");
        self.kernels.check(matrix);
    }
}

impl<T: Real> Plan for MatrixPlan<T> {
    type Recipe = MatrixRecipe;
    type Error = MatrixError;

    fn make(recipe: MatrixRecipe) -> Result<Self, MatrixError> {
        let MatrixRecipe { rows, cols, blocks, inverse, phantom } = recipe;
        if rows == 0 || cols == 0 {
            return Err(MatrixError::NoPoints { rows, cols });
        }
        if blocks.contains(&0) {
            return Err(MatrixError::NoRows);
        }
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        let cut = [RowBlocks::new(rows, blocks[0]), RowBlocks::new(cols, blocks[1])];
        let kernels = Tables::unless(phantom, || {
            let along = RustFft::new(cols);
            let across = if rows == cols { along.clone() } else { RustFft::new(rows) };
            [along, across]
        });
        Ok(Self { direction, cut, kernels })
    }
}

wire! {
    /// What a program gives: the transform in natural order, and where the time went.
    #[derive(Debug)]
    pub struct MatrixDone<T: Real> {
        /// The transform, `[k1][k2]`; the inverse is divided by the number of points.
        pub spectrum: Block<Complex<T>>,
        /// The time of each part.
        pub phases: MatrixPhases,
    }
}

wire! {
    /// The time of each part of a program on matrices. Planning is not among them.
    ///
    /// The steps of the transform have no times of their own by the clock, since nothing waits for all of a
    /// step to end. Instead the time that fibers spent in each kind of work is summed, over all nodes.
    #[derive(Clone, Copy, Debug)]
    pub struct MatrixPhases {
        /// In nanoseconds, so that they may travel.
        setup: u64,
        transform: u64,
        joining: u64,
        work: Work,
    }
}

impl MatrixPhases {
    /// Of a program that begins and ends each part where the next one begins.
    fn between([start, ready, home, end]: [Duration; 4], work: Work) -> Self {
        Self {
            setup: nanoseconds(start, ready),
            transform: nanoseconds(ready, home),
            joining: nanoseconds(home, end),
            work,
        }
    }

    /// Until all row blocks have been dealt and know each other. The first of them are at work by then.
    pub fn setup(&self) -> Duration {
        Duration::from_nanos(self.setup)
    }

    /// Until the last row block of the transform is back.
    pub fn transform(&self) -> Duration {
        Duration::from_nanos(self.transform)
    }

    /// Until the row blocks are one matrix: nothing, unless some came through bytes and
    /// have to be copied together.
    pub fn joining(&self) -> Duration {
        Duration::from_nanos(self.joining)
    }

    /// By the clock of the main function on node 0, from its start to its end.
    pub fn total(&self) -> Duration {
        self.setup() + self.transform() + self.joining()
    }

    /// What all nodes together spent in transforming rows; of this the total holds a part, at best one
    /// over the number of nodes.
    pub fn rows(&self) -> Duration {
        Duration::from_nanos(self.work.rows)
    }

    /// What all nodes together spent in turning tiles.
    pub fn tiles(&self) -> Duration {
        Duration::from_nanos(self.work.tiles)
    }
}

wire! {
    /// The time that a row block's fibers spent, in nanoseconds.
    #[derive(Clone, Copy, Default, Debug)]
    pub struct Work {
        rows: u64,
        tiles: u64,
    }
}

impl Work {
    /// Transforms `rows` by `transform` and counts the time.
    fn on_rows<T: Real>(
        &mut self,
        eu: &mut Eu,
        rows: &mut Points<T>,
        transform: impl FnOnce(&mut Points<T>),
    ) {
        let work = work::row_fft(rows.rows(), rows.cols());
        timed(&mut self.rows, eu, rows, work, transform);
    }

    /// Turns tiles of `points` points by `turn` and counts the time.
    fn on_tiles<B: Operands>(&mut self, eu: &mut Eu, points: usize, tiles: B, turn: impl FnOnce(B)) {
        timed(&mut self.tiles, eu, tiles, work::copy(points), turn);
    }

    fn plus(self, more: Self) -> Self {
        Self { rows: self.rows + more.rows, tiles: self.tiles + more.tiles }
    }
}

fn timed<B: Operands>(counted: &mut u64, eu: &mut Eu, on: B, work: earth::Work, does: impl FnOnce(B)) {
    let start = eu.now();
    eu.compute(on, work, does);
    *counted += nanoseconds(start, eu.now());
}

/// Tiles of the same rows, from the left, as whole rows. Within a process they are where they were when they
/// were split, next to each other; those that came through bytes have to be copied.
fn whole_rows<T: Real>(tiles: Vec<Points<T>>) -> Points<T> {
    join_all_cols(tiles).unwrap_or_else(|tiles| {
        let rows = tiles.first().map_or(0, Block::rows);
        let together = (0..rows).flat_map(|row| tiles.iter().flat_map(move |tile| tile.row(row)));
        copied([rows, tiles.iter().map(Block::cols).sum()], &tiles, together)
    })
}

/// Row blocks, from the top, as a matrix; see [`whole_rows`].
fn whole_matrix<T: Real>(blocks: Vec<Points<T>>) -> Points<T> {
    join_all_rows(blocks).unwrap_or_else(|blocks| {
        let cols = blocks.first().map_or(0, Block::cols);
        let together = blocks.iter().flat_map(Block::iter_rows).flatten();
        copied([blocks.iter().map(Block::rows).sum(), cols], &blocks, together)
    })
}
