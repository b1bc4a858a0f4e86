//! What the units of a traced machine write down while they run; [`trace`](crate::trace) makes sense of it
//! afterwards.
//!
//! An execution unit writes one *slice* a fiber: from when to when, which fiber of which frame, and what made it
//! run. A synchronization unit writes one line a *signal* that reached a slot: which round of which slot, and by
//! whom. Both are named exactly, nothing is guessed by time: a slot and its round are what a fiber that was
//! enabled carries anyway ([`Tag`]), and what a fiber sends is *signed* with the fiber's number:
//!
//! * in SPN a signal on the own node is applied in line, so the unit knows who runs;
//! * an event that goes through a queue travels inside of an [`Event::Signed`], which is boxed, so that no event
//!   is larger for it; through bytes the signature goes before the event and counts as nothing;
//! * a call travels inside of a [`Signed`] call of the same size, so that a token stays one cache line;
//! * a fiber that was spawned carries the number of its spawner where others carry their slot.
//!
//! Nothing here is shared: each recorder belongs to one unit. Cost of a fiber with one signal on its own node:
//! one reading of the processor's time stamp counter, 56 + 24 bytes written, and the operation out of line.
//! Memory: at most [so many](Limits) records a unit, the rest is counted and dropped; what was
//! allocated is kept for the next run.

use std::collections::{HashMap, VecDeque};

use earth_memory::KindOf;
use quanta::Clock;

use super::eu::{BETWEEN_FIBERS, Eu, Route};
use super::event::Event;
use super::function::{Call, Function, bulk};
use super::su::Su;
use crate::frame::{FrameStore, Ready, Tag};
use crate::vocabulary::address::{FrameId, FrameRef, SlotRef};
use crate::vocabulary::layout::Layout;
use crate::vocabulary::wire::Undecodable;

/// A fiber that ran: its node and the number of its slice there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Who(pub(crate) u64);

impl Who {
    /// No fiber, or one that was not written down.
    pub(crate) const NOBODY: Who = Who(u64::MAX);

    pub(crate) fn new(node: u32, slice: usize) -> Self {
        Who(u64::from(node) << 32 | slice as u64)
    }

    pub(crate) fn node(self) -> u32 {
        (self.0 >> 32) as u32
    }

    pub(crate) fn slice(self) -> u32 {
        self.0 as u32
    }
}

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
}

impl Default for Limits {
    fn default() -> Self {
        Limits(1 << 20)
    }
}

/// Signals kept for each slice.
const SIGNALS_A_SLICE: usize = 4;

/// Lengths of queues kept for each slice.
const DEPTHS_A_SLICE: usize = 3;

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
    pub(crate) cause: Cause,
    pub(crate) fiber: u32,
    pub(crate) index: u32,
}

/// One signal that reached a slot of this node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawSignal {
    pub(crate) frame: FrameId,
    pub(crate) tag: Tag,
    pub(crate) sender: Who,
}

/// The length of a queue from a moment on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RawDepth {
    pub(crate) at: u64,
    pub(crate) queue: u32,
    pub(crate) length: u32,
}

/// Pushes unless there is no more room.
#[inline]
fn keep<T>(list: &mut Vec<T>, limit: usize, dropped: &mut u64, item: T) {
    if list.len() < limit {
        list.push(item);
    } else {
        *dropped += 1;
    }
}

/// What an execution unit writes down.
#[derive(Debug)]
pub(crate) struct EuRecorder {
    pub(crate) node: u32,
    pub(crate) stamps: Stamps,
    /// When the run began.
    pub(crate) began: u64,
    limits: Limits,
    pub(crate) slices: Vec<RawSlice>,
    pub(crate) dropped: u64,
    /// The fiber that runs: as what it was enabled, or who started its function.
    ready: Option<Ready>,
    starter: Who,
}

impl EuRecorder {
    pub(crate) fn new(node: u32, stamps: Stamps, limits: Limits) -> Self {
        EuRecorder {
            node,
            stamps,
            began: 0,
            limits,
            slices: Vec::new(),
            dropped: 0,
            ready: None,
            starter: Who::NOBODY,
        }
    }

    fn begin(&mut self) {
        self.slices.clear();
        self.dropped = 0;
        self.began = self.stamps.now();
    }

    /// The fiber that runs.
    #[inline]
    pub(super) fn me(&self) -> Who {
        if self.slices.len() < self.limits.0 { Who::new(self.node, self.slices.len()) } else { Who::NOBODY }
    }
}

/// What a synchronization unit writes down.
#[derive(Debug)]
pub(crate) struct SuRecorder {
    stamps: Stamps,
    limits: Limits,
    /// On whose behalf the unit acts.
    sender: Who,
    pub(crate) signals: Vec<RawSignal>,
    /// When it attended to events: from, until.
    pub(crate) services: Vec<(u64, u64)>,
    pub(crate) depths: Vec<RawDepth>,
    /// The last length of each queue.
    lengths: [u32; 3],
    pub(crate) dropped: u64,
    /// Who sent the values parked at an inlet, oldest first.
    parked: HashMap<(u32, u32), VecDeque<Who>>,
}

impl SuRecorder {
    pub(crate) fn new(stamps: Stamps, limits: Limits) -> Self {
        SuRecorder {
            stamps,
            limits,
            sender: Who::NOBODY,
            signals: Vec::new(),
            services: Vec::new(),
            depths: Vec::new(),
            lengths: [0; 3],
            dropped: 0,
            parked: HashMap::new(),
        }
    }

    fn begin(&mut self) {
        self.sender = Who::NOBODY;
        self.signals.clear();
        self.services.clear();
        self.depths.clear();
        self.lengths = [0; 3];
        self.dropped = 0;
        self.parked.clear();
    }

    /// A signal is going to reach a slot, or to be refused.
    #[inline]
    pub(super) fn signal(&mut self, frames: &FrameStore, to: SlotRef) {
        self.note(frames, to, self.sender);
    }

    /// A value is going to reach an inlet and its slot, to be parked, or to be refused.
    pub(super) fn put(&mut self, frames: &FrameStore, to: SlotRef, inlet: u32) {
        if frames.is_full(to.id(), inlet) {
            self.parked.entry((to.id().number(), inlet)).or_default().push_back(self.sender);
        } else {
            self.signal(frames, to);
        }
    }

    /// The oldest value parked at an inlet is going to be let in.
    pub(super) fn unpark(&mut self, frames: &FrameStore, at: FrameRef, inlet: u32) {
        let Some(slot) = frames.slot_of_parked(at.id, inlet) else { return };
        let senders = self.parked.get_mut(&(at.id.number(), inlet));
        let sender = senders.and_then(VecDeque::pop_front).unwrap_or(Who::NOBODY);
        self.note(frames, SlotRef::new(at, slot), sender);
    }

    #[inline]
    fn note(&mut self, frames: &FrameStore, to: SlotRef, sender: Who) {
        let Some(tag) = frames.tag_of_next(to) else { return };
        let limit = SIGNALS_A_SLICE.saturating_mul(self.limits.0);
        keep(&mut self.signals, limit, &mut self.dropped, RawSignal { frame: to.id(), tag, sender });
    }

    /// The unit attended to events in this time.
    pub(crate) fn service(&mut self, from: u64, until: u64) {
        keep(&mut self.services, self.limits.0, &mut self.dropped, (from, until));
    }

    /// The lengths of queues now, in the order of [`Queue`](crate::trace::Queue).
    #[inline]
    pub(crate) fn sample(&mut self, at: u64, lengths: [usize; 3]) {
        let limit = DEPTHS_A_SLICE.saturating_mul(self.limits.0);
        for ((queue, last), length) in (0..).zip(&mut self.lengths).zip(lengths) {
            let length = u32::try_from(length).unwrap_or(u32::MAX);
            if *last != length {
                *last = length;
                keep(&mut self.depths, limit, &mut self.dropped, RawDepth { at, queue, length });
            }
        }
    }
}

/// A call and who made it.
struct Signed {
    sender: Who,
    call: Box<Call>,
}

/// The kind of signed calls. They are in no table: where a call is packed its signature goes before the event.
static SIGNED: KindOf<Signed, Function> = KindOf::new(Function {
    layout: &BETWEEN_FIBERS,
    start: start_signed,
    resume: |_, _, _, _| unreachable!("no frame is a signed call's"),
    pack: |_, _| {},
    unpack: |_| Err(Undecodable),
    bulk_bytes: |call| call.peek(&SIGNED).map_or(0, |signed| bulk(&signed.call)),
});

/// Starts the function of a signed call, which is on top.
fn start_signed(eu: &mut Eu) {
    let top = match &mut eu.route {
        Route::Merged(su) | Route::Watched(su) => su.tokens.top(),
        Route::Separate(to_su) => &mut to_su.incoming,
    };
    let Some(Signed { sender, call }) = top.take(&SIGNED) else {
        unreachable!("a signed call holds a signature")
    };
    *top = *call;
    let Some(function) = top.kind() else { unreachable!("a call names its function") };
    if let Some(recorder) = &mut eu.recorder {
        recorder.starter = sender;
    }
    (function.hooks().start)(eu);
}

/// Signs a call.
pub(super) fn sign_call(call: Call, sender: Who) -> Call {
    Call::new(Signed { sender, call: Box::new(call) }, &SIGNED)
}

/// Takes the signature off, for bytes.
pub(super) fn unsign(event: Event) -> (Option<Who>, Event) {
    let open = |mut call: Call| match call.take(&SIGNED) {
        Some(Signed { sender, call }) => (Some(sender), *call),
        None => (None, call),
    };
    match event {
        Event::Signed { sender, event } => (Some(sender), *event),
        Event::Invoke { node, call } => {
            let (sender, call) = open(call);
            (sender, Event::Invoke { node, call })
        }
        Event::Token { node, mut token } => {
            let (sender, call) = open(std::mem::take(&mut token.call));
            token.call = call;
            (sender, Event::Token { node, token })
        }
        event => (None, event),
    }
}

/// Signs an event that is a signal, or will be one.
fn sign(event: Event, sender: Who) -> Event {
    match event {
        Event::Signal { .. } | Event::Put { .. } | Event::Get { .. } | Event::Write { .. } => {
            Event::Signed { sender, event: Box::new(event) }
        }
        event => event,
    }
}

impl Su {
    /// Signs an event that goes to another node.
    pub(super) fn signed(&self, event: Event) -> Event {
        match &self.recorder {
            Some(recorder) => sign(event, recorder.sender),
            None => event,
        }
    }

    /// Applies an event on behalf of its sender. A call gets its signature back.
    pub(super) fn apply_signed(&mut self, sender: Who, event: Event) -> super::su::Outcome {
        if let Some(recorder) = &mut self.recorder {
            recorder.sender = sender;
        }
        self.apply(match event {
            Event::Invoke { node, call } => Event::Invoke { node, call: sign_call(call, sender) },
            Event::Token { node, mut token } => {
                token.call = sign_call(std::mem::take(&mut token.call), sender);
                Event::Token { node, token }
            }
            event => event,
        })
    }

    /// Prepares for a run.
    pub(super) fn begin_recording(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.begin();
        }
    }

    /// The time, by the host's clock.
    pub(super) fn stamp(&self) -> u64 {
        self.recorder.as_ref().map_or(0, |recorder| recorder.stamps.now())
    }

    /// Attended to events in this time; `ready` and `inbox` are the lengths of queues.
    pub(crate) fn served(&mut self, from: u64, until: u64, ready: usize, inbox: usize) {
        let tokens = self.tokens.waiting();
        if let Some(recorder) = &mut self.recorder {
            recorder.service(from, until);
            recorder.sample(until, [ready, tokens, inbox]);
        }
    }
}

impl Eu {
    /// Signs an event for the synchronization unit in the other thread.
    pub(super) fn signed(&self, event: Event) -> Event {
        match &self.recorder {
            Some(recorder) => sign(event, recorder.me()),
            None => event,
        }
    }

    /// Signs a call.
    pub(super) fn signed_call(&self, call: Call) -> Call {
        match &self.recorder {
            Some(recorder) => sign_call(call, recorder.me()),
            None => call,
        }
    }

    /// What a fiber spawned by this one carries.
    pub(super) fn spawner(&self) -> Tag {
        self.recorder.as_ref().map_or(Tag::NONE, |recorder| Tag::spawned_by(recorder.me().slice()))
    }

    /// Prepares for a run.
    pub(super) fn begin_recording(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.begin();
        }
    }

    /// The time, by the host's clock.
    pub(crate) fn stamp(&self) -> u64 {
        self.recorder.as_ref().map_or(0, |recorder| recorder.stamps.now())
    }

    /// The next fiber, if there is one, was enabled; else it is the first of its function.
    #[inline(always)]
    pub(super) fn expect(&mut self, ready: Option<Ready>) {
        let Some(recorder) = &mut self.recorder else { return };
        recorder.ready = ready;
        recorder.starter = Who::NOBODY;
        let me = recorder.me();
        if let Route::Watched(Su { recorder: Some(recorder), .. }) = &mut self.route {
            recorder.sender = me;
        }
    }

    /// A fiber has run in this time, the one that was [expected](Eu::expect). `inbox` is how many events wait
    /// for the node (SPN).
    #[inline]
    pub(crate) fn ran(&mut self, begin: u64, end: u64, inbox: usize) {
        let Some(recorder) = &mut self.recorder else { return };
        let (cause, index) = match recorder.ready {
            Some(Ready { own, tag, index, .. }) => (Cause::Enabled(own, tag), index),
            None => (Cause::Started(recorder.starter), 0),
        };
        let slice =
            RawSlice { begin, end, layout: self.current.layout, cause, fiber: self.current.fiber, index };
        keep(&mut recorder.slices, recorder.limits.0, &mut recorder.dropped, slice);
        if let Route::Watched(su) = &mut self.route {
            let lengths = [su.ready.len(), su.tokens.waiting(), inbox];
            if let Some(recorder) = &mut su.recorder {
                recorder.sample(end, lengths);
            }
        }
    }

    /// The fiber that ran last was interrupted and takes so much longer.
    pub(crate) fn interrupted(&mut self, by: u64) {
        if let Some(recorder) = &mut self.recorder
            && let Some(last) = recorder.slices.last_mut()
        {
            last.end += by;
        }
    }
}
