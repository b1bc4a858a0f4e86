//! The waiting fibers and functions of a node, each kind in FIFO order.
//!
//! They are in two queues, because a function with its arguments is larger than a fiber, and fibers are many.
//! Each function records how many fibers came before it in total, so that the two queues can also be taken as
//! one.

use std::collections::VecDeque;

use earth_memory::{prefetch, push_back};

use super::Runnable;
use crate::node::frame::Ready;

pub(super) struct WaitQueue<C> {
    fibers: VecDeque<Ready>,
    /// Each function's call with the number of fibers that came before it.
    functions: VecDeque<(u64, C)>,
    /// The total number of fibers that were taken.
    gone: u64,
    /// The number of waiting fibers and functions.
    len: usize,
}

impl<C> WaitQueue<C> {
    pub(super) fn new() -> Self {
        WaitQueue { fibers: VecDeque::new(), functions: VecDeque::new(), gone: 0, len: 0 }
    }

    #[inline(always)]
    pub(super) fn push_fiber(&mut self, fiber: Ready) {
        push_back(&mut self.fibers, fiber);
        self.len += 1;
    }

    pub(super) fn push_function(&mut self, function: C) {
        let before = self.gone + self.fibers.len() as u64;
        push_back(&mut self.functions, (before, function));
        self.len += 1;
    }

    /// Takes the fiber or function that came first.
    pub(super) fn pop(&mut self) -> Option<Runnable<C>> {
        let waits = seeded!(QueueJumped) && self.has_fibers();
        match self.functions.pop_front_if(|(before, _)| *before <= self.gone && !waits) {
            Some((_, function)) => {
                self.len -= 1;
                self.functions.front().inspect(|next| prefetch(*next));
                Some(Runnable::Function(function))
            }
            None => self.pop_fiber(),
        }
    }

    /// Takes the entry that came first, and goes on counting it.
    pub(super) fn set_apart(&mut self) -> Option<Runnable<C>> {
        let entry = self.pop()?;
        self.len += 1;
        Some(entry)
    }

    /// Ceases to count an entry that was set apart.
    pub(super) fn forget_apart(&mut self) {
        self.len -= 1;
    }

    /// Returns the fiber that came first, if no function waits.
    #[inline(always)]
    pub(super) fn next_fiber(&self) -> Option<&Ready> {
        if self.fibers.len() == self.len { self.fibers.front() } else { None }
    }

    /// Removes the fiber that came first, which [`next_fiber`](Self::next_fiber) returned.
    #[inline(always)]
    pub(super) fn forget_fiber(&mut self) {
        self.fibers.pop_front();
        self.gone += 1;
        self.len -= 1;
    }

    /// Takes the fiber that came first.
    pub(super) fn pop_fiber(&mut self) -> Option<Runnable<C>> {
        let fiber = self.fibers.pop_front()?;
        self.gone += 1;
        self.len -= 1;
        Some(Runnable::Fiber(fiber))
    }

    /// Takes the function that came first, even if fibers came before it.
    pub(super) fn pop_function(&mut self) -> Option<Runnable<C>> {
        let (_, function) = self.functions.pop_front()?;
        self.len -= 1;
        Some(Runnable::Function(function))
    }

    pub(super) fn has_fibers(&self) -> bool {
        !self.fibers.is_empty()
    }

    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.len
    }
}
