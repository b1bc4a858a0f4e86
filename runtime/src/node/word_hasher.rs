//! A hasher for words that the runtime chooses: numbers of frames and inlets, addresses of functions.
//!
//! A value is parked and taken out again with four look-ups, and every event that is packed looks up its
//! function. The standard library's hasher resists keys that an attacker chooses. No attacker chooses these
//! keys. So their words are only multiplied by a large odd number, as the Fx hash of Firefox does.

use std::hash::{BuildHasherDefault, Hasher};

/// Builds a [`WordHasher`] for a map.
pub(crate) type BuildWordHasher = BuildHasherDefault<WordHasher>;

/// Hashes a few words.
#[derive(Clone, Copy, Default)]
pub(crate) struct WordHasher(u64);

impl WordHasher {
    #[inline]
    fn add(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }
}

impl Hasher for WordHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.add(u64::from(byte));
        }
    }

    #[inline]
    fn write_u32(&mut self, word: u32) {
        self.add(u64::from(word));
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.add(word);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.add(word as u64);
    }

    /// Returns the hash. Its low bits choose the entry of the table, so they are taken from the middle of the
    /// product, which depends on most bits of the words.
    #[inline]
    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::hash::BuildHasher;

    use earth_memory::frames::FrameId;

    use super::*;

    #[test]
    fn inlets_of_many_frames_and_generations_are_spread_over_a_table() {
        let hasher = BuildWordHasher::default();
        let keys = (0..64).flat_map(|frame| (0..16).map(move |generation| (frame, 2 * generation + 1)));
        let keys =
            keys.flat_map(|(frame, generation)| (0..4_u32).map(move |inlet| (frame, generation, inlet)));
        let hashes: Vec<_> = keys
            .map(|(frame, generation, inlet)| {
                hasher.hash_one((FrameId::new(frame, generation).expect("it is odd"), inlet))
            })
            .collect();
        assert_eq!(hashes.len(), 4096);
        // 4096 keys at random have about 63 % of 4096 entries, and all tags.
        let entries: HashSet<_> = hashes.iter().map(|hash| hash % 4096).collect();
        let tags: HashSet<_> = hashes.iter().map(|hash| hash >> 57).collect();
        assert!(entries.len() > 2000 && tags.len() == 128, "{} entries, {} tags", entries.len(), tags.len());
    }
}
