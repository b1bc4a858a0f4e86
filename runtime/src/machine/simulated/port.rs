//! The way out of a unit in virtual time: each event is charged for, stamped, and left for the machine, which has room for
//! all of them.

use std::sync::Arc;

use earth_signal::Sent;

use super::events::{EventKey, Events};
use crate::node::function::{Event, Token};
use crate::node::su::Su;
use crate::probe::costs::{self, Costs};
use crate::transport::{Stolen, Transport};

/// The exchange between a unit and the machine that steps it.
pub(super) struct Port {
    /// The machine's outbox while this unit acts; an empty one otherwise.
    pub(super) outbox: Box<Outbox>,
    /// A token that came from another node and waits to be [taken](Transport::steal).
    pub(super) token: Option<Stolen<Token>>,
    costs: Arc<Costs>,
    /// The node, if the unit is the execution unit of a DUAL node: its events go to the other unit first.
    eu_of: Option<u32>,
}

impl Port {
    /// The port of a unit that sends to other nodes.
    pub(super) fn of_node(costs: &Arc<Costs>) -> Self {
        Port { outbox: Box::default(), token: None, costs: Arc::clone(costs), eu_of: None }
    }

    /// The port of the execution unit of a DUAL node.
    pub(super) fn of_eu(node: u32, costs: &Arc<Costs>) -> Self {
        Port { eu_of: Some(node), ..Self::of_node(costs) }
    }
}

/// The port of a unit, where it leaves things for the machine.
pub(super) fn port(su: &mut Su) -> &mut Port {
    su.way()
}

/// An event that leaves a unit.
#[derive(Clone, Copy)]
pub(super) struct Departure {
    pub(super) to: u32,
    pub(super) key: EventKey,
    /// The bytes of its blocks, if it is for another node.
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
    pub(super) events: Events,
}

impl Transport<Event, Token> for Port {
    fn send(&mut self, to: u32, event: Event, now: &mut u64) -> Sent {
        let bulk = if self.eu_of == Some(to) { 0 } else { event.bulk_bytes() };
        let cost =
            if self.eu_of.is_some() { event.issue_cost(&self.costs) } else { self.costs.sending(bulk) };
        *now = costs::after(*now, cost);
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
