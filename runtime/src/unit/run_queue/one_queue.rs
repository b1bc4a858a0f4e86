//! One queue for enabled fibers and invoked functions, first in, first out: the order of EARTH's ready queue, in
//! which everything waits just for what came before it.

use super::super::function::Call;
use super::first_in::FirstIn;
use super::{Order, Runnable};
use crate::frame::Ready;

#[derive(Default)]
pub(crate) struct OneQueue(FirstIn);

impl Order for OneQueue {
    fn push_fiber(&mut self, fiber: Ready) {
        self.0.push_fiber(fiber);
    }

    fn push_function(&mut self, function: Call) {
        self.0.push_function(function);
    }

    fn pop(&mut self) -> Option<Runnable> {
        self.0.pop()
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
}
