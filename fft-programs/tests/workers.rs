//! Checks the threads of a planner's machine: the first call starts them, they park between calls, and the
//! last plan joins them. The test runs alone in its process, because it counts the process's threads.
#![cfg(target_os = "linux")]

use std::num::NonZeroUsize;

use earth::Config;
use earth_fft::{Complex, Plan, Planner, Problem};

/// Returns the states of the worker threads of machines in this process, without ending threads. A joined
/// thread is ending: the kernel wakes the joining thread before it removes the thread from its list.
fn workers() -> Vec<char> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    // The file of a thread that ended meanwhile is missing.
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")).ok());
    stats.filter_map(|stat| running_worker(&stat)).collect()
}

/// Returns the state in a line of `/proc/self/task/*/stat`, if it belongs to a worker that is not ending.
fn running_worker(stat: &str) -> Option<char> {
    /// The kernel's flag of an ending thread.
    const PF_EXITING: u64 = 4;
    // The name is in parentheses.
    let (name, fields) = stat.split_once(") ").unwrap();
    let fields: Vec<_> = fields.split(' ').collect();
    let flags: u64 = fields[6].parse().unwrap();
    (name.contains("(earth-") && flags & PF_EXITING == 0).then(|| fields[0].chars().next().unwrap())
}

/// Waits until all workers sleep. It never returns if a worker does not.
fn all_sleep() {
    while workers().iter().any(|&state| state != 'S') {
        std::thread::yield_now();
    }
}

#[test]
fn the_last_plan_joins_the_workers() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for (config, units) in [(Config::Spn, 2), (Config::Dual, 4)] {
        let planner = Planner::new().config(config).nodes(NonZeroUsize::new(2).unwrap());
        let plan = |side| -> Plan<f64> { planner.plan(&Problem::complex(&[side, side])).unwrap() };
        let (one, other) = (plan(8), plan(12));
        assert_eq!(workers().len(), 0, "there was no call");
        for (plan, side) in [(&one, 8), (&other, 12)] {
            plan.process(&mut vec![Complex::from(1.0); side * side]).unwrap();
            assert_eq!(workers().len(), units.min(cores) - 1, "both plans have one machine");
            all_sleep();
        }
        drop(one);
        assert_eq!(workers().len(), units.min(cores) - 1);
        drop(other);
        assert_eq!(workers().len(), 0);
    }
}
