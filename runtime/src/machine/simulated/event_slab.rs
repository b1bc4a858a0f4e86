//! Events that are under way, on a machine that steps all units in one thread.
//!
//! A fiber may send thousands of events at once, and each waits until all that happens earlier has happened: at its way
//! out, and where it arrives.
//! Meanwhile an event lies where it was inserted, and only its key, four bytes instead of ninety-six, goes from queue
//! to queue. Events inserted one after another lie one after another. The entry vacated last is filled first: what
//! leaves soon was in cache all the time.
//!
//! Cost: constant; memory for as many events as ever waited at once.

use earth_memory::prefetch;

/// The key of an event in a slab: its index.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(super) struct EventKey(pub(super) u32);

/// A slab of events.
#[derive(Debug)]
pub(super) struct EventSlab<E> {
    /// Vacant entries hold the event that is there by default.
    events: Vec<E>,
    /// The vacant ones of the first `used` entries. If all are vacant, entries are used from 0 on again, so that
    /// events lie in order.
    free: Vec<u32>,
    used: usize,
}

impl<E> Default for EventSlab<E> {
    fn default() -> Self {
        EventSlab { events: Vec::new(), free: Vec::new(), used: 0 }
    }
}

/// Puts an event into a vacant entry. The event that is there by default owns nothing, and is not dropped.
#[inline(always)]
fn put<E>(vacant: &mut E, event: E) {
    std::mem::forget(std::mem::replace(vacant, event));
}

impl<E: Default> EventSlab<E> {
    /// Puts an event into a vacant entry. In line, so that the event goes there from where it was made, without a copy
    /// between.
    #[inline(always)]
    pub(super) fn insert(&mut self, event: E) -> EventKey {
        if let Some(free) = self.free.pop() {
            put(&mut self.events[free as usize], event);
            return EventKey(free);
        }
        let index = self.used;
        match self.events.get_mut(index) {
            Some(vacant) => put(vacant, event),
            None => self.lengthen(event),
        }
        self.used += 1;
        EventKey(u32::try_from(index).expect("fewer than 2^32 events wait"))
    }

    #[cold]
    #[inline(never)]
    fn lengthen(&mut self, event: E) {
        self.events.push(event);
    }

    /// Fetches an event, which is soon to be taken out, from memory.
    #[inline]
    pub(super) fn prefetch(&self, key: EventKey) {
        prefetch(&self.events[key.0 as usize]);
    }

    /// An event that lies in the slab.
    #[inline]
    pub(super) fn get(&self, key: EventKey) -> &E {
        &self.events[key.0 as usize]
    }

    /// Takes an event out of the slab, which it leaves once.
    #[inline]
    pub(super) fn remove(&mut self, key: EventKey) -> E {
        self.free.push(key.0);
        if self.free.len() == self.used {
            self.free.clear();
            self.used = 0;
        }
        std::mem::take(&mut self.events[key.0 as usize])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_key_gives_the_event_that_was_inserted(
            steps in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>()), 1..200),
        ) {
            let (mut slab, mut taken, mut most) = (EventSlab::default(), Vec::new(), 0);
            for (number, (inserts, which)) in (0..).zip(steps) {
                if inserts || taken.is_empty() {
                    taken.push((number, slab.insert(number)));
                    most = most.max(taken.len());
                } else {
                    let (number, key) = taken.swap_remove(which.index(taken.len()));
                    prop_assert_eq!(*slab.get(key), number);
                    prop_assert_eq!(slab.remove(key), number);
                }
                prop_assert_eq!(slab.events.len(), most);
            }
        }
    }
}
