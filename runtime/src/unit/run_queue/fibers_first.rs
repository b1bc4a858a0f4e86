//! Enabled fibers, the oldest first, before any invoked function: what has begun is finished before anything new
//! begins, so few frames live at once. After so many fibers in a row the oldest function has its turn all the same.

use std::collections::VecDeque;

use super::super::function::Call;
use super::{Order, Runnable};
use crate::frame::Ready;

pub(crate) struct FibersFirst {
    fibers: VecDeque<Ready>,
    functions: VecDeque<Call>,
    /// How many more fibers may run before a function that waits has its turn.
    left: u32,
    in_a_row: u32,
}

impl FibersFirst {
    pub(super) fn new(in_a_row: u32) -> Self {
        FibersFirst { fibers: VecDeque::new(), functions: VecDeque::new(), left: in_a_row, in_a_row }
    }
}

impl Order for FibersFirst {
    fn push_fiber(&mut self, fiber: Ready) {
        self.fibers.push_back(fiber);
    }

    fn push_function(&mut self, function: Call) {
        self.functions.push_back(function);
    }

    fn pop(&mut self) -> Option<Runnable> {
        let function =
            if self.left == 0 || self.fibers.is_empty() { self.functions.pop_front() } else { None };
        if let Some(function) = function {
            self.left = self.in_a_row;
            return Some(Runnable::Function(function));
        }
        let fiber = self.fibers.pop_front()?;
        self.left = if self.left == 0 { self.in_a_row } else { self.left - 1 };
        Some(Runnable::Fiber(fiber))
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.fibers.len() + self.functions.len()
    }
}
