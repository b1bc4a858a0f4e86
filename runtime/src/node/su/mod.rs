//! The synchronization unit: applies operations to the slots, inlets and cells of its
//! node and enables fibers.
//!
//! Every operation comes in two ways: as a method, which SPN calls in line with the types known, and as an
//! [`Event`](crate::node::function::Event), which is what DUAL's execution unit and other nodes send. Both end in the
//! same frame store. An operation whose address lies on another node is passed on; an execution unit never sends to another node
//! by itself, so all its effects keep their program order: in DUAL it has a unit of its own that owns no slots, keeps
//! the states of frames alone, and passes everything on to the node's.
//!
//! What the unit is made of stands here; what it does with slots, inlets and cells in [`signals`], with
//! functions that wait to be started in [`calls`], with events in [`messages`].

mod calls;
mod messages;
mod misuse;
mod signals;

use std::any::Any;
use std::collections::VecDeque;

use earth_signal::Attention;

use crate::node::dual::ToEu;
use crate::node::frame::FrameStore;
use crate::node::function::{Inbox, RunQueue, TokenQueue, Way, Work};
use crate::probe::recorder::SuRecorder;
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::error::Error;
use crate::vocabulary::origin::Origin;
use crate::vocabulary::policy::Policy;
use crate::vocabulary::value::{Decoding, Value};

/// The outcome of an operation: nothing, or the error that ends the run.
pub(crate) type Outcome = Result<(), Box<Error>>;

/// What a synchronization unit does of its node's work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// All of it, for the execution unit in the same thread (SPN).
    Whole,
    /// All of it, for the execution unit in another thread, to which it hands fibers and their values (DUAL).
    HandsOver,
    /// None of it: it passes all operations of its execution unit on to the one in the other thread (DUAL).
    PassesOn,
}

/// What is done with a token that a fiber makes, besides adding it to those of its node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Making {
    /// Nothing more. No trace is written, and the shared end is full or the unit is going to look at it.
    Plain,
    /// The unit looks at the shared end, which may have room, at once.
    Shared,
    /// Somebody watches, or it is passed on (in virtual time).
    Otherwise,
}

/// The number of no node.
const NOWHERE: u32 = u32::MAX;

/// What a synchronization unit is built with.
pub(crate) struct SuSetup {
    pub(crate) node: u32,
    pub(crate) parking_limit: usize,
    pub(crate) policy: Policy,
    pub(crate) role: Role,
    /// Whether events for other nodes are packed.
    pub(crate) through_bytes: bool,
    pub(crate) tokens: TokenQueue,
    pub(crate) inbox: Inbox,
    pub(crate) attention: Attention,
    pub(crate) transport: Way,
}

/// A synchronization unit.
pub(crate) struct Su {
    pub(crate) node: u32,
    /// The node whose slots it owns, if any.
    home: u32,
    /// The node whose slots may be signalled in line, if any, as addresses [have it](EntryRef::on): in SPN its own, while
    /// nobody watches.
    at_hand: u64,
    pub(crate) making: Making,
    /// The node whose slots may be signalled with a note of it, if any: in SPN its own, on a machine that traces and does
    /// not charge.
    pub(super) noted: u32,
    pub(crate) frames: FrameStore,
    /// What this node can run (SPN).
    pub(crate) run_queue: RunQueue,
    pub(super) policy: Policy,
    pub(crate) tokens: TokenQueue,
    pub(crate) inbox: Inbox,
    /// By what others have the unit look at what it does not look at between any two fibers (SPN): events, the end of the
    /// run, room at the shared end of its tokens, and what it keeps to be sent. It stays asked while something is kept, and
    /// while it keeps tokens that there is room for.
    pub(crate) attention: Attention,
    pub(crate) transport: Way,
    /// The work that goes to the execution unit (DUAL).
    pub(crate) work: VecDeque<Work>,
    /// The way to the execution unit, if that is in another thread.
    pub(super) to_eu: Option<Box<ToEu>>,
    /// Whether the transport keeps something for lack of room.
    pub(crate) spilled: bool,
    pub(super) emptied: Vec<(FrameId, u32)>,
    answers: Vec<(EntryRef, Value, Origin)>,
    role: Role,
    through_bytes: bool,
    /// The value of the run, if this node was given it.
    pub(crate) result: Option<Value>,
    pub(crate) decoding: Decoding,
    pub(crate) counters: Counters,
    /// How many messages went to and came from other units, tokens at the shared end included: they tell when all is
    /// quiet.
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// How many events it has taken out of its inbox, which others may have waited for.
    pub(crate) heard: u64,
    /// Virtual time, on a machine that charges for operations; 0 on others.
    pub(crate) now: u64,
    /// What is written down of each signal, on a machine that traces.
    pub(crate) recorder: Option<Box<SuRecorder>>,
}

impl Su {
    pub(crate) fn new(setup: SuSetup) -> Self {
        Su {
            node: setup.node,
            home: if setup.role == Role::PassesOn { NOWHERE } else { setup.node },
            noted: NOWHERE,
            at_hand: EntryRef::on(if setup.role == Role::Whole { setup.node } else { NOWHERE }),
            making: Making::Otherwise,
            frames: FrameStore::new(setup.parking_limit),
            run_queue: RunQueue::new(&setup.policy),
            policy: setup.policy,
            tokens: setup.tokens,
            inbox: setup.inbox,
            attention: setup.attention,
            transport: setup.transport,
            work: VecDeque::new(),
            to_eu: None,
            spilled: false,
            emptied: Vec::new(),
            answers: Vec::new(),
            role: setup.role,
            through_bytes: setup.through_bytes,
            result: None,
            decoding: Decoding::nothing(),
            counters: Counters::default(),
            sent: 0,
            received: 0,
            heard: 0,
            now: 0,
            recorder: None,
        }
    }

    /// Hands what it enables over to a unit in another thread from now on.
    pub(crate) fn hands_to(&mut self, to_eu: ToEu) {
        self.to_eu = Some(Box::new(to_eu));
    }

    /// Applies no operation in line from now on, since somebody watches: it charges for them, or only notes them.
    pub(crate) fn watched(&mut self, charges: bool) {
        self.noted = if charges || !self.is_in_line() { NOWHERE } else { self.node };
        self.at_hand = EntryRef::on(NOWHERE);
    }

    /// The way out, which the machine that asks has brought: a `T`.
    #[inline(always)]
    pub(crate) fn way<T: Any>(&mut self) -> &mut T {
        let way: &mut dyn Any = &mut *self.transport;
        way.downcast_mut().unwrap_or_else(|| unreachable!("a machine asks for the way that it has brought"))
    }

    /// Whether making a frame on this node is neither charged for nor passed on.
    #[inline(always)]
    pub(crate) fn makes_plain(&self) -> bool {
        self.is_in_line() || self.noted == self.node
    }

    /// Whether operations on this node are applied in line.
    #[inline(always)]
    pub(crate) fn is_in_line(&self) -> bool {
        self.at_hand != EntryRef::on(NOWHERE)
    }

    /// Whether operations on the slots of this node are applied in line.
    #[inline(always)]
    fn is_at_hand(&self, node: u32) -> bool {
        self.at_hand == EntryRef::on(node)
    }

    /// Whether it owns no slots and passes all operations on.
    #[inline(always)]
    pub(crate) fn passes_on(&self) -> bool {
        self.role == Role::PassesOn
    }

    #[inline(always)]
    pub(crate) fn owns(&self, node: u32) -> bool {
        self.home == node
    }

    /// Prepares for a run whose bytes are read like this, as new.
    pub(crate) fn begin(&mut self, decoding: &Decoding) {
        self.decoding.clone_from(decoding);
        self.frames.begin();
        self.run_queue.begin();
        self.tokens.private.forget_high();
        self.transport.begin();
        if let Some(to_eu) = &mut self.to_eu {
            to_eu.begin();
        }
        self.attention.reset();
        self.bar_tokens();
        self.making = if self.shares_unwatched() { Making::Shared } else { Making::Otherwise };
        self.result = None;
        self.counters = Counters::default();
        self.sent = 0;
        self.received = 0;
        self.heard = 0;
        self.now = 0;
        if let Some(recorder) = &mut self.recorder {
            recorder.begin();
        }
    }

    /// The counters of this unit since the run began.
    pub(crate) fn counters(&self) -> Counters {
        let mut counters = self.counters;
        counters.add(&self.frames.counters);
        Counters { tokens_high: self.tokens.private.high() as u64, ..counters }
    }

    /// Whether anything waits here that this node can run.
    pub(crate) fn has_work(&self) -> bool {
        !self.run_queue.is_empty() && !seeded!(EarlyTermination)
            || !self.work.is_empty()
            || !self.tokens.is_empty()
    }
}
