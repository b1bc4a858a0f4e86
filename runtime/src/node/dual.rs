//! DUAL: the two units of a node in two threads, and their messages.
//!
//! Slots, inlets, cells and parked values belong to the synchronization unit (SU). States of frames, the run
//! queue and tokens belong to the execution unit (EU). The units share no frame: each has a store of its own,
//! whose frames have the same identities, and one owner decrements each count. The units communicate by two
//! [rings of messages](earth_signal::message_ring()), one in each direction:
//!
//! ```text
//!            begin, end of a frame; signal, value, read, raise, spawn, invoke  (to_su.rs)
//!   EU  ----------------------------------------------------------------------->  SU  <--> other nodes
//!       <-----------------------------------------------------------------------
//!            a fiber with its values; a function to start; a token  (to_eu.rs)
//! ```
//!
//! * *Order.* All operations of a node's fibers go through one ring, and leave the node from the SU. So a
//!   raise precedes any work that the fiber starts after it. A message that finds no room is kept in a list
//!   of its sender, with all later messages behind it. Neither unit waits for room.
//! * *Values.* A fiber is handed over with its values in one message. They enter the same inlets of the EU's
//!   frame, and the fiber takes them there as in SPN. If values of an earlier round still wait there, values
//!   of the next one wait in a list.
//! * *Short messages.* An operation on the own node is sent without the node number, and names the fiber by
//!   its enabler. The fiber's function is sent only when it changes. The rest of an
//!   [`Origin`](crate::vocabulary::origin::Origin) is computed if an error must name it.
//! * *When the SU sees messages.* The EU shows its operations when a cell of the ring is full, after [`LATE`]
//!   fibers, and before it rests: at once if it has no other work.
//! * *When the EU sees messages.* While the EU keeps sending operations, the SU shows it only full cells. The
//!   SU shows all messages when it finds no more operations, or after a batch. The EU looks for messages
//!   after at most [`LATE`] fibers, or when it has no other work.
//! * *Wake-ups.* A unit that has more work *nudges* the other one, at the cost of a load. It wakes the other
//!   one reliably before it rests, or when an operation is for another node.
//! * *Tokens* belong to the EU. It starts its newest or oldest next, as the policy says. It shares its oldest
//!   at the shared end of the node, as an SPN node does, even while a fiber runs. An EU without work reports
//!   this, and the SU gives it a token of another node.
//! * *Causality of tokens.* A token may carry the address of a frame that the SU does not know yet. So the EU
//!   publishes and [marks](earth_signal::MessageSender::mark) its operations before it shares a token. The SU
//!   applies all marked operations before it applies an event of another node.
//! * *Rest.* An idle SU sleeps, as every worker does, however long the EU's fiber runs. Every sender of a
//!   message to it wakes it.
//!
//! A machine in virtual time charges for each operation and has its own units: `EuSide` and `SuSide` in
//! `machine/simulated/`.

mod execution;
mod hands;
mod synchronization;
mod to_eu;
mod to_su;

pub(crate) use execution::Executor;
pub(crate) use synchronization::Synchronizer;
pub(crate) use to_eu::ToEu;
pub(crate) use to_su::ToSu;

/// The most fibers that an execution unit runs before it shows their operations.
const LATE: u32 = 8;

/// Two numbers in one word of a message. The receiver copies a word of a cell with one load, soon after it
/// was written, so one store must write it. A load of two stores' data would wait until both have left the
/// store buffer.
#[derive(Clone, Copy)]
struct Pair(u64);

impl Pair {
    #[inline(always)]
    fn new(first: u32, second: u32) -> Self {
        Pair(u64::from(second) << 32 | u64::from(first))
    }

    #[inline(always)]
    fn first(self) -> u32 {
        self.0 as u32
    }

    #[inline(always)]
    fn second(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

/// How much of the sent messages the other unit knows.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Visibility {
    /// It was shown all messages, and is awake.
    Awake,
    /// It was shown all messages, and may be asleep.
    Published,
    /// It was not shown all messages.
    Unpublished,
}
