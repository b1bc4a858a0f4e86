//! One queue for enabled fibers and invoked functions, first in, first out: the order of EARTH's ready queue, in
//! which everything waits just for what came before it.

use super::line::Line;
use super::{Order, Runnable};

pub(super) struct OneQueue;

impl<C> Order<C> for OneQueue {
    fn newest_in_a_row(&self) -> u32 {
        0
    }

    fn pick(&mut self, line: &mut Line<C>) -> Option<Runnable<C>> {
        line.pop()
    }
}
