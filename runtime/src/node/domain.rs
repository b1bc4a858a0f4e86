//! Isolated calls: the words in which units speak of them. This head describes the whole design.
//!
//! An *isolated call* is a call whose failure becomes its answer. The call, and everything that it starts, is
//! a [`Domain`]. A *call* of a domain travels as an [`IsolatedCall`](super::isolated_call), as traced calls
//! do; a frame that such a call makes is registered where it lives; the fibers of a registered frame act for
//! its domain. No call, frame or event of other code names a domain.
//!
//! # Steps
//!
//! 1. `Eu::isolated` makes a [gate](super::frame::Gate) on its own node, the domain's *home*. The gate is an
//!    address without a frame: a frame number that no store gives. The call gets it as its reply.
//! 2. The unit that starts a call of a domain, or runs a fiber of a registered frame, runs that fiber alone,
//!    catches its unwinding, and marks the calls and events that it sends ([`eu/isolated.rs`](super::eu)).
//! 3. Each node counts what is *pending* of a domain there: waiting and running calls that were made there,
//!    frames, and events that it sent and that are not applied yet ([`su/domains.rs`](super::su)). The
//!    counts form a tree (Dijkstra and Scholten). A node that gets its first call or event of a domain
//!    becomes a child of the sender, and reports to it when its own count reaches zero. Others are reported
//!    at once.
//!    So the count at home reaches zero when no call, frame or event of the domain is left.
//! 4. Then the domain has *ended*, and the gate answers: with the value that was put to it, or with an error.
//! 5. A fiber that fails ends its domain's frames on its own node, and reports the error home. Home keeps the
//!    first error and sends [`Dead`](DomainNote::Dead) to all nodes, which drop the frames of the domain.
//!    Calls of a dead domain are dropped when a unit would start them. After the domain has ended, home sends
//!    [`Forget`](DomainNote::Forget): no call of it is left that a node would have to recognize.
//!
//! An answer after the end, instead of at the first value, has three effects. There is one answer, even if a
//! fiber fails after the value was put. A call that ends without a value is known. Memory that was lent to
//! the call is free when the answer arrives.
//!
//! # Races
//!
//! * *A message to a dropped frame.* A store remembers the highest generation of each frame number that was
//!   dropped in this way ([`frame/discard.rs`](super::frame)). A message for this frame, or for an earlier
//!   one of the number, is dropped without an error. The marks take memory by frame numbers, not by calls.
//! * *An error report and the end.* A report counts as pending where it was sent, until home has it. So a
//!   domain cannot end before its error is known.
//! * *`Dead` and `Forget`* go the same way, which keeps their order. A node may get both after the end.
//! * *A frame that is not made yet.* A first fiber may have given out the address of its frame. If it fails,
//!   the frame is made and dropped, so that no other frame gets this identity.
//! * *DUAL.* The EU knows which frames belong to a domain, and its SU counts what is pending. All that the EU
//!   says goes through the ring of its operations, in their order. `Dead` goes from the SU to the EU, which
//!   drops its frames and tells the SU which. Fibers that the SU hands over meanwhile find no frame.
//! * *A poll.* A fiber that polls may receive `Dead` of its own domain. It unwinds at the end of the poll.
//! * *Nesting.* A gate counts as pending in the domain of the fiber that opened it. When that domain dies,
//!   home declares the inner one dead.
//!
//! # Cost
//!
//! A run without isolated calls tests one word where a fiber invokes a function or leaves the common path,
//! and one flag for each turn of a unit. A call of a domain takes an allocation, two look-ups and, if another
//! node starts it, one message more. An event to another node takes the same. A failure takes two messages to
//! each node. While frames of a domain live on a node, its fibers run one at a time, as on a traced machine.
//!
//! # Alternatives
//!
//! *A weight in each call* (weighted reference counts) saves the reports to senders, but weights run out.
//! *A gate that is a frame* needs two fibers for each answer, and an order between them in DUAL.

use crate::vocabulary::address::{EntryRef, FrameId, FrameRef};
use crate::vocabulary::answers;
use crate::vocabulary::error::Error;
use crate::vocabulary::isolated::IsolatedError;
use crate::vocabulary::origin::Origin;
use crate::vocabulary::value::{ReadValue, Value};
use crate::vocabulary::wire::Wire;

/// An isolated call with everything that it started, by the address of its gate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Wire)]
pub(crate) struct Domain(FrameRef);

/// The frame numbers of gates: the reserved numbers below the number of answers to threads outside of the
/// run.
const FIRST_GATE: u32 = FrameId::FIRST_RESERVED;
const GATES: u64 = (answers::ANSWER - FIRST_GATE) as u64;

/// Whether an address is one of a gate.
#[inline]
pub(crate) fn is_gate(id: FrameId) -> bool {
    (FIRST_GATE..answers::ANSWER).contains(&id.number())
}

impl Domain {
    /// Returns the domain with this number of node `home`. Its gate has a frame number that no store gives,
    /// and its own generation.
    pub(crate) fn new(home: u32, number: u64) -> Self {
        let generation = u32::try_from(2 * (number / GATES) + 1).ok();
        let id = generation.and_then(|odd| FrameId::new(FIRST_GATE + (number % GATES) as u32, odd));
        Domain(FrameRef { node: home, id: id.expect("a run has fewer than 2^41 isolated calls a node") })
    }

    pub(crate) fn home(self) -> u32 {
        self.0.node
    }

    pub(crate) fn gate(self) -> FrameId {
        self.0.id
    }

    /// Returns the address at which the gate takes its value.
    pub(crate) fn entry(self) -> EntryRef {
        EntryRef::new(self.0, 0)
    }
}

/// The mark of a call or an event of a domain, which counts as pending at node `from`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Wire)]
pub(crate) struct Mark {
    pub(crate) domain: Domain,
    pub(crate) from: u32,
}

/// How a gate reads its value from bytes, and makes its answer.
#[derive(Debug)]
pub(crate) struct GateHooks {
    pub(crate) unpack: ReadValue,
    pub(crate) answer: fn(Result<Value, IsolatedError>) -> Value,
}

/// A new gate.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(crate) domain: Domain,
    /// The domain of the fiber that opens the gate.
    pub(crate) outer: Option<Domain>,
    /// The inlet for the answer.
    pub(crate) out: EntryRef,
    /// The fiber that opens the gate.
    pub(crate) origin: Origin,
    pub(crate) hooks: &'static GateHooks,
}

/// A message about a domain.
#[derive(Debug)]
pub(crate) enum DomainNote {
    // These go from an execution unit to the unit that owns the slots of its node.
    /// The next operations are of this domain, or of none.
    Sender(Option<Domain>),
    Open(Box<Opening>),
    /// A fiber made a call.
    Made(Domain),
    /// A unit starts a call that another node made.
    Started(Mark),
    /// A call ended without a frame, or a frame ended.
    Done(Domain),
    /// An execution unit dropped these frames of the domain, and releases this number of pending things. It
    /// has the error, if a fiber failed here.
    Dropped {
        domain: Domain,
        frames: Vec<FrameId>,
        pending: u64,
        error: Option<Box<Error>>,
    },

    // These go from node to node.
    /// A call or an event that this node sent is settled: it is counted elsewhere, or done.
    Settled(Domain),
    /// A fiber failed.
    Failed {
        mark: Mark,
        error: Box<Error>,
    },
    /// The domain has failed.
    Dead(Domain),
    /// The failed domain has ended.
    Forget(Domain),
}

/// An order of a synchronization unit to the execution unit of its node (DUAL).
#[derive(Clone, Copy, Debug)]
pub(crate) enum DomainOrder {
    Kill(Domain),
    Forget(Domain),
}

#[cfg(test)]
mod tests {
    use earth_signal::PlaceId;

    use super::*;

    /// Three kinds of addresses have no frame: of the run's result, of answers, and of gates.
    #[test]
    fn addresses_without_a_frame_are_of_one_kind_each() {
        let answer = answers::address(PlaceId { number: 7, generation: 9 }, 3);
        assert!(!is_gate(answer.id()) && !is_gate(FrameId::ROOT));
        for number in [0, 1, GATES - 1, GATES, 5 * GATES + 3] {
            let gate = Domain::new(3, number).entry();
            assert!(is_gate(gate.id()) && answers::place(gate).is_none() && gate.id() != FrameId::ROOT);
        }
    }
}
