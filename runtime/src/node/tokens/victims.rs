//! The order in which an idle node looks for victims.

use crate::vocabulary::policy::StealOrder;

/// The possible victims of a node, numbered from 0: the next node is 0, the node after it is 1, and so on.
#[derive(Clone, Debug)]
pub(crate) struct Victims {
    order: StealOrder,
    last: usize,
}

impl Victims {
    pub(crate) fn new(order: StealOrder) -> Self {
        Victims { order, last: 0 }
    }

    /// Forgets the last victim.
    pub(crate) fn forget(&mut self) {
        self.last = 0;
    }

    /// Returns the victim number, below `count`, at which to begin; `draw` returns a random number.
    #[inline]
    pub(crate) fn first(&self, count: usize, draw: impl FnOnce() -> u64) -> usize {
        match self.order {
            StealOrder::LastVictim => self.last,
            StealOrder::NextNode => 0,
            StealOrder::Random => (draw() % count.max(1) as u64) as usize,
        }
    }

    /// Records that the node with this number had a token.
    #[inline]
    pub(crate) fn gave(&mut self, number: usize) {
        self.last = number;
    }
}
