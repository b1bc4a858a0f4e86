//! The newest fiber first, for its data is in cache; all others in one line, first in, first out.
//!
//! A fiber that enables another, which enables a third, would keep all others waiting for ever, so the newest is
//! next at most so many times in a row. Then the oldest of the others has its turn, and the newest stays the newest
//! until something newer comes: a fiber takes its place, a function joins the line behind it.

use super::line::Line;
use super::{Order, Runnable};

pub(super) struct NewestFirst {
    pub(super) in_a_row: u32,
}

impl<C> Order<C> for NewestFirst {
    fn newest_in_a_row(&self) -> u32 {
        self.in_a_row
    }

    fn pick(&mut self, line: &mut Line<C>) -> Option<Runnable<C>> {
        line.pop()
    }
}
