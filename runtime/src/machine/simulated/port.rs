//! The way out of a node in virtual time: what leaves is stamped, paid for, and left for the machine, which has
//! room for all of it.

use std::sync::Arc;

use earth_signal::Sent;

use super::events::{EventKey, Events};
use crate::node::function::{Event, Token};
use crate::node::su::Su;
use crate::probe::costs::{self, Costs};
use crate::transport::{Stolen, Transport};

/// The transport of one simulated node: the exchange between a unit and the machine that steps it.
pub(super) struct Port {
    /// The machine's outbox while this unit acts; an empty one otherwise.
    pub(super) outbox: Box<Outbox>,
    /// A token that came from another node and waits to be [taken](Transport::steal).
    pub(super) token: Option<Stolen<Token>>,
    costs: Arc<Costs>,
}

impl Port {
    pub(super) fn new(costs: Arc<Costs>) -> Self {
        Port { outbox: Box::default(), token: None, costs }
    }
}

/// The port of a synchronization unit, where it leaves things for the machine.
pub(super) fn port(su: &mut Su) -> &mut Port {
    su.way()
}

/// An event that leaves a node.
#[derive(Clone, Copy)]
pub(super) struct Departure {
    pub(super) to: u32,
    pub(super) key: EventKey,
    /// The bytes of its blocks.
    pub(super) bulk: u64,
    pub(super) at: u64,
}

/// The events that units send. A machine has one outbox, which it lends to the unit it steps.
#[derive(Default)]
pub(super) struct Outbox {
    /// The events sent since the machine last looked.
    pub(super) sent: Vec<Departure>,
    /// Whether the node shared tokens since the machine last looked.
    pub(super) shares: bool,
    /// The events, until they are received.
    pub(super) events: Box<Events>,
}

impl Transport<Event, Token> for Port {
    fn send(&mut self, to: u32, event: Event, now: &mut u64) -> Sent {
        let bulk = event.bulk_bytes();
        *now = costs::after(*now, self.costs.sending(bulk));
        let key = self.outbox.events.insert(event);
        self.outbox.sent.push(Departure { to, key, bulk, at: *now });
        Sent::Queued
    }

    /// Takes the token that came last. The machine asks for tokens: it knows who is idle.
    fn steal(&mut self) -> Option<Stolen<Token>> {
        self.token.take()
    }

    fn can_steal(&self) -> bool {
        self.token.is_some()
    }

    fn shares(&mut self) {
        self.outbox.shares = true;
    }
}
