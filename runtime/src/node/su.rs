//! The synchronization unit: it applies operations to the slots, inlets and cells of its node and enables
//! fibers.
//!
//! Every operation exists in two forms: as a method, which SPN calls in line with the types known, and as an
//! [`Event`](crate::node::function::Event), which DUAL's execution unit and other nodes send. Both end in the
//! same frame store. The unit passes on an operation whose address is on another node. An execution unit
//! never sends to another node by itself, so all its effects keep their program order. In DUAL the execution
//! unit therefore has a `Su` of its own. It owns no slots, keeps only the states of frames, and passes
//! everything on to the node's `Su`.
//!
//! This module has the fields of the unit. [`signals`] has its operations on slots, inlets and cells,
//! [`calls`] on functions that wait to start, [`messages`] on events, [`timers`] on timers.

mod calls;
mod domains;
mod messages;
mod misuse;
mod signals;
mod timers;

pub(crate) use timers::TimerClock;
use timers::Timers;

use std::any::Any;
use std::collections::VecDeque;

use earth_signal::Attention;

use self::domains::Domains;
use crate::node::domain::Domain;
use crate::node::dual::ToEu;
use crate::node::frame::FrameStore;
use crate::node::function::{EuWork, Inbox, RunQueue, TokenQueue, UnitTransport};
use crate::node::tokens::Within;
use crate::probe::accesses::AccessLog;
use crate::probe::order::OrderLog;
use crate::probe::recorder::SuRecorder;
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::choice::{FiberPolicy, TokenPolicy};
use crate::vocabulary::counters::Counters;
use crate::vocabulary::custom::Custom;
use crate::vocabulary::decoding::Decoding;
use crate::vocabulary::error::Error;
use crate::vocabulary::origin::Origin;
use crate::vocabulary::policy::Policy;
use crate::vocabulary::value::Value;

/// The outcome of an operation: success, or the error that ends the run.
pub(crate) type SuResult = Result<(), Box<Error>>;

/// The share of its node's work that a synchronization unit does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// All operations, for the execution unit in the same thread (SPN).
    Whole,
    /// All operations, for the execution unit in another thread, to which it hands fibers and their values
    /// (DUAL).
    HandsOver,
    /// No operation: it passes all operations of its execution unit on to the unit in the other thread
    /// (DUAL).
    PassesOn,
}

/// The work on a token that a fiber makes, after the token was added to its node's tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenSharing {
    /// No work. No trace is written; the shared end is full, or the unit has been asked to look at it.
    Plain,
    /// The unit looks at the shared end at once, because it may have room.
    Shared,
    /// The unit is watched, or passes the token on (in virtual time).
    Slow,
}

/// The form of the events that a unit sends to other nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Packing {
    /// Unchanged.
    #[default]
    Moved,
    /// As bytes, within the process.
    Bytes,
    /// As messages for other processes, and unchanged to the nodes `own` of this process. Blocks of at least
    /// `bulk_from` bytes travel beside their message.
    Messages { bulk_from: usize, own: Within },
}

/// A number that no node has.
const NOWHERE: u32 = u32::MAX;

/// The parts and options of a new synchronization unit.
pub(crate) struct SuSetup {
    pub(crate) node: u32,
    pub(crate) parking_limit: usize,
    pub(crate) policy: Policy,
    /// Policies of the program's own.
    pub(crate) fiber_policy: Option<Custom<dyn FiberPolicy>>,
    pub(crate) token_policy: Option<Custom<dyn TokenPolicy>>,
    pub(crate) role: Role,
    /// Whether events for other nodes are packed, and how.
    pub(crate) packing: Packing,
    pub(crate) tokens: TokenQueue,
    pub(crate) inbox: Inbox,
    pub(crate) attention: Attention,
    pub(crate) transport: UnitTransport,
    pub(crate) clock: TimerClock,
}

pub(crate) struct Su {
    pub(crate) node: u32,
    /// The node whose slots it owns, or `NOWHERE`.
    home: u32,
    /// The node on whose slots operations are applied in line, in the form in which addresses [contain
    /// it](EntryRef::on). It is the own node in SPN while the unit is not watched, else `NOWHERE`.
    inline_node: u64,
    pub(crate) token_sharing: TokenSharing,
    /// Whether its execution unit publishes the number of tokens, for a stall monitor.
    pub(crate) publishes_tokens: bool,
    /// The node on whose slots operations are applied at once but recorded: the own node in SPN, on a machine
    /// that traces and does not charge. Else `NOWHERE`.
    pub(super) recorded_node: u32,
    pub(crate) frames: FrameStore,
    /// The enabled fibers and invoked functions of this node (SPN).
    pub(crate) run_queue: RunQueue,
    pub(super) policy: Policy,
    /// The program's own order of tokens.
    pub(super) token_policy: Option<Box<Custom<dyn TokenPolicy>>>,
    pub(crate) tokens: TokenQueue,
    pub(crate) inbox: Inbox,
    /// The requests of other threads (SPN). Others ask the unit to look at events, at the end of the run, at
    /// room at the shared end of its tokens, and at events that it holds back. The unit does not look at
    /// these between fibers otherwise. It stays asked while events are held back, and while it has tokens for
    /// which there is room.
    pub(crate) attention: Attention,
    pub(crate) transport: UnitTransport,
    /// The work that waits for room on the way to the execution unit (DUAL).
    pub(crate) work: VecDeque<EuWork>,
    /// The ring to the execution unit, if that is in another thread.
    pub(super) to_eu: Option<Box<ToEu>>,
    /// Whether the transport holds events back for lack of room.
    pub(crate) holds_back: bool,
    timers: Timers,
    pub(super) emptied: Vec<(FrameId, u32)>,
    answers: Vec<(EntryRef, Value, Origin)>,
    role: Role,
    packing: Packing,
    /// The value of the run, if it arrived at this node.
    pub(crate) result: Option<Value>,
    pub(crate) decoding: Decoding,
    pub(crate) counters: Counters,
    /// The numbers of messages sent to and received from other units, including tokens at the shared end.
    /// They serve to detect quiescence.
    pub(crate) sent: u64,
    pub(crate) received: u64,
    /// The number of events taken out of the inbox. Senders may have waited for this room.
    pub(crate) events_heard: u64,
    /// Virtual time in cycles, on a machine that charges for operations; else 0.
    pub(crate) now: u64,
    /// The recorder of signals, on a machine that traces.
    pub(crate) recorder: Option<Box<SuRecorder>>,
    /// The order of the work that the unit took up, on a machine that records it.
    pub(crate) order: Option<Box<OrderLog>>,
    /// The log of accesses, on a machine that explores.
    pub(crate) accesses: Option<Box<AccessLog>>,
    /// Whether the unit has a recorder or a log of accesses.
    pub(crate) logs: bool,
    /// The domain of the running fiber, or of the sender of the event that the unit applies.
    pub(in crate::node) domain: Option<Domain>,
    /// The domain of the operations that come next from the execution unit (DUAL).
    pub(in crate::node) eu_domain: Option<Domain>,
    pub(in crate::node) domains: Box<Domains>,
}

impl Su {
    pub(crate) fn new(setup: SuSetup) -> Self {
        Su {
            node: setup.node,
            home: if setup.role == Role::PassesOn { NOWHERE } else { setup.node },
            recorded_node: NOWHERE,
            inline_node: EntryRef::on(if setup.role == Role::Whole { setup.node } else { NOWHERE }),
            token_sharing: TokenSharing::Slow,
            publishes_tokens: false,
            frames: FrameStore::new(setup.parking_limit),
            run_queue: RunQueue::new(&setup.policy, setup.fiber_policy),
            policy: setup.policy,
            token_policy: setup.token_policy.map(Box::new),
            tokens: setup.tokens,
            inbox: setup.inbox,
            attention: setup.attention,
            transport: setup.transport,
            work: VecDeque::new(),
            to_eu: None,
            holds_back: false,
            timers: Timers::new(setup.clock),
            emptied: Vec::new(),
            answers: Vec::new(),
            role: setup.role,
            packing: setup.packing,
            result: None,
            decoding: Decoding::nothing(),
            counters: Counters::default(),
            sent: 0,
            received: 0,
            events_heard: 0,
            now: 0,
            recorder: None,
            order: None,
            accesses: None,
            logs: false,
            domain: None,
            eu_domain: None,
            domains: Box::default(),
        }
    }

    /// Hands enabled fibers over to a unit in another thread from now on.
    pub(crate) fn hands_to(&mut self, to_eu: ToEu) {
        self.to_eu = Some(Box::new(to_eu));
    }

    /// Whether the operations that it applies are of a domain, so that their errors are reported to its home.
    #[inline(always)]
    pub(crate) fn acts_for_domain(&self) -> bool {
        self.domain.is_some()
    }

    /// Applies the operations of the execution unit until [`turn_from_eu`](Self::turn_from_eu): they are of
    /// its domain (DUAL).
    #[inline(always)]
    pub(crate) fn turn_to_eu(&mut self) {
        self.domain = self.eu_domain;
    }

    #[inline(always)]
    pub(crate) fn turn_from_eu(&mut self) {
        self.eu_domain = self.domain.take();
    }

    /// Stops applying operations in line, because the unit is watched: it charges for them, or only records
    /// them.
    pub(crate) fn watched(&mut self, charges: bool) {
        self.recorded_node = if charges || !self.is_in_line() { NOWHERE } else { self.node };
        self.inline_node = EntryRef::on(NOWHERE);
    }

    /// Logs all accesses from now on. Operations in line leave no log, so there are none.
    pub(crate) fn explored(&mut self) {
        self.accesses = Some(Box::default());
        self.recorded_node = NOWHERE;
        self.inline_node = EntryRef::on(NOWHERE);
    }

    /// Returns the transport of the machine, which is a `T`.
    #[inline(always)]
    pub(crate) fn transport_as<T: Any>(&mut self) -> &mut T {
        let transport_as: &mut dyn Any = &mut *self.transport;
        transport_as
            .downcast_mut()
            .unwrap_or_else(|| unreachable!("a machine asks for the type of its own transport"))
    }

    /// Whether making a frame on this node is neither charged for nor passed on.
    #[inline(always)]
    pub(crate) fn makes_plain(&self) -> bool {
        self.is_in_line() || self.recorded_node == self.node
    }

    /// Whether operations on this node are applied in line.
    #[inline(always)]
    pub(crate) fn is_in_line(&self) -> bool {
        self.inline_node != EntryRef::on(NOWHERE)
    }

    /// Whether operations on the slots of `node` are applied in line.
    #[inline(always)]
    fn is_inline_for(&self, node: u32) -> bool {
        self.inline_node == EntryRef::on(node)
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

    /// Whether this node sends its process's events for other processes.
    pub(crate) fn sends_messages(&self) -> bool {
        matches!(self.packing, Packing::Messages { .. })
    }

    /// Resets the unit for a run, whose bytes are read in the context `decoding`.
    pub(crate) fn begin(&mut self, decoding: &Decoding) {
        self.decoding.clone_from(decoding);
        self.frames.begin();
        self.run_queue.begin();
        self.timers.begin();
        if let Some(policy) = &mut self.token_policy {
            policy.forget();
        }
        self.tokens.private.forget_high();
        self.transport.begin();
        if let Some(to_eu) = &mut self.to_eu {
            to_eu.begin();
        }
        self.attention.reset();
        if self.sends_messages() {
            // A fiber that polls must always reach the link.
            self.attention.poll();
        }
        self.bar_tokens();
        self.token_sharing = if self.shares_unwatched() { TokenSharing::Shared } else { TokenSharing::Slow };
        self.result = None;
        self.counters = Counters::default();
        self.sent = 0;
        self.received = 0;
        self.events_heard = 0;
        self.now = 0;
        (self.domain, self.eu_domain) = (None, None);
        *self.domains = Domains::default();
        if let Some(recorder) = &mut self.recorder {
            recorder.begin();
        }
        if let Some(order) = &mut self.order {
            order.begin();
        }
    }

    /// Returns the counters of this unit since the run began.
    pub(crate) fn counters(&self) -> Counters {
        let mut counters = self.counters;
        counters.add(&self.frames.counters);
        Counters { tokens_high: self.tokens.private.high() as u64, ..counters }
    }

    /// Whether fibers, functions, tokens or work to hand over wait here.
    pub(crate) fn has_work(&self) -> bool {
        !self.run_queue.is_empty() && !seeded!(EarlyTermination)
            || !self.work.is_empty()
            || !self.tokens.is_empty()
    }
}
