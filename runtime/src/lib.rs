//! An EARTH-style runtime: fine-grained dataflow multithreading.
//!
//! EARTH (Efficient Architecture for Running `THreads`: Hum, Theobald, Gao, Maquelin and others) divides a
//! program into *threaded functions*, and these into *fibers*: pieces of code that run to completion without
//! waiting. A fiber is enabled when a counted *slot* of its function's frame has received all its signals. An
//! operation that may take long (a remote load, a block transfer, a call) is *split-phase*: one fiber starts
//! it, and its completion signals the slot of another fiber.
//!
//! Each node has an *execution unit* (EU), which runs fibers, and a *synchronization unit* (SU), which counts
//! signals, stores arriving values and balances work. They share a thread ([`Config::Spn`]) or have one each
//! ([`Config::Dual`]).
//!
//! ```
//! use earth::{Config, Eu, Machine, Reply, Start, threaded};
//!
//! /// The frame's state.
//! struct Fib {
//!     out: Reply<u64>,
//! }
//!
//! #[threaded]
//! impl Fib {
//!     /// The n-th Fibonacci number, two tokens a call.
//!     fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Start<Self> {
//!         if n < 2 {
//!             eu.put(out, n);
//!             return Start::End;
//!         }
//!         eu.token(Fib::call(n - 1, eu.reply(Self::add().left)));
//!         eu.token(Fib::call(n - 2, eu.reply(Self::add().right)));
//!         Start::Wait(Fib { out })
//!     }
//!
//!     /// Enabled by a slot of two: the fiber has two inlets.
//!     #[slot]
//!     fn add(self, left: u64, right: u64, eu: &mut Eu<Self>) {
//!         eu.put(self.out, left + right);
//!     }
//! }
//!
//! let run = Machine::threads(2).config(Config::Spn).run(|out| Fib::call(20, out))?;
//! assert_eq!(run.value, 6765);
//! # Ok::<(), earth::Error>(())
//! ```
//!
//! | Threaded-C | here |
//! |---|---|
//! | `THREADED` function, its variables | [`#[threaded]`](macro@threaded) on an `impl`, the fields of its type |
//! | `THREAD_n` | a fiber: a function of the `impl` |
//! | `END_THREAD`, `END_FUNCTION` | a fiber that takes `&mut self`, one that takes `self`; or [`Then`], [`Start`] |
//! | `SLOT`, `INIT_SYNC(slot, count, reset, fiber)` | `#[slot]` above the fiber, counting its inlets; `syncs = e`; `again` |
//! | `SLOT_ADR`, global addresses | [`Eu::slot_ref`], [`Eu::reply`], [`Eu::cell_ref`] |
//! | `SYNC`, `RSYNC`, `INCR_SYNC`, `SPAWN` | [`Eu::sync`], [`Eu::rsync`], [`Eu::incr`], [`Eu::spawn`] |
//! | `DATA_SYNC`, `DATA_RSYNC` | [`Eu::put`] to a [`Reply`]: the value is a parameter of the fiber |
//! | `GET_SYNC` | [`Eu::get`] of a [`CellRef`] |
//! | `BLKMOV_SYNC` | [`Eu::put_block`], [`Eu::get_block`] |
//! | `INVOKE`, `TOKEN` | [`Eu::invoke`], [`Eu::token`] |
//! | `NODE_ID`, `NUM_NODES` | [`Eu::node`], [`Eu::nodes`] |
//!
//! Read [`#[threaded]`](macro@threaded) next: it lists all forms of functions, slots and inlets, and
//! describes the life of a frame.
//!
//! This level of the crate has what every program needs. The modules add:
//!
//! * [`patterns`]: ready-made program shapes, usable without writing fibers;
//! * [`collective`]: operations of many nodes together;
//! * [`records`]: recordings of a run;
//! * [`input`]: functions that other threads start during a run;
//! * [`isolated`]: answers of calls whose failure does not end the run;
//! * [`running`]: runs in their own threads, with deadlines and as futures;
//! * [`ranks`]: machines whose nodes are processes;
//! * [`policy`]: scheduling policies, networks and cost models of a program's own;
//! * [`simulated`]: the machine in virtual time, its costs and its schedules;
//! * [`explore`]: all schedules of a small program;
//! * [`place`]: the types of the names `Self::fiber()`.
//!
//! # How functions learn each other's addresses
//!
//! A function receives addresses; it looks up none. A caller passes the addresses of its own inlets as
//! arguments, so answers find their way back. For the other direction the started function puts addresses of
//! *its* inlets to such a reply, as a value. If neither of two functions started the other, they are
//! introduced in one of three ways:
//!
//! * By their parent. It starts them with [`collective::everywhere`], receives the addresses of all, and puts
//!   to each the addresses of its neighbours (as [`patterns::Neighbours`] does).
//! * In reverse order: each receiver starts its sender (example `smith_waterman`).
//! * By messages: an address may travel as a value. Each batch of a stream carries the slot to signal when
//!   the batch has been taken ([`patterns::Streams`]).
//!
//! Collective operations (a function on every node, broadcast, reduction, barrier, all to all) are in
//! [`collective`], written with these operations alone.
//!
//! # Where this departs from EARTH
//!
//! Arriving data is never stored in the variables of a frame. It is stored in an inlet: a parameter of the
//! fiber that its slot enables. A value that comes early is parked with its signal. Messages from one node to
//! another arrive in the order in which they were sent, on every machine, however full its queues are. So a
//! producer may run ahead, and no two parties ever touch the same memory. Messages of different senders are
//! ordered only by slots.
//!
//! Every enabled fiber, invoked function, token and arrived event gets its turn within a bound that the
//! machine's [`Policy`] states, identical in SPN and DUAL.
#![forbid(unsafe_code)]

// Code that `derive` generates names this crate as programs do.
extern crate self as earth;

// The modules below use its macro. The package `tests/bugs` compiles this crate with its own macro.
#[macro_use]
#[cfg_attr(seeded, path = "../../tests/bugs/src/upper.rs")]
mod seeded;

pub mod collective;
mod machine;
mod node;
pub mod patterns;
pub mod policy;
mod primitive;
mod probe;
mod program;
pub mod ranks;
mod transport;
mod vocabulary;

pub use earth_memory::frames::Arrived;
pub use earth_memory::{Block, Element, LendError, Published, ShapeError, join_all_cols, join_all_rows};
pub use machine::{Config, ConfigError, Stall, explore, input, running, simulated};
pub use node::eu::Eu;
pub use node::eu::compute::Operands;
pub use node::function::Call;
pub use probe::costs::Work;
pub use probe::records;
pub use program::Run;
pub use vocabulary::address::{CellRefs, NodeId, SlotRefs};
pub use vocabulary::counters::Counters;
pub use vocabulary::error::{EntryName, Error, FiberName, Stuck, StuckFrame, StuckSlot, UnfinishedRound};
pub use vocabulary::isolated;
pub use vocabulary::name::{Start, Then};
pub use vocabulary::place;
pub use vocabulary::policy::{FiberOrder, Policy, PolicyError, StealOrder, TokenOrder};
pub use vocabulary::shared::{Shared, SharedValues};
pub use vocabulary::wire::{Packer, Undecodable, Unpacker, Wire};

// The words by which users of other systems search. `rustdoc` takes them from the `pub use`, and ignores them
// above the item itself.
#[doc(alias = "THREADED")]
#[doc(alias = "THREAD_n")]
#[doc(alias = "END_THREAD")]
#[doc(alias = "END_FUNCTION")]
#[doc(alias = "SLOT")]
#[doc(alias = "INIT_SYNC")]
#[doc(alias = "select")]
#[doc(alias = "async")]
pub use earth_macros::threaded;
#[doc(alias = "scope")]
pub use earth_memory::lend;
#[doc(alias = "CancellationToken")]
#[doc(alias = "abort")]
pub use machine::CancelToken;
#[doc(alias = "executor")]
#[doc(alias = "runtime")]
#[doc(alias = "ThreadPool")]
#[doc(alias = "ThreadPoolBuilder")]
pub use machine::Machine;
#[doc(alias = "THREADED")]
pub use node::function::Threaded;
#[doc(alias = "future")]
#[doc(alias = "OnceCell")]
#[doc(alias = "IVar")]
pub use vocabulary::address::CellRef;
#[doc(alias = "JoinSet")]
#[doc(alias = "mpsc")]
pub use vocabulary::address::Replies;
#[doc(alias = "oneshot")]
#[doc(alias = "channel")]
#[doc(alias = "promise")]
#[doc(alias = "future")]
pub use vocabulary::address::Reply;
#[doc(alias = "Notify")]
#[doc(alias = "SLOT_ADR")]
pub use vocabulary::address::SlotRef;

#[doc(hidden)]
pub use node::function::expansion;

#[cfg(seeded)]
pub use seeded::{BUGS, Bug, Seed, awake, stay_awake, with};

/// The documentation of the macros, whose programs are doc tests.
#[cfg(doctest)]
mod macros {
    #[doc = include_str!("../macros/src/threaded.md")]
    struct Threaded;
    #[doc = include_str!("../macros/src/wire.md")]
    struct Wire;
}

/// The chapters of the guide, whose programs are doc tests.
#[cfg(doctest)]
mod guide {
    macro_rules! chapters {
        ($($name:ident: $file:literal),+ $(,)?) => {$(
            #[doc = include_str!(concat!("../../docs/guide/src/", $file))]
            struct $name;
        )+};
    }
    chapters! {
        First: "first.md",
        Patterns: "patterns.md",
        Fibers: "fibers.md",
        Order: "order.md",
        Rounds: "rounds.md",
        Blocks: "blocks.md",
        Nodes: "nodes.md",
        Configurations: "configurations.md",
        Seeing: "seeing.md",
        Stepper: "stepper.md",
        Exploring: "exploring.md",
        Simulated: "simulated.md",
        Policies: "policies.md",
        Outside: "outside.md",
        Ranks: "ranks.md",
        ComingFrom: "coming-from.md",
        Costs: "costs.md",
    }
}
