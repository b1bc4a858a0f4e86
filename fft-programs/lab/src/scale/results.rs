//! Runs of the report: on threads, one after another, and simulated, each once.

use std::collections::BTreeMap;

use earth::policy::Policies;
use earth::simulated::Profile;
use earth::{CancelToken, Config, Machine};
use earth_console::work::Progress;
use earth_report::spread::Spread;
use serde::Serialize;

use super::cases::{CONFIGS, Case, Distance, Extent};
use super::sample::Sample;
use super::touched::{Use, collected};
use crate::run_cache::{RunCache, RunFile, SimulateError};

/// Simulated run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) struct Run {
    pub(crate) of: Of,
    pub(crate) nodes: usize,
    pub(crate) is_dual: bool,
    pub(crate) distance: Distance,
}

/// What runs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub(crate) enum Of {
    Case(Case),
    Use(Use),
}

/// Nodes and configuration of a machine of threads.
type Threads = (usize, bool);

/// Results of runs.
pub(crate) struct Results {
    pub(crate) profile: Profile,
    pub(crate) extent: Extent,
    simulated: RunCache<Run, Sample>,
    threads: BTreeMap<(Case, Threads), Vec<Sample>>,
    collected: BTreeMap<Threads, usize>,
}

impl Results {
    pub(crate) fn new(profile: Profile, extent: Extent) -> Self {
        let (threads, collected) = Default::default();
        Self { profile, extent, simulated: RunCache::default(), threads, collected }
    }

    /// Makes a report after doing the runs that it asks for.
    pub(crate) fn reported<D>(
        (profile, extent): (Profile, Extent),
        report: impl Fn(&Self) -> D,
        cancel: &CancelToken,
        kept: &RunFile,
        progress: &impl Progress,
    ) -> Result<D, SimulateError> {
        let mut results = Self::new(profile, extent);
        results.count(cancel)?;
        // The first pass records the simulated runs.
        report(&results);
        let profile = &results.profile;
        let run = |run: &Run| run.simulated(profile, cancel);
        results.simulated.run(kept, Run::effort, progress, run)?;
        let reported = report(&results);
        debug_assert!(results.simulated.is_whole(), "the second report asks for no other runs");
        Ok(reported)
    }

    /// Runs the programs on threads, on a new machine each time.
    fn count(&mut self, cancel: &CancelToken) -> Result<(), SimulateError> {
        let Extent { cases, counted, runs, .. } = self.extent;
        let machines = || counted.iter().flat_map(|&nodes| CONFIGS.map(|config| (nodes, config)));
        for (nodes, config) in machines() {
            self.collected.insert((nodes, config == Config::Dual), collected(nodes, config)?);
        }
        for case in cases {
            let instance = case.instance()?;
            for (nodes, config) in machines() {
                let machine = || Machine::threads(nodes).config(config).cancel_token(cancel.clone());
                let samples = (0..runs).map(|_| Sample::of(&instance, machine(), Policies::new()));
                let samples = samples.collect::<Result<Vec<_>, _>>()?;
                self.threads.insert((*case, (nodes, config == Config::Dual)), samples);
            }
        }
        Ok(())
    }

    /// Returns what a run on threads did, by all runs; `None` if a run did not tell.
    pub(crate) fn counted(
        &self,
        case: Case,
        nodes: usize,
        config: Config,
        count: impl Fn(&Sample) -> Option<f64>,
    ) -> Option<Spread> {
        let samples = self.threads.get(&(case, (nodes, config == Config::Dual)))?;
        samples.iter().map(count).collect::<Option<Vec<_>>>().map(Spread::of)
    }

    /// Returns the number of nodes whose counters an empty run on threads collected, or NaN.
    pub(crate) fn collected(&self, nodes: usize, config: Config) -> f64 {
        self.collected.get(&(nodes, config == Config::Dual)).map_or(f64::NAN, |&nodes| nodes as f64)
    }

    /// Returns what a simulated run did, or zeros if it was not done.
    pub(crate) fn simulated(&self, of: Of, nodes: usize, config: Config, distance: Distance) -> Sample {
        let run = Run { of, nodes, is_dual: config == Config::Dual, distance };
        self.simulated.result(&run).unwrap_or_default()
    }

    /// Returns the predicted speed-up of a program over one SPN node.
    pub(crate) fn speed_up(&self, case: Case, nodes: usize, config: Config, distance: Distance) -> f64 {
        let seconds = |nodes, config| self.simulated(Of::Case(case), nodes, config, distance).seconds;
        seconds(1, Config::Spn) / seconds(nodes, config)
    }
}

impl Run {
    fn simulated(&self, profile: &Profile, cancel: &CancelToken) -> Result<Sample, SimulateError> {
        let config = if self.is_dual { Config::Dual } else { Config::Spn };
        let machine = Machine::simulated(profile).nodes(self.nodes).config(config);
        let (machine, policies) =
            (machine.cancel_token(cancel.clone()), self.distance.policies(profile, config));
        let sample = match self.of {
            Of::Case(case) => Sample { sleeps: None, ..Sample::of(&case.instance()?, machine, policies)? },
            Of::Use(of) => {
                let run = of.run(&mut machine.policies(policies))?;
                let (seconds, messages) = (run.elapsed.as_secs_f64(), run.counters.events_sent);
                Sample { seconds, messages, ..Sample::default() }
            }
        };
        Ok(sample)
    }

    /// Returns about how long the simulation takes.
    fn effort(&self) -> u64 {
        let nodes = self.nodes as u64;
        match self.of {
            Of::Case(_) => 1000 + nodes,
            Of::Use(_) => nodes,
        }
    }
}
