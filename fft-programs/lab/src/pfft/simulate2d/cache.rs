//! Model of the caches of the paper's processor, an Intel Xeon E5-2699 v3 (Haswell), as one core uses them:
//! set-associative, with LRU replacement.
//!
//! The sizes are the manufacturer's: 32 KiB of data in 8 ways and 256 KiB in 8 ways, lines of 64 bytes; 64
//! translations of 4 KiB pages in 4 ways, and 1024 in 8 ways. The cost of a miss is our estimate, in cycles:
//! the latency of the next level in the manufacturer's manuals, without overlap.

/// Set-associative level with entries of `1 << shift` bytes.
#[derive(Clone, Debug)]
struct Level {
    shift: u32,
    ways: usize,
    /// Number of sets, a power of two.
    sets: usize,
    /// Numbers of the entries, set by set, most recently used first. 0 means empty.
    held: Vec<u64>,
}

impl Level {
    fn new(entries: usize, ways: usize, shift: u32) -> Self {
        Self { shift, ways, sets: entries / ways, held: vec![0; entries] }
    }

    /// Uses an address. Returns whether it was present.
    fn hits(&mut self, address: u64) -> bool {
        let number = (address >> self.shift) + 1;
        let set = (number as usize - 1) & (self.sets - 1);
        let held = &mut self.held[set * self.ways..][..self.ways];
        // Each entry takes the place of the next, until the place of the used one or of the last is free.
        let mut moved = number;
        for place in held {
            std::mem::swap(place, &mut moved);
            if moved == number {
                return true;
            }
        }
        false
    }
}

/// Two levels of lines, and two levels of page translations.
#[derive(Clone, Debug)]
pub(super) struct Caches {
    lines: [Level; 2],
    pages: [Level; 2],
    pub(super) misses: Misses,
}

/// Numbers of misses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Misses {
    /// Lines that missed the first cache, and lines among them that also missed the second.
    pub(super) lines: [u64; 2],
    /// Translations that missed the first buffer, and translations among them that also missed the second.
    pub(super) pages: [u64; 2],
}

impl Misses {
    /// Returns the cost in cycles, of the second cache and memory, and of the second buffer and page walks.
    pub(super) fn cycles(&self) -> f64 {
        let [[near, far], [second, walks]] =
            [self.lines, self.pages].map(|misses| misses.map(|number| number as f64));
        12.0 * near + 60.0 * far + 8.0 * second + 30.0 * walks
    }
}

impl Caches {
    /// Creates the empty caches of a core.
    pub(super) fn haswell() -> Self {
        Self {
            lines: [Level::new(512, 8, 6), Level::new(4096, 8, 6)],
            pages: [Level::new(64, 4, 12), Level::new(1024, 8, 12)],
            misses: Misses::default(),
        }
    }

    /// Reads an address; a following write to it hits.
    pub(super) fn read(&mut self, address: u64) {
        let Self { lines, pages, misses } = self;
        for (levels, misses) in [(pages, &mut misses.pages), (lines, &mut misses.lines)] {
            if levels[0].hits(address) {
                continue;
            }
            misses[0] += 1;
            if !levels[1].hits(address) {
                misses[1] += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missed(addresses: impl IntoIterator<Item = u64>) -> Misses {
        let mut caches = Caches::haswell();
        addresses.into_iter().for_each(|address| caches.read(address));
        caches.misses
    }

    #[test]
    fn data_that_fit_are_missed_once() {
        // 32 KiB, twice: 512 lines on 8 pages.
        let twice = (0..2).flat_map(|_| (0..32 << 10).step_by(16));
        assert_eq!(missed(twice), Misses { lines: [512; 2], pages: [8; 2] });
        // 64 KiB, twice, exceed the first cache: LRU always evicts the line that is needed next.
        let twice = (0..2).flat_map(|_| (0..64 << 10).step_by(16));
        assert_eq!(missed(twice), Misses { lines: [2048, 1024], pages: [16; 2] });
    }

    /// Lines 4 KiB apart are in one set of 8 ways; pages 64 KiB apart are in one set of 4.
    #[test]
    fn sets_have_so_many_ways() {
        let rounds =
            |number: u64, apart: u64| missed((0..3).flat_map(|_| (0..number).map(move |at| at * apart)));
        assert_eq!(rounds(8, 4 << 10), Misses { lines: [8, 8], pages: [8, 8] });
        assert_eq!(rounds(9, 4 << 10).lines, [27, 9]);
        assert_eq!(rounds(4, 64 << 10).pages, [4, 4]);
        assert_eq!(rounds(5, 64 << 10).pages, [15, 5]);
    }

    #[test]
    fn the_one_used_longest_ago_goes() {
        let set = |line: u64| line << 12;
        // Line 0 is used again before the ninth line comes, so line 1 is evicted.
        let begun: Vec<_> = (0..8).chain([0, 8]).map(set).collect();
        let after =
            |line| missed(begun.iter().copied().chain([set(line)])).lines[0] - missed(begun.clone()).lines[0];
        assert_eq!([after(0), after(1), after(2)], [0, 1, 0]);
    }

    #[test]
    fn misses_have_their_prices() {
        let misses = Misses { lines: [3, 1], pages: [2, 1] };
        assert!((misses.cycles() - (36.0 + 60.0 + 16.0 + 30.0)).abs() < 1e-12);
    }
}
