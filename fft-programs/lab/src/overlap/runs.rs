//! Runs of the page: transforms of phantoms on the simulated machines, and searches for parameters.

use earth::simulated::Profile;
use earth::{CancelToken, Config, Machine};
use earth_fft::distributed::Order;
use earth_fft::{Planner, Problem, TransformError};
use earth_papers::overlap::{OverlapPlan, OverlapSettings, Parameters, Times, Variant};
use earth_report::statements::Change;
use serde::{Deserialize, Serialize};

use super::cases::RUNS;
use super::machines::{FEW, Setting};
use super::measured::Parts;
use crate::run_cache::{RunFile, SimulateError};
use crate::tune::overlap::{OverlapCase, OverlapTiles, Site};
use crate::tune::{Ended, Search, Technique, Techniques, Tuning};

/// Run at the costs of the page, or after a change of one cost.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(super) struct Run<T> {
    pub(super) of: T,
    pub(super) change: Option<Change>,
}

/// A transform on a simulated machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) struct Transform {
    pub(crate) setting: Setting,
    pub(crate) settings: OverlapSettings,
    /// Whether a rank has two processors.
    pub(crate) is_dual: bool,
}

/// Parts of a transform's time, and the whole, in seconds: of the slowest rank.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Breakdown {
    pub(crate) parts: Parts,
    pub(crate) total: f64,
}

impl Breakdown {
    /// Returns the times of the slowest rank.
    fn of_slowest(ranks: &[Times]) -> Self {
        let times = ranks.iter().max_by_key(|times| times.total).copied().unwrap_or_default();
        Self { parts: Parts::of(Parts::values_of(&times)), total: times.total as f64 * 1e-9 }
    }
}

impl Transform {
    /// Returns about how long the simulation takes.
    pub(super) fn effort(&self) -> u64 {
        let Setting { ranks, n, .. } = self.setting;
        let tile = self.settings.parameters.map_or(n, |parameters| parameters.tile);
        (ranks * ranks * n.div_ceil(tile)) as u64
    }

    /// Runs the transform.
    pub(super) fn run(&self, profile: &Profile, cancel: &CancelToken) -> Result<Breakdown, TransformError> {
        let Setting { ranks, n, .. } = self.setting;
        let plan = OverlapPlan::<f64>::new(&Problem::complex(&[n; 3]), ranks, &self.settings, None)?;
        let config = if self.is_dual { Config::Dual } else { Config::Spn };
        let machine = Machine::simulated(profile).nodes(ranks).config(config);
        let run = plan.run_phantom_on(&mut machine.cancel_token(cancel.clone()))?;
        Ok(Breakdown::of_slowest(&run.value))
    }
}

/// A transform by the distributed plan of `earth-fft`, its spectrum in transposed order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) struct Distributed {
    pub(crate) setting: Setting,
    /// Whether the array is cut into pencils, not into slabs.
    pub(crate) by_pencils: bool,
}

impl Distributed {
    /// Returns the time of the transform in seconds.
    pub(super) fn seconds(&self, profile: &Profile, cancel: &CancelToken) -> Result<f64, TransformError> {
        let Setting { ranks, n, .. } = self.setting;
        let (planner, problem) = (Planner::new().phantom(), Problem::complex(&[n; 3]));
        let plan = if self.by_pencils {
            planner.plan_distributed_by_pencils::<f64>(&problem, ranks, Order::Transposed)
        } else {
            planner.plan_distributed::<f64>(&problem, ranks, Order::Transposed)
        }?;
        let machine = Machine::simulated(profile).nodes(ranks).cancel_token(cancel.clone());
        Ok(plan.run_phantom_on(&mut { machine })?.elapsed.as_secs_f64())
    }
}

/// A search for the parameters of a variant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) struct Sought {
    pub(crate) setting: Setting,
    pub(crate) variant: Variant,
    pub(crate) search: Search,
    /// Technique that the search leaves out.
    pub(crate) without: Option<Technique>,
    pub(crate) seed: u64,
    /// Most runs.
    pub(crate) limit: usize,
}

/// Result of a search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) parameters: Parameters,
    /// Simulated time of each run, in seconds.
    pub(crate) costs: Vec<f64>,
}

impl Found {
    /// Returns the simulated time of all runs.
    pub(crate) fn seconds(&self) -> f64 {
        self.costs.iter().sum()
    }

    /// Returns the least time of the first runs.
    pub(crate) fn best_of(&self, runs: usize) -> f64 {
        self.costs.iter().take(runs).copied().fold(f64::INFINITY, f64::min)
    }
}

impl Sought {
    /// Returns the paper's search. On many ranks it ends after the number of runs after which the paper's has
    /// found a good point.
    pub(crate) fn new(setting: Setting, variant: Variant) -> Self {
        let limit = if setting.ranks > FEW { RUNS } else { 1000 };
        Self { setting, variant, search: Search::NelderMead, without: None, seed: 0, limit }
    }

    /// Returns about how long the search takes.
    pub(super) fn effort(&self) -> u64 {
        let Setting { ranks, n, .. } = self.setting;
        (ranks * ranks * n * self.limit) as u64
    }

    /// Searches.
    pub(super) fn run(&self, profile: &Profile, cancel: &CancelToken) -> Result<Found, SimulateError> {
        let Setting { machine, ranks, n, .. } = self.setting;
        let settings =
            OverlapSettings { variant: self.variant, rounds: machine.rounds(), ..OverlapSettings::default() };
        let case = OverlapCase::new([n; 3], ranks, settings);
        let without = |technique| self.without == Some(technique);
        let (none, site) = (RunFile::default(), Site::Simulated(Box::new(profile.clone()), Config::Spn));
        let mut tiles = OverlapTiles::new(case, site, without(Technique::Skip), cancel, &none);
        let (space, start) = (case.space(without(Technique::Grid)), case.point(&case.usual()));
        let tuning = Tuning::new(&space, &start, self.search).seed(self.seed).limit(self.limit);
        let tuning = tuning.techniques(Techniques::without(self.without.as_slice()));
        let tuned = tuning.run(&mut tiles, &());
        let best = tuned.best().map(|trial| case.parameters(&trial.point));
        let parameters = best.unwrap_or_else(|| case.usual());
        let costs = tuned.trials.iter().map(|trial| trial.cost).collect();
        match tuned.ended {
            Ended::Failed(error) => Err(error.into()),
            _ => Ok(Found { parameters, costs }),
        }
    }
}
