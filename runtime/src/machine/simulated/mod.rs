//! The simulated machine: the same units, fibers and programs in virtual time, in the calling thread.
//!
//! A discrete-event simulation in the manner of `SEMi`, the simulator of EARTH: programs run and give their real
//! results; what takes time is what a [`Profile`] says operations, messages and [work](crate::Eu::work) cost.
//! Virtual time is whole cycles of the processor, events are ordered by time, node, kind and sequence, and
//! one seed gives one run, to the last event.
//!
//! [`Machine::simulated`](crate::Machine::simulated) makes a machine of a [`Profile`], which is built in, read from a
//! TOML file, or changed field by field. Some code has a cost of its own there, under the name of a [`Kernel`].
//!
//! Its units are a model of their own, in which a DUAL node's tokens are at its synchronization unit, as in EARTH.
//! [`Faults`] delay messages and slow nodes down.
//!
//! With a [`Schedule`] other than [`Time`](Schedule::Time) the machine is a [stepper](crate::Machine::stepper): the units of
//! real cores act in random order. Runs of both may be kept as a [`Recording`], replayed, and made simpler by
//! [`shrink`](shrink()).

mod clock;
mod event_costs;
mod event_slab;
mod fifo;
mod lanes;
mod merged;
mod message;
pub(super) mod metered;
mod network;
mod node;
mod node_set;
mod port;
mod profile;
mod separate;
mod stealing;
mod steps;
mod timeline;
mod torus;
pub(super) mod units;
mod world;

pub use super::schedule::{Recording, RecordingError, Schedule, shrink};
pub use crate::probe::costs::Kernel;
pub use profile::{NetworkKind, NetworkProfile, Operations, Profile, ProfileError, WorkProfile};
pub use torus::{Delivery, MOST_DIMENSIONS, Routing, Torus, TorusProfile};

use std::sync::Arc;

use world::World;

use super::Program;
use super::schedule::{Chooser, Limits};
use super::settings::{Config, Settings};
use super::stall::StallMonitor;
use super::unit_set::{self, inside, quietly};
use crate::probe::costs::END_OF_TIME;
use crate::probe::records::{Clock, Records};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::Error;
use crate::vocabulary::value::Value;

/// Faults of a simulated machine, drawn from its seed. They change the times of a run, and no program may notice them
/// otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Faults {
    /// Each message is delayed by up to so many cycles more, so that messages of different senders, or to
    /// different receivers, overtake each other.
    pub delay: u64,
    /// Each node is up to so many times as slow: 0 and 1 are no fault.
    pub slowness: u32,
}

/// The settings that only a simulated machine has.
#[derive(Clone, Debug)]
pub(super) struct Simulation {
    pub(super) profile: Profile,
    pub(super) schedule: Schedule,
    pub(super) faults: Faults,
    /// Whether runs are recorded.
    pub(super) record: bool,
    /// How many steps a run may take.
    pub(super) most_steps: u64,
}

impl Simulation {
    /// The greatest slowness of a node, and the most changes of a schedule, which are drawn before the run.
    const MOST: u32 = 1 << 20;

    /// Whether a machine of this many nodes can be simulated like this.
    pub(super) fn check(&self, nodes: usize) -> Result<(), Error> {
        let profile = self.profile.check().and_then(|()| self.profile.check_nodes(nodes));
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

/// A simulated machine.
pub(super) struct Simulated {
    settings: Settings,
    simulation: Simulation,
    world: Option<World>,
    /// The choices of the last run, if it was recorded.
    pub(super) recording: Option<Recording>,
    /// What was written down of the last run, if it was traced and has failed.
    pub(super) failed: Option<Records>,
}

/// The outcome of a run.
pub(super) struct Outcome {
    pub(super) value: Option<Value>,
    pub(super) by_node: Vec<Counters>,
    pub(super) cycles: u64,
}

impl Simulated {
    pub(super) fn build(settings: &Settings, simulation: &Simulation) -> Self {
        Simulated {
            settings: settings.clone(),
            simulation: simulation.clone(),
            world: None,
            recording: None,
            failed: None,
        }
    }

    /// What was written down of the last run, whose units are here, if it was traced.
    pub(super) fn records(&mut self) -> Option<Records> {
        self.settings.trace?;
        let mhz = self.simulation.profile.clock_mhz;
        Some(unit_set::records(Clock::Virtual { mhz }, [&mut self.world.as_mut()?.units]))
    }

    pub(super) fn run(&mut self, program: Program<'_>) -> Result<Outcome, Error> {
        self.failed = None;
        let Simulated { settings, simulation, world, recording, .. } = self;
        let Program { first, decoding, began, .. } = program;
        let cancel = settings.cancel.clone();
        let ready = world.get_or_insert_with(|| World::build(settings, simulation));
        let mut chooser = Chooser::new(&simulation.schedule, settings.seed, ready.lanes(), simulation.record);
        ready.units.begin(&decoding, began);
        let watch = |monitor: &StallMonitor| monitor.watch(ready.units.activities().collect());
        let watch = settings.stall_monitor.as_ref().map(watch).transpose()?;
        let start = |(node, call)| ready.units.start(node, call).map(drop);
        let started = first.into_iter().try_for_each(start);
        ready.begin(settings.seed);
        let verdict = Arc::clone(&ready.verdict);
        verdict.reset();
        let limits = Limits::new(&verdict, cancel.as_ref(), simulation.most_steps);
        let mut choices = Vec::new();
        let record = |choice| {
            if simulation.record {
                choices.push(choice);
            }
        };
        let run = |()| ready.run(&mut chooser, record, limits);
        let outcome = inside(|| started.and_then(run));
        drop(watch);
        *recording = simulation.record.then(|| Recording::new(true, choices));
        let outcome = outcome.unwrap_or_else(|payload| {
            let panicked = ready.units.explain(payload);
            Err(verdict.take_error().unwrap_or(panicked))
        });
        let outcome = outcome.map_err(|error| *error);
        let outcome =
            outcome.and_then(|()| super::settle(settings.nodes, std::slice::from_mut(&mut ready.units)));
        let cycles = ready.elapsed();
        let outcome =
            outcome.and_then(|value| if cycles < END_OF_TIME { Ok(value) } else { Err(Error::TooLong) });
        match outcome {
            Ok((Some(value), mut by_node)) => {
                let time = |cycles| simulation.profile.time(cycles);
                for (counters, node) in by_node.iter_mut().zip(&ready.nodes) {
                    counters.eu_busy = time(node.processor.busy);
                    counters.eu_idle = time(cycles).saturating_sub(counters.eu_busy);
                    if settings.config == Config::Dual {
                        counters.su_busy = time(node.su_clock.busy);
                        counters.su_idle = time(cycles).saturating_sub(counters.su_busy);
                    }
                }
                Ok(Outcome { value: Some(value), by_node, cycles })
            }
            other => {
                self.failed = self.records();
                quietly(self.world.take());
                other.map(|(value, by_node)| Outcome { value, by_node, cycles })
            }
        }
    }
}
