//! DUAL: the two units of a node in two threads, and what they tell each other.
//!
//! Slots, inlets, cells and parked values belong to the synchronization unit (SU); states of frames, the run queue and tokens
//! belong to the execution unit (EU). Nothing of a frame is shared: each unit has a store of its own, whose frames have the
//! same identities, and one owner decrements each count. What one unit wants of the other it tells by a
//! [ring of messages](earth_signal::message_ring()), one in each direction:
//!
//! ```text
//!            a frame begins, ends; signal, value, question, raise, spawn, invoke  (to_su.rs)
//!   EU  ------------------------------------------------------------------------------------>  SU  <---> other nodes
//!       <------------------------------------------------------------------------------------
//!            a fiber that may run, with its values; a function to start; a token  (to_eu.rs)
//! ```
//!
//! * *Order.* All that the fibers of a node ask for goes through one ring, and leaves the node from the SU: so a raise comes
//!   before whatever a fiber starts after it. What finds no room is kept in a list of its sender, all later messages behind
//!   it, and nobody waits.
//! * *Values.* A fiber is handed over with its values in one message. They come into the same inlets of the EU's frame, and
//!   the fiber takes them there as in SPN. If a round of them waits there still, those of the next one wait in a list.
//! * *Short messages.* What a fiber asks for on its own node goes without the number of the node, and names the fiber by what
//!   enabled it; its function is told when another one asks. The rest of an
//!   [`Origin`](crate::vocabulary::origin::Origin) is worked out if an error has to name it.
//! * *When messages are seen.* The EU shows the SU what it asked for when a cell of the ring is full, after [`LATE`] fibers, and
//!   before it rests: at once if it has nothing else to run. As long as the EU goes on asking, the SU
//!   shows it full cells alone; when it finds nothing more, or after a batch, all that it hands over. The EU looks at that
//!   before it runs as many fibers as those, or when it has nothing else to run. A unit that has more to do *nudges* the other
//!   one, at the cost of a load, and wakes it for certain before it rests, or when something is for another node.
//! * *Tokens* are the EU's. It starts its newest or oldest next, as the policy says, and shares its oldest by the shared end of
//!   the node, as an SPN node does: while a fiber runs, too. An EU that has nothing to run says so, and the SU gives it a
//!   token of another node.
//! * *What a token brings back.* A token may carry the address of a frame that the SU has yet to hear of. So the EU publishes and
//!   [marks](earth_signal::MessageSender::mark) what it asked for before it shares a token. The SU applies all that is marked
//!   before it applies an event of another node.
//! * *Rest.* An SU that finds nothing to do sleeps, as every worker does, however long the EU's fiber runs: whoever sends it
//!   something wakes it.
//!
//! A machine in virtual time, which charges for each operation, has units of its own: `EuSide` and `SuSide` in
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

/// After how many fibers an execution unit shows what they asked for, at the latest.
const LATE: u32 = 8;

/// Two numbers in one word of a message. A word of a cell is copied as one soon after it was written, so it is written as one:
/// a load of what two stores wrote waits until both have left the store buffer.
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

/// What the other unit knows of what was sent to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum News {
    /// It was shown all, and is awake.
    Told,
    /// It was shown all, and may sleep over it.
    Shown,
    /// It was not shown all.
    Sent,
}
