//! Runs that the report needs, each done once, and the closed form of each.

use earth::simulated::Profile;
use earth::{CancelToken, Machine};
use earth_console::work::Progress;
use earth_fft::distributed::Order;
use earth_fft::{Planner, Problem, TransformError};

use super::cases::Run;
use crate::model::distributed::{Rates, Time};
use crate::run_cache::{RunCache, RunFile, SimulateError};

/// Results of runs.
pub(crate) struct Results {
    pub(crate) profile: Profile,
    /// Simulated times, in seconds.
    runs: RunCache<Run, f64>,
}

impl Results {
    pub(crate) fn new(profile: Profile) -> Self {
        Self { profile, runs: RunCache::default() }
    }

    /// Makes a report after doing the runs that it asks for.
    pub(crate) fn reported<D>(
        profile: Profile,
        report: impl Fn(&Self) -> D,
        cancel: &CancelToken,
        kept: &RunFile,
        progress: &impl Progress,
    ) -> Result<D, SimulateError> {
        let mut results = Self::new(profile);
        // The first pass records the runs.
        report(&results);
        let profile = &results.profile;
        let run = |run: &Run| Ok(run.simulated(profile, cancel)?);
        results.runs.run(kept, Run::effort, progress, run)?;
        let reported = report(&results);
        debug_assert!(results.runs.is_whole(), "the second report asks for no other runs");
        Ok(reported)
    }

    /// Returns the simulated time, or NaN if the run was not done.
    pub(crate) fn seconds(&self, run: &Run) -> f64 {
        self.runs.result(run).unwrap_or(f64::NAN)
    }

    /// Returns the closed form of a run.
    pub(crate) fn closed(&self, run: &Run) -> Time {
        run.closed(&self.profile)
    }

    /// Returns the relative errors of the closed form: without overlap, and with it. They are positive if the
    /// closed form is above the simulation.
    pub(crate) fn errors(&self, run: &Run) -> [f64; 2] {
        let (closed, seconds) = (self.closed(run), self.seconds(run));
        [closed.whole(), closed.overlapped].map(|closed| closed / seconds - 1.0)
    }
}

impl Run {
    /// Returns the closed form on a profile's machine.
    pub(crate) fn closed(&self, profile: &Profile) -> Time {
        let rates = Rates::of(&self.change.of(profile), self.config(), self.transform.ranks);
        self.transform.time(&rates)
    }

    /// Simulates the run on a profile's machine. Returns its time in seconds.
    pub(crate) fn simulated(&self, profile: &Profile, cancel: &CancelToken) -> Result<f64, TransformError> {
        let order = if self.transform.is_natural { Order::Natural } else { Order::Transposed };
        let (problem, ranks) = (Problem::complex(&self.transform.lengths), self.transform.ranks);
        let plan = Planner::new().phantom().plan_distributed::<f64>(&problem, ranks, order)?;
        let machine = Machine::simulated(&self.change.of(profile)).nodes(ranks).config(self.config());
        let run = plan.run_phantom_on(&mut machine.cancel_token(cancel.clone()))?;
        Ok(run.elapsed.as_secs_f64())
    }
}

#[cfg(test)]
#[path = "results_tests.rs"]
mod tests;
