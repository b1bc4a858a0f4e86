//! What the units of a traced machine write down while they run; [`trace`](crate::trace) makes sense of it
//! afterwards.
//!
//! An execution unit writes one *slice* a fiber: from when to when, which fiber, and what made it run. A synchronization
//! unit writes one line a *signal* that a slot counted: which slot, and whether it enabled its fiber. That fiber carries
//! the number of that line ([`Ready::link`](crate::node::frame::Ready)), so nothing is guessed by time.
//!
//! Who sent a signal follows in SPN from where its line stands: with each slice goes how many lines there were
//! when the fiber was over, so a line belongs to the fiber that ran. Only what somebody else sent (it came
//! through a queue, [signed](super::signature), or was parked) has its sender written down. The lengths of queues
//! go with each slice too; which of them changed is found out afterwards.
//!
//! Nothing here is shared: each recorder belongs to one unit. Cost of a fiber with one signal on its own node:
//! one reading of the processor's time stamp counter, 64 bytes for the fiber and 16 for the signal, and its
//! operations out of line. Memory: at most [so many](Limits) records a unit, the rest is counted and dropped;
//! what was allocated is kept for the next run.

use earth_memory::frames::Counted;
use earth_signal::Activity;
use quanta::Clock;

use super::execution_unit::ExecutionUnit;
use super::function::BETWEEN_FIBERS;
use super::log::Log;
use super::signature::Who;
use super::su::Su;
use crate::node::frame::{Enabler, Ready, UNLINKED};
use crate::vocabulary::address::FrameId;
use crate::vocabulary::layout::Layout;

/// The clock that time stamps are read from.
#[derive(Clone, Debug)]
pub(crate) enum Stamps {
    /// The time stamp counter of the host's processor.
    Host(Clock),
    /// The virtual clock of a simulated machine, which passes the time to each record.
    Virtual,
}

impl Stamps {
    #[inline]
    pub(crate) fn now(&self) -> u64 {
        match self {
            Stamps::Host(clock) => clock.raw(),
            Stamps::Virtual => 0,
        }
    }

    /// The time between two stamps: nanoseconds, or cycles of a simulated machine.
    pub(crate) fn between(&self, from: u64, to: u64) -> u64 {
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

/// Why a fiber ran.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cause {
    /// The fiber is the first one of a function, which this fiber started.
    Started(Who),
    /// A signal with this number on its node, after which its slot had all.
    Enabled(u32),
    /// The fiber with this number on its node spawned it.
    Spawned(u32),
}

/// The record of one fiber that ran.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSlice {
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) layout: &'static Layout,
    /// Who made it run, by `by`: the fiber that started its function, or the number of a signal or of a fiber.
    of: u64,
    by: Enabler,
    pub(crate) fiber: u32,
    pub(crate) index: u32,
    /// How many signals had been written down when the fiber was over (SPN).
    pub(crate) signals: u32,
    /// The lengths of queues when the fiber was over, in the order of [`Queue`](crate::trace::Queue) (SPN).
    pub(crate) lengths: [u32; 3],
}

impl RawSlice {
    const BLANK: RawSlice = RawSlice {
        begin: 0,
        end: 0,
        layout: &BETWEEN_FIBERS,
        of: 0,
        by: Enabler::START,
        fiber: 0,
        index: 0,
        signals: 0,
        lengths: [0; 3],
    };

    pub(crate) fn cause(&self) -> Cause {
        match self.by {
            Enabler::START => Cause::Started(Who(self.of)),
            by if by.slot().is_some() => Cause::Enabled(self.of as u32),
            _ => Cause::Spawned(self.of as u32),
        }
    }
}

/// The record of one signal that a slot of this node counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSignal {
    pub(crate) frame: FrameId,
    pub(crate) slot: u32,
    /// Whether it enabled the slot's fiber.
    pub(crate) enables: bool,
}

impl RawSignal {
    const BLANK: RawSignal = RawSignal { frame: FrameId::ROOT, slot: 0, enables: false };
}

/// The record of a time in which a synchronization unit attended to events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawService {
    pub(crate) from: u64,
    pub(crate) until: u64,
    /// The lengths of queues at the end of that time.
    pub(crate) lengths: [u32; 3],
}

impl RawService {
    const BLANK: RawService = RawService { from: 0, until: 0, lengths: [0; 3] };
}

const _: () = assert!(size_of::<RawSlice>() == 64, "a fiber is one cache line");
const _: () = assert!(size_of::<RawSignal>() == 16, "four signals are one");

/// The records of an execution unit.
#[derive(Debug)]
pub(crate) struct EuRecorder {
    /// Whether the machine traces.
    on: bool,
    pub(crate) node: u32,
    /// Whether slices tell of the synchronization unit too, which is in the same thread (SPN).
    pub(crate) tells_of_su: bool,
    pub(crate) stamps: Stamps,
    /// When the run began.
    pub(crate) began: u64,
    pub(crate) slices: Log<RawSlice>,
    /// The fiber that runs: the number of its slice, who made it run as [`RawSlice`] has it, its number in its function and
    /// its index.
    pub(super) me: Who,
    of: u64,
    fiber: u32,
    index: u32,
    /// The activity that publishes which fiber runs, for a stall monitor. It is boxed and stands here, since a word
    /// more in the execution unit itself made a hop between two nodes a tenth slower.
    pub(super) activity: Option<Box<Activity>>,
    /// Whether fibers are traced or published, so that the code that does so runs them.
    pub(crate) observed: bool,
}

impl EuRecorder {
    /// The recorder of a machine that does not trace: it writes nothing down.
    pub(crate) fn off() -> Self {
        let new = EuRecorder::new(0, false, Stamps::Virtual, Limits(0));
        EuRecorder { on: false, observed: false, ..new }
    }

    pub(crate) fn new(node: u32, tells_of_su: bool, stamps: Stamps, limits: Limits) -> Self {
        EuRecorder {
            on: true,
            node,
            tells_of_su,
            stamps,
            began: 0,
            slices: Log::new(limits.0, RawSlice::BLANK),
            me: Who::new(node, 0),
            of: Who::NOBODY.0,
            fiber: 0,
            index: 0,
            activity: None,
            observed: true,
        }
    }

    /// Prepares for a run.
    pub(super) fn begin(&mut self) {
        self.slices.clear();
        self.began = self.stamps.now();
        self.me = Who::new(self.node, 0);
    }

    /// Whether the machine traces.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// Notes that the next fiber to run is an enabled one.
    pub(super) fn expect_enabled(&mut self, ready: &Ready, fiber: u32, index: u32) {
        (self.fiber, self.index) = (fiber, index);
        self.of = u64::from(ready.link);
    }

    /// Notes that the next fiber to run is the first one of a function that `starter` started.
    #[inline(always)]
    pub(super) fn expect_started(&mut self, starter: Who) {
        (self.fiber, self.index) = (0, 0);
        self.of = starter.0;
    }

    /// Notes that the fiber that ran last was interrupted, and lengthens it by that time.
    pub(crate) fn interrupted(&mut self, by: u64) {
        if let Some(last) = self.slices.last_mut() {
            last.end += by;
        }
    }
}

/// The records of a synchronization unit.
#[derive(Debug)]
pub(crate) struct SuRecorder {
    /// Whether the machine traces.
    on: bool,
    stamps: Stamps,
    /// The fiber that runs, or will run next (SPN).
    fiber: Who,
    /// The sender of the operation that the unit applies, if that is not `fiber`.
    sender: Option<Who>,
    pub(crate) signals: Log<RawSignal>,
    /// The senders of those signals, by index, whose senders do not follow from the slices.
    pub(crate) senders: Log<(u32, Who)>,
    pub(crate) services: Log<RawService>,
}

impl SuRecorder {
    /// The recorder of a machine that does not trace: it writes nothing down.
    pub(crate) fn off() -> Self {
        let new = SuRecorder::new(Stamps::Virtual, Limits(0));
        SuRecorder { on: false, ..new }
    }

    pub(crate) fn new(stamps: Stamps, limits: Limits) -> Self {
        SuRecorder {
            on: true,
            stamps,
            fiber: Who::NOBODY,
            sender: None,
            signals: Log::new(limits.signals(), RawSignal::BLANK),
            senders: Log::new(limits.signals(), (0, Who::NOBODY)),
            services: Log::new(limits.0, RawService::BLANK),
        }
    }

    /// Prepares for a run.
    pub(super) fn begin(&mut self, node: u32) {
        self.fiber = Who::new(node, 0);
        self.sender = None;
        self.signals.clear();
        self.senders.clear();
        self.services.clear();
    }

    /// Whether the machine traces.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// The sender of the operation that the unit applies.
    pub(super) fn sender(&self) -> Who {
        self.sender.unwrap_or(self.fiber)
    }

    /// Writes down a signal that a slot has counted. Returns its number, which the fiber that it enabled carries.
    pub(super) fn counted(&mut self, frame: FrameId, counted: Counted) -> u32 {
        let signal =
            RawSignal { frame, slot: counted.slot(), enables: matches!(counted, Counted::Enables(_)) };
        if !self.on || !self.signals.push(signal) {
            return UNLINKED;
        }
        let number = self.signals.len() as u32 - 1;
        if let Some(sender) = self.sender {
            self.senders.push((number, sender));
        }
        number
    }

    /// How many records found no room.
    pub(crate) fn dropped(&self) -> u64 {
        self.signals.dropped + self.services.dropped
    }
}

/// The length of a queue: no memory holds one that is longer.
#[inline(always)]
fn short(length: usize) -> u32 {
    length as u32
}

impl Su {
    /// Sets the sender of the operations that the unit applies from now on; `None` is the fiber that runs. Returns the
    /// sender before.
    pub(super) fn send_as(&mut self, sender: Option<Who>) -> Option<Who> {
        std::mem::replace(&mut self.recorder.sender, sender)
    }

    /// The time, by the host's clock.
    pub(super) fn stamp(&self) -> u64 {
        self.recorder.stamps.now()
    }

    /// The lengths of queues, in the order of [`Queue`](crate::trace::Queue); the unit knows of two.
    #[inline(always)]
    fn lengths(&self, ready: usize, inbox: usize) -> [u32; 3] {
        [ready, self.tokens.waiting(), inbox].map(short)
    }

    /// Writes down that the unit attended to events in this time; `ready` and `inbox` are the lengths of queues.
    pub(crate) fn served(&mut self, from: u64, until: u64, ready: usize, inbox: usize) {
        if self.recorder.on {
            let lengths = self.lengths(ready, inbox);
            self.recorder.services.push(RawService { from, until, lengths });
        }
    }
}

impl ExecutionUnit {
    /// The time, by the host's clock.
    #[inline(always)]
    pub(crate) fn stamp(&self) -> u64 {
        self.recorder.stamps.now()
    }

    /// Writes down that a fiber has run in this time, the one that was [expected](EuRecorder::expect_enabled), on a
    /// machine that traces. `inbox` is how many events wait for the node (SPN).
    #[inline(always)]
    pub(crate) fn ran(&mut self, begin: u64, end: u64, inbox: usize) {
        let ExecutionUnit { recorder, su, current, .. } = self;
        let (layout, by) = (current.layout(), current.by);
        let EuRecorder { slices, me, of, fiber, index, .. } = recorder;
        // One that is not kept has the number that no slice has.
        let Some(entry) = slices.next() else { return };
        me.0 += 1;
        su.recorder.fiber = *me;
        let (signals, lengths) = if su.passes_on() {
            (0, [0; 3])
        } else {
            (short(su.recorder.signals.len()), su.lengths(su.run_queue.len(), inbox))
        };
        entry.fill(RawSlice {
            begin,
            end,
            layout,
            of: *of,
            by,
            fiber: *fiber,
            index: *index,
            signals,
            lengths,
        });
    }
}
