//! Threads outside of a run start functions on this rank, and keep the run alive.
//!
//! The threads append calls to a list and wake the link. Between two turns of its node the rank starts the
//! calls of the list. A rank is not [passive](super::waves) while its input is open or the list contains
//! calls. So no wave ends, and the run continues. Calls for other nodes leave as events that this rank sends.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::task::Waker;
use std::time::Instant;

use super::super::gate::{Injector, Refused};
use crate::node::function::Event;
use crate::primitive::sync::{Condvar, Mutex, MutexGuard};

/// Injector of a run on this rank.
pub(super) struct InjectorQueue {
    left: Mutex<Pending>,
    /// Notified when there is room, and when the run is over.
    room: Condvar,
    /// Maximum number of calls in the list.
    most: usize,
    waker: Option<Waker>,
}

struct Pending {
    calls: VecDeque<Event>,
    is_open: bool,
    is_over: bool,
}

impl InjectorQueue {
    /// Makes an injector with room for `most` calls. `waker` wakes the rank.
    pub(super) fn new(most: usize, waker: Option<Waker>) -> Self {
        let left = Pending { calls: VecDeque::new(), is_open: true, is_over: false };
        InjectorQueue { left: Mutex::new(left), room: Condvar::new(), most, waker }
    }

    /// Appends a call, even if the list is full.
    pub(super) fn keep(&self, call: Event) {
        self.left().calls.push_back(call);
    }

    pub(super) fn take_out(&self, most: usize) -> Vec<Event> {
        let calls = &mut self.left().calls;
        let count = calls.len().min(most);
        let taken = calls.drain(..count).collect();
        if count > 0 {
            self.room.notify_all();
        }
        taken
    }

    /// Returns whether further calls may come.
    pub(super) fn is_open(&self) -> bool {
        self.left().is_open
    }

    /// Returns whether the list is empty and no further call can come.
    pub(super) fn is_done(&self) -> bool {
        let left = self.left();
        left.calls.is_empty() && !left.is_open
    }

    fn left(&self) -> MutexGuard<'_, Pending> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wake(&self) {
        self.waker.iter().for_each(Waker::wake_by_ref);
    }
}

impl Injector for InjectorQueue {
    fn take(&self, _node: u32, call: Event) -> Result<(), Refused> {
        let left = &mut *self.left();
        if left.calls.len() >= self.most {
            return Err(Refused { call, over: None });
        }
        left.calls.push_back(call);
        self.wake();
        Ok(())
    }

    fn wait(&self, deadline: Option<Instant>, ready: &mut dyn FnMut() -> bool) {
        let is_full = |left: &mut Pending| left.calls.len() >= self.most && !left.is_over;
        match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
            Some(most) => {
                let waited = self.room.wait_timeout_while(self.left(), most, is_full);
                drop(waited.unwrap_or_else(PoisonError::into_inner));
            }
            None => drop(self.room.wait_while(self.left(), is_full).unwrap_or_else(PoisonError::into_inner)),
        }
        ready();
    }

    fn close(&self, _sent: u64) {
        self.left().is_open = false;
        self.wake();
    }

    fn end(&self) {
        self.left().is_over = true;
        self.room.notify_all();
    }
}
