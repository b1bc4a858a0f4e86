//! Rows that lie apart while they are at work.
//!
//! A group may want its rows farther apart than they came ([`pass`](super::pass)). Then each of its row blocks
//! makes rows of its own, copies the points there as it transforms them for the first time, and back when
//! all is done: the node that works on rows copies them, while others do so with theirs, and memory beside the
//! matrix is taken for the rows of that group alone. *Cost:* two copies of the points in both passes together,
//! and pages that are touched for the first time.
//!
//! What lies between the rows is split off before they are cut into tiles, and joined again for a transform,
//! which wants rows at one distance in one piece of memory.

use earth_kernels::Real;

use super::pass::Pass;
use super::{Points, whole_rows};

/// The rows of a row block, as far as they lie apart.
#[derive(Debug)]
pub(super) struct Apart<T: Real> {
    /// Where they came and have to go back to, if they are at work elsewhere.
    home: Option<Points<T>>,
    /// What lies between them, while it is split off.
    between: Option<Points<T>>,
}

impl<T: Real> Default for Apart<T> {
    fn default() -> Self {
        Self { home: None, between: None }
    }
}

impl<T: Real> Apart<T> {
    /// Rows to work on, for such as came: others, to which the points have yet to be copied from
    /// [home](Self::home), or they themselves.
    pub(super) fn enter(&mut self, pass: &Pass<T>, block: usize, rows: Points<T>) -> Points<T> {
        if pass.width_of(block) == pass.len() {
            return rows;
        }
        self.home = Some(rows);
        pass.zeroed(block)
    }

    /// Where the points are that have yet to be copied.
    pub(super) fn home(&self) -> Option<&Points<T>> {
        self.home.as_ref()
    }

    /// The points of rows, without what lies between them.
    pub(super) fn points(&mut self, pass: &Pass<T>, rows: Points<T>) -> Points<T> {
        let (points, between) = rows.split_cols(pass.len());
        self.between = Some(between).filter(|between| !between.is_empty());
        points
    }

    /// Rows of these tiles, with what lies between them.
    pub(super) fn whole(&mut self, tiles: impl Iterator<Item = Points<T>>) -> Points<T> {
        whole_rows(tiles.chain(self.between.take()).collect())
    }

    /// The points of these tiles, and where they have to be copied back to, if anywhere.
    pub(super) fn leave(&mut self, tiles: impl Iterator<Item = Points<T>>) -> (Points<T>, Option<Points<T>>) {
        self.between = None;
        (whole_rows(tiles.collect()), self.home.take())
    }
}
