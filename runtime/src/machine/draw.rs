//! Random numbers that depend on a seed alone.

/// `SplitMix64` (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014): a
/// stream that depends on its seed alone, on every platform and in every version, so that a seed in
/// a bug report stays good.
#[derive(Clone, Debug)]
pub(in crate::machine) struct Draw {
    state: u64,
}

impl Draw {
    pub(in crate::machine) fn new(seed: u64) -> Self {
        Draw { state: seed }
    }

    pub(in crate::machine) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A random number in `0..bound`; the bias for bounds far below 2^64 does not matter here.
    pub(in crate::machine) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}
