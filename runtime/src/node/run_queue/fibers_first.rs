//! Enabled fibers, the oldest first, before any invoked function: what has begun is finished before anything new
//! begins, so few frames live at once. After so many fibers in a row the oldest function has its turn all the same.

use super::line::Line;
use super::{Order, Runnable};

pub(super) struct FibersFirst {
    /// How many more fibers may run before a function that waits has its turn.
    left: u32,
    in_a_row: u32,
}

impl FibersFirst {
    pub(super) fn new(in_a_row: u32) -> Self {
        FibersFirst { left: in_a_row, in_a_row }
    }
}

impl<C> Order<C> for FibersFirst {
    fn begin(&mut self) {
        self.left = self.in_a_row;
    }

    fn newest_in_a_row(&self) -> u32 {
        0
    }

    fn pick(&mut self, line: &mut Line<C>) -> Option<Runnable<C>> {
        let function = if self.left == 0 && !seeded!(FunctionsWait) || !line.has_fibers() {
            line.pop_function()
        } else {
            None
        };
        if function.is_some() {
            self.left = self.in_a_row;
            return function;
        }
        let fiber = line.pop_fiber()?;
        self.left = if self.left == 0 { self.in_a_row } else { self.left - 1 };
        Some(fiber)
    }
}
