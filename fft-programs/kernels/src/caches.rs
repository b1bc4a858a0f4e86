//! Sizes of the caches of this computer. Kernels choose the sizes of their blocks by them.
//!
//! The processor reports the sizes, with AMD's or Intel's instructions. Other processors count as one with
//! 1 MiB and 32 MiB. *Cost.* Some 20 us for the first call of a process in a virtual machine, where a host
//! answers the instructions. So the functions compare small arrays without it.

use std::sync::OnceLock;

/// Sizes of caches in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caches {
    /// Size of the second-level cache of a core.
    pub second: usize,
    /// Size of the last-level cache, which cores share.
    pub last: usize,
}

impl Caches {
    /// Sizes that count if the processor reports none.
    const USUAL: Self = Self { second: 1 << 20, last: 32 << 20 };

    /// The least array that can be beyond the caches, in bytes. Smaller second-level caches count as this.
    const LEAST: usize = 512 << 10;

    /// Returns the sizes of this computer. They are read once in a process.
    pub fn of_this_computer() -> Self {
        static CACHES: OnceLock<Caches> = OnceLock::new();
        *CACHES.get_or_init(|| Self::of_levels(&reported()))
    }

    /// Takes the known sizes of levels 1, 2 and so on.
    fn of_levels(levels: &[usize]) -> Self {
        let second = levels.get(1).map_or(Self::USUAL.second, |size| (*size).max(Self::LEAST));
        // Without a third level, cores share the second one.
        let last = levels.last().filter(|_| levels.len() > 1).map_or(Self::USUAL.last, |size| *size);
        Self { second, last: last.max(second) }
    }

    /// Returns whether an array of `bytes` bytes has left the second-level cache of a core when the core
    /// accesses it again: it is larger than half of the cache.
    #[inline]
    pub fn leaves_second(bytes: usize) -> bool {
        bytes > Self::LEAST / 2 && bytes > Self::of_this_computer().second / 2
    }

    /// Returns whether an array of `bytes` bytes is far larger than the second-level cache of a core: more
    /// than four times as large. A core that reads what other cores wrote then waits for the last-level
    /// cache.
    #[inline]
    pub fn is_past_second(bytes: usize) -> bool {
        bytes > 4 * Self::LEAST && bytes > 4 * Self::of_this_computer().second
    }

    /// Returns whether an array of `bytes` bytes is beyond the caches: it is larger than an eighth of the
    /// last-level cache. Reads of such an array wait for memory, unless they are prefetched.
    ///
    /// With 32 MiB of last-level cache, prefetches for a matrix of 4 MiB saved no time, and for 8 MiB a fifth
    /// of it. With 300 MiB, they cost a fifth of the time of a matrix of 28 MiB, and saved none at 64 MiB.
    #[inline]
    pub fn is_beyond(bytes: usize) -> bool {
        bytes > Self::LEAST && bytes > Self::of_this_computer().beyond()
    }

    /// Returns the size above which an array [is beyond](Self::is_beyond) the caches.
    pub fn beyond(self) -> usize {
        (self.last / 8).max(self.second)
    }
}

/// Returns the sizes of the levels, the first one first, as the processor reports them.
#[cfg(target_arch = "x86_64")]
fn reported() -> Vec<usize> {
    use raw_cpuid::{CacheType, CpuId};

    let caches = CpuId::new().get_cache_parameters().into_iter().flatten();
    let mut levels: Vec<_> = caches
        .filter(|cache| !matches!(cache.cache_type(), CacheType::Instruction))
        .map(|cache| {
            let lines = cache.associativity() * cache.physical_line_partitions() * cache.sets();
            (cache.level(), lines * cache.coherency_line_size())
        })
        .collect();
    levels.sort_unstable();
    levels.dedup_by_key(|(level, _)| *level);
    // A gap between levels would shift the levels after it.
    (1..).zip(levels).take_while(|(place, (level, _))| place == level).map(|(_, (_, size))| size).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn reported() -> Vec<usize> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_that_are_not_known_have_usual_sizes() {
        let of = |levels: &[usize]| Caches::of_levels(levels);
        let (small, large) = (32 << 10, 512 << 20);
        assert_eq!([of(&[]), of(&[small])], [Caches::USUAL; 2]);
        assert_eq!(of(&[small, 2 << 20, large]), Caches { second: 2 << 20, last: large });
        assert_eq!(of(&[small, 2 << 20]), Caches { second: 2 << 20, last: 2 << 20 });
        assert_eq!(of(&[small, 256 << 10, 1 << 20]), Caches { second: 512 << 10, last: 1 << 20 });
        assert_eq!(of(&[small, 1 << 20, large]).beyond(), 64 << 20);
        assert_eq!(of(&[small, 1 << 20, 4 << 20]).beyond(), 1 << 20);
    }

    /// Compares with the sizes that Linux read from the same processor, if there are such files.
    #[test]
    fn the_sizes_are_those_that_linux_lists() {
        let caches = Caches::of_this_computer();
        assert!(caches.last >= caches.second && caches.second >= Caches::LEAST);
        let of_index = |index: usize| -> Option<(String, String, usize)> {
            let read = |name: &str| {
                let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{name}");
                Some(std::fs::read_to_string(path).ok()?.trim().to_owned())
            };
            let size = read("size")?.strip_suffix('K')?.parse::<usize>().ok()? << 10;
            Some((read("level")?, read("type")?, size))
        };
        let listed: Vec<_> = (0..).map_while(of_index).filter(|(_, kind, _)| kind != "Instruction").collect();
        if let (true, [_, (level, _, second), .., (_, _, last)]) = (cfg!(target_arch = "x86_64"), &listed[..])
            && level == "2"
        {
            assert_eq!((caches.second, caches.last), ((*second).max(Caches::LEAST), *last.max(second)));
        }
    }

    #[test]
    fn small_arrays_are_in_the_caches() {
        assert!(!Caches::leaves_second(128 << 10) && !Caches::is_beyond(512 << 10));
        let Caches { second, last } = Caches::of_this_computer();
        assert!(Caches::leaves_second(second) && !Caches::is_past_second(second));
        assert!(Caches::is_past_second(5 * second) && Caches::is_beyond(last + second));
    }
}
