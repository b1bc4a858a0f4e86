//! Simulated machine: the same units, fibers and programs in virtual time, in the calling thread.
//!
//! This is a discrete-event simulation in the style of `SEMi`, the simulator of EARTH. Programs run and
//! compute their real results. A [`Profile`] gives the costs of operations, messages and
//! [work](crate::Eu::work). Virtual time is a whole number of processor cycles. Events are ordered by time,
//! node, kind and sequence. Equal seeds give identical runs, event by event.
//!
//! [`Machine::simulated`](crate::Machine::simulated) makes a machine from a [`Profile`]. Profiles are built
//! in, read from a TOML file, or changed field by field. A [`Kernel`] names code that has a cost of its own
//! there.
//!
//! The simulated units are a model of their own, in which a DUAL node's synchronization unit has the tokens,
//! as in EARTH. [`Faults`] delay messages and slow nodes down.
//!
//! With a [`Schedule`] other than [`Time`](Schedule::Time) the machine is a
//! [stepper](crate::Machine::stepper): the units of real cores act in random order. Runs of both kinds can be
//! kept as a [`Recording`], replayed, and simplified by [`shrink`](shrink()).

mod carrier;
mod clock;
mod events;
mod handshakes;
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
pub use crate::probe::costs::fiber_times::{FiberTimes, MeanTime};
pub use crate::probe::costs::{Kernel, Operations};
pub use profile::{NetworkKind, NetworkProfile, Profile, ProfileError, Routing, TorusProfile, WorkProfile};
pub use timeline::Timeline;
pub use torus::{Delivery, MOST_DIMENSIONS, Torus};

use super::settings::{Config, Settings};
use super::stepped::{Engine, Simulation};
use crate::node::merged::Merged;
use sides::DualUnits;
use world::World;

/// Builds the nodes of a simulated machine, and the network between them.
pub(super) fn build(settings: &Settings, simulation: &Simulation) -> Box<dyn Engine> {
    match settings.config {
        Config::Spn => Box::new(World::<Merged>::build(settings, simulation)),
        Config::Dual => Box::new(World::<DualUnits>::build(settings, simulation)),
    }
}
