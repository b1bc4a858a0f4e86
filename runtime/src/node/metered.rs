//! The way from the execution unit of a DUAL node to its synchronization unit on a machine that charges for operations.

use std::sync::Arc;

use earth_signal::Sent;

use super::function::{Event, IssueMeter, Token};
use super::spill::Spill;
use crate::probe::costs::{self, Costs};
use crate::transport::{Stolen, Transport};

/// The meter that the machine takes operations from, and those that found no room there.
pub(crate) struct Metered {
    /// The number of the node.
    node: u32,
    meter: IssueMeter,
    costs: Arc<Costs>,
    spilled: Spill,
}

impl Metered {
    pub(crate) fn new(node: u32, costs: &Arc<Costs>) -> Self {
        Metered { node, meter: IssueMeter::new(), costs: Arc::clone(costs), spilled: Spill::default() }
    }
}

impl Transport<Event, Token> for Metered {
    fn send(&mut self, to: u32, event: Event, now: &mut u64) -> Sent {
        *now = costs::after(*now, event.issue_cost(&self.costs));
        let bulk = if to == self.node { 0 } else { event.bulk_bytes() };
        match self.meter.issue(event, to, bulk, !self.spilled.is_empty(), *now) {
            Ok(()) => Sent::Queued,
            Err(event) => {
                self.spilled.push(event);
                Sent::HeldBack
            }
        }
    }

    fn held_back(&self) -> usize {
        self.spilled.len()
    }

    fn flush(&mut self) -> usize {
        while let Some(event) = self.spilled.pop() {
            let bulk = event.bulk_bytes();
            if let Err(event) = self.meter.issue_late(event, bulk) {
                self.spilled.put_back(event);
                break;
            }
        }
        self.spilled.len()
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
