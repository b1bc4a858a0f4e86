//! The sending end of a link.

use super::{Batch, Credit};
use crate::{Eu, Reply, Wire};

/// Where batches go, and how many of them have no credit yet.
#[derive(Debug)]
pub(super) struct Outlet<T: Wire> {
    to: Reply<Batch<T>>,
    window: usize,
    under_way: usize,
    /// Whether the last batch has been sent.
    ended: bool,
}

impl<T: Wire> Outlet<T> {
    pub(super) fn new(to: Reply<Batch<T>>, window: usize) -> Self {
        Outlet { to, window, under_way: 0, ended: false }
    }

    pub(super) fn under_way(&self) -> usize {
        self.under_way
    }

    /// Returns whether another batch may be sent now.
    pub(super) fn is_open(&self) -> bool {
        !self.ended && self.under_way < self.window
    }

    /// Returns whether the last batch has been sent and all credits are back.
    pub(super) fn is_over(&self) -> bool {
        self.ended && self.under_way == 0
    }

    /// Counts a credit that has come back.
    pub(super) fn credit(&mut self) {
        self.under_way -= 1;
    }

    /// Sends a batch, whose answer goes to `credit`.
    pub(super) fn send(
        &mut self,
        items: Vec<T>,
        number: u32,
        is_last: bool,
        credit: Reply<Credit>,
        eu: &mut Eu,
    ) {
        self.under_way += 1;
        self.ended = is_last;
        eu.put(self.to, Batch { items, credit, number, is_last });
    }
}
