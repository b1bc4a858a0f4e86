//! In which order a machine takes CPUs for its threads: near ones first, and a whole core for each as long as there are.
//!
//! Linux tells by files (the kernel's `Documentation/ABI/stable/sysfs-devices-system-cpu` and
//! `Documentation/admin-guide/cputopology.rst`), below `/sys/devices/system/cpu`:
//!
//! | file | says |
//! |---|---|
//! | `cpuN/online` | 0 if the CPU is off; CPUs that cannot be switched off have none |
//! | `cpuN/topology/core_cpus_list`, on old kernels `thread_siblings_list` | the hardware threads of its core |
//! | `cpuN/topology/physical_package_id` | its socket |
//! | `cpuN/cache/index*/level`, `type`, `shared_cpu_list` | the CPUs that share each of its caches |
//! | `cpuN/cpu_capacity` | how fast it is beside the fastest, where cores differ |
//!
//! What a file does not say, since it is missing or cannot be read, is taken to be the same for all CPUs (a CPU is then
//! a core of its own); so where nothing is told the order is that of the numbers, which is that of the affinity mask.
//!
//! Why no crate: `hwlocality` knows all this and much more, and needs the C library hwloc; `core_affinity` knows the
//! affinity mask alone. What is asked here are five small files a CPU, read once when a machine is built.
//!
//! # The order
//!
//! 1. First hardware threads of cores before second ones. A core of which others hold a thread counts as begun.
//! 2. Then the socket, and in it the last-level cache, with the fastest CPUs; of equally fast ones that with the most
//!    free cores. So a machine's threads share as few caches as can be without a search.
//! 3. Then the faster CPU, then the lower number.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What is known of one CPU.
#[derive(Clone, Copy)]
struct Cpu {
    number: usize,
    package: Option<i64>,
    /// The lowest CPU that shares its last-level cache.
    cache: Option<usize>,
    /// The lowest CPU of its core.
    core: usize,
    capacity: u64,
    /// How many threads of its core come before it, those that are held included.
    rank: usize,
}

/// The CPUs of `allowed` that are not `held` (nor off), in the order in which a machine takes them; `root` is the
/// directory of all CPUs.
pub(super) fn order(root: &Path, allowed: &BTreeSet<usize>, held: &BTreeSet<usize>) -> Vec<usize> {
    let mut begun = BTreeMap::new();
    for cpu in held {
        *begun.entry(Cpu::read(root, *cpu).core).or_insert(0) += 1;
    }
    let mut free: Vec<Cpu> = Vec::new();
    for number in allowed.difference(held).filter(|number| !is_off(root, **number)) {
        let mut cpu = Cpu::read(root, *number);
        let rank = begun.entry(cpu.core).or_insert(0);
        cpu.rank = *rank;
        *rank += 1;
        free.push(cpu);
    }
    let (packages, caches) =
        (weights(&free, |cpu| cpu.package), weights(&free, |cpu| (cpu.package, cpu.cache)));
    free.sort_by_key(|cpu| {
        let Cpu { number, package, cache, capacity, rank, .. } = *cpu;
        (rank, Reverse((packages[&package], caches[&(package, cache)], capacity)), number)
    });
    free.into_iter().map(|cpu| cpu.number).collect()
}

/// By what groups of CPUs are compared, the greater one first: the fastest CPU, the number of cores that are free, the
/// lowest CPU.
type Weight = (u64, usize, Reverse<usize>);

fn weights<K: Ord>(cpus: &[Cpu], group: impl Fn(&Cpu) -> K) -> BTreeMap<K, Weight> {
    let mut weights = BTreeMap::new();
    for cpu in cpus {
        let (fastest, cores, _) = weights.entry(group(cpu)).or_insert((0, 0, Reverse(cpu.number)));
        *fastest = cpu.capacity.max(*fastest);
        *cores += usize::from(cpu.rank == 0);
    }
    weights
}

impl Cpu {
    fn read(root: &Path, number: usize) -> Self {
        let dir = root.join(format!("cpu{number}"));
        let siblings = ["topology/core_cpus_list", "topology/thread_siblings_list"];
        Cpu {
            number,
            package: said(&dir.join("topology/physical_package_id")),
            cache: last_level_cache(&dir.join("cache")),
            core: siblings.iter().find_map(|list| lowest(&dir.join(list))).unwrap_or(number),
            capacity: said(&dir.join("cpu_capacity")).unwrap_or(0),
            rank: 0,
        }
    }
}

fn is_off(root: &Path, number: usize) -> bool {
    said(&root.join(format!("cpu{number}/online"))) == Some(0)
}

/// The lowest CPU that shares the cache of the highest level that holds data.
fn last_level_cache(dir: &Path) -> Option<usize> {
    let caches = fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path());
    let of_data = caches.filter(|cache| text(&cache.join("type")).as_deref() != Some("Instruction"));
    let last = of_data.filter_map(|cache| Some((said::<u32>(&cache.join("level"))?, cache))).max()?;
    lowest(&last.1.join("shared_cpu_list"))
}

fn text(file: &Path) -> Option<String> {
    Some(fs::read_to_string(file).ok()?.trim().to_owned())
}

/// The number in a file.
fn said<T: std::str::FromStr>(file: &Path) -> Option<T> {
    text(file)?.parse().ok()
}

/// The lowest CPU of a list, such as `0-3,8`.
fn lowest(file: &Path) -> Option<usize> {
    text(file)?.split(',').filter_map(|range| range.split('-').next()?.parse().ok()).min()
}

#[cfg(test)]
#[path = "topology_tests.rs"]
mod tests;
