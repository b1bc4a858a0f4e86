//! Machines, and how a program is run on them in many schedules.

use std::fmt;
use std::num::NonZero;

use earth::{Config, Machine, Policy};
use shuttle::scheduler::{
    PctScheduler, RandomScheduler, ReplayScheduler, Scheduler, UncontrolledNondeterminismCheckScheduler,
};
use shuttle::{MaxSteps, Runner};

/// A machine: its configuration, how many nodes it has, and how many cores.
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

/// A worker a unit, and fewer workers than units.
const CASES: [Case; 6] = [
    case(Config::Spn, 2, 2),
    case(Config::Spn, 3, 3),
    case(Config::Spn, 3, 2),
    case(Config::Dual, 1, 2),
    case(Config::Dual, 2, 4),
    case(Config::Dual, 3, 2),
];

impl Case {
    /// A new machine with small queues, whose workers sleep soon.
    pub(crate) fn machine(self) -> Machine {
        earth::set_cores(NonZero::new(self.cores).expect("there is a core"));
        let policy = Policy { spin: 1, ..Policy::default() };
        Machine::threads(self.nodes).config(self.config).queue_capacity(4).policy(policy)
    }
}

/// The schedules of one program on one machine by one scheduler, in the checks that every change passes.
const SCHEDULES: usize = 400;

/// The variable that names a file with a schedule that has failed.
const REPLAY: &str = "EARTH_SCHEDULE";

/// By which scheduler.
#[derive(Clone, Copy, Debug)]
pub(crate) enum By {
    /// Any thread that can go on takes the next step.
    Random,
    /// The thread with the highest priority takes it. Priorities are random, and change at so many steps of a run but one.
    Pct(usize),
}

/// Runs a program on every machine in many schedules, or, if `EARTH_SCHEDULE` names a file, in the schedule that stands there,
/// on the machine whose number `EARTH_CASE` is. `EARTH_LONG` says how many times as many there are.
pub(crate) fn explore(program: fn(Case)) {
    explore_of(&CASES, program);
}

/// As [`explore`], on these machines.
pub(crate) fn explore_of(cases: &[Case], program: fn(Case)) {
    let variable = |name: &str| std::env::var(name).ok().map(|value| value.parse().expect("a number"));
    if let Ok(file) = std::env::var(REPLAY) {
        let case = cases[variable("EARTH_CASE").expect("EARTH_CASE is the number of the machine")];
        let mut replayed = ReplayScheduler::new_from_file(file).expect("the file has a schedule");
        replayed.set_allow_incomplete();
        run(replayed, move || program(case));
        return;
    }
    let schedules = SCHEDULES * variable("EARTH_LONG").unwrap_or(1);
    for (number, case) in cases.iter().copied().enumerate() {
        for by in [By::Random, By::Pct(2), By::Pct(4)] {
            // Seen with the schedule of one that fails.
            eprintln!("EARTH_CASE={number} ({case}), {by:?}");
            schedule(by, schedules, move || program(case));
        }
    }
}

/// What all schedules follow from.
const SEED: u64 = 20_261_126;

/// Runs this in so many schedules, the same ones each time.
pub(crate) fn schedule(by: By, schedules: usize, program: impl Fn() + Send + Sync + 'static) {
    match by {
        By::Random => run(RandomScheduler::new_from_seed(SEED, schedules), program),
        By::Pct(depth) => run(PctScheduler::new_from_seed(SEED, depth, schedules), program),
    }
}

/// Runs a program on every machine in some schedules, twice in each, and sees that it takes the same steps.
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
