//! Single runs on the simulated machine: what is run, what it came to, and all of them on several cores.
//!
//! A point is a program, its sizes, a machine and its costs. The same point is wanted by several figures and
//! is run once. Each run is a simulation in one thread, so points are shared out to as many threads as there
//! are usable cores, the long ones first; what comes out does not depend on who ran what when. Each result
//! is compared with that of the row kernel, unless the run is one without data.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use earth::{Counters, Machine, Policy, Profile, Trace};
use earth_kernels::{Direction, RowKernel as _, bound, relative_error};
use earth_rustfft::RustFft;
use num_complex::Complex;
use parking_lot::Mutex;
use serde::Serialize;

use super::large::Large;
use crate::cli::facts::usable_cores;
use crate::cli::failure::Failure;
use crate::cli::progress::Progress;
use crate::cli::stop::Stop;
use crate::oned::Phases;
use crate::oned::receiver::Asking;
use crate::programs::phantom::Simulated;
use crate::programs::{self, TransformError, Transformed};
use crate::request::Config;
use crate::twod::MatrixPhases;

/// A tree of more asks than this is not simulated: a single run would take a quarter of a minute.
const MOST_ASKS: usize = 1 << 22;

/// A program, with what it is told beside N and P.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Program {
    /// The row kernel on one node: what speed-ups are against.
    Row,
    /// The sender-initiated FFT in blocks of so many points.
    Sender(usize),
    /// The receiver-initiated FFT, by a tree of asks.
    Tree,
    /// The same, each point of each level computed once.
    Shared,
    /// A program without data.
    Large(Large),
}

impl Program {
    /// Whether it can transform `n` points on `p` nodes, and within the budget.
    pub(super) fn can(self, n: usize, p: usize) -> bool {
        match self {
            Self::Row => p == 1,
            Self::Sender(block) => block <= n,
            Self::Tree | Self::Shared => p.is_power_of_two() && p <= n && self.asks(n, p) <= MOST_ASKS,
            Self::Large(large) => large.can(n, p),
        }
    }

    /// Whether it is only the budget that it breaks.
    pub(super) fn is_too_large(self, n: usize, p: usize) -> bool {
        matches!(self, Self::Tree) && p.is_power_of_two() && p <= n && self.asks(n, p) > MOST_ASKS
    }

    /// How often it asks, the paper's tokens.
    fn asks(self, n: usize, p: usize) -> usize {
        match self {
            Self::Row | Self::Sender(_) | Self::Large(_) => 0,
            Self::Tree => 2 * (p - 1) * n,
            Self::Shared => 2 * n * p.ilog2() as usize,
        }
    }

    /// About how many fibers it has: what a simulation takes.
    fn fibers(self, n: usize, p: usize) -> usize {
        match self {
            Self::Row => 1,
            Self::Sender(block) => n / block * (2 * (n / block).ilog2() as usize + 3),
            Self::Tree | Self::Shared => n + self.asks(n, p) * 3 / 2,
            Self::Large(large) => large.fibers(n),
        }
    }

    /// The points a thread, where there are threads of several; the rows of a row block.
    pub(super) fn block(self) -> Option<usize> {
        match self {
            Self::Sender(block) => Some(block),
            Self::Large(large) => large.block(),
            Self::Row | Self::Tree | Self::Shared => None,
        }
    }

    /// The name that `--algorithm` knows it by.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Row => "row kernel",
            Self::Sender(_) => "sender",
            Self::Tree => "receiver",
            Self::Shared => "receiver-shared",
            Self::Large(large) => large.name(),
        }
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sender(block) => write!(f, "sender, B = {block}"),
            Self::Tree => f.write_str("receiver, tree"),
            Self::Shared => f.write_str("receiver, shared"),
            Self::Row => f.write_str("row kernel"),
            Self::Large(large) => match large.block() {
                Some(block) => write!(f, "{}, B = {block}", large.name()),
                None => f.write_str(large.name()),
            },
        }
    }
}

/// One run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Point {
    pub(super) program: Program,
    pub(super) config: Config,
    pub(super) n: usize,
    pub(super) p: usize,
    /// Which of the [`Setups`].
    pub(super) setup: usize,
}

impl Point {
    /// The sequential run that its speed-up is against: the row kernel on one node at the same costs.
    pub(super) fn base(self) -> Self {
        let program =
            if let Program::Large(_) = self.program { Program::Large(Large::Row) } else { Program::Row };
        Self { program, config: Config::Spn, p: 1, ..self }
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, config, n, p, .. } = self;
        write!(f, "{program}, N = {n}, P = {p}, {config}")
    }
}

/// The machines' costs: the profile that was asked for, and what figures make of it.
#[derive(Debug)]
pub(super) struct Setups {
    all: Vec<Setup>,
    /// All machines run under this policy; if there is none, each runs under its profile's.
    policy: Option<Policy>,
}

/// Costs with a name for what was changed.
#[derive(Debug)]
pub(super) struct Setup {
    pub(super) name: String,
    /// It has its own policy, even if machines run under another one.
    pub(super) profile: Profile,
}

impl Setups {
    /// Begins with the profile that was asked for.
    pub(super) fn new(profile: Profile, policy: Option<Policy>) -> Self {
        let mut setups = Self { all: Vec::new(), policy };
        setups.with(profile.name.clone(), profile);
        setups
    }

    /// The profile that was asked for.
    pub(super) fn given(&self) -> &Profile {
        &self.all[0].profile
    }

    /// The policy of all machines, if a profile has another one.
    pub(super) fn other_policy(&self) -> Option<Policy> {
        self.policy.filter(|policy| self.all.iter().any(|setup| setup.profile.policy != *policy))
    }

    /// The place of a profile; the first name of one stays. If its machines run under another policy than its own, the
    /// name says so.
    pub(super) fn with(&mut self, name: impl Into<String>, profile: Profile) -> usize {
        self.all.iter().position(|known| known.profile == profile).unwrap_or_else(|| {
            let mut name = name.into();
            if let Some(policy) = self.policy.filter(|policy| *policy != profile.policy) {
                name = format!("{name}, policy {policy}");
            }
            self.all.push(Setup { name, profile });
            self.all.len() - 1
        })
    }

    /// The one in this place.
    pub(super) fn at(&self, place: usize) -> &Setup {
        &self.all[place]
    }

    /// That of a point.
    pub(super) fn of(&self, point: &Point) -> &Setup {
        &self.all[point.setup]
    }

    /// Builds the machine that a point runs on.
    fn machine(&self, point: &Point, stop: &Stop) -> Machine {
        let profile = &self.of(point).profile;
        let machine = Machine::simulated(profile).nodes(point.p).config(point.config.into());
        machine.policy(self.policy.unwrap_or(profile.policy)).cancel_token(stop.cancel.clone())
    }
}

/// What a run came to. Seconds are virtual.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Measured {
    /// Dealing the points and introducing the threads: not part of the paper's times.
    pub(super) setup: f64,
    pub(super) local: f64,
    pub(super) multithreaded: f64,
    /// Of the sender's output: not part of the paper's times.
    pub(super) reordering: f64,
    /// The whole run, the four above included, in cycles.
    pub(super) cycles: u64,
    /// The paper's tokens.
    pub(super) asks: u64,
    pub(super) half_butterflies: u64,
    pub(super) fibers: u64,
    /// Events that went to another node.
    pub(super) messages: u64,
    /// Seconds that execution units worked, summed over the nodes; and synchronization units (DUAL).
    pub(super) eu_busy: f64,
    pub(super) su_busy: f64,
    /// The relative L2 error against the row kernel; nothing without data.
    pub(super) error: Option<f64>,
}

impl Measured {
    /// What the paper calls the total time: local stages and multithreaded phase.
    pub(super) fn total(&self) -> f64 {
        self.local + self.multithreaded
    }

    /// Of a run with data.
    fn of(done: &Transformed<f64>) -> Self {
        let Transformed { phases, cycles, counters, paper_tokens, half_butterflies, .. } = done;
        let [setup, local] = [phases.setup(), phases.local()];
        Self {
            asks: *paper_tokens,
            half_butterflies: *half_butterflies,
            ..Self::new(
                [setup, local, phases.multithreaded(), phases.reordering()],
                cycles.unwrap_or_default(),
                counters,
            )
        }
    }

    /// Of one without.
    pub(super) fn without_data(done: &Simulated<Phases>) -> Self {
        let Simulated { phases, cycles, counters, half_butterflies, .. } = done;
        let [setup, local] = [phases.setup(), phases.local()];
        Self {
            half_butterflies: *half_butterflies,
            ..Self::new([setup, local, phases.multithreaded(), phases.reordering()], *cycles, counters)
        }
    }

    /// Of one of a matrix, which is one phase until the last row is home: its first rows are transformed while others
    /// are still dealt.
    pub(super) fn of_matrix(done: &Simulated<MatrixPhases>) -> Self {
        let Simulated { phases, cycles, counters, .. } = done;
        let whole = phases.setup() + phases.transform();
        Self::new([Duration::ZERO, Duration::ZERO, whole, phases.joining()], *cycles, counters)
    }

    fn new(phases: [Duration; 4], cycles: u64, counters: &Counters) -> Self {
        let [setup, local, multithreaded, reordering] = phases.map(|phase| phase.as_secs_f64());
        Self {
            setup,
            local,
            multithreaded,
            reordering,
            cycles,
            asks: 0,
            half_butterflies: 0,
            fibers: counters.fibers,
            messages: counters.events_sent,
            eu_busy: counters.eu_busy.as_secs_f64(),
            su_busy: counters.su_busy.as_secs_f64(),
            error: None,
        }
    }
}

/// All runs.
pub(super) type Runs = BTreeMap<Point, Measured>;

/// Runs all points, each once.
pub(super) fn run(points: &BTreeSet<Point>, setups: &Setups, stop: &Stop) -> Result<Runs, Failure> {
    let mut order: Vec<_> = points.iter().copied().collect();
    let effort = |point: &Point| {
        let fibers = point.program.fibers(point.n, point.p);
        if point.config == Config::Dual { 4 * fibers } else { fibers }
    };
    order.sort_by_key(|point| std::cmp::Reverse(effort(point)));
    let with_data = points.iter().filter(|point| !matches!(point.program, Program::Large(_)));
    let subjects: BTreeMap<_, _> = with_data.map(|point| (point.n, Subject::of(point.n))).collect();

    let progress = Progress::of(order.len() as u64, "simulating");
    let (next, runs) = (AtomicUsize::new(0), Mutex::new(Ok(Runs::new())));
    thread::scope(|scope| {
        for _ in 0..usable_cores().min(order.len()) {
            scope.spawn(|| {
                while let Some(point) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let measured = measure(point, setups, subjects.get(&point.n), stop);
                    progress.step();
                    let mut runs = runs.lock();
                    match (runs.as_mut(), measured) {
                        (Ok(runs), Ok(measured)) => drop(runs.insert(*point, measured)),
                        (Ok(_), Err(failure)) => *runs = Err(failure),
                        (Err(_), _) => {}
                    }
                    if runs.is_err() {
                        break;
                    }
                }
            });
        }
    });
    runs.into_inner()
}

/// What is transformed: a signal of so many points, and its transform by the row kernel.
struct Subject {
    signal: Vec<Complex<f64>>,
    spectrum: Vec<Complex<f64>>,
}

impl Subject {
    /// Any signal does, as times do not depend on it; this one has all frequencies.
    fn of(n: usize) -> Self {
        let value = |j: usize| {
            let mixed = (j as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let part = |bits: u64| (bits >> 8 & 0xff_ffff) as f64 / f64::from(1 << 23) - 1.0;
            Complex::new(part(mixed), part(mixed >> 32))
        };
        let signal: Vec<_> = (0..n).map(value).collect();
        let kernel = RustFft::<f64>::new(n);
        let mut spectrum = signal.clone();
        kernel.transform(Direction::Forward, &mut spectrum, &mut kernel.scratch());
        Self { signal, spectrum }
    }
}

/// The run among `points` that shows most in a picture: the one with the fewest fibers on the most nodes up to
/// 8, parallel programs first.
pub(super) fn most_telling(points: impl Iterator<Item = Point>) -> Option<Point> {
    let few = points.filter(|point| point.p <= 8);
    few.min_by_key(|point| (std::cmp::Reverse(point.p), point.program.fibers(point.n, point.p), *point))
}

/// What a run looks like.
pub(super) fn trace(point: &Point, setups: &Setups, stop: &Stop) -> Result<Trace, Failure> {
    let mut machine = setups.machine(point, stop).trace(true);
    let trace = match point.program {
        Program::Large(large) => large.run(&mut machine, point.n).map(|(_, trace)| trace),
        program => transform(program, machine, &Subject::of(point.n).signal).map(|done| done.trace),
    };
    Ok(trace.map_err(Failure::Simulation)?.unwrap_or_default())
}

/// Runs a point, and compares what it gives with the subject's spectrum.
fn measure(
    point: &Point,
    setups: &Setups,
    subject: Option<&Subject>,
    stop: &Stop,
) -> Result<Measured, Failure> {
    let mut machine = setups.machine(point, stop);
    let subject = match (point.program, subject) {
        (Program::Large(large), _) => {
            let run = large.run(&mut machine, point.n);
            return run.map(|(measured, _)| measured).map_err(Failure::Simulation);
        }
        (_, Some(subject)) => subject,
        (_, None) => unreachable!("what is run with data has a subject"),
    };
    let done = transform(point.program, machine, &subject.signal).map_err(Failure::Simulation)?;
    let (error, bound) = (relative_error(&done.spectrum, &subject.spectrum), bound::<f64>(point.n));
    // A NaN is wrong, too.
    if error.is_nan() || error > bound {
        return Err(Failure::SimulatedWrong { what: point.to_string(), error, bound });
    }
    Ok(Measured { error: Some(error), ..Measured::of(&done) })
}

fn transform(
    program: Program,
    mut machine: Machine,
    signal: &[Complex<f64>],
) -> Result<Transformed<f64>, TransformError> {
    let signal = signal.to_vec();
    match program {
        Program::Row => programs::row(&mut machine, signal, Direction::Forward),
        Program::Sender(block) => programs::sender(&mut machine, signal, block, Direction::Forward),
        Program::Tree => programs::receiver(&mut machine, signal, Asking::Tree, Direction::Forward),
        Program::Shared => programs::receiver(&mut machine, signal, Asking::Shared, Direction::Forward),
        Program::Large(_) => unreachable!("it is run without data"),
    }
}

#[cfg(test)]
mod tests {
    use earth::FiberOrder;

    use super::*;

    fn point(program: Program, n: usize, p: usize) -> Point {
        Point { program, config: Config::Spn, n, p, setup: 0 }
    }

    fn manna() -> Setups {
        Setups::new(Profile::named("manna50").unwrap(), None)
    }

    #[test]
    fn points_run_once_each_and_come_out_the_same() {
        let programs = [(Program::Row, 1), (Program::Sender(4), 3), (Program::Tree, 4), (Program::Shared, 4)];
        let mut points: BTreeSet<_> = programs.map(|(program, p)| point(program, 64, p)).into();
        points.extend(points.clone().into_iter().map(|point| Point { config: Config::Dual, ..point }));
        let runs = [(); 2].map(|()| run(&points, &manna(), &Stop::default()).unwrap());
        assert_eq!(runs[0], runs[1]);
        assert!(runs[0].keys().eq(&points));
        let tree = &runs[0][&point(Program::Tree, 64, 4)];
        assert_eq!((tree.asks, tree.half_butterflies), (2 * 3 * 64, 3 * 64));
        let row = &runs[0][&point(Program::Row, 64, 1)];
        // 64 points, six levels, five operations each of 54.7 cycles.
        assert!((row.total() * 50e6 - 64.0 * 6.0 * 5.0 * 54.7).abs() < 1.0, "{row:?}");
        for run in runs[0].values() {
            let parts = run.setup + run.local + run.multithreaded + run.reordering;
            assert!(parts > 0.0 && parts <= run.cycles as f64 / 50e6 * 1.000_001, "{run:?}");
        }
    }

    #[test]
    fn the_most_telling_run_is_short_and_on_many_nodes() {
        let point = |program, n, p| Point { program, config: Config::Spn, n, p, setup: 0 };
        let points = [
            point(Program::Row, 64, 1),
            point(Program::Sender(16), 1024, 4),
            point(Program::Tree, 1024, 8),
            point(Program::Sender(16), 1024, 8),
            point(Program::Sender(16), 1024, 16),
        ];
        assert_eq!(most_telling(points.into_iter()), Some(points[3]));
        assert_eq!(most_telling(points[4..].iter().copied()), None);
    }

    #[test]
    fn a_wrong_transform_is_a_failure() {
        let point = point(Program::Sender(4), 16, 2);
        let mut subject = Subject::of(16);
        subject.spectrum[3].im += 1e-9;
        let failure = measure(&point, &manna(), Some(&subject), &Stop::default()).unwrap_err();
        assert!(matches!(failure, Failure::SimulatedWrong { .. }) && failure.exit_code() == 1, "{failure}");
        assert!(failure.to_string().contains("sender, B = 4, N = 16, P = 2, spn"), "{failure}");
    }

    #[test]
    fn a_cancelled_run_is_an_interruption() {
        let stop = Stop::default();
        stop.cancel.cancel();
        let failure = run(&[point(Program::Tree, 64, 4)].into(), &manna(), &stop).unwrap_err();
        assert!(failure.is_interruption(), "{failure}");
    }

    #[test]
    fn programs_run_where_they_can() {
        assert!(Program::Sender(16).can(64, 120) && !Program::Sender(128).can(64, 1));
        assert!(
            Program::Tree.can(1 << 15, 64) && !Program::Tree.can(64, 120) && !Program::Shared.can(32, 64)
        );
        assert!(!Program::Tree.can(1 << 16, 64) && Program::Tree.is_too_large(1 << 16, 64));
        assert!(Program::Shared.can(1 << 16, 64) && !Program::Tree.is_too_large(64, 120));
    }

    #[test]
    fn a_policy_is_that_of_all_machines_and_in_the_names_of_others() {
        let manna = Profile::named("manna50").unwrap();
        let of = |fibers| Policy { fibers, ..Policy::default() };
        let [queue, first] = [FiberOrder::OneQueue, FiberOrder::FibersFirst].map(of);
        let points: BTreeSet<_> = [point(Program::Tree, 64, 4), point(Program::Shared, 64, 4)].into();
        let runs = |policy| run(&points, &Setups::new(manna.clone(), policy), &Stop::default()).unwrap();
        assert_eq!(runs(Some(queue)), runs(None), "the profile's own");
        for point in &points {
            assert_ne!(runs(Some(first))[point].cycles, runs(None)[point].cycles, "{point}");
        }
        let mut setups = Setups::new(manna.clone(), Some(queue));
        assert_eq!((setups.at(0).name.as_str(), setups.other_policy()), ("manna50", None));
        let other = setups.with("other", Profile { policy: first, ..manna });
        assert_eq!(
            (setups.at(other).name.as_str(), setups.other_policy()),
            ("other, policy one-queue", Some(queue))
        );
    }

    #[test]
    fn costs_that_are_the_same_are_one_setup() {
        let mut setups = manna();
        assert_eq!(setups.with("the same", setups.given().clone()), 0);
        let mut other = setups.given().clone();
        other.network.hop = 7.0;
        assert_eq!([setups.with("hops", other.clone()), setups.with("again", other)], [1, 1]);
        assert_eq!((setups.at(0).name.as_str(), setups.at(1).name.as_str()), ("manna50", "hops"));
    }
}
