//! A run and what it came to: times, counts and its error.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use earth::{Config, Counters};
use earth_fft::{Plan, PlanRun};
use serde::Serialize;

use super::program::{Large, Program};

/// A run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    pub(super) program: Program,
    pub(super) config: Config,
    pub(super) n: usize,
    pub(super) p: usize,
    /// Which of the [`Setups`].
    pub(super) setup: usize,
}

impl Point {
    /// A run at the costs that were asked for.
    pub(super) fn at(program: Program, config: Config, n: usize, p: usize) -> Self {
        Self { program, config, n, p, setup: 0 }
    }

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
        write!(f, "{program}, N = {n}, P = {p}, {}", config.name())
    }
}

/// What a run came to. Seconds are virtual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
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

    /// Of a run of a plan.
    pub(super) fn of(plan: &Plan<f64>, run: &PlanRun<f64>) -> Self {
        let (phases, counts) = (&run.phases, plan.counts());
        Self {
            asks: counts.asks,
            half_butterflies: counts.half_butterflies,
            ..Self::new([phases.setup(), phases.local(), phases.multithreaded(), phases.reordering()], run)
        }
    }

    /// Of one of a matrix, which is one phase until the last row is home: its first rows are transformed while others
    /// are still dealt.
    pub(super) fn of_matrix(run: &PlanRun<f64>) -> Self {
        let whole = run.phases.setup() + run.phases.multithreaded();
        Self::new([Duration::ZERO, Duration::ZERO, whole, run.phases.reordering()], run)
    }

    fn new(phases: [Duration; 4], run: &PlanRun<f64>) -> Self {
        let Counters { fibers, events_sent, eu_busy, su_busy, .. } = run.counters;
        let [setup, local, multithreaded, reordering] = phases.map(|phase| phase.as_secs_f64());
        Self {
            setup,
            local,
            multithreaded,
            reordering,
            cycles: run.cycles.unwrap_or_default(),
            fibers,
            messages: events_sent,
            eu_busy: eu_busy.as_secs_f64(),
            su_busy: su_busy.as_secs_f64(),
            ..Self::default()
        }
    }
}

/// All runs.
pub(super) type Runs = BTreeMap<Point, Measured>;
