//! The result of a program for matrices: the transform, and where the time went, by the clock and by fibers' work.

use std::time::Duration;

use earth::{Block, Eu, Operands, Wire};
use earth_kernels::Real;
use num_complex::Complex;

use crate::dataflow::phases::nanoseconds;
use crate::dataflow::points::Points;
use crate::dataflow::work;

/// The result of a program: the transform in natural order, and where the time went.
#[derive(Debug, Wire)]
pub struct MatrixDone<T: Real> {
    /// The transform, `[k1][k2]`; the inverse is divided by the number of points.
    pub spectrum: Block<Complex<T>>,
    /// The time of each part.
    pub phases: MatrixPhases,
}

/// The time of each part of a program on matrices. Planning is not among them.
///
/// The steps of the transform have no times of their own by the clock, since nothing waits for all of a
/// step to end. Instead the time that fibers spent in each kind of work is summed, over all nodes.
#[derive(Clone, Copy, Debug, Wire)]
pub struct MatrixPhases {
    /// In nanoseconds, so that they may travel.
    setup: u64,
    transform: u64,
    joining: u64,
    spent: Spent,
}

impl MatrixPhases {
    /// The phases of a program that begins and ends each part where the next one begins. `clock` holds the times of
    /// the start, when all row blocks are connected, when the last one is back, and of the end.
    pub(in crate::dataflow) fn between([start, ready, home, end]: [Duration; 4], spent: Spent) -> Self {
        Self {
            setup: nanoseconds(start, ready),
            transform: nanoseconds(ready, home),
            joining: nanoseconds(home, end),
            spent,
        }
    }

    /// The time until all row blocks are dealt and connected. The first of them are at work by then.
    pub fn setup(&self) -> Duration {
        Duration::from_nanos(self.setup)
    }

    /// The time from then until the last row block of the transform is back.
    pub fn transform(&self) -> Duration {
        Duration::from_nanos(self.transform)
    }

    /// The time from then until the row blocks are one matrix: nothing, unless some came through bytes and have to
    /// be copied together.
    pub fn joining(&self) -> Duration {
        Duration::from_nanos(self.joining)
    }

    /// The time of the main function on node 0, from its start to its end.
    pub fn total(&self) -> Duration {
        self.setup() + self.transform() + self.joining()
    }

    /// The time that all nodes together spent in transforming rows, and in copying rows to another leading dimension;
    /// of this the total holds a part, at best one over the number of nodes.
    pub fn rows(&self) -> Duration {
        Duration::from_nanos(self.spent.rows)
    }

    /// The time that all nodes together spent in transposing tiles.
    pub fn tiles(&self) -> Duration {
        Duration::from_nanos(self.spent.tiles)
    }
}

/// The time that a row block's fibers spent, in nanoseconds.
#[derive(Clone, Copy, Default, Debug, Wire)]
pub struct Spent {
    rows: u64,
    tiles: u64,
}

impl Spent {
    /// Transforms rows by `transform`, after their points were copied `from` elsewhere if they are there, and
    /// counts the time.
    pub(in crate::dataflow) fn on_rows<T: Real>(
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
    pub(in crate::dataflow) fn on_return<T: Real>(
        &mut self,
        eu: &mut Eu,
        rows: Points<T>,
        home: Option<Points<T>>,
    ) -> Points<T> {
        let Some(mut home) = home else { return rows };
        let start = eu.now();
        eu.compute((&mut home, &rows), work::copy(rows.len()), |(home, rows)| home.copy_from(rows));
        self.rows += nanoseconds(start, eu.now());
        home
    }

    /// Transposes tiles of `points` points by `transpose` and counts the time.
    pub(in crate::dataflow) fn on_tiles<B: Operands>(
        &mut self,
        eu: &mut Eu,
        points: usize,
        tiles: B,
        transpose: impl FnOnce(B),
    ) {
        let start = eu.now();
        eu.compute(tiles, work::copy(points), transpose);
        self.tiles += nanoseconds(start, eu.now());
    }

    pub(in crate::dataflow) fn plus(self, more: Self) -> Self {
        Self { rows: self.rows + more.rows, tiles: self.tiles + more.tiles }
    }
}
