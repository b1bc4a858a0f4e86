//! Simulated machines that charge for measured times of fibers.

use earth::simulated::{FiberTimes, Profile};
use earth::{Config, Eu, Machine, Reply, Then, Work, threaded};

/// Runs a fiber some times, each with some work.
struct Works {
    left: u64,
    cycles: u64,
    out: Reply<u64>,
}

#[threaded]
impl Works {
    fn start(times: u64, cycles: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.sync(Self::again());
        Works { left: times, cycles, out }
    }

    #[slot(sync, again)]
    fn again(&mut self, eu: &mut Eu<Self>) -> Then {
        eu.work(Work::Cycles(self.cycles));
        self.left -= 1;
        if self.left > 0 {
            eu.sync(Self::again());
            return Then::Wait;
        }
        eu.put(self.out, 1);
        Then::End
    }
}

/// A machine without costs of operations, with a clock of 1000 MHz.
fn free() -> Profile {
    Profile { clock_mhz: 1000.0, ..Profile::free() }
}

#[test]
fn measured_times_take_the_place_of_work() {
    for config in [Config::Spn, Config::Dual] {
        let mut traced = Machine::simulated(&free()).nodes(1).config(config).trace(true);
        let run = traced.run(|out| Works::call(10, 700, out)).expect("it runs");
        assert_eq!(run.cycles, Some(7_000));
        let times = FiberTimes::of(&run.records.expect("the machine traces"));
        let of = |times: &FiberTimes, fiber| {
            let found = times.iter().find(|time| time.fiber == fiber).expect("the fiber ran");
            (found.function.clone(), found.count, found.nanos)
        };
        assert_eq!(of(&times, "again"), ("Works".to_owned(), 10, 700.0));
        assert_eq!(of(&times, "start"), ("Works".to_owned(), 1, 0.0));
        assert_eq!((times.mean() * 11.0).round() as u64, 7_000);
        // The reported work is another one now, and does not count.
        let elapsed = |times: &FiberTimes| {
            let mut machine = Machine::simulated(&free()).nodes(1).config(config).fiber_times(times);
            machine.run(|out| Works::call(20, 5, out)).expect("it runs").cycles
        };
        assert_eq!(elapsed(&times), Some(14_000));
        assert_eq!(elapsed(&times.less(100.0)), Some(12_000));
        assert_eq!(elapsed(&times.without(&times.less(300.0))), Some(6_000));
        assert_eq!(elapsed(&times.less(1e6)), Some(0));
    }
}
