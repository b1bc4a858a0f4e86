//! Recorders of the units of a traced machine. The crate `earth-trace` evaluates the recordings afterwards,
//! through [`records`](super::records).
//!
//! An execution unit writes one record per *fiber*: its time interval, its identity, and its cause. A
//! synchronization unit writes one per *signal* that a slot counted: the slot, the sending fiber, and whether
//! it enabled the slot's fiber. The enabled fiber carries the number of the record
//! ([`Ready::link`](crate::node::frame::Ready)), so no link is guessed from times.
//!
//! The sender of a signal is the running fiber, unless the operation came through a queue,
//! [signed](crate::node::signature), or was parked. The lengths of queues are recorded with each fiber after
//! which one has changed.
//!
//! No data here is shared: each recorder belongs to one unit. A fiber with one signal on its own node costs:
//!
//! * one reading of the processor's time stamp counter;
//! * 40 bytes for the fiber, 16 for the signal, 16 if a queue has changed;
//! * its operations out of line.
//!
//! Memory: at most a [limit](RecordLimit) of records per unit; further records are counted and dropped. The
//! next run refills a log that was given away, if no other owner is left.

use std::sync::Arc;

use earth_memory::frames::Counted;
use quanta::Clock;

use super::log::Log;
use crate::vocabulary::address::FrameId;
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::{BETWEEN_FIBERS, Layout};

/// The clock that provides time stamps.
#[derive(Clone, Debug)]
pub(crate) enum Stamps {
    /// The host processor's time stamp counter.
    Host(Clock),
    /// Ticks of another clock, which passes the time to each record: the virtual clock of a simulated
    /// machine, or a clock to which times were converted.
    Ticks,
}

impl Stamps {
    #[inline(always)]
    pub(crate) fn now(&self) -> u64 {
        match self {
            Stamps::Host(clock) => clock.raw(),
            Stamps::Ticks => 0,
        }
    }

    /// Returns the time between two stamps, in nanoseconds or in cycles of a simulated machine.
    pub(super) fn between(&self, from: u64, to: u64) -> u64 {
        match self {
            Stamps::Host(clock) => clock.delta_as_nanos(from, to),
            Stamps::Ticks => to.saturating_sub(from),
        }
    }
}

/// The largest number of records kept per unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordLimit(usize);

impl RecordLimit {
    /// Limits the number of fibers, to at most 2^32 - 1.
    pub(crate) fn fibers(fibers: usize) -> Self {
        RecordLimit(fibers.min(u32::MAX as usize))
    }

    /// Returns the limit of signals: four for each fiber, at most 2^32 - 1.
    fn signals(self) -> usize {
        self.0.saturating_mul(4).min(u32::MAX as usize)
    }
}

impl Default for RecordLimit {
    fn default() -> Self {
        RecordLimit(1 << 20)
    }
}

/// A fiber that ran: its node, and its number among the recorded fibers of that node.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FiberRef(pub(crate) u64);

impl FiberRef {
    /// No fiber, or a fiber that was not recorded.
    pub(crate) const NONE: FiberRef = FiberRef(u64::MAX);

    #[inline(always)]
    pub(crate) const fn new(node: u32, number: u32) -> Self {
        FiberRef((node as u64) << 32 | number as u64)
    }

    /// Returns the node that it ran on.
    #[inline(always)]
    pub const fn node(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// Returns how many fibers of that node had been recorded before it.
    #[inline(always)]
    pub const fn number(self) -> u32 {
        self.0 as u32
    }

    /// Returns the fiber, unless it is `NONE`.
    pub(super) fn known(self) -> Option<FiberRef> {
        if self.number() == UNLINKED { None } else { Some(self) }
    }
}

/// The link of a fiber whose cause was not recorded.
pub(crate) const UNLINKED: u32 = u32::MAX;

/// The record of one fiber that ran.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawFiber {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) layout: &'static Layout,
    /// The declaration that enabled it.
    pub(super) by: Enabler,
    /// The number of its cause, interpreted by `by`: a signal or fiber of its node, or the fiber that started
    /// its function.
    pub(super) of: u32,
    /// Its index. For the first fiber of a function, which has no index: the node of the fiber that started
    /// it.
    pub(super) index: u32,
}

impl RawFiber {
    pub(super) const BLANK: RawFiber =
        RawFiber { begin: 0, end: 0, layout: &BETWEEN_FIBERS, by: Enabler::START, of: 0, index: 0 };
}

/// The lengths of queues, in the order of [`Queue::ALL`](super::records::Queue::ALL).
pub(crate) type Lengths = [u32; 3];

/// The lengths of queues when a fiber ended, if any had changed since the previous fiber (SPN).
#[derive(Clone, Copy, Debug)]
pub(super) struct RawLengths {
    pub(super) fiber: u32,
    pub(super) lengths: Lengths,
}

impl RawLengths {
    pub(super) const BLANK: RawLengths = RawLengths { fiber: 0, lengths: [0; 3] };
}

/// The record of one signal that a slot of this node counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawSignal {
    pub(super) frame: u64,
    /// The number of the slot, with [`RawSignal::ENABLES`] if the signal enabled the slot's fiber.
    pub(super) slot: u32,
    /// The number of its sender, unless the sender is listed in [`senders`](SignalLog::senders).
    pub(super) from: u32,
}

impl RawSignal {
    /// A bit that no slot number has.
    pub(super) const ENABLES: u32 = 1 << 31;

    pub(super) const BLANK: RawSignal = RawSignal { frame: 0, slot: 0, from: 0 };
}

/// The record of a period in which a synchronization unit handled events.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawService {
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The lengths of queues at the end of the period.
    pub(super) lengths: Lengths,
}

impl RawService {
    pub(super) const BLANK: RawService = RawService { begin: 0, end: 0, lengths: [0; 3] };
}

const _: () =
    assert!(size_of::<RawFiber>() == 40 && size_of::<RawSignal>() == 16 && size_of::<RawLengths>() == 16);

/// An execution unit's log of a run.
#[derive(Debug)]
pub(crate) struct FiberLog {
    pub(super) node: u32,
    /// Whether it also records queue lengths, because the synchronization unit is in the same thread (SPN).
    pub(super) records_lengths: bool,
    pub(super) stamps: Stamps,
    /// When the run began.
    pub(super) began: u64,
    /// The largest error of the times, relative to node 0's, in ticks.
    pub(super) clock_error: u64,
    pub(super) fibers: Log<RawFiber>,
    pub(super) lengths: Log<RawLengths>,
}

impl FiberLog {
    /// Makes the log of a node without records.
    pub(super) fn empty(node: u32, began: u64) -> Self {
        FiberLog { began, ..FiberLog::new(node, false, Stamps::Ticks, RecordLimit(0)) }
    }

    fn new(node: u32, records_lengths: bool, stamps: Stamps, limits: RecordLimit) -> Self {
        FiberLog {
            node,
            records_lengths,
            stamps,
            began: 0,
            clock_error: 0,
            fibers: Log::new(limits.0, RawFiber::BLANK),
            lengths: Log::new(limits.0, RawLengths::BLANK),
        }
    }
}

/// The recorder of an execution unit.
#[derive(Debug)]
pub(crate) struct EuRecorder {
    limits: RecordLimit,
    log: FiberLog,
    /// The log given away after the last run.
    given: Option<Arc<FiberLog>>,
    /// The running fiber: its name here, its enabler in `by`, and the rest as in its [record](RawFiber).
    pub(crate) me: FiberRef,
    layout: &'static Layout,
    by: Enabler,
    of: u32,
    index: u32,
    /// The lengths recorded last.
    lengths: Lengths,
}

impl EuRecorder {
    pub(crate) fn new(node: u32, records_lengths: bool, stamps: Stamps, limits: RecordLimit) -> Self {
        EuRecorder {
            limits,
            log: FiberLog::new(node, records_lengths, stamps, limits),
            given: None,
            me: FiberRef::new(node, 0),
            layout: &BETWEEN_FIBERS,
            by: Enabler::START,
            of: UNLINKED,
            index: 0,
            lengths: [0; 3],
        }
    }

    pub(crate) fn begin(&mut self) {
        if let Some(given) = self.given.take().and_then(|given| Arc::try_unwrap(given).ok()) {
            self.log = given;
        }
        self.log.fibers.clear();
        self.log.lengths.clear();
        self.log.began = self.stamp();
        self.me = FiberRef::new(self.log.node, 0);
        self.lengths = [0; 3];
    }

    /// Gives away the log of the run.
    pub(crate) fn give(&mut self) -> Arc<FiberLog> {
        let FiberLog { node, records_lengths, stamps, .. } = &self.log;
        let empty = FiberLog::new(*node, *records_lengths, stamps.clone(), self.limits);
        let given = Arc::new(std::mem::replace(&mut self.log, empty));
        self.given = Some(Arc::clone(&given));
        given
    }

    /// Returns the time by the host's clock.
    #[inline(always)]
    pub(crate) fn stamp(&self) -> u64 {
        self.log.stamps.now()
    }

    /// Notes the next fiber to run: the layout of its function, the declaration that enables it, its index,
    /// and the link that it carries.
    #[inline(always)]
    pub(crate) fn expect_enabled(&mut self, layout: &'static Layout, by: Enabler, index: u32, link: u32) {
        (self.layout, self.by, self.index, self.of) = (layout, by, index, link);
    }

    /// Notes that the next fiber to run is the first fiber of a function that `starter` started.
    #[inline(always)]
    pub(crate) fn expect_started(&mut self, layout: &'static Layout, starter: FiberRef) {
        self.layout = layout;
        (self.by, self.index, self.of) = (Enabler::START, starter.node(), starter.number());
    }

    /// Notes the layout of the function whose fiber runs next, if its call was wrapped in another.
    pub(crate) fn expect_layout(&mut self, layout: &'static Layout) {
        self.layout = layout;
    }

    /// Records that the expected fiber ran from `begin` to `end`, also if it unwound; `lengths` are the queue
    /// lengths at its end. Returns the name of the next fiber. A fiber without room in the log gets a number
    /// that no record has.
    #[inline(always)]
    pub(crate) fn ran(&mut self, begin: u64, end: u64, lengths: Lengths) -> FiberRef {
        let EuRecorder { layout, by, of, index, .. } = *self;
        if !self.log.fibers.push(RawFiber { begin, end, layout, by, of, index }) {
            return self.me;
        }
        if lengths != self.lengths {
            self.lengths = lengths;
            self.log.lengths.push(RawLengths { fiber: self.me.number(), lengths });
        }
        self.me.0 += 1;
        self.me
    }

    /// Notes that the last fiber was interrupted, and lengthens it by `by`.
    pub(crate) fn interrupted(&mut self, by: u64) {
        if let Some(last) = self.log.fibers.last_mut() {
            last.end += by;
        }
    }
}

/// A synchronization unit's log of a run.
#[derive(Debug)]
pub(crate) struct SignalLog {
    pub(super) node: u32,
    pub(super) signals: Log<RawSignal>,
    /// The senders, with the signal's number, of signals that fibers of other nodes sent or that have no
    /// known sender.
    pub(super) senders: Log<(u32, FiberRef)>,
    pub(super) services: Log<RawService>,
}

impl SignalLog {
    /// Makes the log of a node without records.
    pub(super) fn empty(node: u32) -> Self {
        SignalLog::new(node, RecordLimit(0))
    }

    fn new(node: u32, limits: RecordLimit) -> Self {
        SignalLog {
            node,
            signals: Log::new(limits.signals(), RawSignal::BLANK),
            senders: Log::new(limits.signals(), (0, FiberRef::NONE)),
            services: Log::new(limits.0, RawService::BLANK),
        }
    }
}

/// The recorder of a synchronization unit.
#[derive(Debug)]
pub(crate) struct SuRecorder {
    stamps: Stamps,
    limits: RecordLimit,
    log: SignalLog,
    /// The log given away after the last run.
    given: Option<Arc<SignalLog>>,
    /// The sender of the operation that the unit applies. In SPN: the fiber that runs or will run next,
    /// unless the operation has another sender.
    pub(crate) sender: FiberRef,
}

impl SuRecorder {
    pub(crate) fn new(node: u32, stamps: Stamps, limits: RecordLimit) -> Self {
        let log = SignalLog::new(node, limits);
        SuRecorder { stamps, limits, log, given: None, sender: FiberRef::new(node, 0) }
    }

    pub(crate) fn begin(&mut self) {
        if let Some(given) = self.given.take().and_then(|given| Arc::try_unwrap(given).ok()) {
            self.log = given;
        }
        self.log.signals.clear();
        self.log.senders.clear();
        self.log.services.clear();
        self.sender = FiberRef::new(self.log.node, 0);
    }

    /// Gives away the log of the run.
    pub(crate) fn give(&mut self) -> Arc<SignalLog> {
        let empty = SignalLog::new(self.log.node, self.limits);
        let given = Arc::new(std::mem::replace(&mut self.log, empty));
        self.given = Some(Arc::clone(&given));
        given
    }

    /// Returns the time by the host's clock.
    pub(crate) fn stamp(&self) -> u64 {
        self.stamps.now()
    }

    /// Records a signal that a slot has counted. Returns its number, which the fiber that it enabled carries.
    #[inline(always)]
    pub(crate) fn counted(&mut self, frame: FrameId, counted: Counted) -> u32 {
        let enables = if matches!(counted, Counted::Enables(_)) { RawSignal::ENABLES } else { 0 };
        let number = self.log.signals.len() as u32;
        let (frame, slot, from) = (frame.word(), counted.slot() | enables, self.sender.number());
        if !self.log.signals.push(RawSignal { frame, slot, from }) {
            return UNLINKED;
        }
        if self.sender.node() != self.log.node {
            self.log.senders.push((number, self.sender));
        }
        number
    }

    /// Records that the unit handled events from `begin` to `end`; `lengths` are the queue lengths at the
    /// end.
    pub(crate) fn served(&mut self, begin: u64, end: u64, lengths: Lengths) {
        self.log.services.push(RawService { begin, end, lengths });
    }
}
