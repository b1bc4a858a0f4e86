//! Machines that the calling thread steps, in virtual time or in any order: the beginning and the end of
//! their runs.

use std::sync::Arc;

use super::explore::SharedConductor;
use super::panics::{drop_ignoring_panics, inside};
use super::schedule::{Chooser, LANES, Recording, RunLimits, Schedule};
use super::settings::Settings;
use super::simulated::{NetworkKind, Profile, Torus};
use super::stall::{self, WatchedRun};
use super::units::{Program, RunResult, Units, explain};
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::verdict::RunVerdict;
use crate::probe::costs::END_OF_TIME;
use crate::probe::costs::fiber_times::FiberTimes;
use crate::probe::records::{Clock, Records};
use crate::vocabulary::error::Error;

/// Faults of a simulated machine, drawn from its seed. They change only the times of a run, never a correct
/// program's results.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// Maximum delay of a message, in cycles. Delayed messages of different senders, or to different
    /// receivers, overtake each other.
    pub delay: u64,
    /// Maximum slowdown factor of a node, relative to its profile. 0 and 1 mean no fault.
    pub slowness: u32,
}

/// Settings of machines that the calling thread steps.
#[derive(Clone, Debug)]
pub(super) struct Simulation {
    pub(super) profile: Profile,
    pub(super) schedule: Schedule,
    pub(super) faults: Faults,
    pub(super) record: bool,
    pub(super) most_steps: u64,
    /// Measured times of fibers, which replace the work that they report.
    pub(super) fiber_times: Option<Arc<FiberTimes>>,
    /// Selects every step, on a machine that explores.
    pub(super) conductor: Option<SharedConductor>,
}

impl Simulation {
    /// Maximum slowness of a node, and maximum number of priority changes of a schedule. Both are drawn
    /// before the run.
    const MOST: u32 = 1 << 20;

    /// Returns the default settings of a machine of this profile.
    pub(super) fn of(profile: &Profile) -> Self {
        Simulation {
            profile: profile.clone(),
            schedule: Schedule::Time,
            faults: Faults::default(),
            record: false,
            most_steps: u64::MAX,
            fiber_times: None,
            conductor: None,
        }
    }

    /// Checks that a machine of `nodes` nodes can be simulated with these settings.
    pub(super) fn check(&self, nodes: usize) -> Result<(), Error> {
        let Profile { network, clock_mhz, .. } = &self.profile;
        let profile = self.profile.check().and_then(|()| match network.kind {
            NetworkKind::Ideal | NetworkKind::Crossbar => Ok(()),
            NetworkKind::Torus => Torus::check(network, *clock_mhz, nodes),
        });
        profile.map_err(|why| Error::CannotBuild(why.to_string()))?;
        let changes = if let Schedule::Pct { changes, .. } = self.schedule { changes } else { 0 };
        let figures =
            [("slowness of nodes", self.faults.slowness), ("number of changes of a schedule", changes)];
        match figures.into_iter().find(|(_, figure)| *figure > Self::MOST) {
            Some((what, figure)) => {
                Err(Error::CannotBuild(format!("the {what} is at most {}, not {figure}", Self::MOST)))
            }
            None => Ok(()),
        }
    }
}

/// Nodes of a machine and everything between them, which advance step by step.
pub(super) trait Engine: Units + Send {
    /// Returns the verdict that the units share.
    fn verdict(&self) -> &Arc<RunVerdict>;

    /// Prepares for a run. The caller has already prepared the units and given them their first calls.
    fn reset(&mut self, seed: u64);

    /// Takes steps until the run is over.
    fn run(&mut self, chooser: &mut Chooser, limits: RunLimits<'_>) -> Result<(), Box<Error>>;

    /// Returns the node of the unit that acts, or acted last, and its execution unit if the unit runs fibers.
    fn acting(&mut self) -> (usize, Option<&mut ExecutionUnit>);

    fn clocks(&mut self) -> Clocks;
}

/// Virtual times, in cycles.
pub(super) struct Clocks {
    /// Time of the run.
    pub(super) elapsed: u64,
    /// Busy time of each node's execution unit, and of its synchronization unit if that has its own clock.
    pub(super) busy: Vec<(u64, Option<u64>)>,
}

/// Machine that the calling thread steps.
#[derive(Default)]
pub(super) struct Stepped {
    /// Dropped after a failed run; the next run builds another one.
    engine: Option<Box<dyn Engine>>,
    /// Choices of the last run, if it was recorded.
    pub(super) recording: Option<Recording>,
    /// Records of the last run, if it was traced and has failed.
    pub(super) failed: Option<Records>,
}

impl Stepped {
    /// Returns the records of the last run, which succeeded, if it was traced.
    pub(super) fn records(&mut self, settings: &Settings, simulation: &Simulation) -> Option<Records> {
        settings.trace?;
        let mhz = simulation.profile.clock_mhz;
        Some(self.engine.as_mut()?.records(Clock::Virtual { mhz }))
    }

    /// Runs a program. If no engine exists, `build` makes one.
    pub(super) fn run(
        &mut self,
        settings: &Settings,
        simulation: &Simulation,
        program: Program<'_>,
        build: impl FnOnce() -> Result<Box<dyn Engine>, Error>,
    ) -> Result<RunResult, Error> {
        (self.recording, self.failed) = (None, None);
        let ready = if program.input.is_some() {
            let why = "a simulated machine cannot take input: other threads do not share its virtual time";
            Err(Error::CannotBuild(why.to_owned()))
        } else {
            self.engine.take().map_or_else(build, Ok)
        };
        let engine = match ready {
            Ok(engine) => self.engine.insert(engine),
            Err(error) => {
                drop_ignoring_panics(program);
                return Err(error);
            }
        };
        let verdict = Arc::clone(engine.verdict());
        verdict.reset();
        let mut chooser =
            Chooser::new(&simulation.schedule, settings.seed, LANES * settings.nodes, simulation.record);
        engine.begin(&program.decoding, program.began);
        // A unit that has a call must be stepped, so the steps that can fail come first.
        let scene = || WatchedRun { units: engine.activities(), surroundings: Box::new(()) };
        let watch = stall::watch(settings.stall_monitor.as_ref(), scene)?;
        let started = program.first.into_iter().try_for_each(|call| engine.start(call));
        let limits = RunLimits::new(&verdict, settings.cancel.as_ref(), simulation.most_steps);
        let outcome = inside(|| {
            engine.reset(settings.seed);
            started.and_then(|()| engine.run(&mut chooser, limits))?;
            let (sent, received) = engine.messages();
            assert_eq!(sent, received, "at the end of a run every sent message has been received");
            Ok(())
        });
        drop(watch);
        self.recording = chooser.recording();
        let outcome = outcome.unwrap_or_else(|payload| {
            let (node, eu) = engine.acting();
            Err(explain(payload, node, eu))
        });
        // A fiber that unwinds because of an error has declared that error first.
        let outcome = outcome.map_err(|error| *verdict.take_error().unwrap_or(error));
        let outcome = outcome.and_then(|()| engine.settle(settings.nodes));
        let Clocks { elapsed, busy } = engine.clocks();
        let mut outcome =
            outcome.and_then(|outcome| if elapsed < END_OF_TIME { Ok(outcome) } else { Err(Error::TooLong) });
        if let Ok(RunResult { value: Some(_), by_node, cycles }) = &mut outcome {
            *cycles = Some(elapsed);
            let time = |cycles| simulation.profile.time(cycles);
            let parts = |busy| (time(busy), time(elapsed).saturating_sub(time(busy)));
            for (counters, (eu, su)) in by_node.iter_mut().zip(busy) {
                (counters.eu_busy, counters.eu_idle) = parts(eu);
                if let Some(su) = su {
                    (counters.su_busy, counters.su_idle) = parts(su);
                }
            }
        } else {
            self.failed = self.records(settings, simulation);
            drop_ignoring_panics(self.engine.take());
        }
        outcome
    }
}
