//! Machines that the calling thread steps, in virtual time or in any order: how a run of either begins and ends.

use std::sync::Arc;

use super::panics::{inside, quietly};
use super::schedule::{Chooser, LANES, Limits, Recording, Schedule};
use super::settings::Settings;
use super::simulated::{NetworkKind, Profile, Torus};
use super::stall;
use super::units::{Outcome, Program, Units, explain};
use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::verdict::RunVerdict;
use crate::probe::costs::END_OF_TIME;
use crate::probe::records::{Clock, Records};
use crate::vocabulary::error::Error;

/// Faults of a simulated machine, drawn from its seed. They change the times of a run, and no program may notice them
/// otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// The most cycles by which a message is delayed, so that messages of different senders, or to
    /// different receivers, overtake each other.
    pub delay: u64,
    /// The most times that a node is slower than by its profile: 0 and 1 are no fault.
    pub slowness: u32,
}

/// The settings that only a machine has which the calling thread steps.
#[derive(Clone, Debug)]
pub(super) struct Simulation {
    pub(super) profile: Profile,
    pub(super) schedule: Schedule,
    pub(super) faults: Faults,
    pub(super) record: bool,
    pub(super) most_steps: u64,
}

impl Simulation {
    /// The greatest slowness of a node, and the most changes of a schedule, which are drawn before the run.
    const MOST: u32 = 1 << 20;

    /// The settings of a machine of this profile, which no other setting has changed.
    pub(super) fn of(profile: &Profile) -> Self {
        Simulation {
            profile: profile.clone(),
            schedule: Schedule::Time,
            faults: Faults::default(),
            record: false,
            most_steps: u64::MAX,
        }
    }

    /// Whether a machine of this many nodes can be simulated like this.
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

/// The nodes of a machine and all that is between them, which go from step to step.
pub(super) trait Engine: Units + Send {
    /// The verdict that its units share.
    fn verdict(&self) -> &Arc<RunVerdict>;

    /// Prepares for a run. The units have been prepared and given their first calls.
    fn reset(&mut self, seed: u64);

    /// Takes steps until the run is over.
    fn run(&mut self, chooser: &mut Chooser, limits: Limits<'_>) -> Result<(), Box<Error>>;

    /// The unit that acts, or acted last: its node, and its execution unit if it runs fibers.
    fn acting(&mut self) -> (usize, Option<&mut ExecutionUnit>);

    fn clocks(&mut self) -> Clocks;
}

/// Virtual times, in cycles.
pub(super) struct Clocks {
    /// The time of the run.
    pub(super) elapsed: u64,
    /// The time that each node's execution unit was busy, and its synchronization unit, if that has a clock of its own.
    pub(super) busy: Vec<(u64, Option<u64>)>,
}

/// A machine that the calling thread steps.
#[derive(Default)]
pub(super) struct Stepped {
    /// Dropped after a failed run, built again by the next one.
    engine: Option<Box<dyn Engine>>,
    /// The choices of the last run, if it was recorded.
    pub(super) recording: Option<Recording>,
    /// The records of the last run, if it was traced and has failed.
    pub(super) failed: Option<Records>,
}

impl Stepped {
    /// The records of the last run, which has succeeded, if it was traced.
    pub(super) fn records(&mut self, settings: &Settings, simulation: &Simulation) -> Option<Records> {
        settings.trace?;
        let mhz = simulation.profile.clock_mhz;
        Some(self.engine.as_mut()?.records(Clock::Virtual { mhz }))
    }

    /// Runs a program, on an engine that `build` makes if there is none.
    pub(super) fn run(
        &mut self,
        settings: &Settings,
        simulation: &Simulation,
        program: Program<'_>,
        build: impl FnOnce() -> Result<Box<dyn Engine>, Error>,
    ) -> Result<Outcome, Error> {
        (self.recording, self.failed) = (None, None);
        let ready = if program.input.is_some() {
            let why = "a simulated machine has no time that other threads share, so its run has no input";
            Err(Error::CannotBuild(why.to_owned()))
        } else {
            self.engine.take().map_or_else(build, Ok)
        };
        let engine = match ready {
            Ok(engine) => self.engine.insert(engine),
            Err(error) => {
                quietly(program);
                return Err(error);
            }
        };
        let verdict = Arc::clone(engine.verdict());
        verdict.reset();
        let mut chooser =
            Chooser::new(&simulation.schedule, settings.seed, LANES * settings.nodes, simulation.record);
        engine.begin(&program.decoding, program.began);
        // Units that were given a call have to be stepped, so what may fail comes first.
        let watch = stall::watch(settings.stall_monitor.as_ref(), || engine.activities())?;
        let started = program.first.into_iter().try_for_each(|call| engine.start(call));
        engine.reset(settings.seed);
        let limits = Limits::new(&verdict, settings.cancel.as_ref(), simulation.most_steps);
        let outcome = inside(|| {
            started.and_then(|()| engine.run(&mut chooser, limits))?;
            let (sent, received) = engine.messages();
            assert_eq!(sent, received, "all that was sent was received at the end");
            Ok(())
        });
        drop(watch);
        self.recording = chooser.recording();
        let outcome = outcome.unwrap_or_else(|payload| {
            let (node, eu) = engine.acting();
            Err(explain(payload, node, eu))
        });
        // A fiber that unwinds has declared its error before.
        let outcome = outcome.map_err(|error| *verdict.take_error().unwrap_or(error));
        let outcome = outcome.and_then(|()| engine.settle(settings.nodes));
        let Clocks { elapsed, busy } = engine.clocks();
        let mut outcome =
            outcome.and_then(|outcome| if elapsed < END_OF_TIME { Ok(outcome) } else { Err(Error::TooLong) });
        if let Ok(Outcome { value: Some(_), by_node, cycles }) = &mut outcome {
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
            quietly(self.engine.take());
        }
        outcome
    }
}
