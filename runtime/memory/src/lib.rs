//! Memory of the earth runtime: values in line, frames, blocks of data.
//!
//! Everything here is a handle that owns what it names: a [`Parcel`] one small value of any type,
//! [`Frames`](frames::Frames) all frames of a node with their values and states, a [`Block`] a rectangle of plain data,
//! [`Published`] the same once frozen. Memory of the caller's becomes a block by [`lend()`],
//! or by [`lend_for_reading()`] if it is only read.
#![deny(unsafe_op_in_unsafe_fn)]

// Its macro is for the modules below. The package `tests/bugs/memory` compiles this crate with a macro of its own.
#[macro_use]
#[cfg_attr(seeded, path = "../../../tests/bugs/src/switch.rs")]
mod seeded;

mod block;
mod erased;
pub mod frames;
mod image;
mod kind;
mod lend;
mod limits;
mod no_memory;
mod pages;
mod parcel;
mod prefetch;
mod published;
mod storage;

pub use block::{Block, ShapeError, join_all_cols, join_all_rows};
pub use image::all_kinds;
pub use kind::{HooksOf, Kind, KindOf, PARCEL_BYTES};
pub use lend::{LendError, lend, lend_for_reading, lend_rows, lend_rows_for_reading};
pub use limits::Limits;
pub use no_memory::{
    NoMemory, SPARE, can_have, heap_of_thread, push, push_back, share_one_heap, try_collected, try_filled,
    try_grow, try_reserve, try_room, try_zeroed,
};
pub use pages::in_large_pages;
pub use parcel::Parcel;
pub use prefetch::prefetch;
pub use published::Published;
#[cfg(seeded)]
pub use seeded::{BUGS, Bug, Seed, awake, is_awake, stay_awake, with};
pub use storage::Element;
