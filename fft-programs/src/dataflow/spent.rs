//! Where the time of a program for matrices goes by fibers' work: nothing waits for all of a step to end, so the steps
//! have no times by the clock.

use std::time::Duration;

use earth::{Eu, Operands, Wire, Work};
use earth_kernels::Real;

use crate::dataflow::points::Points;
use crate::dataflow::work;

/// The time that a row block's fibers spent, in nanoseconds.
#[derive(Clone, Copy, Default, Debug, Wire)]
pub struct Spent {
    /// In transforms of rows.
    pub rows: u64,
    /// In transposes of tiles.
    pub tiles: u64,
}

impl Spent {
    /// Transforms rows by `transform`, which takes so much work, after their points were copied `from` elsewhere if they
    /// are there, and counts the time.
    pub fn on_rows<T: Real>(
        &mut self,
        eu: &mut Eu,
        (from, rows): (Option<&Points<T>>, &mut Points<T>),
        work: Work,
        transform: impl FnOnce(Option<&Points<T>>, &mut Points<T>),
    ) {
        let start = eu.now();
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
    pub fn on_return<T: Real>(&mut self, eu: &mut Eu, rows: Points<T>, home: Option<Points<T>>) -> Points<T> {
        let Some(mut home) = home else { return rows };
        let start = eu.now();
        eu.compute((&mut home, &rows), work::copy(rows.len()), |(home, rows)| home.copy_from(rows));
        self.rows += nanoseconds(start, eu.now());
        home
    }

    /// Transforms blocks by `transform`, which takes so much work, and counts the time as that of rows.
    pub fn on_blocks<B: Operands>(&mut self, eu: &mut Eu, blocks: B, work: Work, transform: impl FnOnce(B)) {
        let start = eu.now();
        eu.compute(blocks, work, transform);
        self.rows += nanoseconds(start, eu.now());
    }

    /// Transposes tiles of `points` points by `transpose` and counts the time.
    pub fn on_tiles<B: Operands>(&mut self, eu: &mut Eu, points: usize, tiles: B, transpose: impl FnOnce(B)) {
        let start = eu.now();
        eu.compute(tiles, work::copy(points), transpose);
        self.tiles += nanoseconds(start, eu.now());
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self { rows: self.rows + more.rows, tiles: self.tiles + more.tiles }
    }
}

/// The nanoseconds from one time to another: a plain number, which may travel.
pub fn nanoseconds(from: Duration, to: Duration) -> u64 {
    to.saturating_sub(from).as_nanos() as u64
}
