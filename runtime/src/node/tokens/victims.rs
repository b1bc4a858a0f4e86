//! Which node an idle node asks for a token first.

use crate::vocabulary::policy::StealOrder;

/// The nodes that a node may take tokens of, as numbers from 0: the next node's, then that of the one after it.
#[derive(Clone, Debug)]
pub(crate) struct Victims {
    order: StealOrder,
    last: usize,
}

impl Victims {
    pub(crate) fn new(order: StealOrder) -> Self {
        Victims { order, last: 0 }
    }

    /// Forgets who gave a token last.
    pub(crate) fn forget(&mut self) {
        self.last = 0;
    }

    /// The number at which to begin to look, of so many; `draw` gives a random number.
    #[inline]
    pub(crate) fn first(&self, count: usize, draw: impl FnOnce() -> u64) -> usize {
        match self.order {
            StealOrder::LastVictim => self.last,
            StealOrder::NextNode => 0,
            StealOrder::Random => (draw() % count.max(1) as u64) as usize,
        }
    }

    /// Notes that the node with this number had a token.
    #[inline]
    pub(crate) fn gave(&mut self, number: usize) {
        self.last = number;
    }
}
