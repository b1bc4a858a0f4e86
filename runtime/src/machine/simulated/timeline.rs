//! What waits for its time, the earliest first, equal times in the order in which they came.
//!
//! Most of what comes is later than all that waits: a unit's clock only runs on, and a link delivers in order.
//! Such an item goes to the end of a line; one that comes out of order goes to a heap, whose entries are
//! numbers, with the items aside. Cost: constant for the line, logarithmic in what waits in the heap.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A time, and a number that orders equal times.
type Order = (u64, u64);

/// Items with their times.
#[derive(Debug)]
pub(super) struct Timeline<T> {
    line: VecDeque<(Order, T)>,
    heap: BinaryHeap<Reverse<(Order, u32)>>,
    /// The items of the heap, and the places among them that are free.
    items: Vec<Option<T>>,
    free: Vec<u32>,
    next: u64,
}

impl<T> Timeline<T> {
    pub(super) fn new() -> Self {
        let (line, heap) = (VecDeque::new(), BinaryHeap::new());
        Timeline { line, heap, items: Vec::new(), free: Vec::new(), next: 0 }
    }

    pub(super) fn push(&mut self, at: u64, item: T) {
        let order = (at, self.next);
        self.next += 1;
        if self.line.back().is_none_or(|(last, _)| *last < order) {
            self.line.push_back((order, item));
            return;
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.items.push(None);
            self.items.len() as u32 - 1
        });
        self.items[place as usize] = Some(item);
        self.heap.push(Reverse((order, place)));
    }

    pub(super) fn len(&self) -> usize {
        self.line.len() + self.heap.len()
    }

    /// The time of the first.
    #[inline]
    pub(super) fn first(&self) -> Option<u64> {
        let line = self.line.front().map(|(order, _)| order.0);
        match self.heap.peek() {
            None => line,
            Some(Reverse((order, _))) => Some(line.map_or(order.0, |line| line.min(order.0))),
        }
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<(u64, T)> {
        let from_line = match (self.line.front(), self.heap.peek()) {
            (Some((line, _)), Some(Reverse((heap, _)))) => line < heap,
            (line, _) => line.is_some(),
        };
        if from_line {
            return self.line.pop_front().map(|((at, _), item)| (at, item));
        }
        let Reverse(((at, _), place)) = self.heap.pop()?;
        self.free.push(place);
        Some((at, self.items[place as usize].take()?))
    }

    /// Puts off by `by` what is later than `after`.
    pub(super) fn put_off(&mut self, after: u64, by: u64) {
        let later = |(at, number): Order| (if at > after { at + by } else { at }, number);
        for (order, _) in &mut self.line {
            *order = later(*order);
        }
        let heap = std::mem::take(&mut self.heap).into_iter();
        self.heap = heap.map(|Reverse((order, place))| Reverse((later(order), place))).collect();
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
                prop_assert_eq!(timeline.first(), plain.iter().map(|entry| entry.0).min());
            }
        }
    }
}
