//! A link: what travels from a function to the next one and back, its sending end and its receiving end.

use std::collections::VecDeque;

use super::Flow;
use crate::{Eu, Reply, Wire};

/// The largest number of batches that one credit is for. An endless stream with an endless window is stopped
/// by a credit.
const MOST_FOR_A_CREDIT: usize = 4;

/// Items under way.
#[derive(Debug, Wire)]
pub struct Batch<T: Wire> {
    pub(super) items: Vec<T>,
    /// The sender's inlet for the answer to this batch.
    credit: Reply<Credit>,
    /// Position among the batches that a farm has dealt, modulo 2^32.
    pub(super) number: u32,
    pub(super) is_last: bool,
    /// Whether the receiver answers this batch, and so all batches before it.
    requests_credit: bool,
}

// A batch travels inline.
const _: () = assert!(size_of::<Batch<u64>>() == 48);

impl<T: Wire> Batch<T> {
    /// Answers this batch, and all batches before it on its link, if the sender requests it.
    pub(super) fn answer(self, has_enough: bool, eu: &mut Eu) {
        if self.requests_credit {
            eu.put(self.credit, if has_enough { Credit::Enough } else { Credit::Taken });
        }
    }
}

/// The answer to batches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Wire)]
pub(super) enum Credit {
    /// The batches have been taken.
    Taken,
    /// The batches have been taken, and no more items are needed.
    Enough,
}

/// Where batches go, how many of them have no credit yet, and whether the receiver has enough.
#[derive(Debug)]
pub(super) struct Outlet<T: Wire> {
    to: Reply<Batch<T>>,
    window: usize,
    /// The number of batches that one credit is for. The last credit may be for fewer.
    for_a_credit: usize,
    under_way: usize,
    /// The number of batches since the last one that requested a credit.
    unanswered: usize,
    /// Whether the last batch has been sent.
    ended: bool,
    /// Whether the receiver needs no more items.
    stopped: bool,
}

impl<T: Wire> Outlet<T> {
    /// Makes a link with a credit for every half of its window.
    pub(super) fn new(to: Reply<Batch<T>>, flow: Flow) -> Self {
        let for_a_credit = (flow.window / 2).clamp(1, MOST_FOR_A_CREDIT);
        Outlet { for_a_credit, ..Self::exact(to, flow) }
    }

    /// Makes a link with a credit for each batch, so that [`under_way`](Self::under_way) is exact.
    pub(super) fn exact(to: Reply<Batch<T>>, flow: Flow) -> Self {
        let window = flow.window;
        Outlet { to, window, for_a_credit: 1, under_way: 0, unanswered: 0, ended: false, stopped: false }
    }

    /// Returns the number of batches without a credit.
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

    /// Returns whether the receiver needs no more items.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Counts a credit that has come back.
    pub(super) fn credit(&mut self, credit: Credit) {
        self.under_way -= self.for_a_credit.min(self.under_way);
        self.stopped |= credit == Credit::Enough;
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
        self.unanswered += 1;
        self.ended = is_last;
        let requests_credit = is_last || self.unanswered == self.for_a_credit;
        if requests_credit {
            self.unanswered = 0;
        }
        eu.put(self.to, Batch { items, credit, number, is_last, requests_credit });
    }
}

/// Batches that wait until the next link has room.
#[derive(Debug)]
pub(super) struct Inlet<T: Wire> {
    waiting: VecDeque<Batch<T>>,
}

impl<T: Wire> Inlet<T> {
    pub(super) fn new() -> Self {
        Inlet { waiting: VecDeque::new() }
    }

    /// Appends a batch.
    pub(super) fn push(&mut self, batch: Batch<T>) {
        self.waiting.push_back(batch);
    }

    /// Takes the oldest batch, and returns whether it is dropped. If the next link is closed, takes it only
    /// to drop it.
    pub(super) fn next(
        &mut self,
        is_open: bool,
        is_dropped: impl FnOnce(&Batch<T>) -> bool,
    ) -> Option<(Batch<T>, bool)> {
        let is_dropped = is_dropped(self.waiting.front()?);
        let taken = if is_open || is_dropped { self.waiting.pop_front() } else { None };
        taken.map(|batch| (batch, is_dropped))
    }
}
