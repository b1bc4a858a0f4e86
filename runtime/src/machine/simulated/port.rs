//! Port of a unit in virtual time. The port charges for each event, stamps it, and leaves it for the machine,
//! whose outbox is unbounded.

use std::sync::Arc;

use earth_signal::Sent;

use super::events::{EventKey, Events};
use crate::node::function::{Event, Token};
use crate::node::su::Su;
use crate::probe::costs::{self, Costs};
use crate::transport::{StolenToken, Transport};

/// Exchange between a unit and the machine that steps it.
pub(super) struct Port {
    /// The machine's outbox while this unit acts; otherwise an empty outbox.
    pub(super) outbox: Box<Outbox>,
    /// Token of another node that waits to be [taken](Transport::steal).
    pub(super) token: Option<StolenToken<Token>>,
    costs: Arc<Costs>,
    /// Node, if the unit is the execution unit of a DUAL node: its events go to the other unit first.
    eu_of: Option<u32>,
}

impl Port {
    /// Makes the port of a unit that sends to other nodes.
    pub(super) fn of_node(costs: &Arc<Costs>) -> Self {
        Port { outbox: Box::default(), token: None, costs: Arc::clone(costs), eu_of: None }
    }

    /// Makes the port of the execution unit of a DUAL node.
    pub(super) fn of_eu(node: u32, costs: &Arc<Costs>) -> Self {
        Port { eu_of: Some(node), ..Self::of_node(costs) }
    }
}

/// Returns the port of a unit.
pub(super) fn port(su: &mut Su) -> &mut Port {
    su.transport_as()
}

/// Event that leaves a unit.
#[derive(Clone, Copy)]
pub(super) struct Departure {
    pub(super) to: u32,
    pub(super) key: EventKey,
    /// Size of its blocks in bytes, if it is for another node.
    pub(super) bulk: u64,
    pub(super) at: u64,
}

/// Events that units send. A machine has one outbox, which it lends to the unit that it steps.
#[derive(Default)]
pub(super) struct Outbox {
    /// Events sent since the machine last looked.
    pub(super) sent: Vec<Departure>,
    /// Whether the node shared tokens since the machine last looked.
    pub(super) shares: bool,
    /// Events in transit.
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

    /// Takes the token that arrived last. The machine requests tokens, since it knows which nodes are idle.
    fn steal(&mut self) -> Option<StolenToken<Token>> {
        self.token.take()
    }

    fn can_steal(&self) -> bool {
        self.token.is_some()
    }

    fn shares(&mut self) {
        self.outbox.shares = true;
    }
}
