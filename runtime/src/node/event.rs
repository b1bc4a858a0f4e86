//! Messages between units. An event exists only when an operation leaves its thread: in SPN, local operations
//! are applied in line.

use crate::node::domain::{DomainNote, DomainOrder, Mark};
use crate::node::frame::Ready;
use crate::node::tokens::Token;
use crate::probe::recorder::FiberRef;
use crate::ranks::Arrival;
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::layout::Numbers;
use crate::vocabulary::origin::Origin;
use crate::vocabulary::value::Value;

/// An operation for the synchronization unit of some node. `C` is the type of calls, `L` the type of frame
/// layouts.
#[derive(Debug)]
pub(crate) enum Event<C, L> {
    /// A signal.
    Signal { to: EntryRef, origin: Origin },
    /// A value together with its signal.
    Put { to: EntryRef, value: Value, origin: Origin },
    /// A read of a cell; the answer is a `Put`.
    Get { from: EntryRef, to: EntryRef, origin: Origin },
    /// A value for a write-once cell.
    Write { at: EntryRef, value: Value, origin: Origin },
    /// A function to start on node `node`.
    Invoke { node: u32, call: C },
    /// A function to start on the node of a slot after some nanoseconds, unless the slot's frame has ended.
    After { slot: EntryRef, nanos: u64, call: C },
    /// A token: from an execution unit to its own synchronization unit, or to a node in the token's range.
    Token { node: u32, token: Token<C> },
    /// An event of the above kinds that is or will cause a signal, and its sender, on a machine that traces.
    Signed { sender: FiberRef, event: Box<Self> },
    /// An event of the above kinds that node `from` has sent, on a machine that records the order of
    /// messages.
    From { from: u32, event: Box<Self> },
    /// An event of the above kinds, packed by node `from`, and the number of bytes that it counts as. The
    /// count excludes the bytes that a trace adds, and counts phantoms as if they had elements.
    Bytes { from: u32, bytes: Vec<u8>, counted: u64 },
    /// A message of the process whose first node is `from`: an event, or a token that this process requested.
    Message { from: u32, message: Box<Arrival> },

    /// An event of the first four kinds, or signed, that a fiber of a domain sent.
    Isolated { mark: Mark, event: Box<Self> },
    /// A message about a domain: between nodes, and from an execution unit to its own synchronization unit.
    Domain { node: u32, note: DomainNote },

    // The following events go only from an execution unit to its own synchronization unit.
    /// A frame starts.
    Open { id: FrameId, frame: L, numbers: Numbers },
    /// A frame ends.
    Close { id: FrameId },
    /// The count of a slot of the own node is raised.
    Raise { slot: EntryRef, by: u32, origin: Origin },
    /// A fiber is enabled directly.
    Spawn { ready: Ready },
    /// The signal of a timer that is due, for a slot of the own node.
    Ring { to: EntryRef, origin: Origin },
}

/// Placeholder for an empty queue cell.
impl<C, L> Default for Event<C, L> {
    fn default() -> Self {
        Event::Close { id: FrameId::ROOT }
    }
}

/// A signal that travels alone through a queue.
#[derive(Debug)]
pub(crate) struct Note {
    pub(crate) to: EntryRef,
    pub(crate) origin: Origin,
}

const _: () = assert!(size_of::<Note>() <= 48, "a note fits the first cache line of a cell");

impl<C, L> From<Note> for Event<C, L> {
    fn from(Note { to, origin }: Note) -> Self {
        Event::Signal { to, origin }
    }
}

impl<C, L> Event<C, L> {
    /// Returns the target node, or `own` if the event never leaves its node or has arrived.
    pub(crate) fn node(&self, own: u32) -> u32 {
        match self {
            Event::Signal { to: at, .. }
            | Event::Put { to: at, .. }
            | Event::Get { from: at, .. }
            | Event::Write { at, .. }
            | Event::Ring { to: at, .. }
            | Event::After { slot: at, .. } => at.node(),
            Event::Invoke { node, .. } | Event::Token { node, .. } | Event::Domain { node, .. } => *node,
            Event::Signed { event, .. } | Event::From { event, .. } | Event::Isolated { event, .. } => {
                event.node(own)
            }
            Event::Open { .. }
            | Event::Close { .. }
            | Event::Raise { .. }
            | Event::Spawn { .. }
            | Event::Bytes { .. }
            | Event::Message { .. } => own,
        }
    }

    /// Whether applying this on node `node` may send messages to other nodes: the event itself, or answers to
    /// it.
    pub(crate) fn may_send(&self, node: u32) -> bool {
        match self {
            Event::Signal { to, .. } | Event::Put { to, .. } => to.node() != node,
            Event::Invoke { node: to, .. } => *to != node,
            Event::Token { token, .. } => !token.within.has(node),
            Event::Open { .. } | Event::Close { .. } | Event::Raise { .. } | Event::Spawn { .. } => false,
            _ => true,
        }
    }
}

/// Work that a synchronization unit hands to the execution unit of its node (DUAL).
#[derive(Debug)]
pub(crate) enum EuWork<C> {
    /// A value for the next fiber, and the inlet at which it arrived.
    Value { inlet: u32, value: Value },
    /// An enabled fiber, whose values were sent before it. `again` is true if its slot may enable it once
    /// more before it has run.
    Fiber { ready: Ready, again: bool },
    /// A function to start, by its call.
    Start(C),
    /// A token, which joins the tokens of the execution unit.
    Token(Token<C>),
    /// An order about a domain.
    Domain(DomainOrder),
}

impl<C> EuWork<C> {
    pub(crate) fn runs(&self) -> bool {
        !matches!(self, EuWork::Value { .. } | EuWork::Domain(_))
    }
}
