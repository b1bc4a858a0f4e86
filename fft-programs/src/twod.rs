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
use earth_kernels::Real;
use num_complex::Complex;

use crate::oned::{copied, nanoseconds};
use crate::work;

pub mod apart;
pub mod dealing;
pub mod lengths;
pub mod pass;
mod plan;
pub mod rectangle;
pub mod row_speed;
pub mod square;

pub use plan::{MatrixError, MatrixPlan, MatrixRecipe};

/// Points on their way.
type Points<T> = Block<Complex<T>>;

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

    /// What all nodes together spent in transforming rows, and in copying those that lie apart; of this the total holds a part, at best one
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
    /// Transforms rows by `transform`, after their points were copied `from` elsewhere if they are there, and
    /// counts the time.
    fn on_rows<T: Real>(
        &mut self,
        eu: &mut Eu,
        (from, rows): (Option<&Points<T>>, &mut Points<T>),
        len: usize,
        transform: impl FnOnce(Option<&Points<T>>, &mut Points<T>),
    ) {
        let start = eu.now();
        let work = work::row_fft(rows.rows(), len);
        match from {
            None => eu.compute(rows, work, |rows| transform(None, rows)),
            Some(from) => {
                eu.work(work::copy(from.len()));
                eu.compute((from, rows), work, |(from, rows)| transform(Some(from), rows))
            }
        };
        self.rows += nanoseconds(start, eu.now());
    }

    /// Copies rows back to where they came, if they came elsewhere, and counts the time.
    fn on_return<T: Real>(&mut self, eu: &mut Eu, rows: Points<T>, home: Option<Points<T>>) -> Points<T> {
        let Some(mut home) = home else { return rows };
        let start = eu.now();
        eu.compute((&mut home, &rows), work::copy(rows.len()), |(home, rows)| home.copy_from(rows));
        self.rows += nanoseconds(start, eu.now());
        home
    }

    /// Turns tiles of `points` points by `turn` and counts the time.
    fn on_tiles<B: Operands>(&mut self, eu: &mut Eu, points: usize, tiles: B, turn: impl FnOnce(B)) {
        let start = eu.now();
        eu.compute(tiles, work::copy(points), turn);
        self.tiles += nanoseconds(start, eu.now());
    }

    fn plus(self, more: Self) -> Self {
        Self { rows: self.rows + more.rows, tiles: self.tiles + more.tiles }
    }
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
