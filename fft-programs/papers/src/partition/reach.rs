//! Which totals can be reached by choosing one number for each group: a subset sum on bit sets.
//!
//! Bit k of a [`Totals`] says that some choice adds up to k. A further group that may take u shifts the set
//! up by u; all its choices together are the union. 64 totals are worked on at once, so a group with m
//! choices costs m · k / 64 operations for totals up to k.
//!
//! If the number of rows is no multiple of the granularity, one group must take the rest besides. So there
//! are two sets: totals for which nobody took it yet, and those for which somebody did.

/// A share that a group may take: units, and whether the rest comes with them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub(super) units: usize,
    pub(super) with_rest: bool,
}

/// A set of totals.
#[derive(Clone, Debug)]
pub(super) struct Totals {
    /// Without the rest, then with it.
    sets: [Set; 2],
}

impl Totals {
    /// The totals that no group reaches: 0 alone. Totals up to `most` will be kept; totals with the rest only if
    /// there is one.
    pub(super) fn of_nobody(most: usize, rest: bool) -> Self {
        let mut without = Set::up_to(most);
        without.insert(0);
        Self { sets: [without, if rest { Set::up_to(most) } else { Set::default() }] }
    }

    /// The totals that are reached with a further group, which takes one of `choices`. The 64-bit words looked
    /// at are added to `words`.
    pub(super) fn with(&self, choices: impl Iterator<Item = Choice>, words: &mut u64) -> Self {
        let mut next = Self { sets: self.sets.each_ref().map(Set::empty_like) };
        let [without, with] = &mut next.sets;
        for Choice { units, with_rest } in choices {
            if with_rest {
                *words += with.add_shifted(&self.sets[0], units);
            } else {
                *words += without.add_shifted(&self.sets[0], units);
                *words += with.add_shifted(&self.sets[1], units);
            }
        }
        next
    }

    /// Whether `units` can be reached, with the rest or without it.
    pub(super) fn contains(&self, units: usize, with_rest: bool) -> bool {
        self.sets[usize::from(with_rest)].contains(units)
    }

    /// The greatest total, with the rest or without it.
    pub(super) fn greatest(&self, with_rest: bool) -> Option<usize> {
        self.sets[usize::from(with_rest)].greatest()
    }
}

/// Numbers up to a greatest one, a bit each.
#[derive(Clone, Debug, Default)]
struct Set {
    words: Vec<u64>,
    /// How many numbers fit.
    numbers: usize,
    /// Words from here on are 0.
    used: usize,
}

impl Set {
    fn up_to(most: usize) -> Self {
        let numbers = most + 1;
        Self { words: vec![0; numbers.div_ceil(64)], numbers, used: 0 }
    }

    fn empty_like(&self) -> Self {
        Self { words: vec![0; self.words.len()], numbers: self.numbers, used: 0 }
    }

    fn insert(&mut self, number: usize) {
        self.words[number / 64] |= 1 << (number % 64);
        self.used = self.used.max(number / 64 + 1);
    }

    fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    fn greatest(&self) -> Option<usize> {
        let (at, word) = self.words.iter().enumerate().rev().find(|(_, word)| **word != 0)?;
        Some(at * 64 + 63 - word.leading_zeros() as usize)
    }

    /// Adds every number of `other` plus `by`, as far as they fit, and returns how many words that took.
    fn add_shifted(&mut self, other: &Self, by: usize) -> u64 {
        let (skip, bits) = (by / 64, by % 64);
        if skip >= self.words.len() || other.used == 0 {
            return 0;
        }
        let source = &other.words[..other.used.min(self.words.len() - skip)];
        let target = &mut self.words[skip..];
        for (word, &from) in target.iter_mut().zip(source) {
            *word |= from << bits;
        }
        if bits > 0 {
            for (word, &from) in target[1..].iter_mut().zip(source) {
                *word |= from >> (64 - bits);
            }
        }
        self.used = self.used.max((skip + source.len() + 1).min(self.words.len()));
        if !self.numbers.is_multiple_of(64) && self.used == self.words.len() {
            self.words[self.used - 1] &= (1 << (self.numbers % 64)) - 1;
        }
        source.len() as u64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Totals against sets of numbers, for groups with choices on all sides of the words' ends.
        #[test]
        fn totals_are_those_of_plain_sets(
            most in 0..300_usize,
            groups in prop::collection::vec(prop::collection::vec((0..150_usize, any::<bool>()), 0..6), 0..5),
            rest in any::<bool>(),
        ) {
            let (mut totals, mut plain) = (Totals::of_nobody(most, rest), BTreeSet::from([(0, false)]));
            for choices in groups {
                let choices: Vec<_> =
                    choices.into_iter().map(|(units, with)| (units, with && rest)).collect();
                totals = totals.with(
                    choices.iter().map(|&(units, with_rest)| Choice { units, with_rest }),
                    &mut 0,
                );
                plain = plain
                    .iter()
                    .flat_map(|&(sum, taken)| {
                        choices.iter().map(move |&(units, with)| (sum + units, taken, with))
                    })
                    .filter(|&(sum, taken, with)| sum <= most && !(taken && with))
                    .map(|(sum, taken, with)| (sum, taken || with))
                    .collect();
            }
            for with_rest in [false, true] {
                for number in 0..most + 200 {
                    let expected = plain.contains(&(number, with_rest));
                    prop_assert_eq!(totals.contains(number, with_rest), expected, "{} {}", number, with_rest);
                }
                let same = plain.iter().filter(|&&(_, with)| with == with_rest);
                prop_assert_eq!(totals.greatest(with_rest), same.map(|&(sum, _)| sum).max());
            }
        }
    }
}
