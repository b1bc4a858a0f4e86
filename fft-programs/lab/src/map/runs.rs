//! Simulated runs that the page asks for, each done once.

use earth::simulated::Profile;
use earth::{CancelToken, Config, Machine};
use earth_console::work::Progress;
use earth_programs::ProgramError;
use serde::Serialize;

use super::crossing::{Crossing, Place, crossings, predicted};
use super::grid::{Case, Change, Extent};
use super::measured::Measured;
use super::model;
use super::points::{PointRun, Sample};
use crate::compare::Equal;
use crate::run_cache::{RunCache, RunFile, SimulateError};
use crate::sweep::fingerprint;

/// Run of the family on a simulated machine.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
struct Run {
    /// Name and fingerprint of the profile.
    machine: String,
    case: Case,
    is_dual: bool,
    nodes: u32,
    grain: u32,
}

/// Results of runs.
pub(crate) struct Results {
    pub(crate) extent: &'static Extent,
    pub(crate) profiles: Vec<Profile>,
    pub(crate) measured: Option<Measured>,
    /// Names and fingerprints of the profiles.
    machines: Vec<String>,
    /// Nanoseconds of a step.
    runs: RunCache<Run, f64>,
    points: RunCache<PointRun, Option<Sample>>,
}

impl Results {
    pub(crate) fn new(extent: &'static Extent, profiles: Vec<Profile>, measured: Option<Measured>) -> Self {
        let name = |profile: &Profile| format!("{} {:016x}", profile.name, fingerprint(&profile.to_toml()));
        let machines = profiles.iter().map(name).collect();
        let (runs, points) = (RunCache::default(), RunCache::default());
        Self { extent, profiles, measured, machines, runs, points }
    }

    /// Makes a report after doing the runs that it asks for.
    pub(crate) fn reported<D>(
        mut self,
        report: impl Fn(&Self) -> D,
        cancel: &CancelToken,
        kept: &RunFile,
        progress: &impl Progress,
    ) -> Result<D, SimulateError> {
        // The first pass records the runs.
        report(&self);
        let (machines, profiles, is_usual) = (&self.machines, &self.profiles, self.extent.is_usual);
        let profile = |machine: &str| {
            let at = machines.iter().position(|known| known == machine);
            at.map_or_else(|| unreachable!("{machine} is a machine of the page"), |at| &profiles[at])
        };
        self.runs.run(kept, Run::effort, progress, |run| run.simulated(profile(&run.machine), cancel))?;
        let point = |run: &PointRun| run.simulated(profile(&run.machine), is_usual, cancel);
        self.points.run(kept, |run| run.nodes.into(), progress, point)?;
        let reported = report(&self);
        debug_assert!(self.runs.is_whole() && self.points.is_whole(), "the second report asks for no others");
        Ok(reported)
    }

    /// Returns the nanoseconds of a step, or NaN if the run was not done.
    fn step(&self, profile: usize, case: Case, equal: Equal, config: Config, grain: u32) -> f64 {
        let is_dual = config == Config::Dual;
        // A change is of DUAL's costs alone.
        let case = if is_dual { case } else { Case { change: Change::NONE, ..case } };
        let machine = self.machines[profile].clone();
        let nodes = case.shape.nodes(equal, config);
        if nodes as usize > Machine::MOST_NODES {
            return f64::NAN;
        }
        self.runs.result(&Run { machine, case, is_dual, nodes, grain }).unwrap_or(f64::NAN)
    }

    /// Returns DUAL's time over SPN's at a grain.
    pub(crate) fn ratio(&self, profile: usize, case: Case, equal: Equal, grain: u32) -> f64 {
        let step = |config| self.step(profile, case, equal, config, grain);
        step(Config::Dual) / step(Config::Spn)
    }

    /// Returns the ratios of a row. A row has no ratios if SPN would need too many nodes.
    pub(crate) fn places(&self, profile: usize, case: Case, equal: Equal) -> Vec<Place> {
        let place = |&grain: &u32| Place::exact(f64::from(grain), self.ratio(profile, case, equal, grain));
        self.extent.grains.iter().map(place).filter(|place| place.ratio.is_finite()).collect()
    }

    /// Returns the crossings of a row that were found, and the predicted ones.
    pub(crate) fn crossings(&self, profile: usize, case: Case, equal: Equal) -> [Vec<Crossing>; 2] {
        let predict = |grain: f64| model::ratio(&self.profiles[profile], case, equal, grain);
        [crossings(&self.places(profile, case, equal)), predicted(predict, self.ends())]
    }

    /// Returns the least and the greatest grain.
    pub(crate) fn ends(&self) -> [f64; 2] {
        let grains = self.extent.grains;
        [grains[0], grains[grains.len() - 1]].map(f64::from)
    }

    /// Returns a run of an example program; `None` if it does not run there, or was not done.
    pub(crate) fn point(
        &self,
        profile: usize,
        program: &'static str,
        config: Config,
        nodes: u32,
    ) -> Option<Sample> {
        let machine = self.machines[profile].clone();
        let run = PointRun { machine, program, is_dual: config == Config::Dual, nodes };
        self.points.result(&run).flatten()
    }

    /// Returns the number of simulated runs.
    pub(crate) fn number(&self) -> usize {
        self.runs.number() + self.points.number()
    }

    /// Invents the results of the recorded runs.
    #[cfg(test)]
    pub(crate) fn invent(&mut self) {
        self.runs.invent(|run| f64::from(run.grain) + if run.is_dual { 500.0 } else { 1000.0 });
        self.points.invent(|run| (run.program != "fib").then(Sample::default));
    }
}

impl Run {
    /// Simulates the run. Returns the nanoseconds of a step.
    fn simulated(&self, profile: &Profile, cancel: &CancelToken) -> Result<f64, SimulateError> {
        let Self { case, is_dual, nodes, grain, .. } = *self;
        let config = if is_dual { Config::Dual } else { Config::Spn };
        let profile = case.change.of(profile);
        let mut of = case.shape.program(0);
        of.cycles = (f64::from(grain) * profile.clock_mhz / 1e3).round() as u64;
        let machine = Machine::simulated(&profile).nodes(nodes as usize).config(config);
        let mut machine = machine.cancel_token(cancel.clone());
        let mut time = |steps: u32| {
            of.steps = steps;
            let run = of.run(&mut machine)?;
            if run.value.sum != of.expected() {
                let why = format!("the sum of {case:?} on {nodes} nodes");
                return Err(SimulateError::Program(ProgramError::Wrong(why)));
            }
            Ok(run.value.span.as_secs_f64() * 1e9)
        };
        // The difference does not include the beginning, when nodes wait for the last one.
        let [few, many] = steps(nodes);
        Ok((time(many)? - time(few)?) / f64::from(many - few))
    }

    /// Returns about how long the simulation takes.
    fn effort(&self) -> u64 {
        let shape = self.case.shape;
        u64::from(shape.nodes * shape.chains * shape.messages)
    }
}

/// Returns the numbers of steps of the two runs: fewer on many nodes, which take longer to simulate.
fn steps(nodes: u32) -> [u32; 2] {
    let many = (2048 / nodes).clamp(32, 128);
    [many / 2, many]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::map::grid::{AXES, EQUALS, PROFILES, SMALL, WHOLE};

    fn results(extent: &'static Extent) -> Results {
        Results::new(extent, PROFILES.map(|name| Profile::named(name).unwrap()).into(), None)
    }

    /// The model and the machine share no code but the costs.
    #[test]
    fn the_model_predicts_the_simulated_machine() {
        let ask = |results: &Results| {
            let mut errors = Vec::new();
            for (profile, of) in results.profiles.iter().enumerate() {
                for axis in AXES {
                    for (name, case) in axis.rows(results.extent, results.extent.usual) {
                        for (equal, &grain) in EQUALS
                            .into_iter()
                            .flat_map(|equal| results.extent.grains.iter().map(move |g| (equal, g)))
                        {
                            let found = results.ratio(profile, case, equal, grain);
                            let predicted = model::ratio(of, case, equal, f64::from(grain));
                            errors.push((
                                predicted / found,
                                format!("{} {axis:?} {name} {equal} {grain}", of.name),
                            ));
                        }
                    }
                }
            }
            errors
        };
        let errors = results(&SMALL).reported(ask, &CancelToken::new(), &RunFile::default(), &()).unwrap();
        let mut sizes: Vec<f64> = errors.iter().map(|(error, _)| error.ln().abs()).collect();
        sizes.sort_by(f64::total_cmp);
        let typical = sizes[sizes.len() / 2].exp();
        assert!(typical < 1.05, "half of the ratios differ by a factor of more than {typical}");
        for (error, what) in errors {
            assert!((0.5..=2.0).contains(&error), "{what}: {error}");
        }
    }

    #[test]
    fn a_run_is_the_same_each_time_and_checks_its_sum() {
        let case = Case::of(SMALL.usual);
        let ask = |results: &Results| results.ratio(0, case, Equal::Cores, 100);
        let run = || results(&SMALL).reported(ask, &CancelToken::new(), &RunFile::default(), &()).unwrap();
        assert_eq!(run().to_bits(), run().to_bits());
    }

    #[test]
    fn changes_of_dual_share_the_runs_of_spn() {
        let mut results = results(&WHOLE);
        for speed in [0, 1, 2] {
            let case = Case { change: Change { speed, ..Change::NONE }, ..Case::of(WHOLE.usual) };
            results.ratio(0, case, Equal::Nodes, 100);
        }
        results.invent();
        assert_eq!(results.runs.number(), 3 + 1);
    }
}
