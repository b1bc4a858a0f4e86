//! Threads outside of a run start functions in it, and keep it alive.
//!
//! All threads outside together are one more party of the protocols of `earth-signal`. Their ledger and their
//! place among the sleepers come after the workers'. They send to a node's inbox as a node with shared memory
//! does. Their ledger is busy from the beginning of the run until its input is closed, and then contains the
//! number of messages that they have sent. The thread that closes the input looks whether the run is quiet,
//! as a worker does when it becomes idle. A thread that finds an inbox full sleeps as a worker does that
//! holds a blocked event: the next worker that makes progress wakes it.

use std::sync::{Arc, PoisonError};
use std::time::Instant;

use earth_signal::{Full, Ledger};

use super::super::gate::{Injector, Refused};
use super::ThreadsShared;
use super::transport::SharedTransport;
use crate::node::function::Event;

/// Ledger of the threads outside.
pub(super) struct Outside {
    ledger: Ledger,
    /// Whether they may send further messages.
    pub(super) is_open: bool,
}

impl Outside {
    pub(super) fn new(ledger: Ledger) -> Self {
        Outside { ledger, is_open: false }
    }

    /// Prepares for a run. The caller has reset all ledgers.
    pub(super) fn begin(&mut self) {
        self.is_open = true;
    }

    /// Announces that no further message follows the `sent` messages.
    pub(super) fn close(&mut self, sent: u64) {
        self.is_open = false;
        self.ledger.idle(sent, 0);
    }
}

/// Injector of a run on threads.
pub(super) struct PoolInjector {
    pub(super) shared: Arc<ThreadsShared>,
    pub(super) roads: Arc<SharedTransport>,
}

impl Injector for PoolInjector {
    fn take(&self, node: u32, call: Event) -> Result<(), Refused> {
        if self.shared.verdict.is_over() {
            // A run ends without an error only after its input is closed.
            return Err(Refused { call, over: self.shared.verdict.error() });
        }
        if let Err(Full(call)) = self.roads.ends.inboxes[node as usize].send(call) {
            return Err(Refused { call, over: None });
        }
        self.roads.wake(node as usize);
        Ok(())
    }

    fn wait(&self, deadline: Option<Instant>, ready: &mut dyn FnMut() -> bool) {
        let _first = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.sleepers.park_holding_until(self.shared.states.len(), deadline, ready);
    }

    fn close(&self, sent: u64) {
        self.shared.outside.lock().close(sent);
        if self.shared.quiet.is_quiet() {
            self.shared.verdict.settle();
            self.shared.sleepers.wake_all();
        }
    }

    /// The thread that declared the error has already woken all sleepers.
    fn end(&self) {}
}
