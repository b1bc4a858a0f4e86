//! The way from the execution unit of a DUAL node to the machine, which charges for each operation and takes it to the
//! synchronization unit. It has room for all.

use std::collections::VecDeque;
use std::sync::Arc;

use earth_signal::Sent;

use super::events::{EventKey, Events};
use crate::node::function::{Event, Token};
use crate::probe::costs::{self, Costs};
use crate::transport::Transport;

/// An event that was handed over. The event itself lies in a slab, so that one for another node goes there without being
/// touched again.
#[derive(Clone, Copy, Debug)]
pub(super) struct Issued {
    /// When it was handed over.
    pub(super) at: u64,
    /// The node that it is for.
    pub(super) to: u32,
    pub(super) key: EventKey,
    /// The bytes of its blocks, if it is for another node.
    pub(super) bulk: u64,
}

/// The events that an execution unit has handed over.
pub(in crate::machine) struct Metered {
    /// The number of the node.
    node: u32,
    costs: Arc<Costs>,
    /// The machine's events while the unit acts; none otherwise.
    pub(super) events: Box<Events>,
    /// The events that were handed over since the machine last looked.
    pub(super) issued: Box<VecDeque<Issued>>,
}

impl Metered {
    pub(in crate::machine) fn new(node: u32, costs: &Arc<Costs>) -> Self {
        Metered { node, costs: Arc::clone(costs), events: Box::default(), issued: Box::default() }
    }
}

impl Transport<Event, Token> for Metered {
    fn send(&mut self, to: u32, event: Event, now: &mut u64) -> Sent {
        *now = costs::after(*now, event.issue_cost(&self.costs));
        let bulk = if to == self.node { 0 } else { event.bulk_bytes() };
        let key = self.events.insert(event);
        self.issued.push_back(Issued { at: *now, to, key, bulk });
        Sent::Queued
    }
}
