//! What the units of a traced machine write down while they run. The crate `earth-trace` makes sense of it
//! afterwards, by way of [`records`](super::records).
//!
//! An execution unit writes one record a *fiber*: from when to when, which fiber, and what made it run. A synchronization
//! unit writes one a *signal* that a slot counted: which slot, which fiber sent it, and whether it enabled the slot's fiber.
//! That fiber carries the number of the record ([`Ready::link`](crate::node::frame::Ready)), so nothing is guessed by time.
//!
//! Who sent a signal is the fiber that runs now, unless the operation came through a queue,
//! [signed](crate::node::signature), or was parked. The lengths of queues are written down with a fiber after which one has
//! changed.
//!
//! Nothing here is shared: each recorder belongs to one unit. Cost of a fiber with one signal on its own node:
//! one reading of the processor's time stamp counter, 40 bytes for the fiber, 16 for the signal, 16 if a queue has
//! changed, and its operations out of line. Memory: at most [so many](Limits) records a unit, the rest is counted and
//! dropped. What a run has given away is filled anew by the next one if nobody else has kept it.

use std::sync::Arc;

use earth_memory::frames::Counted;
use quanta::Clock;

use super::log::Log;
use crate::vocabulary::address::FrameId;
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::{BETWEEN_FIBERS, Layout};

/// The clock that time stamps are read from.
#[derive(Clone, Debug)]
pub(crate) enum Stamps {
    /// The time stamp counter of the host's processor.
    Host(Clock),
    /// The virtual clock of a simulated machine, which passes the time to each record.
    Virtual,
}

impl Stamps {
    #[inline(always)]
    pub(crate) fn now(&self) -> u64 {
        match self {
            Stamps::Host(clock) => clock.raw(),
            Stamps::Virtual => 0,
        }
    }

    /// The time between two stamps: nanoseconds, or cycles of a simulated machine.
    pub(super) fn between(&self, from: u64, to: u64) -> u64 {
        match self {
            Stamps::Host(clock) => clock.delta_as_nanos(from, to),
            Stamps::Virtual => to.saturating_sub(from),
        }
    }
}

/// How many records of one unit are kept.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits(usize);

impl Limits {
    /// Limits the fibers, to at most as many as 32 bits tell apart.
    pub(crate) fn fibers(fibers: usize) -> Self {
        Limits(fibers.min(u32::MAX as usize))
    }

    /// The limit of signals: four for each fiber, at most as many as 32 bits count.
    fn signals(self) -> usize {
        self.0.saturating_mul(4).min(u32::MAX as usize)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits(1 << 20)
    }
}

/// A fiber that ran: its node, and its number among the fibers of that node that were written down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FiberRef(pub(crate) u64);

impl FiberRef {
    /// No fiber, or one that was not written down.
    pub(crate) const NOBODY: FiberRef = FiberRef(u64::MAX);

    #[inline(always)]
    pub(crate) const fn new(node: u32, number: u32) -> Self {
        FiberRef((node as u64) << 32 | number as u64)
    }

    /// The node that it ran on.
    #[inline(always)]
    pub const fn node(self) -> u32 {
        (self.0 >> 32) as u32
    }

    /// How many fibers of that node had been written down before it.
    #[inline(always)]
    pub const fn number(self) -> u32 {
        self.0 as u32
    }

    /// The fiber, unless it is nobody.
    pub(super) fn known(self) -> Option<FiberRef> {
        if self.number() == UNLINKED { None } else { Some(self) }
    }
}

/// What a fiber is linked to whose cause was not written down.
pub(crate) const UNLINKED: u32 = u32::MAX;

/// The record of one fiber that ran.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawFiber {
    pub(super) begin: u64,
    pub(super) end: u64,
    pub(super) layout: &'static Layout,
    /// What enabled it, as it is declared.
    pub(super) by: Enabler,
    /// What made it run, by `by`: the number of a signal or of a fiber of its node, or the number of the fiber that started
    /// its function.
    pub(super) of: u32,
    /// Its index; of the first fiber of a function, which has none, the node of the fiber that started it.
    pub(super) index: u32,
}

impl RawFiber {
    const BLANK: RawFiber =
        RawFiber { begin: 0, end: 0, layout: &BETWEEN_FIBERS, by: Enabler::START, of: 0, index: 0 };
}

/// The lengths of queues, in the order of [`Queue::ALL`](super::records::Queue::ALL).
pub(crate) type Lengths = [u32; 3];

/// The lengths of queues when a fiber was over, if any had changed since the one before (SPN).
#[derive(Clone, Copy, Debug)]
pub(super) struct RawLengths {
    pub(super) fiber: u32,
    pub(super) lengths: Lengths,
}

/// The record of one signal that a slot of this node counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawSignal {
    pub(super) frame: FrameId,
    /// The number of the slot, with [`RawSignal::ENABLES`] if the signal enabled the slot's fiber.
    pub(super) slot: u32,
    /// The number of its sender, unless that stands among the [senders](SignalLog::senders).
    pub(super) from: u32,
}

impl RawSignal {
    /// What no number of a slot has.
    pub(super) const ENABLES: u32 = 1 << 31;

    const BLANK: RawSignal = RawSignal { frame: FrameId::ROOT, slot: 0, from: 0 };
}

/// The record of a time in which a synchronization unit attended to events.
#[derive(Clone, Copy, Debug)]
pub(super) struct RawService {
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The lengths of queues at the end of that time.
    pub(super) lengths: Lengths,
}

impl RawService {
    const BLANK: RawService = RawService { begin: 0, end: 0, lengths: [0; 3] };
}

const _: () =
    assert!(size_of::<RawFiber>() == 40 && size_of::<RawSignal>() == 16 && size_of::<RawLengths>() == 16);

/// What an execution unit has written down of a run.
#[derive(Debug)]
pub(crate) struct FiberLog {
    pub(super) node: u32,
    /// Whether it tells of queues too, since the synchronization unit is in the same thread (SPN).
    pub(super) tells_lengths: bool,
    pub(super) stamps: Stamps,
    /// When the run began.
    pub(super) began: u64,
    pub(super) fibers: Log<RawFiber>,
    pub(super) lengths: Log<RawLengths>,
}

impl FiberLog {
    fn new(node: u32, tells_lengths: bool, stamps: Stamps, limits: Limits) -> Self {
        FiberLog {
            node,
            tells_lengths,
            stamps,
            began: 0,
            fibers: Log::new(limits.0, RawFiber::BLANK),
            lengths: Log::new(limits.0, RawLengths { fiber: 0, lengths: [0; 3] }),
        }
    }
}

/// The recorder of an execution unit.
#[derive(Debug)]
pub(crate) struct EuRecorder {
    limits: Limits,
    log: FiberLog,
    /// What it gave away after the last run.
    given: Option<Arc<FiberLog>>,
    /// The fiber that runs: what names it, what enabled it, and the rest as its [record](RawFiber) has it.
    pub(crate) me: FiberRef,
    by: Enabler,
    of: u32,
    index: u32,
    /// The lengths that were written down last.
    lengths: Lengths,
}

impl EuRecorder {
    pub(crate) fn new(node: u32, tells_lengths: bool, stamps: Stamps, limits: Limits) -> Self {
        EuRecorder {
            limits,
            log: FiberLog::new(node, tells_lengths, stamps, limits),
            given: None,
            me: FiberRef::new(node, 0),
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

    /// Gives away what was written down since the run began.
    pub(crate) fn give(&mut self) -> Arc<FiberLog> {
        let FiberLog { node, tells_lengths, stamps, .. } = &self.log;
        let empty = FiberLog::new(*node, *tells_lengths, stamps.clone(), self.limits);
        let given = Arc::new(std::mem::replace(&mut self.log, empty));
        self.given = Some(Arc::clone(&given));
        given
    }

    /// The time, by the host's clock.
    #[inline(always)]
    pub(crate) fn stamp(&self) -> u64 {
        self.log.stamps.now()
    }

    /// Notes that the next fiber to run is this one: what enabled it as it is declared, its index, and the link that it
    /// carries.
    #[inline(always)]
    pub(crate) fn expect_enabled(&mut self, by: Enabler, index: u32, link: u32) {
        (self.by, self.index, self.of) = (by, index, link);
    }

    /// Notes that the next fiber to run is the first one of a function that `starter` started.
    #[inline(always)]
    pub(crate) fn expect_started(&mut self, starter: FiberRef) {
        (self.by, self.index, self.of) = (Enabler::START, starter.node(), starter.number());
    }

    /// Writes down that the fiber that was expected, of a function of this layout, has run in this time; `lengths` are those
    /// of queues when it was over. Returns what names the next one. One for which there is no room has the number that no
    /// record has.
    #[inline(always)]
    pub(crate) fn ran(
        &mut self,
        layout: &'static Layout,
        begin: u64,
        end: u64,
        lengths: Lengths,
    ) -> FiberRef {
        let EuRecorder { by, of, index, .. } = *self;
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

    /// Notes that the fiber that ran last was interrupted, and lengthens it by that time.
    pub(crate) fn interrupted(&mut self, by: u64) {
        if let Some(last) = self.log.fibers.last_mut() {
            last.end += by;
        }
    }
}

/// What a synchronization unit has written down of a run.
#[derive(Debug)]
pub(crate) struct SignalLog {
    pub(super) node: u32,
    pub(super) signals: Log<RawSignal>,
    /// The senders of those signals that fibers of other nodes sent, or nobody, by number.
    pub(super) senders: Log<(u32, FiberRef)>,
    pub(super) services: Log<RawService>,
}

impl SignalLog {
    fn new(node: u32, limits: Limits) -> Self {
        SignalLog {
            node,
            signals: Log::new(limits.signals(), RawSignal::BLANK),
            senders: Log::new(limits.signals(), (0, FiberRef::NOBODY)),
            services: Log::new(limits.0, RawService::BLANK),
        }
    }
}

/// The recorder of a synchronization unit.
#[derive(Debug)]
pub(crate) struct SuRecorder {
    stamps: Stamps,
    limits: Limits,
    log: SignalLog,
    /// What it gave away after the last run.
    given: Option<Arc<SignalLog>>,
    /// The sender of the operation that the unit applies: in SPN the fiber that runs or will run next, but for what others
    /// sent.
    pub(crate) sender: FiberRef,
}

impl SuRecorder {
    pub(crate) fn new(node: u32, stamps: Stamps, limits: Limits) -> Self {
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

    /// Gives away what was written down since the run began.
    pub(crate) fn give(&mut self) -> Arc<SignalLog> {
        let empty = SignalLog::new(self.log.node, self.limits);
        let given = Arc::new(std::mem::replace(&mut self.log, empty));
        self.given = Some(Arc::clone(&given));
        given
    }

    /// The time, by the host's clock.
    pub(crate) fn stamp(&self) -> u64 {
        self.stamps.now()
    }

    /// Writes down a signal that a slot has counted. Returns its number, which the fiber that it enabled carries.
    #[inline(always)]
    pub(crate) fn counted(&mut self, frame: FrameId, counted: Counted) -> u32 {
        let enables = if matches!(counted, Counted::Enables(_)) { RawSignal::ENABLES } else { 0 };
        let number = self.log.signals.len() as u32;
        let (slot, from) = (counted.slot() | enables, self.sender.number());
        if !self.log.signals.push(RawSignal { frame, slot, from }) {
            return UNLINKED;
        }
        if self.sender.node() != self.log.node {
            self.log.senders.push((number, self.sender));
        }
        number
    }

    /// Writes down that the unit attended to events in this time; `lengths` are those of queues at its end.
    pub(crate) fn served(&mut self, begin: u64, end: u64, lengths: Lengths) {
        self.log.services.push(RawService { begin, end, lengths });
    }
}
