//! Memory of the earth runtime: values stored in line, frames, and blocks of data.
//!
//! Each type here is a handle that owns its data:
//!
//! * [`Parcel`]: one small value of any type.
//! * [`Frames`](frames::Frames): all frames of a node, with their values and states.
//! * [`Block`]: a rectangle of plain data.
//! * [`Published`]: a block that is frozen and shared for reading.
//! * [`Bulk`], [`Landed`]: a block that leaves for another process, and memory for one that arrives.
//!
//! [`lend()`] makes a block of memory that the caller owns. [`lend_for_reading()`] makes one that is only
//! read.
#![deny(unsafe_op_in_unsafe_fn)]

// The modules below use its macro. The package `tests/bugs/memory` compiles this crate with a macro of its
// own.
#[macro_use]
#[cfg_attr(seeded, path = "../../../tests/bugs/src/switch.rs")]
mod seeded;

mod block;
mod buffer;
mod bulk;
mod erased;
pub mod frames;
mod image;
mod kind;
mod lend;
mod limits;
mod no_memory;
mod pages;
mod parcel;
mod pool;
mod prefetch;
mod published;
mod storage;
mod streaming;

pub use block::{Block, ShapeError, join_all_cols, join_all_rows};
pub use bulk::Bulk;
pub use image::all_kinds;
pub use kind::{HooksOf, Kind, KindOf, PARCEL_BYTES};
pub use lend::{LendError, lend, lend_for_reading, lend_rows, lend_rows_for_reading};
pub use limits::Limits;
pub use no_memory::{
    NoMemory, SPARE, check_available, heap_of_thread, push, push_back, share_one_heap, try_collected,
    try_filled, try_grow, try_reserve, try_room, try_zeroed,
};
pub use pages::in_large_pages;
pub use parcel::Parcel;
pub use pool::{Landed, Pool};
pub use prefetch::prefetch;
pub use published::Published;
#[cfg(seeded)]
pub use seeded::{BUGS, Bug, Seed, awake, is_awake, stay_awake, with};
pub use storage::Element;
pub use streaming::copy_streaming;
