//! Events in transit, on a machine that steps all units in one thread, and the costs of events.
//!
//! A fiber may send thousands of events at once. Each waits, in the outgoing lane and at its receiver, until
//! everything earlier has happened. Meanwhile the event stays where it was inserted. Only its key, four bytes
//! instead of ninety-six, moves from queue to queue.

use earth_memory::prefetch;
use slab::Slab;

use crate::node::function::{Event, Token, bulk};
use crate::probe::costs::Costs;
use crate::vocabulary::layout::Sizes;
use crate::vocabulary::value;

#[derive(Clone, Copy, Debug)]
pub(super) struct EventKey(pub(super) u32);

#[derive(Default)]
pub(super) struct Events(Slab<Event>);

impl Events {
    /// Inserts an event. Inlined, so that the event is built in its slot without a copy.
    #[inline(always)]
    pub(super) fn insert(&mut self, event: Event) -> EventKey {
        EventKey(u32::try_from(self.0.insert(event)).expect("fewer than 2^32 events wait"))
    }

    /// Prefetches an event that will be removed soon.
    #[inline]
    pub(super) fn prefetch(&self, key: EventKey) {
        prefetch(self.get(key));
    }

    #[inline]
    pub(super) fn get(&self, key: EventKey) -> &Event {
        &self.0[key.0 as usize]
    }

    /// Removes an event. A key can be removed only once.
    #[inline]
    pub(super) fn remove(&mut self, key: EventKey) -> Event {
        self.0.remove(key.0 as usize)
    }
}

/// Maximum size of a packed event without a block, in bytes: its tag, its addresses, and a value in line. The
/// sender's signature is not counted.
const WORDS_BYTES: u64 = 96;

impl Event {
    /// Returns the size in bytes of the blocks that travel with the event. A packed event counts as a block
    /// if it is larger than a message of words.
    pub(super) fn bulk_bytes(&self) -> u64 {
        match self {
            Event::Put { value, .. } | Event::Write { value, .. } => value::bulk(value),
            Event::Invoke { call, .. } | Event::Token { token: Token { call, .. }, .. } => bulk(call),
            Event::Signed { event, .. } | Event::From { event, .. } | Event::Isolated { event, .. } => {
                event.bulk_bytes()
            }
            Event::Bytes { counted: 0..=WORDS_BYTES, .. } => 0,
            Event::Bytes { counted, .. } => *counted,
            _ => 0,
        }
    }

    /// Returns the cost, in cycles, of handing the event to the other unit (DUAL).
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

    /// Returns the cost, in cycles, of applying the event on node `node`, whose execution unit issued it
    /// (DUAL). An event for another node is only passed on, at no cost here.
    pub(super) fn cost(&self, costs: &Costs, node: u32) -> u64 {
        if self.node(node) != node {
            return 0;
        }
        match self {
            Event::Signed { event, .. } | Event::From { event, .. } | Event::Isolated { event, .. } => {
                event.cost(costs, node)
            }
            Event::Signal { .. } | Event::Ring { .. } | Event::Domain { .. } => costs.sync,
            Event::Put { .. } | Event::Write { .. } => costs.value(self.bulk_bytes()),
            Event::Get { .. } => costs.word,
            Event::Invoke { .. } | Event::After { .. } | Event::Raise { .. } | Event::Spawn { .. } => {
                costs.spawn
            }
            Event::Token { .. } => costs.token,
            Event::Open { .. } => costs.frame,
            Event::Close { .. } | Event::Bytes { .. } | Event::Message { .. } => 0,
        }
    }
}
