//! The waiting entries of a node whose policy is the program's own.
//!
//! The entries are a list, oldest first. The policy names one by its index. The machine keeps two promises
//! whatever the policy says: the oldest entry is passed over a limited number of times in a row, and the
//! rounds of one slot run in their order.

use super::Runnable;
use crate::vocabulary::choice::{FiberPolicy, WaitingWork};
use crate::vocabulary::custom::Custom;

pub(super) struct Chosen<C> {
    policy: Custom<dyn FiberPolicy>,
    entries: Vec<Runnable<C>>,
    /// The description of each entry for the policy.
    waiting: Vec<WaitingWork>,
    /// How many more times another entry than the oldest may be next, and the limit.
    left: u32,
    in_a_row: u32,
}

impl<C> Chosen<C> {
    pub(super) fn new(policy: Custom<dyn FiberPolicy>, in_a_row: u32) -> Self {
        Chosen { policy, entries: Vec::new(), waiting: Vec::new(), left: in_a_row, in_a_row }
    }

    pub(super) fn begin(&mut self) {
        self.policy.forget();
        self.left = self.in_a_row;
    }

    pub(super) fn add(&mut self, entry: Runnable<C>, about: WaitingWork) {
        self.entries.push(entry);
        self.waiting.push(about);
    }

    /// Takes the entry that is next.
    pub(super) fn take(&mut self) -> Option<Runnable<C>> {
        let Chosen { policy, entries, waiting, left, in_a_row } = self;
        let count = entries.len();
        let mut at = if count < 2 || *left == 0 { 0 } else { policy.ask(|policy| policy.next(waiting)) };
        if at >= count && count > 0 {
            policy.user.fault(format!("named entry {at} of {count} that wait"));
        }
        let enabled = waiting.get(at)?.enabled;
        if enabled.is_some() {
            // A spawned fiber has an index of its own, and no rounds.
            let is_round = |about: &WaitingWork| about.enabled == enabled && about.index == waiting[at].index;
            at = waiting.iter().position(is_round).unwrap_or(at);
        }
        *left = if at == 0 { *in_a_row } else { *left - 1 };
        waiting.remove(at);
        for about in waiting.iter_mut() {
            about.passed_over += 1;
        }
        Some(entries.remove(at))
    }
}
