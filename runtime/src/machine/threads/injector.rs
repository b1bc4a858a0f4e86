//! How threads outside of a run start functions in it, and keep it alive.
//!
//! All of them together are one more party of the protocols of `earth-signal`, whose ledger and place among the
//! sleepers come after those of the workers. They send to the inbox of a node as a node does that shares memory with
//! it. Their ledger is busy from the beginning of the run until its input is closed, and then tells what they
//! have sent; the thread that closes it looks whether all is quiet, as a worker does that has become idle. One that finds an
//! inbox full holds something that cannot go on, and sleeps as such a worker does: whoever makes progress rings for
//! it.

use std::sync::{Arc, PoisonError};

use earth_signal::{Full, Ledger};

use super::super::gate::{Injector, Refused};
use super::Shared;
use super::transport::Roads;
use crate::node::function::Event;

/// What the threads outside have sent.
pub(super) struct Outside {
    ledger: Ledger,
    sent: u64,
}

impl Outside {
    pub(super) fn new(ledger: Ledger) -> Self {
        Outside { ledger, sent: 0 }
    }

    /// Prepares for a run, for which all ledgers have been reset.
    pub(super) fn begin(&mut self) {
        self.sent = 0;
    }

    /// Nothing more will be sent.
    pub(super) fn close(&mut self) {
        self.ledger.idle(self.sent, 0);
    }
}

/// The way into a run on threads.
pub(super) struct PoolInjector {
    pub(super) shared: Arc<Shared>,
    pub(super) roads: Arc<Roads>,
}

impl Injector for PoolInjector {
    fn take(&self, node: u32, call: Event) -> Result<(), Refused> {
        if self.shared.verdict.is_over() {
            // A run that ends well has nobody who sends to it.
            return Err(Refused { call, over: self.shared.verdict.error() });
        }
        if let Err(Full(call)) = self.roads.ends.inboxes[node as usize].send(call) {
            return Err(Refused { call, over: None });
        }
        self.shared.outside.lock().sent += 1;
        self.roads.wake(node as usize);
        Ok(())
    }

    fn wait(&self, ready: &mut dyn FnMut() -> bool) {
        let _first = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.sleepers.park_holding_unless(self.shared.states.len(), ready);
    }

    fn close(&self) {
        self.shared.outside.lock().close();
        if self.shared.quiet.is_quiet() {
            self.shared.verdict.settle();
            self.shared.sleepers.wake_all();
        }
    }

    /// Whoever declared the error has woken everybody.
    fn end(&self) {}
}
