//! The threads of a planner's machine: started by the first call, asleep between calls, joined with the last plan. Alone in its process, whose
//! threads it counts.
#![cfg(target_os = "linux")]

use std::num::NonZeroUsize;

use earth::Config;
use earth_fft::{Complex, Plan, Planner, Problem};

/// The worker threads of machines in this process.
fn workers() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    let names = tasks.map(|task| std::fs::read_to_string(task.unwrap().path().join("comm")).unwrap());
    names.filter(|name| name.starts_with("earth-")).count()
}

/// Waits until all of them sleep, which is for ever if one does not.
fn all_sleep() {
    let sleeps = |task: std::fs::DirEntry| {
        let stat = std::fs::read_to_string(task.path().join("stat")).unwrap();
        // The name stands in parentheses.
        let (name, state) = stat.split_once(") ").unwrap();
        !name.contains("(earth-") || state.starts_with('S')
    };
    while !std::fs::read_dir("/proc/self/task").unwrap().all(|task| sleeps(task.unwrap())) {
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
        assert_eq!(workers(), 0, "nothing was called");
        for (plan, side) in [(&one, 8), (&other, 12)] {
            plan.process(&mut vec![Complex::from(1.0); side * side]).unwrap();
            assert_eq!(workers(), units.min(cores) - 1, "both plans have one machine");
            all_sleep();
        }
        drop(one);
        assert_eq!(workers(), units.min(cores) - 1);
        drop(other);
        assert_eq!(workers(), 0);
    }
}
