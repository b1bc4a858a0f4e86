//! A run and its results: times, counts and the error.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use earth::{Config, Counters};
use earth_fft::{Counts, Plan, PlanRun, Precision};
use serde::Serialize;

use super::program::Program;

/// A run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    pub(super) program: Program,
    pub(super) config: Config,
    pub(super) n: usize,
    pub(super) p: usize,
    /// Which of the [`Setups`].
    pub(super) setup: usize,
    /// Whether its points have 8 bytes, in single precision, and not 16.
    pub(super) single: bool,
    /// Whether it runs without data.
    pub(super) phantom: bool,
}

impl Point {
    /// A run at the costs that were asked for.
    pub(super) fn at(program: Program, config: Config, n: usize, p: usize) -> Self {
        Self { program, config, n, p, setup: 0, single: false, phantom: false }
    }

    /// The sequential run that its speed-up is against: the row kernel on one node at the same costs.
    pub(super) fn base(self) -> Self {
        Self { program: Program::Row, config: Config::Spn, p: 1, ..self }
    }

    /// The name of its program in files.
    pub(super) fn name(&self) -> String {
        format!("{}{}", self.program.name(), if self.phantom { ", no data" } else { "" })
    }
}

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { program, config, n, p, single, phantom, .. } = self;
        match program.block() {
            Some(block) if *phantom => write!(f, "{}, B = {block}", self.name())?,
            _ if *phantom => f.write_str(&self.name())?,
            _ => write!(f, "{program}")?,
        }
        let bytes = if *single { ", points of 8 bytes" } else { "" };
        write!(f, ", N = {n}, P = {p}, {}{bytes}", config.name())
    }
}

/// The results of a run. Seconds are virtual; parts end where the next one begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Measured {
    /// Until all points are dealt.
    pub(super) dealing: f64,
    /// From then until the last node has done its local stages, if these come first.
    pub(super) local: f64,
    /// From then until the last point is computed.
    pub(super) multithreaded: f64,
    /// From then until the last point is back on node 0.
    pub(super) gathering: f64,
    /// Of the sender's output.
    pub(super) reordering: f64,
    /// The whole run, the five above included, in cycles.
    pub(super) cycles: u64,
    /// The paper's tokens.
    pub(super) asks: u64,
    pub(super) half_butterflies: u64,
    pub(super) fibers: u64,
    /// Nodes on which any fiber ran.
    pub(super) nodes_at_work: usize,
    /// Events that went to another node.
    pub(super) messages: u64,
    /// Seconds that execution units worked, summed over the nodes; and synchronization units (DUAL).
    pub(super) eu_busy: f64,
    pub(super) su_busy: f64,
    /// The relative L2 error against the row kernel; nothing without data.
    pub(super) error: Option<f64>,
}

impl Measured {
    /// The total time: from when all points are dealt until the last one is computed.
    pub(super) fn total(&self) -> f64 {
        self.local + self.multithreaded
    }

    /// Of a run of a plan. A run without data is one phase until the last point is home: how long results larger than memory
    /// take on their way is what decides. Of a matrix it begins with the dealing: its first rows are transformed while others
    /// are still dealt.
    pub(super) fn of<T: Precision>(point: &Point, plan: &Plan<T>, run: &PlanRun<T>) -> Self {
        let (phases, none) = (&run.phases, Duration::ZERO);
        let [setup, local, rest] = [phases.setup(), phases.local(), phases.multithreaded()];
        let whole = local + rest + phases.gathering();
        let parts = match point.program {
            _ if !point.phantom => [setup, local, rest, phases.gathering()],
            Program::Square(_) => [none, none, setup + whole, none],
            _ => [setup, none, whole, none],
        };
        let [dealing, local, multithreaded, gathering] = parts.map(|phase| phase.as_secs_f64());
        let Counters { fibers, events_sent, eu_busy, su_busy, .. } = run.counters;
        let Counts { asks, half_butterflies, .. } = plan.counts();
        Self {
            dealing,
            local,
            multithreaded,
            gathering,
            reordering: phases.reordering().as_secs_f64(),
            cycles: run.cycles.unwrap_or_default(),
            asks,
            half_butterflies,
            fibers,
            nodes_at_work: run.by_node.iter().filter(|node| node.fibers > 0).count(),
            messages: events_sent,
            eu_busy: eu_busy.as_secs_f64(),
            su_busy: su_busy.as_secs_f64(),
            error: None,
        }
    }
}

/// All runs.
pub(super) type Runs = BTreeMap<Point, Measured>;
