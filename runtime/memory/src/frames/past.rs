//! Which functions the frames of a number have served: names for identities that outlived their frame.
//!
//! A number that has served one function has no entry here. Where a number changes its function, the last few changes are
//! kept, each with the identity from which on it holds.

use std::collections::HashMap;

/// How many functions of a number are kept, the present one included.
const KEPT: usize = 4;

/// A function, and the first identity that was its own.
type Life<F> = (u64, Option<&'static F>);

/// The functions of all numbers of a store that have served more than one, oldest first.
pub(super) struct Past<F: 'static> {
    lives: Option<HashMap<u32, [Life<F>; KEPT]>>,
}

impl<F: 'static> Past<F> {
    pub(super) const fn new() -> Self {
        Past { lives: None }
    }

    /// From identity `at` on its number serves another function than `before`.
    pub(super) fn change(&mut self, at: u64, before: &'static F, now: &'static F) {
        let lives = self.lives.get_or_insert_default().entry(at as u32).or_insert_with(|| {
            let mut first = [(0, None); KEPT];
            first[KEPT - 1] = (0, Some(before));
            first
        });
        lives.rotate_left(1);
        lives[KEPT - 1] = (at, Some(now));
    }

    /// The function of the frame of an identity, unless it ended long ago; `last` is the one that its number serves now.
    pub(super) fn function(&self, id: u64, last: &'static F) -> Option<&'static F> {
        match self.lives.as_ref().and_then(|lives| lives.get(&(id as u32))) {
            Some(lives) => lives.iter().rev().find(|(first, _)| *first <= id)?.1,
            None => Some(last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_the_last_functions_of_a_number_by_generation() {
        const FUNCTIONS: &[&str; 6] = &["a", "b", "c", "d", "e", "f"];
        let id = |generation: usize| (generation as u64) << 32 | 3;
        let mut past = Past::new();
        assert_eq!(past.function(id(17), &FUNCTIONS[0]), Some(&"a"));
        // Function `i` begins with generation `10 * i`.
        for last in 1..FUNCTIONS.len() {
            past.change(id(10 * last), &FUNCTIONS[last - 1], &FUNCTIONS[last]);
            for generation in 0..10 * last + 25 {
                let of = (generation / 10).min(last);
                let expected = if of + KEPT > last { Some(&FUNCTIONS[of]) } else { None };
                assert_eq!(
                    past.function(id(generation), &FUNCTIONS[last]),
                    expected,
                    "{generation} of {last}"
                );
            }
        }
        // Other numbers have served one function.
        assert_eq!(past.function(5 << 32 | 2, &FUNCTIONS[0]), Some(&"a"));
    }
}
