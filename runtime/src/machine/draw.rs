//! Random numbers that depend only on a seed.

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng as _, SeedableRng as _};

/// `SplitMix64` (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014). Its stream
/// depends only on its seed, on every platform and in every version. So a seed in a bug report stays valid.
#[derive(Clone, Debug)]
pub(in crate::machine) struct Draw(SplitMix64);

impl Draw {
    pub(in crate::machine) fn new(seed: u64) -> Self {
        Draw(SplitMix64::seed_from_u64(seed))
    }

    pub(in crate::machine) fn next(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns a random number in `0..bound`. The bias for bounds far below 2^64 does not matter here.
    pub(in crate::machine) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected numbers come from the published generator of Steele and others.
    #[test]
    fn a_seed_draws_the_same_numbers_for_ever() {
        let mut state = 20_260_000_u64;
        let mut draw = Draw::new(state);
        for _ in 0..100 {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            assert_eq!(draw.next(), mixed ^ (mixed >> 31));
        }
    }
}
