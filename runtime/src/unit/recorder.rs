//! What the units of a traced machine write down while they run; [`trace`](crate::trace) makes sense of it
//! afterwards.
//!
//! An execution unit writes one *slice* a fiber: from when to when, which fiber of which frame, and what made it
//! run. A synchronization unit writes one line a *signal* that a slot counted: which round of which slot. Both
//! are named exactly, nothing is guessed by time: a slot and its round are what a fiber that was enabled carries
//! anyway ([`Tag`]).
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

use std::collections::{HashMap, VecDeque};

use earth_signal::Activity;
use quanta::Clock;

use super::eu::{BETWEEN_FIBERS, Current, Eu, Route};
use super::log::{Log, Vacant};
use super::signature::Who;
use super::su::Su;
use crate::frame::{ParkingWitness, Tag, Witness};
use crate::vocabulary::address::{FrameId, FrameRef};
use crate::vocabulary::layout::Layout;

/// Whose time stamps are.
#[derive(Clone, Debug)]
pub(crate) enum Stamps {
    /// The processor's counter.
    Host(Clock),
    /// The machine's, which it tells.
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

    /// What lies between two stamps: nanoseconds, or cycles of a simulated machine.
    pub(crate) fn between(&self, from: u64, to: u64) -> u64 {
        match self {
            Stamps::Host(clock) => clock.delta_as_nanos(from, to),
            Stamps::Virtual => to.saturating_sub(from),
        }
    }
}

/// How much is kept of one unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits(usize);

impl Limits {
    /// So many fibers, at most as many as 32 bits tell apart.
    pub(crate) fn fibers(fibers: usize) -> Self {
        Limits(fibers.min(u32::MAX as usize))
    }

    /// Four signals for each fiber, at most as many as 32 bits count.
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
    /// It is the first of a function that somebody started.
    Started(Who),
    /// A round of a slot of this frame came to its end, or somebody spawned it ([`Tag::spawner`]).
    Enabled(FrameId, Tag),
}

/// One fiber that ran.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSlice {
    pub(crate) begin: u64,
    pub(crate) end: u64,
    pub(crate) layout: &'static Layout,
    /// The frame of a fiber that was enabled, or who started its function, by `tag`.
    of: u64,
    /// What enabled it; [`Tag::NONE`] if it is the first of its function.
    tag: Tag,
    pub(crate) fiber: u32,
    pub(crate) index: u32,
    /// How many signals had been written down when it was over (SPN).
    pub(crate) signals: u32,
    /// The lengths of queues then, in the order of [`Queue`](crate::trace::Queue) (SPN).
    pub(crate) lengths: [u32; 3],
}

impl RawSlice {
    const BLANK: RawSlice = RawSlice {
        begin: 0,
        end: 0,
        layout: &BETWEEN_FIBERS,
        of: 0,
        tag: Tag::NONE,
        fiber: 0,
        index: 0,
        signals: 0,
        lengths: [0; 3],
    };

    pub(crate) fn cause(&self) -> Cause {
        if self.tag == Tag::NONE {
            Cause::Started(Who(self.of))
        } else {
            Cause::Enabled(FrameId::from_bits(self.of), self.tag)
        }
    }
}

/// One signal that a slot of this node counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSignal {
    pub(crate) frame: FrameId,
    pub(crate) tag: Tag,
}

impl RawSignal {
    const BLANK: RawSignal = RawSignal { frame: FrameId::ROOT, tag: Tag::NONE };
}

/// A synchronization unit attended to events.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawService {
    pub(crate) from: u64,
    pub(crate) until: u64,
    /// The lengths of queues then.
    pub(crate) lengths: [u32; 3],
}

impl RawService {
    const BLANK: RawService = RawService { from: 0, until: 0, lengths: [0; 3] };
}

const _: () = assert!(size_of::<RawSlice>() == 64, "a fiber is one cache line");
const _: () = assert!(size_of::<RawSignal>() == 16, "four signals are one");

/// What an execution unit writes down.
#[derive(Debug)]
pub(crate) struct EuRecorder {
    /// Whether it does.
    on: bool,
    pub(crate) node: u32,
    /// Whether slices tell of the synchronization unit too, which is in the same thread (SPN).
    pub(crate) tells_of_su: bool,
    pub(crate) stamps: Stamps,
    /// When the run began.
    pub(crate) began: u64,
    pub(crate) slices: Log<RawSlice>,
    /// The fiber that runs: its number, who started its function or nobody, and its index.
    pub(super) me: Who,
    pub(super) starter: Who,
    index: u32,
    /// Which fiber runs, for a stall monitor. Boxed and here, since a word more in the execution unit itself made a
    /// hop between two nodes a tenth slower.
    pub(super) activity: Option<Box<Activity>>,
    /// Whether fibers are traced or published, so that the code that does so runs them.
    pub(crate) observed: bool,
}

impl EuRecorder {
    /// Of a machine that does not trace.
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
            starter: Who::NOBODY,
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

    /// The next fiber is an enabled one.
    #[inline(always)]
    pub(super) fn expect_enabled(&mut self, index: u32) {
        self.index = index;
    }

    /// The next fiber is the first of a function that somebody started.
    #[inline(always)]
    pub(super) fn expect_started(&mut self, starter: Who) {
        self.index = 0;
        self.starter = starter;
    }

    /// The fiber that ran last was interrupted and takes so much longer.
    pub(crate) fn interrupted(&mut self, by: u64) {
        if let Some(last) = self.slices.last_mut() {
            last.end += by;
        }
    }
}

/// What a synchronization unit writes down.
#[derive(Debug)]
pub(crate) struct SuRecorder {
    /// Whether it does.
    on: bool,
    stamps: Stamps,
    /// The fiber that runs, or will next (SPN).
    fiber: Who,
    /// On whose behalf the unit acts, if not on that of this fiber.
    sender: Option<Who>,
    pub(crate) signals: Log<RawSignal>,
    /// The senders of signals, by index, that do not follow from the slices.
    pub(crate) senders: Log<(u32, Who)>,
    pub(crate) services: Log<RawService>,
    /// Who sent the values parked at an inlet, oldest first.
    parked: HashMap<(FrameId, u32), VecDeque<Who>>,
}

impl SuRecorder {
    /// Of a machine that does not trace.
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
            parked: HashMap::new(),
        }
    }

    /// Prepares for a run.
    pub(super) fn begin(&mut self, node: u32) {
        self.fiber = Who::new(node, 0);
        self.sender = None;
        self.signals.clear();
        self.senders.clear();
        self.services.clear();
        self.parked.clear();
    }

    /// Whether the machine traces.
    #[inline(always)]
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// On whose behalf the unit acts.
    pub(super) fn sender(&self) -> Who {
        self.sender.unwrap_or(self.fiber)
    }

    /// How much found no room.
    pub(crate) fn dropped(&self) -> u64 {
        self.signals.dropped + self.services.dropped
    }
}

impl Witness for &mut SuRecorder {
    #[inline(always)]
    fn counted(self, frame: FrameId, tag: Tag) {
        if self.on {
            let kept = self.signals.push(RawSignal { frame, tag });
            if let Some(sender) = self.sender
                && kept
            {
                self.senders.push((self.signals.len() as u32 - 1, sender));
            }
        }
    }
}

impl ParkingWitness for &mut SuRecorder {
    fn parked(self, frame: FrameId, inlet: u32) {
        if self.on {
            let sender = self.sender();
            self.parked.entry((frame, inlet)).or_default().push_back(sender);
        }
    }
}

/// For a signal of the fiber that runs.
impl Witness for Vacant<'_, RawSignal> {
    #[inline(always)]
    fn counted(self, frame: FrameId, tag: Tag) {
        self.fill(RawSignal { frame, tag });
    }
}

/// The length of a queue: no memory holds one that is longer.
#[inline(always)]
fn short(length: usize) -> u32 {
    length as u32
}

impl Su {
    /// Acts on somebody's behalf from now on, or on that of the fiber that runs. On whose it acted before.
    pub(super) fn send_as(&mut self, sender: Option<Who>) -> Option<Who> {
        std::mem::replace(&mut self.recorder.sender, sender)
    }

    /// The same for whoever sent the oldest value parked at an inlet, if there is any.
    pub(super) fn send_as_parked(&mut self, at: FrameRef, inlet: u32) -> Option<Who> {
        let parked = self.recorder.parked.get_mut(&(at.id, inlet)).and_then(VecDeque::pop_front);
        self.send_as(Some(parked.unwrap_or(Who::NOBODY)))
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

    /// Attended to events in this time; `ready` and `inbox` are the lengths of queues.
    pub(crate) fn served(&mut self, from: u64, until: u64, ready: usize, inbox: usize) {
        if self.recorder.on {
            let lengths = self.lengths(ready, inbox);
            self.recorder.services.push(RawService { from, until, lengths });
        }
    }
}

impl Eu {
    /// The time, by the host's clock.
    #[inline(always)]
    pub(crate) fn stamp(&self) -> u64 {
        self.recorder.stamps.now()
    }

    /// A fiber has run in this time, the one that was [expected](EuRecorder::expect_enabled), on a machine that
    /// traces. `inbox` is how many events wait for the node (SPN).
    #[inline(always)]
    pub(crate) fn ran(&mut self, begin: u64, end: u64, inbox: usize) {
        let Eu { recorder, route, current: Current { layout, own, tag, fiber, .. }, .. } = self;
        let EuRecorder { slices, me, starter, index, .. } = recorder;
        // One that is not kept has the number that no slice has.
        let Some(entry) = slices.next() else { return };
        me.0 += 1;
        let (signals, lengths) = match route {
            Route::Traced(su) | Route::Charged(su) => {
                su.recorder.fiber = *me;
                (short(su.recorder.signals.len()), su.lengths(su.run_queue.len(), inbox))
            }
            Route::Merged(_) | Route::Separate(_) => (0, [0; 3]),
        };
        let of = if *tag == Tag::NONE { starter.0 } else { own.bits() };
        entry.fill(RawSlice {
            begin,
            end,
            layout,
            of,
            tag: *tag,
            fiber: *fiber,
            index: *index,
            signals,
            lengths,
        });
    }
}
