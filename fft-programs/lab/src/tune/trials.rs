//! Trials of points: each is a run of the objective.

use std::collections::BTreeMap;
use std::time::Instant;

use earth_console::work::Progress;

use super::Techniques;

/// Function that is minimized. A point has a value for each parameter of a [space](super::Space).
pub trait Objective {
    /// Error of a run.
    type Error;

    /// Returns the feasible point that is near this point: the point itself if it is feasible.
    fn feasible(&self, point: &[usize]) -> Vec<usize>;

    /// Runs a feasible point and returns its cost.
    ///
    /// # Errors
    ///
    /// The error of a run. It ends the search.
    fn cost(&mut self, point: &[usize]) -> Result<f64, Self::Error>;
}

/// A run.
#[derive(Clone, PartialEq, Debug)]
pub struct Trial {
    /// Point, which is feasible.
    pub point: Vec<usize>,
    /// Its cost.
    pub cost: f64,
    /// Time of the run in seconds.
    pub seconds: f64,
}

/// Why a search has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended<E> {
    /// The search has converged, or has tried all points that it proposes.
    Converged,
    /// The number of runs or the time is reached.
    Limit,
    /// A run has failed, or was cancelled.
    Failed(E),
}

impl<E> Ended<E> {
    /// Returns the name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Converged => "converged",
            Self::Limit => "limit",
            Self::Failed(_) => "failed",
        }
    }
}

/// Result of a search. The runs before its end are kept, however it ends.
#[derive(Clone, PartialEq, Debug)]
pub struct Tuned<E> {
    /// Runs in their order.
    pub trials: Vec<Trial>,
    /// Number of points that the search proposed.
    pub proposed: usize,
    /// Number of these that were not feasible.
    pub infeasible: usize,
    /// Number of these that had run before.
    pub repeated: usize,
    /// Why the search has ended.
    pub ended: Ended<E>,
}

impl<E> Tuned<E> {
    /// Returns the run of the least cost, the first of several.
    pub fn best(&self) -> Option<&Trial> {
        self.trials.iter().min_by(|one, other| one.cost.total_cmp(&other.cost))
    }
}

/// Why a search stops before its own end.
pub(super) enum Stop<E> {
    Limit,
    Failed(E),
}

/// Proposed points that have no new run, in a row, after which a search has converged.
const IDLE: usize = 1000;

/// Runs points for a search, within its limits.
pub(super) struct Trials<'a, O: Objective, P> {
    objective: &'a mut O,
    techniques: Techniques,
    limit: usize,
    progress: &'a P,
    history: BTreeMap<Vec<usize>, f64>,
    tuned: Tuned<O::Error>,
    /// Number of proposed points since the last run.
    idle: usize,
}

impl<'a, O: Objective, P: Progress> Trials<'a, O, P> {
    pub(super) fn new(objective: &'a mut O, techniques: Techniques, limit: usize, progress: &'a P) -> Self {
        let tuned =
            Tuned { trials: Vec::new(), proposed: 0, infeasible: 0, repeated: 0, ended: Ended::Converged };
        Self { objective, techniques, limit, progress, history: BTreeMap::new(), tuned, idle: 0 }
    }

    /// Returns the cost of a point that a search proposes: infinity, without a run, if it is not feasible.
    pub(super) fn cost(&mut self, point: &[usize]) -> Result<f64, Stop<O::Error>> {
        let Techniques { penalty, history, .. } = self.techniques;
        self.tuned.proposed += 1;
        self.idle += 1;
        let feasible = self.objective.feasible(point);
        if feasible != point {
            self.tuned.infeasible += 1;
            if penalty {
                return Ok(f64::INFINITY);
            }
        }
        if history && let Some(&cost) = self.history.get(&feasible) {
            self.tuned.repeated += 1;
            return Ok(cost);
        }
        self.run(feasible)
    }

    fn run(&mut self, point: Vec<usize>) -> Result<f64, Stop<O::Error>> {
        if self.tuned.trials.len() >= self.limit || self.progress.is_over() {
            return Err(Stop::Limit);
        }
        let begun = Instant::now();
        let cost = self.objective.cost(&point).map_err(Stop::Failed)?;
        self.progress.done(1);
        self.idle = 0;
        self.history.insert(point.clone(), cost);
        self.tuned.trials.push(Trial { point, cost, seconds: begun.elapsed().as_secs_f64() });
        Ok(cost)
    }

    /// Returns the number of runs.
    pub(super) fn runs(&self) -> usize {
        self.tuned.trials.len()
    }

    /// Returns whether so many proposed points had no run that no more should be proposed.
    pub(super) fn is_idle(&self) -> bool {
        self.idle >= IDLE
    }

    pub(super) fn end(self, ended: Result<(), Stop<O::Error>>) -> Tuned<O::Error> {
        let ended = match ended {
            Ok(()) => Ended::Converged,
            Err(Stop::Limit) => Ended::Limit,
            Err(Stop::Failed(error)) => Ended::Failed(error),
        };
        Tuned { ended, ..self.tuned }
    }
}
