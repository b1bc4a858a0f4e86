//! Order in which a machine takes CPUs for its threads: CPUs that share caches first, and one thread a core
//! as long as there are cores.
//!
//! Linux describes the CPUs by files below `/sys/devices/system/cpu` (see the kernel's
//! `Documentation/ABI/stable/sysfs-devices-system-cpu` and `Documentation/admin-guide/cputopology.rst`):
//!
//! | file | content |
//! |---|---|
//! | `cpuN/online` | 0 if the CPU is off; CPUs that cannot be switched off have no such file |
//! | `cpuN/topology/core_cpus_list`, on old kernels `thread_siblings_list` | the hardware threads of its core |
//! | `cpuN/topology/physical_package_id` | its socket |
//! | `cpuN/cache/index*/level`, `type`, `shared_cpu_list` | the CPUs that share each of its caches |
//! | `cpuN/cpu_capacity` | its speed relative to the fastest CPU, if cores differ |
//!
//! If a file is missing or cannot be read, its value counts as equal for all CPUs, and a CPU counts as a core
//! of its own. So without any files the CPUs are in the order of the affinity mask: by number.
//!
//! Alternatives: `hwlocality` reads all this and much more, but needs the C library hwloc. `core_affinity`
//! reads only the affinity mask. This module needs five small files a CPU, once when a machine is built.
//!
//! # The order
//!
//! 1. First hardware threads of cores come before second ones. A core with a held thread counts as begun.
//! 2. Next, CPUs are grouped by socket, and in a socket by last-level cache. The group with the fastest CPU
//!    comes first, and among equally fast groups the one with the most free cores. So a machine's threads
//!    share few caches, without a search for the minimum.
//! 3. In a group the faster CPU comes first, then the lower number.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Description of one CPU.
#[derive(Clone, Copy)]
struct Cpu {
    number: usize,
    package: Option<i64>,
    /// Lowest CPU that shares its last-level cache.
    cache: Option<usize>,
    /// Lowest CPU of its core.
    core: usize,
    capacity: u64,
    /// Number of threads of its core that come before it, including held ones.
    rank: usize,
}

/// Returns the CPUs of `allowed` that are online and not `held`, in the order in which a machine takes them.
/// `root` is the directory of all CPUs.
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

/// Weight of a group of CPUs; the greatest comes first. It consists of the fastest CPU, the number of free
/// cores, and the lowest CPU.
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
            package: read_number(&dir.join("topology/physical_package_id")),
            cache: last_level_cache(&dir.join("cache")),
            core: siblings.iter().find_map(|list| lowest(&dir.join(list))).unwrap_or(number),
            capacity: read_number(&dir.join("cpu_capacity")).unwrap_or(0),
            rank: 0,
        }
    }
}

fn is_off(root: &Path, number: usize) -> bool {
    read_number(&root.join(format!("cpu{number}/online"))) == Some(0)
}

/// Returns the lowest CPU that shares the highest-level cache for data.
fn last_level_cache(dir: &Path) -> Option<usize> {
    let caches = fs::read_dir(dir).ok()?.flatten().map(|entry| entry.path());
    let of_data = caches.filter(|cache| text(&cache.join("type")).as_deref() != Some("Instruction"));
    let last = of_data.filter_map(|cache| Some((read_number::<u32>(&cache.join("level"))?, cache))).max()?;
    lowest(&last.1.join("shared_cpu_list"))
}

fn text(file: &Path) -> Option<String> {
    Some(fs::read_to_string(file).ok()?.trim().to_owned())
}

/// Parses the number in a file.
fn read_number<T: std::str::FromStr>(file: &Path) -> Option<T> {
    text(file)?.parse().ok()
}

/// Returns the lowest CPU of a list, such as `0-3,8`.
fn lowest(file: &Path) -> Option<usize> {
    text(file)?.split(',').filter_map(|range| range.split('-').next()?.parse().ok()).min()
}

#[cfg(test)]
#[path = "topology_tests.rs"]
mod tests;
