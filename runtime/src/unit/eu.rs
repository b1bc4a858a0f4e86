//! The execution unit: what a fiber holds while it runs, and all it can do.
//!
//! Each operation goes one of two routes: in SPN it is applied to the node's synchronization unit at once, with its types known; in DUAL it
//! becomes an event in a queue. The route is a branch that always goes the same way.
//!
//! # Frames are made late
//!
//! A function that ends in its first fiber often needs no frame at all (half the calls of a recursion are leaves). So the first fiber
//! runs on a *reserved* frame number with its state on the stack. If it gives out an address ([`reply_to`](Eu::reply_to) and the
//! like) or waits, the frame is made: at the end of the fiber in SPN, since nothing can come before; before the next event
//! leaves in DUAL. Functions whose sizes depend on their arguments make their frame at the start.

use std::cell::Cell as Flag;
use std::collections::VecDeque;
use std::num::NonZero;
use std::sync::Arc;

use earth_memory::{Block, Element, Held, HoldPool, Published};
use earth_signal::EventSender;

use super::balance::{Token, Within};
use super::event::Event;
use super::function::{Call, FunctionRef, Functions, Start, Threaded, function, kind};
use super::su::{Outcome, Su};
use super::transport::Bell;
use crate::counters::Counters;
use crate::error::{Error, FiberName};
use crate::frame::{Ready, Tag, Taken};
use crate::vocabulary::address::{CellRef, FrameRef, NodeId, Reply, SlotRef};
use crate::vocabulary::layout::{Layout, Sizes, name_of};
use crate::vocabulary::name::{Cell, Fiber, Inlet, Slot};
use crate::vocabulary::value::{Carried, Value};
use crate::vocabulary::wire::Wire;

/// The fiber that runs now.
pub(super) struct Current {
    pub(super) layout: &'static Layout,
    /// Its frame, or the number and generation reserved for it.
    pub(super) own: Own,
    /// Whether the frame has been made.
    pub(super) made: bool,
    /// Whether the first fiber gave out an address, so that the frame must be made.
    pub(super) addressed: Flag<bool>,
    pub(super) enabled: Enabled,
}

/// A frame of this node.
#[derive(Clone, Copy)]
pub(super) struct Own {
    pub(super) frame: u32,
    pub(super) generation: u32,
}

/// Which fiber, and what enabled it.
#[derive(Clone, Copy)]
pub(super) struct Enabled {
    pub(super) fiber: u32,
    /// That of the slot that enabled it, or what it was spawned with.
    pub(super) index: u32,
    pub(super) tag: Tag,
    /// How many of the values that enabled it were not taken yet.
    pub(super) untaken: u32,
}

impl Enabled {
    /// The first fiber of a function.
    pub(super) const FIRST: Enabled = Enabled { fiber: 0, index: 0, tag: Tag::NONE, untaken: 0 };
}

/// The part of a frame that the execution unit keeps: the function's state.
#[derive(Default)]
pub(super) struct EuFrame {
    pub(super) generation: u32,
    pub(super) function: Option<FunctionRef>,
    pub(super) state: Option<Held>,
    pub(super) sizes: Option<Arc<Sizes>>,
}

/// The queue to a synchronization unit in another thread.
pub(crate) struct ToSu {
    queue: EventSender<Event>,
    /// What found no room, oldest first.
    spilled: VecDeque<Event>,
    bell: Bell,
    pub(crate) sent: u64,
}

impl ToSu {
    pub(crate) fn new(queue: EventSender<Event>, bell: Bell) -> Self {
        ToSu { queue, spilled: VecDeque::new(), bell, sent: 0 }
    }

    pub(super) fn send(&mut self, event: Event) {
        self.sent += 1;
        if !self.spilled.is_empty() {
            self.spilled.push_back(event);
        } else if let Err(full) = self.queue.send(event) {
            self.spilled.push_back(full.0);
        } else {
            self.bell.ring();
        }
    }

    pub(crate) fn is_spilled(&self) -> bool {
        !self.spilled.is_empty()
    }

    /// Tries again to send what found no room. Whether any of it went.
    pub(crate) fn flush(&mut self) -> bool {
        let before = self.spilled.len();
        while let Some(event) = self.spilled.pop_front() {
            if let Err(full) = self.queue.send(event) {
                self.spilled.push_front(full.0);
                break;
            }
            self.bell.ring();
        }
        self.spilled.len() < before
    }
}

/// Where operations go.
#[expect(
    clippy::large_enum_variant,
    reason = "one per node, and the large one is the one that must be in line"
)]
pub(crate) enum Route {
    /// SPN: applied in line.
    Merged(Su),
    /// DUAL: sent to the other thread.
    Separate(ToSu),
}

/// The execution unit of the node that a fiber runs on: everything a fiber can ask for.
///
/// No operation waits. An operation that cannot be right (a stale address, a signal too many, an inlet that holds nothing) ends the
/// run with a typed [`Error`](crate::Error).
pub struct Eu {
    pub(super) node: u32,
    nodes: NonZero<u32>,
    pub(super) current: Current,
    pub(super) frames: Vec<EuFrame>,
    pub(super) free: Vec<Own>,
    /// The frame reserved for the next function to start.
    pub(super) spare: Own,
    pub(super) pool: HoldPool,
    pub(crate) route: Route,
    /// The values of the fiber that runs now, by inlet (DUAL).
    pub(super) delivered: VecDeque<(u32, Value)>,
    functions: Arc<Functions>,
    /// The functions found listed last: most programs start one or two.
    listed: [Option<FunctionRef>; 2],
    pub(crate) counters: Counters,
}

/// What runs while no fiber does.
static BETWEEN_FIBERS: Layout =
    Layout::new(|| "the synchronization unit", &[], &[], &[], &["between fibers"], false);

impl Eu {
    pub(crate) fn new(node: u32, nodes: NonZero<u32>, route: Route) -> Self {
        let current = Current {
            layout: &BETWEEN_FIBERS,
            own: Own { frame: 0, generation: 0 },
            made: false,
            addressed: Flag::new(false),
            enabled: Enabled::FIRST,
        };
        Eu {
            node,
            nodes,
            current,
            frames: vec![EuFrame::default()],
            free: Vec::new(),
            spare: Own { frame: 0, generation: 0 },
            pool: HoldPool::new(),
            route,
            delivered: VecDeque::new(),
            functions: Arc::default(),
            listed: [None; 2],
            counters: Counters::default(),
        }
    }

    /// Prepares for a run.
    pub(crate) fn begin(&mut self, functions: Arc<Functions>) {
        self.functions = functions;
        self.listed = [None; 2];
        self.counters = Counters::default();
        if let Route::Separate(to_su) = &mut self.route {
            to_su.sent = 0;
        }
    }

    /// The node this fiber runs on.
    #[doc(alias = "NODE_ID")]
    #[inline(always)]
    pub fn node(&self) -> NodeId {
        NodeId(self.node)
    }

    /// How many nodes the machine has.
    #[doc(alias = "NUM_NODES")]
    #[inline(always)]
    pub fn nodes(&self) -> usize {
        self.nodes.get() as usize
    }

    /// Signals a slot of this frame.
    #[doc(alias = "SYNC")]
    #[inline]
    pub fn sync(&mut self, slot: Slot) {
        let to = self.slot_ref(slot);
        self.rsync(to);
    }

    /// Signals a slot anywhere.
    #[doc(alias = "RSYNC")]
    #[inline]
    pub fn rsync(&mut self, to: SlotRef) {
        self.make_if_own(to.frame);
        let outcome = match &mut self.route {
            Route::Merged(su) => su.signal(to),
            Route::Separate(_) => self.send(Event::Signal { to }),
        };
        self.check(outcome);
    }

    /// Raises the count of a slot of this frame by `by`. It happens before anything this fiber starts afterwards can signal the slot. An
    /// error if the slot is one-shot and has reached zero.
    #[doc(alias = "INCR_SYNC")]
    pub fn incr(&mut self, slot: Slot, by: u32) {
        let slot = self.slot_ref(slot);
        self.make_if_own(slot.frame);
        let outcome = match &mut self.route {
            Route::Merged(su) => su.raise(slot, by),
            Route::Separate(_) => self.send(Event::Raise { slot, by }),
        };
        self.check(outcome);
    }

    /// Enables a fiber of this frame directly, with index 0.
    #[doc(alias = "SPAWN")]
    pub fn spawn(&mut self, fiber: Fiber) {
        self.spawn_at(fiber, 0);
    }

    /// Enables a fiber of this frame directly, with an index of the program's choice.
    ///
    /// # Panics
    ///
    /// If `index` does not fit 32 bits.
    #[doc(alias = "SPAWN")]
    pub fn spawn_at(&mut self, fiber: Fiber, index: usize) {
        if fiber.ordinal as usize >= self.current.layout.fibers.len() {
            self.fail(Error::NoSuchPlace {
                at: self.fiber_name(),
                what: format!("fiber {} of another function", fiber.ordinal),
            });
        }
        let index = u32::try_from(index).expect("the index of a fiber has 32 bits");
        self.current.addressed.set(true);
        let Own { frame, generation } = self.current.own;
        let ready = Ready::spawned(frame, generation, fiber.ordinal, index);
        let outcome = match &mut self.route {
            Route::Merged(su) => {
                su.spawn(ready);
                Ok(())
            }
            Route::Separate(_) => self.send(Event::Spawn { ready }),
        };
        self.check(outcome);
    }

    /// Stores a value into an inlet anywhere and signals the inlet's slot, as one event. A value for a full inlet is parked, with its
    /// signal, until the inlet has been emptied.
    #[doc(alias = "DATA_SYNC")]
    #[doc(alias = "DATA_RSYNC")]
    #[inline]
    pub fn put<T: Wire>(&mut self, reply: Reply<T>, value: T) {
        self.counters.bytes_moved += value.bulk_bytes();
        let value = match &mut self.route {
            Route::Merged(su) => match su.put_plain(reply.to, reply.inlet, value) {
                Ok(()) => return,
                Err(value) => value,
            },
            Route::Separate(_) => value,
        };
        self.put_value(reply.to, reply.inlet, Value::new(value, T::KIND));
    }

    /// Any case of [`put`](Eu::put).
    #[inline(never)]
    fn put_value(&mut self, to: SlotRef, inlet: u32, value: Value) {
        self.make_if_own(to.frame);
        let outcome = match &mut self.route {
            Route::Merged(su) => su.put(to, inlet, value),
            Route::Separate(_) => self.send(Event::Put { to, inlet, value }),
        };
        self.check(outcome);
    }

    /// Moves a block to an inlet anywhere and signals the inlet's slot. Within a process the handle moves and no element is copied.
    #[doc(alias = "BLKMOV_SYNC")]
    #[doc(alias = "BLKMOV_RSYNC")]
    pub fn put_block<T: Element>(&mut self, reply: Reply<Block<T>>, block: Block<T>) {
        self.counters.block_moves += 1;
        self.put(reply, block);
    }

    /// Asks for the value of a write-once cell anywhere; the answer arrives at `reply`. A question that comes before the cell is
    /// written waits at the cell (an I-structure).
    #[doc(alias = "GET_SYNC")]
    #[doc(alias = "GET_RSYNC")]
    pub fn get<T: Wire + Clone>(&mut self, from: CellRef<T>, reply: Reply<T>) {
        self.make_if_own(from.frame);
        self.make_if_own(reply.to.frame);
        let outcome = match &mut self.route {
            Route::Merged(su) => su.get(from.frame, from.cell, reply.to, reply.inlet),
            Route::Separate(_) => {
                self.send(Event::Get { from: from.frame, cell: from.cell, to: reply.to, inlet: reply.inlet })
            }
        };
        self.check(outcome);
    }

    /// Asks for a published block; what arrives is one more handle of it within a process, and its bytes between processes.
    #[doc(alias = "BLKMOV_SYNC")]
    pub fn get_block<T: Element>(&mut self, from: CellRef<Published<T>>, reply: Reply<Published<T>>) {
        self.counters.block_moves += 1;
        self.get(from, reply);
    }

    /// Writes a write-once cell anywhere and answers all who asked for it. An error if it was written before.
    pub fn write<T: Wire + Clone>(&mut self, to: CellRef<T>, value: T) {
        self.counters.bytes_moved += value.bulk_bytes();
        self.make_if_own(to.frame);
        let value = Value::new(value, T::KIND);
        let outcome = match &mut self.route {
            Route::Merged(su) => su.write(to.frame, to.cell, value),
            Route::Separate(_) => self.send(Event::Write { at: to.frame, cell: to.cell, value }),
        };
        self.check(outcome);
    }

    /// Takes the value that arrived at an inlet of this frame. Exactly those values may be taken that came with the signals which enabled
    /// this fiber, and each of them must be before the fiber ends.
    #[inline]
    pub fn take<T: Wire>(&mut self, inlet: Inlet<T>) -> T {
        let number = self.inlet_number(inlet.ordinal, inlet.index);
        let Current { own: Own { frame, generation }, enabled: Enabled { tag, untaken, .. }, .. } =
            self.current;
        let taken = match &mut self.route {
            Route::Merged(su) if untaken > 0 => su.frames.take(frame, number, tag, T::KIND),
            Route::Merged(_) => Taken::Nothing,
            Route::Separate(_) => self.take_delivered(number),
        };
        let value = match taken {
            Taken::Value(value) => value,
            Taken::ValueAndMore(value) => {
                let at = FrameRef { node: self.node, frame, generation };
                let outcome =
                    if let Route::Merged(su) = &mut self.route { su.let_in(at, number) } else { Ok(()) };
                self.check(outcome);
                value
            }
            Taken::Nothing => self.nothing_delivered(number),
        };
        self.current.enabled.untaken = untaken - 1;
        value
    }

    fn take_delivered<T: Wire>(&mut self, number: u32) -> Taken<T> {
        let at = match self.delivered.front() {
            Some((inlet, _)) if *inlet == number => Ok(0),
            _ => self.delivered.binary_search_by_key(&number, |(inlet, _)| *inlet),
        };
        let value = match at {
            Ok(0) => self.delivered.pop_front().map(|(_, mut value)| value.take(T::KIND)),
            // Left in place, and empty, so that the order stays: a fiber with many values takes them in any order.
            Ok(at) => self.delivered.get_mut(at).map(|(_, value)| value.take(T::KIND)),
            Err(_) => None,
        };
        value.flatten().map_or(Taken::Nothing, Taken::Value)
    }

    #[cold]
    fn nothing_delivered(&self, number: u32) -> ! {
        let extents = self.own_sizes().map(|sizes| &sizes.inlets[..]);
        let inlet = name_of(self.current.layout.inlets, extents, number);
        self.fail(Error::NotDelivered { at: self.fiber_name(), inlet })
    }

    /// Starts a function on a named node.
    #[doc(alias = "INVOKE")]
    #[inline]
    pub fn invoke<F: Threaded>(&mut self, node: NodeId, args: F::Args) {
        self.listed::<F>();
        if node.0 >= self.nodes.get() {
            self.fail(Error::NoSuchNode { at: self.fiber_name(), node: node.index(), nodes: self.nodes() });
        }
        self.counters.invokes += 1;
        self.counters.bytes_moved += args.bulk_bytes();
        let call = Call::new(Start::<F>(args), kind::<F>());
        let outcome = match &mut self.route {
            Route::Merged(su) => su.invoke(node.0, call),
            Route::Separate(_) => self.send(Event::Invoke { node: node.0, call }),
        };
        self.check(outcome);
    }

    /// Starts a function wherever the balancer likes: here, last in first out, or on an idle node.
    #[doc(alias = "TOKEN")]
    #[inline]
    pub fn token<F: Threaded>(&mut self, args: F::Args) {
        self.make_token::<F>(args, Within { first: 0, end: self.nodes });
    }

    /// Starts a function wherever the balancer likes among the nodes `first..end` (a group).
    #[doc(alias = "TOKEN")]
    pub fn token_within<F: Threaded>(&mut self, nodes: std::ops::Range<NodeId>, args: F::Args) {
        let (first, end) = (nodes.start.0, nodes.end.0);
        match NonZero::new(end) {
            Some(end) if first < end.get() && end <= self.nodes => {
                self.make_token::<F>(args, Within { first, end })
            }
            _ => {
                let node = if first < end { end - 1 } else { first } as usize;
                self.fail(Error::NoSuchNode { at: self.fiber_name(), node, nodes: self.nodes() })
            }
        }
    }

    #[inline(always)]
    fn make_token<F: Threaded>(&mut self, args: F::Args, within: Within) {
        self.listed::<F>();
        self.counters.tokens += 1;
        self.counters.bytes_moved += args.bulk_bytes();
        let token = Token { call: Call::new(Start::<F>(args), kind::<F>()), within };
        let outcome = match &mut self.route {
            Route::Merged(su) => su.token(token),
            Route::Separate(_) => self.send(Event::Token { node: self.node, token }),
        };
        self.check(outcome);
    }

    /// Refuses a function that the run's table lacks.
    #[inline(always)]
    fn listed<F: Threaded>(&mut self) {
        let function = function::<F>();
        if !matches!(self.listed[0], Some(listed) if std::ptr::eq(listed, function)) {
            self.look_up::<F>(function);
        }
    }

    #[inline(never)]
    fn look_up<F: Threaded>(&mut self, function: FunctionRef) {
        self.listed.swap(0, 1);
        if matches!(self.listed[0], Some(listed) if std::ptr::eq(listed, function)) {
            return;
        }
        if !self.functions.has::<F>() {
            self.fail(Error::Unlisted { at: self.fiber_name(), function: F::LAYOUT.name() });
        }
        self.listed[0] = Some(function);
    }

    /// Sends an event to the synchronization unit in the other thread; the frame that its addresses may name is made before.
    fn send(&mut self, event: Event) -> Outcome {
        if self.current.addressed.get() && !self.current.made {
            self.make_early();
        }
        if let Route::Separate(to_su) = &mut self.route {
            to_su.send(event);
        }
        Ok(())
    }

    /// A fiber that signals its own frame before the frame is made needs it now.
    #[inline(always)]
    fn make_if_own(&mut self, frame: FrameRef) {
        if !self.current.made && frame.frame == self.current.own.frame && frame.node == self.node {
            self.make_early();
        }
    }

    #[cold]
    fn make_early(&mut self) {
        self.make_frame(self.current.layout);
    }

    #[inline(always)]
    pub(super) fn check(&self, outcome: Outcome) {
        if let Err(error) = outcome {
            self.fail(*error);
        }
    }

    /// Ends the fiber, and the run, with an error. It unwinds to the unit that runs fibers, without a panic's message.
    #[cold]
    pub(super) fn fail(&self, error: Error) -> ! {
        std::panic::resume_unwind(Box::new(error))
    }

    /// From here to the next fiber, what panics is no fiber.
    pub(super) fn leave_fiber(&mut self) {
        self.current.layout = &BETWEEN_FIBERS;
        self.current.enabled.fiber = 0;
    }

    /// The fiber that runs now, by name.
    pub(crate) fn fiber_name(&self) -> FiberName {
        let Current { layout, enabled: Enabled { fiber, .. }, .. } = self.current;
        let fiber = layout.fibers.get(fiber as usize).copied().unwrap_or("?");
        FiberName { function: layout.name(), fiber: fiber.to_owned(), node: self.node as usize }
    }

    /// The address of a cell of this frame.
    pub fn cell_ref<T>(&self, cell: Cell<T>) -> CellRef<T> {
        CellRef {
            frame: self.own_frame(),
            cell: self.cell_number(cell.ordinal, cell.index),
            holds: std::marker::PhantomData,
        }
    }
}

impl std::fmt::Debug for Eu {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Eu").field("node", &self.node).field("at", &self.fiber_name()).finish_non_exhaustive()
    }
}
