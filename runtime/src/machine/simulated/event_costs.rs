//! The bytes of events, and what events cost on a machine that charges for operations.

use crate::node::function::{Event, Token, bulk};
use crate::probe::costs::Costs;
use crate::vocabulary::layout::Sizes;
use crate::vocabulary::value;

/// The most bytes of a packed event without a block: its tag, its addresses, and a value in line. The sender's
/// signature is not counted.
const WORDS_BYTES: u64 = 96;

impl Event {
    /// The bytes of blocks that travel with it; those of packed events count as a block if they are more
    /// than a message of words takes.
    pub(super) fn bulk_bytes(&self) -> u64 {
        match self {
            Event::Put { value, .. } | Event::Write { value, .. } => value::bulk(value),
            Event::Invoke { call, .. } | Event::Token { token: Token { call, .. }, .. } => bulk(call),
            Event::Signed { event, .. } => event.bulk_bytes(),
            Event::Bytes { counted: 0..=WORDS_BYTES, .. } => 0,
            Event::Bytes { counted, .. } => *counted,
            _ => 0,
        }
    }

    /// The cost of handing it to the other unit (DUAL).
    pub(super) fn issue_cost(&self, costs: &Costs) -> u64 {
        match self {
            Event::Open { frame, numbers, .. } => {
                let slots = costs.slots(Sizes::new(frame.function().layout, numbers));
                costs.issue_frame.saturating_add(slots)
            }
            Event::Close { .. } => 0,
            _ if costs.flush > 0 => costs.issue + costs.flushing(self.bulk_bytes()),
            _ => costs.issue,
        }
    }

    /// The cost of applying it on node `node`, whose execution unit asked for it (DUAL). One for another node is only passed
    /// on.
    pub(super) fn cost(&self, costs: &Costs, node: u32) -> u64 {
        if self.node(node) != node {
            return 0;
        }
        match self {
            Event::Signed { event, .. } => event.cost(costs, node),
            Event::Signal { .. } => costs.sync,
            Event::Put { .. } | Event::Write { .. } => costs.value(self.bulk_bytes()),
            Event::Get { .. } => costs.word,
            Event::Invoke { .. } | Event::Raise { .. } | Event::Spawn { .. } => costs.spawn,
            Event::Token { .. } => costs.token,
            Event::Open { .. } => costs.frame,
            Event::Close { .. } | Event::Bytes { .. } => 0,
        }
    }
}
