//! Events that are under way, on a machine that steps all units in one thread.
//!
//! A fiber may send thousands of events at once, and each waits until all that happens earlier has happened: at its way
//! out, and where it arrives. Meanwhile an event lies where it was inserted, and only its key, four bytes instead of
//! ninety-six, goes from queue to queue.

use earth_memory::prefetch;
use slab::Slab;

use crate::node::function::Event;

/// The key of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventKey(pub(super) u32);

/// The events.
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
