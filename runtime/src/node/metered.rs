//! The way from the execution unit of a DUAL node to its synchronization unit on a machine that charges for operations.

use std::sync::Arc;

use earth_signal::Sent;

use super::function::{Event, IssueMeter, Token};
use crate::probe::costs::{self, Costs};
use crate::transport::{Stolen, Transport};

/// The meter that the machine takes operations from. It has room for all.
pub(crate) struct Metered {
    /// The number of the node.
    node: u32,
    meter: IssueMeter,
    costs: Arc<Costs>,
}

impl Metered {
    pub(crate) fn new(node: u32, costs: &Arc<Costs>) -> Self {
        Metered { node, meter: IssueMeter::new(), costs: Arc::clone(costs) }
    }
}

impl Transport<Event, Token> for Metered {
    fn send(&mut self, to: u32, event: Event, now: &mut u64) -> Sent {
        *now = costs::after(*now, event.issue_cost(&self.costs));
        let bulk = if to == self.node { 0 } else { event.bulk_bytes() };
        self.meter.issue(event, to, bulk, *now);
        Sent::Queued
    }

    fn held_back(&self) -> usize {
        0
    }

    fn flush(&mut self) -> usize {
        0
    }

    fn steal(&mut self) -> Option<Stolen<Token>> {
        None
    }

    fn can_steal(&self) -> bool {
        false
    }

    fn shares(&mut self) {}

    fn meter(&mut self) -> Option<&mut IssueMeter> {
        Some(&mut self.meter)
    }
}
