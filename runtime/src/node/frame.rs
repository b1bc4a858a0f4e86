//! Floor 2: the frames of a node, as its units see them: counted slots, inlets, write-once cells, states.
//!
//! [`earth_memory::frames`] stores frames and counts signals. This module adds the parts that units need:
//! cells, parked values, names for reports, and counters. One unit owns each frame store and no other thread
//! touches it, so a signal is a plain decrement (rules 2 to 5 of ARCHITECTURE.md).

mod cells;
mod discard;
mod entry;
mod gate;
mod list;
mod parking;
mod report;
mod round;
mod store;

pub(crate) use entry::{Extras, Parked, Ready};
pub(crate) use gate::{Gate, GateOf};
pub(crate) use list::{EntryList, Slab};
pub(crate) use store::FrameStore;
