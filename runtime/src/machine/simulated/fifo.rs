//! A queue of plain values, first in, first out, for machines that step all units in one thread.
//!
//! A ring of a power of two entries, between two counts that only grow. Where a value lies is found by one mask, so that a
//! look at the front, which a simulated machine takes several times a step, is half the instructions of one at a
//! [`VecDeque`](std::collections::VecDeque). In return a vacant entry holds some value, and no value is dropped.
//!
//! Cost: constant; memory for up to twice as many values as ever waited at once.

/// A queue.
#[derive(Debug)]
pub(super) struct Fifo<T> {
    entries: Vec<T>,
    /// How many values have gone, and how many have come. Both wrap.
    gone: usize,
    come: usize,
}

impl<T: Copy + Default> Fifo<T> {
    pub(super) fn new() -> Self {
        Fifo { entries: vec![T::default()], gone: 0, come: 0 }
    }

    /// How many values wait.
    #[inline(always)]
    pub(super) fn len(&self) -> usize {
        self.come.wrapping_sub(self.gone)
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.come == self.gone
    }

    /// Where the value with this number lies.
    #[inline(always)]
    fn place(&self, number: usize) -> usize {
        number & (self.entries.len() - 1)
    }

    #[inline(always)]
    pub(super) fn push(&mut self, value: T) {
        if self.len() == self.entries.len() {
            self.grow();
        }
        let place = self.place(self.come);
        self.entries[place] = value;
        self.come = self.come.wrapping_add(1);
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        let mut entries = vec![T::default(); 2 * self.entries.len()];
        let mask = entries.len() - 1;
        for index in 0..self.len() {
            let number = self.gone.wrapping_add(index);
            entries[number & mask] = self.entries[self.place(number)];
        }
        self.entries = entries;
    }

    /// The value that has waited for `index` others to go, if so many wait.
    #[inline(always)]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        let place = self.place(self.gone.wrapping_add(index));
        if index < self.len() { Some(&self.entries[place]) } else { None }
    }

    /// The value that came first.
    #[inline(always)]
    pub(super) fn front(&self) -> Option<&T> {
        if self.is_empty() { None } else { Some(&self.entries[self.place(self.gone)]) }
    }

    #[inline(always)]
    pub(super) fn pop(&mut self) -> Option<T> {
        let value = *self.front()?;
        self.gone = self.gone.wrapping_add(1);
        Some(value)
    }

    /// All values, the first first.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// Changes each value.
    pub(super) fn change(&mut self, mut how: impl FnMut(&mut T)) {
        for index in 0..self.len() {
            let place = self.place(self.gone.wrapping_add(index));
            how(&mut self.entries[place]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_queue(steps in prop::collection::vec(0..5_u8, 1..200), before in any::<u16>()) {
            // The counts wrap soon.
            let start = usize::MAX - usize::from(before % 64);
            let (mut fifo, mut plain) = (Fifo { gone: start, come: start, ..Fifo::new() }, VecDeque::new());
            for (number, step) in steps.into_iter().enumerate() {
                match step {
                    0..3 => {
                        fifo.push(number);
                        plain.push_back(number);
                    }
                    3 => prop_assert_eq!(fifo.pop(), plain.pop_front()),
                    _ => {
                        fifo.change(|value| *value += 1);
                        for value in &mut plain {
                            *value += 1;
                        }
                    }
                }
                prop_assert_eq!((fifo.len(), fifo.is_empty()), (plain.len(), plain.is_empty()));
                prop_assert_eq!(fifo.front(), plain.front());
                prop_assert!(fifo.iter().eq(&plain));
                prop_assert_eq!(fifo.get(3), plain.get(3));
            }
        }
    }
}
