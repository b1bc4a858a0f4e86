//! Floor 2: the frames of a node, as its units see them: counted slots, inlets, write-once cells, states.
//!
//! Where frames lie and how signals are counted is [`earth_memory::frames`]'s; here is what units add: cells, values that are
//! parked, names for reports, numbers. Everything is owned by one unit and touched by no other thread: a signal is a plain
//! decrement (rules 2 to 5 of ARCHITECTURE.md).

mod cells;
mod entry;
mod list;
mod parking;
mod report;
mod round;
mod store;

pub(crate) use entry::{Extras, Parked, Ready};
pub(crate) use list::{Queue, Slab};
pub(crate) use store::FrameStore;
