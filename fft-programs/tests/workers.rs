//! The threads of a planner's machine: started by the first call, asleep between calls, joined with the last plan. Alone in its process, whose
//! threads it counts.
#![cfg(target_os = "linux")]

use std::num::NonZeroUsize;

use earth::Config;
use earth_fft::{Complex, Plan, Planner, Problem};

/// The states of the worker threads of machines in this process, but of those that are ending. A thread that has been
/// joined is ending: the kernel wakes who joins it before it takes the thread off its list.
fn workers() -> Vec<char> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    // The file of a thread that ended meanwhile is gone.
    let stats = tasks.filter_map(|task| std::fs::read_to_string(task.unwrap().path().join("stat")).ok());
    stats.filter_map(|stat| running_worker(&stat)).collect()
}

/// The state in a line of `/proc/self/task/*/stat`, if it is the line of a worker that is not ending.
fn running_worker(stat: &str) -> Option<char> {
    /// In the kernel's flags of a thread: it ends.
    const PF_EXITING: u64 = 4;
    // The name stands in parentheses.
    let (name, fields) = stat.split_once(") ").unwrap();
    let fields: Vec<_> = fields.split(' ').collect();
    let flags: u64 = fields[6].parse().unwrap();
    (name.contains("(earth-") && flags & PF_EXITING == 0).then(|| fields[0].chars().next().unwrap())
}

/// Waits until all workers sleep, which is for ever if one does not.
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
        assert_eq!(workers().len(), 0, "nothing was called");
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
