//! Fibers and functions in one line, first in, first out.
//!
//! They lie in two queues, since a function with its arguments is larger than a fiber and fibers are many. A function
//! remembers how many fibers came before it, all told; it is next when so many have gone.

use std::collections::VecDeque;

use super::super::function::Call;
use super::Runnable;
use crate::frame::Ready;

#[derive(Default)]
pub(super) struct FirstIn {
    fibers: VecDeque<Ready>,
    /// Each function with the number of fibers that came before it.
    functions: VecDeque<(u64, Call)>,
    /// How many fibers have gone.
    gone: u64,
}

impl FirstIn {
    #[inline(always)]
    pub(super) fn push_fiber(&mut self, fiber: Ready) {
        self.fibers.push_back(fiber);
    }

    pub(super) fn push_function(&mut self, function: Call) {
        let before = self.gone + self.fibers.len() as u64;
        self.functions.push_back((before, function));
    }

    pub(super) fn pop(&mut self) -> Option<Runnable> {
        if let Some((_, function)) = self.functions.pop_front_if(|(before, _)| *before == self.gone) {
            return Some(Runnable::Function(function));
        }
        let fiber = self.fibers.pop_front()?;
        self.gone += 1;
        Some(Runnable::Fiber(fiber))
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.fibers.len() + self.functions.len()
    }
}
