//! Events that wait for their times, the earliest first, equal times in the order in which they came.
//!
//! Most of what comes is later than all that waits: a unit's clock only runs on, and a link delivers in order.
//! An item that is later goes to the end of a line; one that comes out of order goes to a heap, whose entries are
//! numbers, with the items aside. Of equal times the line's come first: while an item is in the heap, the line
//! holds one that is later and came before it, so what stands in the line at the item's own time came before
//! it as well. Cost: constant for the line, logarithmic in what waits in the heap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use earth_memory::prefetch;
use slab::Slab;

use super::clock::NEVER;

/// How far ahead of its front a line is fetched from memory: the lines of all nodes are more than a cache holds.
const AHEAD: usize = 4;

/// A time, and a number that orders equal times in the heap.
type Order = (u64, u64);

/// Events that wait for their times: the queue of a simulation that is driven by events.
///
/// The earliest event comes first. Events of the same time come in the order in which they were pushed, so a simulation
/// without random numbers is the same in every run.
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
    /// The time of the first.
    first: u64,
    /// The time of the last item of the line, 0 if that is empty.
    last: u64,
    line: VecDeque<(u64, T)>,
    heap: BinaryHeap<Reverse<(Order, usize)>>,
    /// The items of the heap, by the second number of an entry.
    items: Slab<T>,
    next: u64,
}

impl<T: Copy> Default for Timeline<T> {
    fn default() -> Self {
        Timeline::new()
    }
}

impl<T: Copy> Timeline<T> {
    /// No events.
    pub fn new() -> Self {
        let (line, heap) = (VecDeque::new(), BinaryHeap::new());
        Timeline { first: NEVER, last: 0, line, heap, items: Slab::new(), next: 0 }
    }

    /// Lets an event wait for a time before [`u64::MAX`].
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

    /// The time of the first, or [`NEVER`].
    #[inline]
    pub(super) fn first(&self) -> u64 {
        self.first
    }

    /// The first of the line, which is most often the first of all.
    #[inline]
    pub(super) fn next_in_line(&self) -> Option<&T> {
        self.line.front().map(|(_, item)| item)
    }

    /// The first event and its time, if any event waits.
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

    /// The latest time of the items that `is` holds of.
    pub(super) fn latest(&self, is: impl Fn(&T) -> bool) -> Option<u64> {
        let line = self.line.iter().filter(|(_, item)| is(item)).map(|(at, _)| *at);
        let late = |index: usize| is(&self.items[index]);
        let heap = self.heap.iter().filter(|Reverse((_, index))| late(*index));
        line.chain(heap.map(|Reverse(((at, _), _))| *at)).max()
    }

    /// Puts off by `by` what is later than `after`.
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
