//! The enabled fibers of an SPN node.

use std::collections::VecDeque;

use crate::frame::Ready;

/// Enabled fibers of one node. The fiber enabled last runs next (its data is in cache); the others in the
/// order in which they were enabled.
#[derive(Debug, Default)]
pub(crate) struct ReadyQueue {
    next: Option<Ready>,
    rest: VecDeque<Ready>,
}

impl ReadyQueue {
    #[inline(always)]
    pub(super) fn push(&mut self, ready: Ready) {
        if let Some(older) = &self.next {
            self.rest.push_back(*older);
        }
        self.next = Some(ready);
    }

    /// The same, with what is seldom out of line.
    #[inline(always)]
    pub(super) fn push_apart(&mut self, ready: Ready) {
        if self.next.is_some() {
            self.push_before(ready);
        } else {
            self.next = Some(ready);
        }
    }

    #[inline(never)]
    fn push_before(&mut self, ready: Ready) {
        self.push(ready);
    }

    #[inline(always)]
    pub(crate) fn pop(&mut self) -> Option<Ready> {
        match self.next {
            None => self.rest.pop_front(),
            next => {
                self.next = None;
                next
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rest.len() + usize::from(self.next.is_some())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.next.is_none() && self.rest.is_empty()
    }
}
