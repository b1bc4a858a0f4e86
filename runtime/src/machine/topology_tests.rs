//! Orders of CPUs, derived by hand for directory trees like Linux's.

use std::ops::Range;

use tempfile::TempDir;

use super::*;

/// Temporary directory of CPUs.
struct Tree(TempDir);

impl Tree {
    fn new() -> Self {
        Tree(TempDir::new().expect("a directory"))
    }

    #[expect(clippy::needless_pass_by_value, reason = "numbers and texts are written as they stand")]
    fn write(&self, cpu: usize, file: &str, text: impl ToString) {
        let file = self.0.path().join(format!("cpu{cpu}/{file}"));
        fs::create_dir_all(file.parent().expect("it is in a directory")).expect("a directory");
        fs::write(file, format!("{}\n", text.to_string())).expect("a file");
    }

    /// Writes a CPU with the given core and last-level cache. It also has a small instruction cache on a
    /// higher level, which must be ignored.
    fn cpu(&self, cpu: usize, package: usize, core: &str, cache: &str) {
        self.write(cpu, "topology/physical_package_id", package);
        self.write(cpu, "topology/core_cpus_list", core);
        for (index, level, kind, shared) in [
            (0, 1, "Data", core),
            (1, 3, "Unified", cache),
            (2, 2, "Unified", core),
            (3, 4, "Instruction", "0-999"),
        ] {
            self.write(cpu, &format!("cache/index{index}/level"), level);
            self.write(cpu, &format!("cache/index{index}/type"), kind);
            self.write(cpu, &format!("cache/index{index}/shared_cpu_list"), shared);
        }
    }

    fn order(&self, allowed: Range<usize>, held: &[usize]) -> Vec<usize> {
        order(self.0.path(), &allowed.collect(), &held.iter().copied().collect())
    }
}

/// Two sockets of two cores of two threads. As on Linux, first threads of all cores are numbered before
/// second ones, and the two sockets alternate.
fn two_sockets() -> Tree {
    let tree = Tree::new();
    for cpu in 0..8 {
        let (package, core) = (cpu % 2, cpu % 4);
        let cache = ["0,2,4,6", "1,3,5,7"][package];
        tree.cpu(cpu, package, &format!("{core},{}", core + 4), cache);
    }
    tree
}

#[test]
fn a_thread_a_core_then_second_threads_each_time_socket_by_socket() {
    assert_eq!(two_sockets().order(0..8, &[]), [0, 2, 1, 3, 4, 6, 5, 7]);
}

#[test]
fn only_cpus_of_the_mask_are_taken() {
    // Socket 1 has two cores in the mask, socket 0 has one.
    assert_eq!(two_sockets().order(1..5, &[]), [1, 3, 2, 4]);
}

#[test]
fn claimed_cpus_are_omitted_and_their_cores_come_last() {
    // Core 0-4 is begun. Socket 1 has more free cores.
    assert_eq!(two_sockets().order(0..8, &[0]), [1, 3, 2, 5, 7, 4, 6]);
    // A held thread outside the mask begins a core too.
    assert_eq!(two_sockets().order(4..8, &[1]), [4, 6, 7, 5]);
    assert_eq!(two_sockets().order(0..3, &[0, 1, 2]), [0; 0]);
}

#[test]
fn cores_that_share_a_last_level_cache_come_together() {
    // One socket with two caches, whose cores alternate in the numbering.
    let tree = Tree::new();
    for cpu in 0..6 {
        tree.cpu(cpu, 0, &cpu.to_string(), ["0,2,4", "1,3,5"][cpu % 2]);
    }
    assert_eq!(tree.order(0..6, &[]), [0, 2, 4, 1, 3, 5]);
    assert_eq!(tree.order(0..6, &[2, 4]), [1, 3, 5, 0]);
}

#[test]
fn cpus_that_are_off_are_not_taken() {
    let tree = two_sockets();
    tree.write(2, "online", 0);
    tree.write(3, "online", 1);
    // If the first thread of a core is off, the second one counts as first.
    tree.write(6, "topology/core_cpus_list", 6);
    assert_eq!(tree.order(0..8, &[]), [0, 6, 1, 3, 4, 5, 7]);
}

#[test]
fn fast_cores_come_first_and_then_slow_ones_before_second_threads() {
    // Two fast cores of two threads, then four slow ones of one, all on one cache.
    let tree = Tree::new();
    for cpu in 0..8 {
        let core = if cpu < 4 { format!("{}-{}", cpu & !1, cpu | 1) } else { cpu.to_string() };
        tree.cpu(cpu, 0, &core, "0-7");
        tree.write(cpu, "cpu_capacity", if cpu < 4 { 1024 } else { 600 });
    }
    assert_eq!(tree.order(0..8, &[]), [0, 2, 4, 5, 6, 7, 1, 3]);
    // A slow cluster that is larger, has a cache of its own and lower numbers.
    let tree = Tree::new();
    for cpu in 0..6 {
        tree.cpu(cpu, 0, &cpu.to_string(), if cpu < 4 { "0-3" } else { "4-5" });
        tree.write(cpu, "cpu_capacity", if cpu < 4 { 400 } else { 1024 });
    }
    assert_eq!(tree.order(0..6, &[]), [4, 5, 0, 1, 2, 3]);
}

#[test]
fn old_kernels_name_siblings_differently() {
    let tree = Tree::new();
    for cpu in 0..4 {
        tree.write(cpu, "topology/thread_siblings_list", ["0-1", "2-3"][cpu / 2]);
    }
    assert_eq!(tree.order(0..4, &[]), [0, 2, 1, 3]);
}

#[test]
fn without_files_the_order_is_that_of_the_mask() {
    assert_eq!(Tree::new().order(3..9, &[5]), [3, 4, 6, 7, 8]);
    let nowhere = order(Path::new("/nowhere/at/all"), &BTreeSet::from([7, 2, 4]), &BTreeSet::new());
    assert_eq!(nowhere, [2, 4, 7]);
    // Files with invalid content count as missing.
    let tree = Tree::new();
    for cpu in 0..4 {
        for file in [
            "online",
            "cpu_capacity",
            "topology/core_cpus_list",
            "topology/physical_package_id",
            "cache/index0/level",
        ] {
            tree.write(cpu, file, "?");
        }
    }
    assert_eq!(tree.order(0..4, &[]), [0, 1, 2, 3]);
}

#[test]
fn partial_topology_places_the_known_cpus() {
    // Only CPUs 2 and 3 are known to be one core.
    let tree = Tree::new();
    tree.write(2, "topology/core_cpus_list", "2-3");
    tree.write(3, "topology/core_cpus_list", "2-3");
    assert_eq!(tree.order(0..4, &[]), [0, 1, 2, 3]);
    assert_eq!(tree.order(1..5, &[]), [1, 2, 4, 3]);
}
