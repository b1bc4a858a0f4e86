//! Events that wait for the time at which they leave, on a machine that steps all units in one thread.
//!
//! A fiber may send thousands of events at once, and each waits until all that happens earlier has happened.
//! Meanwhile an event lies where it was put, and only its place, four bytes instead of ninety-six, goes from queue to
//! queue. Events put one after another lie one after another. The place left last is taken first: what leaves
//! soon was in cache all the time.
//!
//! Cost: constant; memory for as many events as ever waited at once.

use super::event::Event;

/// Where an event lies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place(u32);

/// Events, each in its place.
#[derive(Debug, Default)]
pub(crate) struct Places {
    events: Vec<Option<Event>>,
    /// Those of the first `used` places that are free. If all are, places are counted from 0 again, so that
    /// they come in order.
    free: Vec<u32>,
    used: usize,
}

impl Places {
    #[inline]
    pub(crate) fn put(&mut self, event: Event) -> Place {
        if let Some(free) = self.free.pop() {
            self.events[free as usize] = Some(event);
            return Place(free);
        }
        let place = self.used;
        match self.events.get_mut(place) {
            Some(empty) => *empty = Some(event),
            None => self.events.push(Some(event)),
        }
        self.used += 1;
        Place(u32::try_from(place).expect("fewer than 2^32 events wait"))
    }

    /// Takes an event out of its place.
    #[inline]
    pub(crate) fn take(&mut self, place: Place) -> Event {
        let Some(event) = self.events[place.0 as usize].take() else {
            unreachable!("an event leaves its place once")
        };
        self.free.push(place.0);
        if self.free.len() == self.used {
            self.free.clear();
            self.used = 0;
        }
        event
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_place_holds_the_event_put_there(
            steps in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>()), 1..200),
        ) {
            let (mut places, mut taken, mut most) = (Places::default(), Vec::new(), 0);
            for (number, (puts, which)) in (0..).zip(steps) {
                if puts || taken.is_empty() {
                    taken.push((number, places.put(Event::Close { frame: number })));
                    most = most.max(taken.len());
                } else {
                    let (number, place) = taken.swap_remove(which.index(taken.len()));
                    let event = places.take(place);
                    let is_same = matches!(event, Event::Close { frame } if frame == number);
                    prop_assert!(is_same, "{event:?} is not that of {number}");
                }
                prop_assert_eq!(places.events.len(), most);
            }
        }
    }
}
