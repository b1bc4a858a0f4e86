//! Events that are under way, on a machine that steps all units in one thread, and the costs of events.
//!
//! A fiber may send thousands of events at once, and each waits until all that happens earlier has happened: at its way
//! out, and where it arrives. Meanwhile an event stays where it was inserted. Only its key, four bytes instead of
//! ninety-six, goes from queue to queue.

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
    /// Takes an event in. In line, so that the event goes there from where it was made, without a copy between.
    #[inline(always)]
    pub(super) fn insert(&mut self, event: Event) -> EventKey {
        EventKey(u32::try_from(self.0.insert(event)).expect("fewer than 2^32 events wait"))
    }

    /// Fetches an event, which is soon to be taken out, from memory.
    #[inline]
    pub(super) fn prefetch(&self, key: EventKey) {
        prefetch(self.get(key));
    }

    #[inline]
    pub(super) fn get(&self, key: EventKey) -> &Event {
        &self.0[key.0 as usize]
    }

    /// Takes an event out, once.
    #[inline]
    pub(super) fn remove(&mut self, key: EventKey) -> Event {
        self.0.remove(key.0 as usize)
    }
}

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
