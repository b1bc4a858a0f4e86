//! Machines, and functions that run a program on them in many schedules.

use std::fmt;
use std::num::NonZero;

use earth::{Config, Machine, Policy};
use shuttle::scheduler::{
    PctScheduler, RandomScheduler, ReplayScheduler, Scheduler, UncontrolledNondeterminismCheckScheduler,
};
use shuttle::{MaxSteps, Runner};

/// A machine: its configuration, its number of nodes, and the number of cores that it finds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Case {
    pub(crate) config: Config,
    pub(crate) nodes: usize,
    pub(crate) cores: usize,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} nodes on {} cores", self.config, self.nodes, self.cores)
    }
}

const fn case(config: Config, nodes: usize, cores: usize) -> Case {
    Case { config, nodes, cores }
}

/// Machines with a worker for each unit, and machines with fewer workers.
const CASES: [Case; 6] = [
    case(Config::Spn, 2, 2),
    case(Config::Spn, 3, 3),
    case(Config::Spn, 3, 2),
    case(Config::Dual, 1, 2),
    case(Config::Dual, 2, 4),
    case(Config::Dual, 3, 2),
];

impl Case {
    /// Builds a machine with small queues, whose workers sleep soon.
    pub(crate) fn machine(self) -> Machine {
        earth::set_cores(NonZero::new(self.cores).expect("there is a core"));
        let policy = Policy { spin: 1, ..Policy::default() };
        Machine::threads(self.nodes).config(self.config).queue_capacity(4).policy(policy)
    }
}

/// Number of schedules of one program on one machine by one scheduler, in the checks of every change.
const SCHEDULES: usize = 100;

/// A scheduler of Shuttle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By {
    /// Any thread that can run takes the next step.
    Random,
    /// The thread with the highest priority takes the next step. Priorities are drawn at the beginning. A
    /// thread gets the lowest priority when it yields, or when it runs at one of `n - 1` drawn steps.
    Pct(usize),
}

/// Runs a program on every machine in [`SCHEDULES`] schedules of each scheduler, times the number in
/// `EARTH_LONG`. If `EARTH_SCHEDULE` names a file, the program runs once, in the schedule of that file, on
/// machine number `EARTH_CASE`.
pub(crate) fn explore(program: fn(Case)) {
    explore_of(&CASES, program);
}

/// Does the same as [`explore`], on these machines.
pub(crate) fn explore_of(cases: &[Case], program: fn(Case)) {
    let number_in = |name: &str| std::env::var(name).ok().map(|value| value.parse().expect("a number"));
    if let Ok(file) = std::env::var("EARTH_SCHEDULE") {
        let case = cases[number_in("EARTH_CASE").expect("EARTH_CASE is the number of the machine")];
        let mut replayed = ReplayScheduler::new_from_file(file).expect("the file can be read");
        // The schedule of a failure ends at the failure.
        replayed.set_allow_incomplete();
        run(replayed, move || program(case));
        return;
    }
    let schedules = SCHEDULES * number_in("EARTH_LONG").unwrap_or(1);
    for (number, case) in cases.iter().copied().enumerate() {
        for by in [By::Random, By::Pct(2), By::Pct(4)] {
            // Printed with the schedule if the test fails.
            eprintln!("EARTH_CASE={number} ({case}), {by:?}");
            schedule(by, schedules, move || program(case));
        }
    }
}

/// Seed of all schedules.
const SEED: u64 = 20_261_126;

/// Runs a program in `schedules` schedules, which are the same each time.
pub(crate) fn schedule(by: By, schedules: usize, program: impl Fn() + Send + Sync + 'static) {
    match by {
        By::Random => run(RandomScheduler::new_from_seed(SEED, schedules), program),
        By::Pct(depth) => run(PctScheduler::new_from_seed(SEED, depth, schedules), program),
    }
}

/// Runs a program on every machine, twice in each of ten schedules, and checks that it takes the same steps.
pub(crate) fn repeat(program: fn(Case)) {
    for case in CASES {
        let twice = UncontrolledNondeterminismCheckScheduler::new(RandomScheduler::new_from_seed(SEED, 10));
        run(twice, move || program(case));
    }
}

fn run(scheduler: impl Scheduler + 'static, program: impl Fn() + Send + Sync + 'static) {
    let mut config = shuttle::Config::new();
    config.stack_size = 1 << 20;
    config.max_steps = MaxSteps::FailAfter(200_000);
    config.silence_warnings = true;
    Runner::new(scheduler, config).run(program);
}
