//! All schedules of a small program: a proof that its outcome does not depend on the schedule, or two
//! schedules that show that it does.
//!
//! ```
//! use earth::explore::{Bound, Verdict};
//! use earth::{Config, Eu, Machine, Reply, Then, threaded};
//!
//! /// Adds two numbers in the order in which they come.
//! struct Adds {
//!     sum: f64,
//!     left: u32,
//!     out: Reply<f64>,
//! }
//!
//! #[threaded]
//! impl Adds {
//!     fn start(out: Reply<f64>, eu: &mut Eu<Self>) -> Self {
//!         for number in [1e16, 1.0, -1e16] {
//!             eu.token(Number::call(number, eu.reply(Self::add().number)));
//!         }
//!         Adds { sum: 0.0, left: 3, out }
//!     }
//!
//!     #[slot(again)]
//!     fn add(&mut self, number: f64, eu: &mut Eu<Self>) -> Then {
//!         self.sum += number;
//!         self.left -= 1;
//!         if self.left > 0 {
//!             return Then::Wait;
//!         }
//!         eu.put(self.out, self.sum);
//!         Then::End
//!     }
//! }
//!
//! struct Number;
//!
//! #[threaded]
//! impl Number {
//!     fn start(number: f64, to: Reply<f64>, eu: &mut Eu<Self>) {
//!         eu.put(to, number);
//!     }
//! }
//!
//! let explored = Machine::threads(2).explore(Bound::default()).run(Adds::call)?;
//! let Verdict::Differs(difference) = &explored.verdict else { panic!("rounding depends on the order") };
//! assert_ne!(
//!     difference.first.outcome.as_ref().map(|outcome| &outcome.value).ok(),
//!     difference.second.outcome.as_ref().map(|outcome| &outcome.value).ok(),
//! );
//! println!("{explored}");
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! [`assert_deterministic!`](crate::assert_deterministic) is the same as an assertion of a test.
//!
//! # What is explored
//!
//! The units are the units of real cores. A schedule takes their steps in any order that the runtime allows:
//! messages from one node to another keep their order; any enabled fiber may run next; any node may start a
//! token. So a program that passes relies neither on the order of messages of different nodes, nor on the
//! order of fibers, nor on the node that starts a token.
//!
//! Schedules that differ only in the order of steps that commute have the same outcome. The search takes one
//! of each such class.
//!
//! The *outcome* is the value, bit by bit, the counters that the program determines, and the absence of
//! errors. The counters are `fibers`, `tokens`, `invokes`, `signals`, `block_moves`, `bytes_moved`, `frames`
//! and `frames_ended`.
//!
//! # What is not
//!
//! * Effects outside of the runtime: what fibers do to files, statics and clocks. A program that differs from
//!   run to run under one schedule is [unsteady](Verdict::Unsteady).
//! * Limits: full queues, the limit of parked values, the memory. The [stepper](crate::Machine::stepper) has
//!   tiny queues.
//! * The time of timers: a timer may fire at any time, but a node's timers fire in the order of their times.
//! * Races inside a step. The models of the package `earth-model` check races of the queues.

mod channels;
mod conductor;
mod difference;
mod engine;
mod execution;
mod order;
mod reversal;
mod search;

pub(super) use conductor::SharedConductor;
pub use conductor::{Choices, ChoicesError};
pub use difference::{Difference, Outcome, ScheduleTrace, TracedStep};
pub(super) use engine::Explorer;

use std::fmt;

use super::schedule::{LANES, Schedule};
use super::settings::Settings;
use super::simulated::Profile;
use super::stepped::{Simulation, Stepped};
use super::{Kind, Machine};
use crate::node::function::{Call, Threaded};
use crate::program::Run;
use crate::vocabulary::address::Reply;
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::Error;
use crate::vocabulary::shared::SharedValues;
use crate::vocabulary::wire::{Packer, Wire};
use conductor::Beginning;
use search::{Found, Search};

/// How much of a program is explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The most schedules that are run. If some are left, random ones follow.
    pub schedules: u64,
    /// The most steps of a schedule. A longer one fails with [`Error::TooManySteps`].
    pub steps: u64,
    /// The number of random schedules if not all schedules can be run. They are runs of the
    /// [stepper](crate::Machine::stepper) by random priorities ([`Schedule::Pct`]).
    pub samples: u32,
    /// The number of changes of priorities in a random schedule. `n` changes find a bug that needs `n + 1`
    /// steps in a certain order.
    pub changes: u32,
}

impl Default for Bound {
    fn default() -> Self {
        Bound { schedules: 100_000, steps: 2_000, samples: 1_000, changes: 2 }
    }
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// Every schedule has this outcome.
    Same(Outcome),
    /// No schedule that was run has another outcome. Not all were run.
    Sampled {
        /// The outcome of all runs.
        outcome: Outcome,
        /// Random schedules that were run.
        samples: u32,
        /// Lower bound of the probability that the random schedules find a bug, if there is one that needs
        /// [`Bound::changes`] changes of priorities (Burckhardt and others, ASPLOS 2010).
        probability: f64,
    },
    /// Two schedules have different outcomes.
    Differs(Box<Difference>),
    /// Every schedule that was run ends with an error. This is the usual one.
    Fails(Box<ScheduleTrace>),
    /// One schedule had different outcomes or steps: the program uses random numbers, clocks or other
    /// things outside of the runtime.
    Unsteady,
}

/// The findings of an exploration.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The result.
    pub verdict: Verdict,
    /// Schedules that were run.
    pub schedules: u64,
    /// Classes of schedules among them.
    pub classes: u64,
    /// Steps of all runs.
    pub steps: u64,
}

/// The exploration of a program on a machine: see [`Machine::explore`].
#[derive(Debug)]
pub struct Exploration {
    machine: Machine,
    conductor: SharedConductor,
    bound: Bound,
}

/// The outcome of one run, as it is compared.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    /// The bytes of the value.
    key: Vec<u8>,
    outcome: Result<Outcome, Error>,
}

impl PartialEq for Sample {
    fn eq(&self, other: &Self) -> bool {
        match (&self.outcome, &other.outcome) {
            (Ok(a), Ok(b)) => self.key == other.key && compared(&a.counters) == compared(&b.counters),
            (Err(_), Err(_)) => true,
            _ => false,
        }
    }
}

/// Returns the counters that a program determines.
fn compared(counters: &Counters) -> [u64; 8] {
    let Counters { fibers, tokens, invokes, signals, block_moves, bytes_moved, frames, frames_ended, .. } =
        *counters;
    [fibers, tokens, invokes, signals, block_moves, bytes_moved, frames, frames_ended]
}

/// Returns an error that is the outcome of a schedule. Other errors end the exploration.
fn outcome_of<R: Wire + fmt::Debug>(result: Result<Run<R>, Error>) -> Result<Sample, Error> {
    match result {
        Ok(Run { value, counters, .. }) => {
            let text = format!("{value:?}");
            let mut packer = Packer::sharing(&SharedValues::default());
            value.pack(&mut packer);
            let outcome = Ok(Outcome { value: text, counters });
            Ok(Sample { key: packer.into_bytes(), outcome })
        }
        Err(
            error @ (Error::CannotBuild(_)
            | Error::Cancelled
            | Error::InsideFiber
            | Error::WrongRank(_)
            | Error::Forked { .. }
            | Error::Environment { .. }),
        ) => Err(error),
        Err(error) => Ok(Sample { key: Vec::new(), outcome: Err(error) }),
    }
}

impl Machine {
    /// Returns the exploration of programs on a machine with the nodes, the configuration and the other
    /// settings of this one. Its policies do not matter, because every order is explored.
    pub fn explore(&self, bound: Bound) -> Exploration {
        let conductor = SharedConductor::new();
        let simulation = Simulation {
            conductor: Some(conductor.clone()),
            most_steps: bound.steps,
            ..Simulation::of(&Profile::free())
        };
        let settings = Settings { ranks: None, trace: None, ..self.settings.clone() };
        let machine = Machine::of(settings, Kind::Simulated(Box::new(simulation), Stepped::default()));
        Exploration { machine, conductor, bound }
    }
}

impl Exploration {
    /// Explores the schedules of a function, which is called as [`Machine::run`] calls it.
    ///
    /// # Errors
    ///
    /// An error that is not the outcome of a schedule: a machine that cannot be built, a cancelled run, a
    /// call inside a fiber.
    pub fn run<F: Threaded, R: Wire + fmt::Debug>(
        &mut self,
        main: impl Fn(Reply<R>) -> Call<F>,
    ) -> Result<Explored, Error> {
        self.run_program(|machine| machine.run(&main))
    }

    /// Explores the schedules of a program. It is called for each schedule with the machine, and runs that
    /// machine once.
    ///
    /// # Errors
    ///
    /// The errors of [`run`](Self::run).
    pub fn run_program<R: Wire + fmt::Debug>(
        &mut self,
        mut program: impl FnMut(&mut Machine) -> Result<Run<R>, Error>,
    ) -> Result<Explored, Error> {
        let Exploration { machine, conductor, bound } = self;
        let mut run = || outcome_of(program(machine));
        let mut search = Search::new(conductor, &mut run);
        let found = search.search(bound)?;
        let mut explored = Explored {
            verdict: Verdict::Unsteady,
            schedules: search.schedules,
            classes: search.classes(),
            steps: search.steps,
        };
        let first = search.first.take();
        explored.verdict = match (found, first) {
            (Found::Unsteady, _) | (_, None) => Verdict::Unsteady,
            (Found::Differs(choices), Some(first)) => {
                search.first = Some(first);
                let choices = search.shrink(choices)?;
                Verdict::Differs(Box::new(search.difference(choices)?))
            }
            (_, Some(Sample { outcome: Err(_), .. })) => {
                let (execution, outcome) = search.describe(Choices::default())?;
                Verdict::Fails(Box::new(ScheduleTrace::new(Choices::default(), &execution, &[], outcome)))
            }
            (Found::Same, Some(Sample { outcome: Ok(outcome), .. })) => Verdict::Same(outcome),
            (Found::Bounded, Some(first)) => self.sample(first, program)?,
        };
        Ok(explored)
    }

    /// Runs a function once, by the given choices.
    ///
    /// # Errors
    ///
    /// The errors of [`Machine::run`].
    pub fn replay<F: Threaded, R: Wire>(
        &mut self,
        choices: &Choices,
        main: impl FnOnce(Reply<R>) -> Call<F>,
    ) -> Result<Run<R>, Error> {
        self.conductor.lock().begin_with(Beginning::Choices(choices.clone()), false);
        self.machine.run(main)
    }

    /// Runs random schedules of the stepper. `first` is the outcome that they should have.
    fn sample<R: Wire + fmt::Debug>(
        &self,
        first: Sample,
        mut program: impl FnMut(&mut Machine) -> Result<Run<R>, Error>,
    ) -> Result<Verdict, Error> {
        let Bound { samples, changes, .. } = self.bound;
        let stepper = |seed, schedule| {
            let simulation = Simulation { schedule, record: true, ..Simulation::of(&Profile::free()) };
            let settings = Settings { seed, queue: Some(4), ..self.machine.settings.clone() };
            Machine::of(settings, Kind::Simulated(Box::new(simulation), Stepped::default()))
        };
        let mut longest = 1;
        for seed in 0..u64::from(samples) {
            let steps = u32::try_from(longest).unwrap_or(u32::MAX);
            let schedule = if seed == 0 { Schedule::Random } else { Schedule::Pct { changes, steps } };
            let mut machine = stepper(seed, schedule);
            let sample = outcome_of(program(&mut machine))?;
            longest = machine.recording().map_or(longest, |recording| longest.max(recording.len()));
            if sample != first {
                let [first, second] = [first.outcome, sample.outcome].map(ScheduleTrace::without_steps);
                let random = machine.recording().map(|recording| (seed, recording.clone()));
                return Ok(Verdict::Differs(Box::new(Difference { first, second, random })));
            }
        }
        let lanes = (LANES * self.machine.node_count()) as f64;
        let each = 1.0 / (lanes * (longest as f64).powf(f64::from(changes)));
        let probability = 1.0 - (1.0 - each).powf(f64::from(samples));
        match first.outcome {
            Ok(outcome) => Ok(Verdict::Sampled { outcome, samples, probability }),
            Err(error) => Ok(Verdict::Fails(Box::new(ScheduleTrace::without_steps(Err(error))))),
        }
    }
}

impl Explored {
    /// Panics unless no schedule has another outcome than the usual one, and that one is no error.
    #[track_caller]
    pub fn expect_deterministic(&self) {
        assert!(matches!(self.verdict, Verdict::Same(_) | Verdict::Sampled { .. }), "{self}");
    }
}

impl fmt::Display for Explored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Explored { schedules, classes, .. } = self;
        match &self.verdict {
            Verdict::Same(outcome) => write!(
                f,
                "Every schedule gives {outcome}. There are {classes} classes of schedules; {schedules} schedules were run."
            ),
            Verdict::Sampled { outcome, samples, probability } => write!(
                f,
                "All {schedules} schedules that were run and {samples} random ones give {outcome}. \
                 The random ones find a bug that needs few changes of priorities with a probability of at least {probability:.3}."
            ),
            Verdict::Differs(difference) => difference.fmt(f),
            Verdict::Fails(trace) => write!(f, "Every schedule that was run fails. The usual one:\n{trace}"),
            Verdict::Unsteady => f.write_str(
                "One schedule had two outcomes: the program depends on something outside of the runtime, \
                 such as random numbers or clocks.",
            ),
        }
    }
}

/// Asserts that the outcome of a function does not depend on the schedule, in SPN and in DUAL.
///
/// The first argument is a closure as [`Machine::run`](crate::Machine::run) takes it, and may be called many
/// times. The machine has 2 nodes, or is given by the second argument. The default
/// [bound](crate::explore::Bound) holds, or the third argument.
///
/// ```
/// # use earth::{Eu, Machine, Reply, Start, threaded};
/// # struct Fib { out: Reply<u64> }
/// # #[threaded]
/// # impl Fib {
/// #     fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
/// #         if n < 2 {
/// #             eu.put(out, n);
/// #             return Start::End;
/// #         }
/// #         eu.token(Fib::call(n - 1, eu.reply(Self::add().left)));
/// #         eu.token(Fib::call(n - 2, eu.reply(Self::add().right)));
/// #         Start::Wait(Fib { out })
/// #     }
/// #     #[slot]
/// #     fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) { eu.put(self.out, left + right); }
/// # }
/// earth::assert_deterministic!(|out| Fib::call(3, out));
/// earth::assert_deterministic!(|out| Fib::call(2, out), Machine::threads(3));
/// ```
///
/// # Panics
///
/// With the report of both schedules, if one of them has another outcome or an error.
#[macro_export]
macro_rules! assert_deterministic {
    ($main:expr $(,)?) => {
        $crate::assert_deterministic!($main, $crate::Machine::threads(2))
    };
    ($main:expr, $machine:expr $(,)?) => {
        $crate::assert_deterministic!($main, $machine, $crate::explore::Bound::default())
    };
    ($main:expr, $machine:expr, $bound:expr $(,)?) => {{
        let (main, bound) = ($main, $bound);
        for config in [$crate::Config::Spn, $crate::Config::Dual] {
            match $machine.config(config).explore(bound).run(&main) {
                Ok(explored) => explored.expect_deterministic(),
                Err(error) => panic!("{error}"),
            }
        }
    }};
}
