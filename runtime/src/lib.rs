//! An EARTH-style runtime: fine-grained dataflow multithreading.
//!
//! EARTH (Efficient Architecture for Running `THreads`: Hum, Theobald, Gao, Maquelin and others) divides a
//! program into *threaded functions*, and these into *fibers*: pieces of code that run to their end without
//! waiting for anything. A fiber is enabled when a counted *slot* of its function's frame has received all
//! its signals. What might take long (a remote load, a block transfer, a call) is *split-phase*: one fiber
//! starts it, its completion signals the slot of another.
//!
//! Each node has an *execution unit* (EU), which runs fibers, and a *synchronization unit* (SU), which
//! counts signals, stores arriving values and balances work. They share a thread ([`Config::Spn`]) or have
//! one each ([`Config::Dual`]).
//!
//! ```
//! use earth::{threaded_old, Config, Machine, Reply, Then};
//!
//! threaded_old! {
//!     /// The n-th Fibonacci number, two tokens a call.
//!     fn Fib(n: u64, out: Reply<u64>)
//!     inlets { left: u64, right: u64 }
//!     slots  { done: 2 => add }
//!     fiber start(this, eu) {
//!         if this.n < 2 { eu.put(this.out, this.n); return Then::End; }
//!         eu.token_old::<Fib>((this.n - 1, eu.reply_to(Self::left, Self::done)));
//!         eu.token_old::<Fib>((this.n - 2, eu.reply_to(Self::right, Self::done)));
//!         Then::Wait
//!     }
//!     fiber add(this, eu) {
//!         let sum = eu.take(Self::left) + eu.take(Self::right);
//!         eu.put(this.out, sum);
//!         Then::End
//!     }
//! }
//!
//! let run = Machine::threads(2).config(Config::Spn).run_old::<Fib>(20)?;
//! assert_eq!(run.value, 6765);
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! | Threaded-C | here |
//! |---|---|
//! | `THREADED` function, `END_FUNCTION` | [`threaded!`], [`Then::End`] |
//! | `THREAD_n`, `END_THREAD` | `fiber`, [`Then::Wait`] |
//! | `INIT_SYNC(slot, count, reset, fiber)` | `slots { slot: count, reset again => fiber }` |
//! | `SYNC`, `RSYNC`, `INCR_SYNC`, `SPAWN` | [`Eu::sync`], [`Eu::rsync`], [`Eu::incr`], [`Eu::spawn`] |
//! | `DATA_SYNC`, `DATA_RSYNC` | [`Eu::put`] to a [`Reply`], [`Eu::take`] |
//! | `GET_SYNC` | [`Eu::get`] of a [`CellRef`] |
//! | `BLKMOV_SYNC` | [`Eu::put_block`], [`Eu::get_block`] |
//! | `INVOKE`, `TOKEN` | [`Eu::invoke`], [`Eu::token`] |
//!
//! What many functions do together (a function on every node, broadcast, reduction, barrier, all to all) is
//! in [`collective`], written with these operations alone.
//!
//! # Where this departs from EARTH
//!
//! Arriving data never lands in the variables of a frame: it lands in an inlet, which the enabled fiber
//! empties, and a value that comes early is parked with its signal. What one node sends another arrives in the order
//! in which it was sent, on every machine, however full its queues are. So a producer may run ahead, and no two
//! parties ever touch the same memory. Nothing orders what several nodes send but slots.
//!
//! Every enabled fiber, invoked function, token and arrived event gets its turn within a bound that the machine's
//! [`Policy`] states, the same in SPN and DUAL.
#![forbid(unsafe_code)]

// What `derive` writes names this crate as programs do.
extern crate self as earth;

pub mod collective;
mod counters;
mod dsl;
mod error;
mod frame;
mod machine;
mod program;
mod trace;
mod unit;
mod vocabulary;

pub use counters::Counters;
pub use earth_macros::threaded;
pub use earth_memory::{Block, Element, Published, ShapeError, join_all_cols, join_all_rows, lend};
pub use error::{EntryName, Error, FiberName, Stuck, StuckFrame, StuckSlot, UnfinishedRound};
pub use machine::simulated::{
    Faults, NetworkKind, NetworkProfile, Operations, Profile, ProfileError, Recording, RecordingError,
    Schedule, WorkProfile, shrink,
};
pub use machine::{CancelToken, Config, Machine, Stall};
pub use program::{Main, Run};
pub use trace::{
    Arrow, ArrowKind, CriticalPath, Depth, OnPath, Queue, Service, Slice, Trace, TraceClock, TraceName,
};
pub use unit::compute::Operands;
pub use unit::ending::Start;
pub use unit::eu::{Any, Eu};
pub use unit::function::{Call, Threaded};
pub use unit::meter::{Kernel, Work};
pub use vocabulary::address::{CellRef, CellRefs, NodeId, Replies, Reply, SlotRef, SlotRefs};
pub use vocabulary::name::Then;
pub use vocabulary::place::{Cell, Cells, Counted, CountedAll, Direct, Inlet, Inlets, Spawned, Which};
pub use vocabulary::policy::{FiberOrder, Policy, PolicyError, StealOrder, TokenOrder};
pub use vocabulary::shared::Shared;
pub use vocabulary::wire::{Packer, Undecodable, Unpacker, Wire};

#[doc(hidden)]
pub use unit::expansion;

/// What [`threaded!`] refers to.
#[doc(hidden)]
pub mod untyped {
    pub use crate::vocabulary::layout::{Sizes, count, literal, varies};
    pub use crate::vocabulary::name::{Cell, CellArray, Fiber, Inlet, InletArray, Slot, SlotArray};
}

/// The README's program.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;
