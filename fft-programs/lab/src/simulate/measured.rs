//! Run and its results: times, counts and the error.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use earth::{Config, Counters};
use earth_fft::{Counts, Plan, PlanRun, Precision};
use serde::{Deserialize, Serialize};

use super::program::Program;

/// Identification of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    pub(super) program: Program,
    pub(super) config: Config,
    pub(super) n: usize,
    pub(super) p: usize,
    /// Index in the [`Setups`].
    pub(super) setup: usize,
    /// Whether points have 8 bytes, in single precision, instead of 16.
    pub(super) single: bool,
    /// Whether the run has no data.
    pub(super) phantom: bool,
}

impl Point {
    /// Makes a run at the costs of the given profile.
    pub(super) fn at(program: Program, config: Config, n: usize, p: usize) -> Self {
        Self { program, config, n, p, setup: 0, single: false, phantom: false }
    }

    /// Returns the sequential run against which the speed-up is measured: the row kernel on one node at the
    /// same costs.
    pub(super) fn base(self) -> Self {
        Self { program: Program::Row, config: Config::Spn, p: 1, ..self }
    }

    /// Returns the name of the program in files.
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

/// Results of a run. Times are virtual, in seconds. Each phase ends where the next one begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Measured {
    /// Time until all points are distributed.
    pub(super) dealing: f64,
    /// Time until the last node has done its local stages, if these come first.
    pub(super) local: f64,
    /// Time until the last point is computed.
    pub(super) multithreaded: f64,
    /// Time until the last point is back on node 0.
    pub(super) gathering: f64,
    /// Time of reordering the sender's output.
    pub(super) reordering: f64,
    /// Cycles of the whole run, including the five phases above.
    pub(super) cycles: u64,
    /// Number of requests for points, the paper's tokens.
    pub(super) requests: u64,
    pub(super) half_butterflies: u64,
    pub(super) fibers: u64,
    /// Number of nodes that ran any fiber.
    pub(super) nodes_at_work: usize,
    /// Number of events sent to another node.
    pub(super) messages: u64,
    /// Busy time of execution units, summed over the nodes; below, of synchronization units (DUAL).
    pub(super) eu_busy: f64,
    pub(super) su_busy: f64,
    /// Busy time of the busiest execution unit.
    pub(super) busiest: f64,
    /// Number of tokens that another node took.
    pub(super) stolen: u64,
    /// Relative L2 error against the row kernel; `None` without data.
    pub(super) error: Option<f64>,
}

impl Measured {
    /// Returns the total time, in seconds: from the distribution of all points until the last one is
    /// computed.
    pub(super) fn total(&self) -> f64 {
        self.local + self.multithreaded
    }

    /// Summarizes a run of a plan. A run without data is one phase until the last point is back on node 0,
    /// because gathering dominates results larger than memory. For a matrix this phase includes the
    /// distribution: its first rows are transformed while others are still being distributed.
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
        let Counters { fibers, events_sent, eu_busy, su_busy, tokens_stolen, .. } = run.counters;
        let busiest = run.by_node.iter().map(|node| node.eu_busy).max().unwrap_or_default();
        let Counts { requests, half_butterflies, .. } = plan.counts();
        Self {
            dealing,
            local,
            multithreaded,
            gathering,
            reordering: phases.reordering().as_secs_f64(),
            cycles: run.cycles.unwrap_or_default(),
            requests,
            half_butterflies,
            fibers,
            nodes_at_work: run.by_node.iter().filter(|node| node.fibers > 0).count(),
            messages: events_sent,
            eu_busy: eu_busy.as_secs_f64(),
            su_busy: su_busy.as_secs_f64(),
            busiest: busiest.as_secs_f64(),
            stolen: tokens_stolen,
            error: None,
        }
    }
}

/// Results of all runs.
pub(super) type Runs = BTreeMap<Point, Measured>;
