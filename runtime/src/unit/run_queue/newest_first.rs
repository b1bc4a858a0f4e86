//! The newest fiber first, for its data is in cache; all others in one line, first in, first out.
//!
//! A fiber that enables another, which enables a third, would keep all others waiting for ever, so the newest is
//! next at most so many times in a row. Then the oldest of the others has its turn, and the newest stays the newest
//! until something newer comes: a fiber takes its place, a function joins the line behind it.

use super::super::function::Call;
use super::first_in::FirstIn;
use super::{Order, Runnable};
use crate::frame::Ready;

pub(crate) struct NewestFirst {
    newest: Option<Ready>,
    /// How many more times the newest may be next before another one has its turn.
    left: u32,
    in_a_row: u32,
    others: FirstIn,
}

impl NewestFirst {
    pub(super) fn new(in_a_row: u32) -> Self {
        NewestFirst { newest: None, left: in_a_row, in_a_row, others: FirstIn::default() }
    }

    /// Takes the newest fiber, if there is one and it is its turn.
    #[inline(always)]
    pub(super) fn pop_newest(&mut self) -> Option<Ready> {
        if self.newest.is_none() || self.left == 0 {
            return None;
        }
        self.left -= 1;
        self.newest.take()
    }

    /// Lets the newest fiber wait with all others, since something newer has come.
    fn join_line(&mut self) {
        if let Some(older) = self.newest.take() {
            self.others.push_fiber(older);
        }
    }
}

impl Order for NewestFirst {
    #[inline(always)]
    fn push_fiber(&mut self, fiber: Ready) {
        if let Some(older) = &self.newest {
            self.others.push_fiber(*older);
        }
        self.newest = Some(fiber);
    }

    fn push_behind(&mut self, fiber: Ready) {
        self.join_line();
        self.others.push_fiber(fiber);
    }

    fn push_function(&mut self, function: Call) {
        self.join_line();
        self.others.push_function(function);
    }

    fn pop(&mut self) -> Option<Runnable> {
        if let Some(newest) = self.pop_newest() {
            return Some(Runnable::Fiber(newest));
        }
        self.left = self.in_a_row;
        self.others.pop().or_else(|| self.newest.take().map(Runnable::Fiber))
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.others.len() + usize::from(self.newest.is_some())
    }
}
