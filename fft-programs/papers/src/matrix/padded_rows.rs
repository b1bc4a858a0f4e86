//! Rows that have a larger leading dimension while they are at work.
//!
//! The *leading dimension* of rows is the distance from one to the next in memory. A group may want a larger one than
//! its rows came with ([`pass`](super::pass)). Then each of its row blocks makes rows of its own, copies the points
//! there as it transforms them for the first time, and back when all is done: the node that works on rows copies
//! them, while others do so with theirs, and memory beside the matrix is taken for the rows of that group alone.
//! *Cost:* two copies of the points in both passes together, and pages that are touched for the first time.
//!
//! The padding between the rows is split off before they are cut into tiles, and joined again for a transform,
//! which wants rows at one distance in one piece of memory.

use earth_fft::dataflow::points::{Points, whole_rows};
use earth_kernels::Real;

use super::pass::Pass;

/// The rows of a row block, and their copies with padding, if they have any.
#[derive(Debug)]
pub(crate) struct PaddedRows<T: Real> {
    /// The memory that they came in and have to go back to, if they are at work elsewhere.
    home: Option<Points<T>>,
    /// The padding, while it is split off.
    padding: Option<Points<T>>,
}

impl<T: Real> Default for PaddedRows<T> {
    fn default() -> Self {
        Self { home: None, padding: None }
    }
}

impl<T: Real> PaddedRows<T> {
    /// Rows to work on in place of those that came: padded ones, to which the points have yet to be copied from
    /// [home](Self::home), or the same rows if they need no padding.
    pub(crate) fn enter(&mut self, pass: &Pass<T>, block: usize, rows: Points<T>) -> Points<T> {
        if pass.leading(block) == pass.len() {
            return rows;
        }
        self.home = Some(rows);
        pass.zeroed(block)
    }

    /// The rows whose points have yet to be copied.
    pub(crate) fn home(&self) -> Option<&Points<T>> {
        self.home.as_ref()
    }

    /// The points of rows, without their padding.
    pub(crate) fn points(&mut self, pass: &Pass<T>, rows: Points<T>) -> Points<T> {
        let (points, padding) = rows.split_cols(pass.len());
        self.padding = Some(padding).filter(|padding| !padding.is_empty());
        points
    }

    /// Rows of these tiles, with their padding.
    pub(crate) fn whole(&mut self, tiles: impl Iterator<Item = Points<T>>) -> Points<T> {
        whole_rows(tiles.chain(self.padding.take()).collect())
    }

    /// The points of these tiles, and the rows that they have to be copied back to, if there are any.
    pub(crate) fn leave(&mut self, tiles: impl Iterator<Item = Points<T>>) -> (Points<T>, Option<Points<T>>) {
        self.padding = None;
        (whole_rows(tiles.collect()), self.home.take())
    }
}
