//! What waits for its time, the earliest first, equal times in the order in which they came.
//!
//! A heap of numbers whose items stand aside, so that sifting moves 24 bytes an entry. Cost: logarithmic in
//! what waits here, which is a part of one node's.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Items with their times.
#[derive(Debug)]
pub(super) struct Timeline<T> {
    order: BinaryHeap<Reverse<(u64, u64, u32)>>,
    items: Vec<Option<T>>,
    free: Vec<u32>,
    next: u64,
}

impl<T> Timeline<T> {
    pub(super) fn new() -> Self {
        Timeline { order: BinaryHeap::new(), items: Vec::new(), free: Vec::new(), next: 0 }
    }

    pub(super) fn push(&mut self, at: u64, item: T) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.items.push(None);
            self.items.len() as u32 - 1
        });
        self.items[place as usize] = Some(item);
        self.order.push(Reverse((at, self.next, place)));
        self.next += 1;
    }

    pub(super) fn len(&self) -> usize {
        self.order.len()
    }

    /// The time of the first.
    pub(super) fn first(&self) -> Option<u64> {
        self.order.peek().map(|Reverse((at, ..))| *at)
    }

    pub(super) fn pop(&mut self) -> Option<(u64, T)> {
        let Reverse((at, _, place)) = self.order.pop()?;
        self.free.push(place);
        Some((at, self.items[place as usize].take()?))
    }

    /// Puts off by `by` what is later than `after`.
    pub(super) fn put_off(&mut self, after: u64, by: u64) {
        let later = |Reverse((at, sequence, place)): Reverse<(u64, u64, u32)>| {
            Reverse((if at > after { at + by } else { at }, sequence, place))
        };
        self.order = std::mem::take(&mut self.order).into_iter().map(later).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_earliest_comes_first_and_equal_times_in_order() {
        let mut line = Timeline::new();
        for (i, at) in [5, 3, 5, 3, 9, 1].into_iter().enumerate() {
            line.push(at, i);
        }
        assert_eq!((line.pop(), line.first()), (Some((1, 5)), Some(3)));
        line.put_off(3, 4);
        line.push(3, 6);
        let rest: Vec<_> = std::iter::from_fn(|| line.pop()).collect();
        assert_eq!(rest, [(3, 1), (3, 3), (3, 6), (9, 0), (9, 2), (13, 4)]);
        assert_eq!((line.first(), line.items.len()), (None, 6));
    }
}
