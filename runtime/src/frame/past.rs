//! Which functions the frames of a number have served: names for addresses that outlived their frame.
//!
//! Most numbers serve one function for good and have no entry here. Where a number changes its function, the last
//! few changes are kept, each with the generation from which on it holds.

use crate::vocabulary::address::FrameId;
use crate::vocabulary::layout::Layout;

/// How many functions of a number are kept, the present one included.
const KEPT: usize = 4;

/// A function, and the first generation that was its own.
type Life = (u32, Option<&'static Layout>);

/// The functions of all numbers of a node that have served more than one, oldest first.
#[derive(Debug, Default)]
pub(super) struct Past {
    lives: Vec<Option<Box<[Life; KEPT]>>>,
}

impl Past {
    /// From `at` on the number serves another function than `before`.
    pub(super) fn change(&mut self, at: FrameId, before: &'static Layout, now: &'static Layout) {
        let number = at.number() as usize;
        if self.lives.len() <= number {
            self.lives.resize_with(number + 1, || None);
        }
        let lives = self.lives[number].get_or_insert_with(|| {
            let mut first = Box::new([(0, None); KEPT]);
            first[KEPT - 1] = (0, Some(before));
            first
        });
        lives.rotate_left(1);
        lives[KEPT - 1] = (at.generation(), Some(now));
    }

    /// The function of `at`, unless it ended long ago; `last` is the one that the number serves now.
    pub(super) fn layout(&self, at: FrameId, last: &'static Layout) -> Option<&'static Layout> {
        match self.lives.get(at.number() as usize) {
            Some(Some(lives)) => lives.iter().rev().find(|(first, _)| *first <= at.generation())?.1,
            _ => Some(last),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static LAYOUTS: [Layout; 6] = {
        const fn layout(name: fn() -> &'static str) -> Layout {
            Layout::new(name, &[], &[], &[], &[], false)
        }
        [layout(|| "a"), layout(|| "b"), layout(|| "c"), layout(|| "d"), layout(|| "e"), layout(|| "f")]
    };

    #[test]
    fn names_the_last_functions_of_a_number_by_generation() {
        let mut past = Past::default();
        let name = |past: &Past, generation, last: usize| {
            past.layout(FrameId::new(3, generation), &LAYOUTS[last]).map(Layout::name)
        };
        assert_eq!(name(&past, 17, 0).as_deref(), Some("a"));
        // Function `i` begins with generation `10 * i`.
        for (i, pair) in LAYOUTS.windows(2).enumerate() {
            let last = i + 1;
            past.change(FrameId::new(3, 10 * last as u32), &pair[0], &pair[1]);
            for generation in 0..10 * last as u32 + 25 {
                let of = (generation as usize / 10).min(last);
                let expected = if of + KEPT > last { Some(LAYOUTS[of].name()) } else { None };
                assert_eq!(name(&past, generation, last), expected, "generation {generation} of {last}");
            }
        }
        // Other numbers have served one function.
        assert_eq!(past.layout(FrameId::new(2, 5), &LAYOUTS[0]).map(Layout::name).as_deref(), Some("a"));
        assert_eq!(past.layout(FrameId::new(9, 5), &LAYOUTS[0]).map(Layout::name).as_deref(), Some("a"));
    }
}
