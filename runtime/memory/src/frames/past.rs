//! The functions that a frame number has served, to name the functions of frames that have ended.
//!
//! # Memory
//!
//! The store keeps the last [`KEPT`] changes of all its numbers, 24 bytes each. It also keeps a generation
//! for each number up to the largest that has changed its function. This takes 4 bytes a number, or 8 while
//! the list grows. Numbers are used again, so their count is bounded by the most frames that lived at once,
//! and a frame has at least 64 bytes. The memory does not grow with time.

use std::collections::VecDeque;

const KEPT: usize = 1024;

/// A function that a number served from generation `from` until it changed at generation `to`.
struct Served<F: 'static> {
    number: u32,
    from: u32,
    to: u32,
    function: &'static F,
}

/// The functions that the numbers of a store served before their present ones.
pub(super) struct Past<F: 'static> {
    /// Generation at which a number began to serve its present function; 0 if it has served no other.
    since: Vec<u32>,
    /// Functions that numbers served before, in the order of the changes.
    served: VecDeque<Served<F>>,
}

/// Returns the number and the generation of an identity.
const fn parts(id: u64) -> (u32, u32) {
    (id as u32, (id >> 32) as u32)
}

impl<F: 'static> Past<F> {
    pub(super) const fn new() -> Self {
        Past { since: Vec::new(), served: VecDeque::new() }
    }

    /// Records that `before` was the function of a number until the identity `at`.
    pub(super) fn change(&mut self, at: u64, before: &'static F) {
        let (number, to) = parts(at);
        let place = number as usize;
        if self.since.len() <= place {
            self.since.resize(place + 1, 0);
        }
        let from = std::mem::replace(&mut self.since[place], to);
        if self.served.len() == KEPT {
            self.served.pop_front();
        } else if self.served.is_empty() {
            // Reserves all memory at once, so that a store in a steady state does not allocate.
            self.served.reserve_exact(KEPT);
        }
        self.served.push_back(Served { number, from, to, function: before });
    }

    /// Returns the function of the frame of an identity, unless the frame ended long ago. `last` is the
    /// function that its number serves now.
    pub(super) fn function(&self, id: u64, last: &'static F) -> Option<&'static F> {
        let (number, generation) = parts(id);
        if self.since.get(number as usize).is_none_or(|since| *since <= generation) {
            return Some(last);
        }
        let was =
            |served: &&Served<F>| served.number == number && (served.from..served.to).contains(&generation);
        self.served.iter().rev().find(was).map(|served| served.function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FUNCTIONS: &[&str; 6] = &["a", "b", "c", "d", "e", "f"];

    const fn id(number: u32, generation: usize) -> u64 {
        (generation as u64) << 32 | number as u64
    }

    #[test]
    fn names_the_functions_of_a_number_by_generation() {
        let mut past = Past::new();
        assert_eq!(past.function(id(3, 17), &FUNCTIONS[0]), Some(&"a"));
        // Function `i` begins with generation `10 * i`.
        for last in 1..FUNCTIONS.len() {
            past.change(id(3, 10 * last), &FUNCTIONS[last - 1]);
            for generation in 0..10 * last + 25 {
                let of = (generation / 10).min(last);
                let found = past.function(id(3, generation), &FUNCTIONS[last]);
                assert_eq!(found, Some(&FUNCTIONS[of]), "{generation} of {last}");
            }
        }
        // The other numbers have served one function.
        assert_eq!(past.function(id(2, 5), &FUNCTIONS[0]), Some(&"a"));
        assert_eq!(past.function(id(9, 5), &FUNCTIONS[0]), Some(&"a"));
    }

    /// Checks a long run in which numbers change their functions all the time: memory stays bounded, and no
    /// name is wrong.
    #[test]
    fn a_million_changes_take_the_memory_of_the_last_few() {
        const NUMBERS: u32 = 100;
        let mut past = Past::new();
        let function = |generation: usize| &FUNCTIONS[generation % 6];
        for generation in 1..=10_000 {
            for number in 0..NUMBERS {
                past.change(id(number, generation), function(generation - 1));
            }
        }
        assert!(past.since.capacity() <= 2 * NUMBERS as usize && past.served.capacity() < 2 * KEPT);
        assert_eq!((past.since.len(), past.served.len()), (NUMBERS as usize, KEPT));
        let mut known = 0;
        for generation in 0..=10_000 {
            let found = past.function(id(7, generation), function(10_000));
            assert!(found.is_none_or(|found| found == function(generation)), "{generation}: {found:?}");
            known += usize::from(found.is_some());
        }
        // The present function, and the functions of the last changes.
        assert!(known > KEPT / NUMBERS as usize, "{known}");
    }
}
