//! The way out of a node in virtual time: what leaves is stamped, paid for, and left for the machine, which has
//! room for all of it.

use std::sync::Arc;

use earth_signal::Sent;

use crate::node::function::{Event, Port, Token};
use crate::probe::costs::{self, Costs};
use crate::transport::{Departure, Stolen, Transport};

/// The transport of one simulated node.
pub(super) struct PortTransport {
    port: Port,
    costs: Arc<Costs>,
}

impl PortTransport {
    pub(super) fn new(costs: Arc<Costs>) -> Self {
        PortTransport { port: Port::new(), costs }
    }
}

impl Transport<Event, Token> for PortTransport {
    fn send(&mut self, to: u32, event: Event, now: &mut u64) -> Sent {
        let bulk = event.bulk_bytes();
        *now = costs::after(*now, self.costs.sending(bulk));
        let outbox = &mut self.port.outbox;
        let key = outbox.events.insert(event);
        outbox.sent.push(Departure { to, key, bulk, at: *now });
        Sent::Queued
    }

    fn held_back(&self) -> usize {
        0
    }

    fn flush(&mut self) -> usize {
        0
    }

    /// Takes the token that came last. The machine asks for tokens: it knows who is idle.
    fn steal(&mut self) -> Option<Stolen<Token>> {
        self.port.token.take()
    }

    fn can_steal(&self) -> bool {
        self.port.token.is_some()
    }

    fn shares(&mut self) {
        self.port.outbox.shares = true;
    }

    fn port(&mut self) -> Option<&mut Port> {
        Some(&mut self.port)
    }
}
