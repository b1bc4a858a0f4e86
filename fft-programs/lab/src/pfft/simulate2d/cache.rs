//! The caches of the paper's processor, an Intel Xeon E5-2699 v3 (Haswell), as far as one core uses them: sets of lines, of
//! which the one that was used longest ago is replaced.
//!
//! Sizes are the manufacturer's: 32 KiB of data in 8 ways and 256 KiB in 8 ways, lines of 64 bytes; 64 translations of pages
//! of 4 KiB in 4 ways, and 1024 in 8 ways. What a miss takes is an estimate of ours, in cycles: the latency that is in the
//! manufacturer's manuals for what is next, not overlapped with anything.

/// A number of sets of so many ways, for what is `1 << shift` bytes large.
#[derive(Clone, Debug)]
struct Level {
    shift: u32,
    ways: usize,
    /// A power of two.
    sets: usize,
    /// The numbers of what is there, set by set, the one used last first. 0 is nothing.
    held: Vec<u64>,
}

impl Level {
    fn new(entries: usize, ways: usize, shift: u32) -> Self {
        Self { shift, ways, sets: entries / ways, held: vec![0; entries] }
    }

    /// Uses an address: whether it was there.
    fn hits(&mut self, address: u64) -> bool {
        let number = (address >> self.shift) + 1;
        let set = (number as usize - 1) & (self.sets - 1);
        let held = &mut self.held[set * self.ways..][..self.ways];
        if held[0] == number {
            return true;
        }
        let found = held.iter().position(|&other| other == number);
        held[..=found.unwrap_or(self.ways - 1)].rotate_right(1);
        held[0] = number;
        found.is_some()
    }
}

/// Lines, and translations of pages, each near and far.
#[derive(Clone, Debug)]
pub(super) struct Caches {
    lines: [Level; 2],
    pages: [Level; 2],
    pub(super) misses: Misses,
}

/// How often something was not there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Misses {
    /// Lines that were not in the first cache, and of these not in the second one.
    pub(super) lines: [u64; 2],
    /// Translations that were not in the first buffer, and of these not in the second one.
    pub(super) pages: [u64; 2],
}

impl Misses {
    /// What they take, in cycles: the second cache and memory, the second buffer and walks through the tables of pages.
    pub(super) fn cycles(&self) -> f64 {
        let [[near, far], [second, walks]] =
            [self.lines, self.pages].map(|misses| misses.map(|number| number as f64));
        12.0 * near + 60.0 * far + 8.0 * second + 30.0 * walks
    }
}

impl Caches {
    /// Those of a core, with nothing in them.
    pub(super) fn haswell() -> Self {
        Self {
            lines: [Level::new(512, 8, 6), Level::new(4096, 8, 6)],
            pages: [Level::new(64, 4, 12), Level::new(1024, 8, 12)],
            misses: Misses::default(),
        }
    }

    /// Reads an address; whoever writes there afterwards finds it.
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
    fn what_fits_is_missed_once() {
        // 32 KiB twice: 512 lines on 8 pages.
        let twice = (0..2).flat_map(|_| (0..32 << 10).step_by(16));
        assert_eq!(missed(twice), Misses { lines: [512; 2], pages: [8; 2] });
        // 64 KiB twice are too many for the first cache, whose oldest line always goes before it is used again.
        let twice = (0..2).flat_map(|_| (0..64 << 10).step_by(16));
        assert_eq!(missed(twice), Misses { lines: [2048, 1024], pages: [16; 2] });
    }

    /// Lines 4 KiB apart are of one set of 8 ways; pages 64 KiB apart are of one set of 4.
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
        // Line 0 is used again before the ninth comes, so that line 1 goes.
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
