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
mod events;
mod lanes;
mod merged;
mod message;
mod network;
mod node;
mod port;
mod profile;
mod separate;
mod sides;
mod stealing;
mod steps;
mod timeline;
mod torus;
mod world;

pub use super::schedule::{Recording, RecordingError, Schedule, shrink};
pub use super::stepped::Faults;
pub use crate::probe::costs::{Kernel, Operations};
pub use profile::{NetworkKind, NetworkProfile, Profile, ProfileError, Routing, TorusProfile, WorkProfile};
pub use timeline::Timeline;
pub use torus::{Delivery, MOST_DIMENSIONS, Torus};

use super::settings::{Config, Settings};
use super::stepped::{Engine, Simulation};
use crate::node::merged::Merged;
use sides::Sides;
use world::World;

/// The nodes of a simulated machine, and the network between them.
pub(super) fn build(settings: &Settings, simulation: &Simulation) -> Box<dyn Engine> {
    match settings.config {
        Config::Spn => Box::new(World::<Merged>::build(settings, simulation)),
        Config::Dual => Box::new(World::<Sides>::build(settings, simulation)),
    }
}
