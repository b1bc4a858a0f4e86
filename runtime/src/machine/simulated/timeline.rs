//! Events that wait for their times: earliest first, and equal times in order of insertion.
//!
//! Most new events are later than all waiting ones: a unit's clock only advances, and a link delivers in
//! order. A later event is appended to a line. An event out of order goes to a heap, whose entries are
//! numbers; the items are stored separately.
//!
//! Among equal times, events of the line come first. Proof: while an event is in the heap, the line contains
//! a later one that was inserted before it. So events in the line at the heap event's time were inserted
//! before it too.
//!
//! Cost: constant for the line, logarithmic in the length of the heap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use earth_memory::prefetch;
use slab::Slab;

use super::clock::NEVER;

/// Distance of the prefetch from the front of a line. The lines of all nodes together exceed the cache.
const AHEAD: usize = 4;

/// Time, and a number that orders equal times in the heap.
type Order = (u64, u64);

/// Events that wait for their times: the queue of an event-driven simulation.
///
/// The earliest event comes first. Events of the same time come in order of insertion. So a simulation
/// without random numbers is identical in every run.
///
/// ```
/// use earth::simulated::Timeline;
///
/// let mut events = Timeline::new();
/// for (time, event) in [(5, "late"), (3, "early"), (3, "as early, but behind it")] {
///     events.push(time, event);
/// }
/// let order: Vec<_> = std::iter::from_fn(|| events.pop()).collect();
/// assert_eq!(order, [(3, "early"), (3, "as early, but behind it"), (5, "late")]);
/// ```
#[derive(Debug)]
pub struct Timeline<T> {
    /// Time of the first event.
    first: u64,
    /// Time of the last item in the line, 0 if the line is empty.
    last: u64,
    line: VecDeque<(u64, T)>,
    heap: BinaryHeap<Reverse<(Order, usize)>>,
    /// Items of the heap, indexed by the second number of an entry.
    items: Slab<T>,
    next: u64,
}

impl<T: Copy> Default for Timeline<T> {
    fn default() -> Self {
        Timeline::new()
    }
}

impl<T: Copy> Timeline<T> {
    /// Makes an empty timeline.
    pub fn new() -> Self {
        let (line, heap) = (VecDeque::new(), BinaryHeap::new());
        Timeline { first: NEVER, last: 0, line, heap, items: Slab::new(), next: 0 }
    }

    /// Inserts an event for a time before [`u64::MAX`].
    #[inline(always)]
    pub fn push(&mut self, at: u64, item: T) {
        self.first = self.first.min(at);
        if self.last <= at {
            self.last = at;
            self.line.push_back((at, item));
        } else {
            self.push_late(at, item);
        }
    }

    #[cold]
    fn push_late(&mut self, at: u64, item: T) {
        let order = (at, self.next);
        self.next += 1;
        self.heap.push(Reverse((order, self.items.insert(item))));
    }

    pub(super) fn len(&self) -> usize {
        self.line.len() + self.heap.len()
    }

    /// Returns the time of the first event, or [`NEVER`].
    #[inline]
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// Returns the first event of the line, which usually is the first of all.
    #[inline]
    pub(super) fn next_in_line(&self) -> Option<&T> {
        self.line.front().map(|(_, item)| item)
    }

    /// Removes and returns the first event and its time, if there is one.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<(u64, T)> {
        if !self.heap.is_empty() {
            return self.pop_either();
        }
        let popped = self.pop_line();
        self.first = self.line.front().map_or(NEVER, |(at, _)| *at);
        popped
    }

    #[inline(always)]
    fn pop_line(&mut self) -> Option<(u64, T)> {
        self.line.get(AHEAD).inspect(|item| prefetch(*item));
        let popped = self.line.pop_front();
        if self.line.is_empty() {
            self.last = 0;
        }
        popped
    }

    #[cold]
    #[inline(never)]
    fn pop_either(&mut self) -> Option<(u64, T)> {
        let popped = match self.line.front() {
            Some((at, _)) if *at == self.first => self.pop_line(),
            _ => self.heap.pop().map(|Reverse(((at, _), index))| (at, self.items.remove(index))),
        };
        let line = self.line.front().map_or(NEVER, |(at, _)| *at);
        self.first = self.heap.peek().map_or(line, |Reverse((order, _))| line.min(order.0));
        popped
    }

    /// Returns the latest time of the items that satisfy `is`.
    pub(super) fn latest(&self, is: impl Fn(&T) -> bool) -> Option<u64> {
        let line = self.line.iter().filter(|(_, item)| is(item)).map(|(at, _)| *at);
        let late = |index: usize| is(&self.items[index]);
        let heap = self.heap.iter().filter(|Reverse((_, index))| late(*index));
        line.chain(heap.map(|Reverse(((at, _), _))| *at)).max()
    }

    /// Delays all events later than `after` by `by`.
    pub(super) fn put_off(&mut self, after: u64, by: u64) {
        let later = |at: u64| if at > after && at != NEVER { at + by } else { at };
        (self.first, self.last) = (later(self.first), later(self.last));
        self.line.iter_mut().for_each(|(at, _)| *at = later(*at));
        let heap = std::mem::take(&mut self.heap).into_iter();
        self.heap =
            heap.map(|Reverse(((at, number), index))| Reverse(((later(at), number), index))).collect();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_earliest_comes_first_and_equal_times_in_order(
            steps in prop::collection::vec((0..6_u8, 0..30_u64), 1..200),
        ) {
            let (mut timeline, mut plain) = (Timeline::new(), Vec::new());
            for (number, (step, at)) in steps.into_iter().enumerate() {
                match step {
                    0..3 => {
                        timeline.push(at, number);
                        plain.push((at, number));
                    }
                    3 | 4 => {
                        let first = plain.iter().copied().min();
                        plain.retain(|entry| Some(*entry) != first);
                        prop_assert_eq!(timeline.pop(), first);
                    }
                    _ => {
                        timeline.put_off(at, 5);
                        for entry in &mut plain {
                            entry.0 += if entry.0 > at { 5 } else { 0 };
                        }
                    }
                }
                let even = |number: &usize| number.is_multiple_of(2);
                let latest = plain.iter().filter(|entry| even(&entry.1)).map(|entry| entry.0).max();
                prop_assert_eq!(timeline.latest(even), latest);
                prop_assert_eq!(timeline.first(), plain.iter().map(|entry| entry.0).min().unwrap_or(NEVER));
            }
        }
    }
}
