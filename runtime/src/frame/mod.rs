//! Floor 2: frames as a synchronization unit sees them: counted slots, inlets, write-once cells, generations.
//!
//! Everything here is owned by one synchronization unit and touched by no other thread: a signal is a plain decrement
//! (rules 2 to 5 of ARCHITECTURE.md).

mod entry;
mod list;
mod one;
mod past;
mod report;
mod round;
mod store;
mod witness;

pub(crate) use entry::Tag;
pub(crate) use list::{Queue, Slab};
pub(crate) use one::BETWEEN;
pub(crate) use store::{FrameStore, Misuse, Reading, Ready};
pub(crate) use witness::{ParkingWitness, Witness};
