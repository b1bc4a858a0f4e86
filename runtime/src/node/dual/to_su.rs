//! The ring from the execution unit of a DUAL node to its synchronization unit.
//!
//! The most frequent operations have messages of their own types, which contain a value with its type known.
//! All others go as [events](Event).

use std::collections::VecDeque;
use std::ptr;

use earth_memory::push_back;
use earth_signal::{Message, MessageSender, Receiver, Sent};

use super::{Pair, Visibility};
use crate::node::event::Note;
use crate::node::function::{Event, FunctionLayout, Token, UnitTransport};
use crate::node::su::{Su, SuResult};
use crate::probe::order::Taken;
use crate::transport::{Offer, Transport, Waker};
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::{BETWEEN_FIBERS, Layout};
use crate::vocabulary::origin::{Asker, Origin};
use crate::vocabulary::value::{Carried, Value};
use crate::vocabulary::wire::Wire;

impl Receiver for Su {
    type Outcome = SuResult;
}

impl Message<Su> for Event {
    #[inline(never)]
    fn arrive(self, su: &mut Su) -> SuResult {
        su.apply(self)
    }
}

impl Message<Su> for Note {
    #[inline]
    fn arrive(self, su: &mut Su) -> SuResult {
        su.signal(self.to, self.origin)
    }
}

/// The ring to the synchronization unit, and the messages that found no room in it.
pub(crate) struct ToSu {
    ring: MessageSender<Su>,
    overflow: VecDeque<Event>,
    waker: Waker,
    /// How much of the sent messages the other unit knows.
    visibility: Visibility,
    /// The layout of the sending function that the other unit was sent last.
    sent_layout: &'static Layout,
    /// Announces to other nodes that this node shares tokens.
    offer: Box<dyn Offer>,
    /// Whether the other unit holds events back for lack of room, so that no token is started.
    barred: bool,
}

impl ToSu {
    pub(crate) fn new(ring: MessageSender<Su>, waker: Waker, offer: Box<dyn Offer>) -> Self {
        ToSu {
            ring,
            overflow: VecDeque::new(),
            waker,
            visibility: Visibility::Awake,
            sent_layout: &BETWEEN_FIBERS,
            offer,
            barred: false,
        }
    }

    /// Sends the message made of `content`, or keeps the equivalent event if there is no room.
    #[inline(always)]
    fn pass<C, M: Message<Su>>(
        &mut self,
        content: C,
        message: impl FnOnce(C) -> M,
        event: impl FnOnce(C) -> Event,
    ) -> Sent {
        self.visibility = Visibility::Unpublished;
        if self.overflow.is_empty()
            && let Some(room) = self.ring.room()
        {
            room.send(message(content));
            return Sent::Queued;
        }
        push_back(&mut self.overflow, event(content));
        Sent::HeldBack
    }

    /// Sends a message, unless there is no room or others wait for room. Returns whether it was sent.
    fn try_pass<M: Message<Su>>(&mut self, message: M) -> bool {
        let sent = self.overflow.is_empty() && self.ring.send(message).is_ok();
        if sent {
            self.visibility = Visibility::Unpublished;
        }
        sent
    }

    /// Shows the other unit all messages. It may stay asleep until it is [woken](Self::wake).
    #[inline(always)]
    pub(super) fn publish(&mut self) {
        if self.visibility == Visibility::Unpublished {
            self.ring.publish();
            self.visibility = if self.waker.nudge() { Visibility::Published } else { Visibility::Awake };
        }
    }

    /// Shows the other unit all messages, and makes sure that it is awake.
    #[inline(always)]
    pub(super) fn wake(&mut self) {
        if self.visibility != Visibility::Awake {
            self.visibility = Visibility::Awake;
            self.ring.publish();
            self.waker.wake();
        }
    }
}

impl Transport<Event, Token> for ToSu {
    fn begin(&mut self) {
        self.ring.begin_lap();
        self.offer.lower();
        (self.visibility, self.sent_layout, self.barred) = (Visibility::Awake, &BETWEEN_FIBERS, false);
    }

    fn send(&mut self, _to: u32, event: Event, _now: &mut u64) -> Sent {
        self.pass(event, |event| event, |event| event)
    }

    fn signal(&mut self, note: Note, _now: &mut u64) -> Sent {
        self.pass(note, |note| note, Event::from)
    }

    fn held_back(&self) -> usize {
        self.overflow.len()
    }

    fn flush(&mut self) -> usize {
        while let Some(event) = self.overflow.pop_front() {
            if let Err(full) = self.ring.send(event) {
                if seeded!(SpillReordered) {
                    self.overflow.push_back(full.0);
                } else {
                    self.overflow.push_front(full.0);
                }
                break;
            }
            self.visibility = Visibility::Unpublished;
        }
        self.overflow.len()
    }

    fn shares(&mut self) {
        self.offer.raise();
    }

    fn shares_none(&mut self) {
        self.offer.lower();
    }
}

/// Operations that the execution unit of a DUAL node passes on by messages of their own types.
impl Su {
    /// Whether this unit keeps the tokens of its node, and passes on the operations of its fibers (DUAL).
    #[inline(always)]
    pub(crate) fn keeps_tokens(&self) -> bool {
        matches!(self.transport, UnitTransport::Su(_))
    }

    /// Sends the unit that owns the slots the message made of `content`, or else the equivalent event.
    #[inline(always)]
    fn pass_on<C, M: Message<Su>>(
        &mut self,
        content: C,
        message: impl FnOnce(C) -> M,
        event: impl FnOnce(C) -> Event,
    ) {
        match &mut self.transport {
            UnitTransport::Su(way) => {
                let sent = way.pass(content, message, event);
                self.count_sent(sent);
            }
            UnitTransport::Machine(_) => self.forward(event(content)),
        }
    }

    /// Sends the unit that owns the slots the function whose fibers send operations from now on. Returns
    /// whether it knows it.
    #[inline(always)]
    fn send_layout(&mut self, layout: &'static Layout) -> bool {
        matches!(&self.transport, UnitTransport::Su(way) if ptr::eq(way.sent_layout, layout))
            || self.send_new_layout(layout)
    }

    #[inline(never)]
    fn send_new_layout(&mut self, layout: &'static Layout) -> bool {
        let UnitTransport::Su(way) = &mut self.transport else { return false };
        if seeded!(AskerOfBefore) && !ptr::eq(way.sent_layout, &raw const BETWEEN_FIBERS) {
            return true;
        }
        let sent_layout = way.try_pass(move |su: &mut Su| {
            su.eu_ring().sender_layout = layout;
            Ok(())
        });
        if sent_layout {
            way.sent_layout = layout;
            self.sent += 1;
        }
        sent_layout
    }

    /// Passes on an operation on this node by a fiber of a function of this layout: by a message if the unit
    /// that owns the slots knows the function, else by the equivalent event.
    #[inline(always)]
    fn pass_here<C, M: Message<Su>>(
        &mut self,
        layout: &'static Layout,
        content: C,
        message: impl FnOnce(C) -> M,
        event: impl FnOnce(C) -> Event,
    ) {
        if self.send_layout(layout) {
            self.pass_on(content, message, event);
        } else {
            self.pass_on(event(content), |event| event, |event| event);
        }
    }

    /// Whether operations are passed on by messages of their own types: they are not signed.
    #[inline(always)]
    pub(in crate::node) fn passes_types(&self) -> bool {
        self.keeps_tokens() && self.recorder.is_none()
    }

    /// Passes on a signal, in a unit that [passes types](Self::passes_types).
    #[inline(always)]
    pub(in crate::node) fn pass_signal(&mut self, to: EntryRef, asker: Asker) {
        let node = self.node;
        let note = || Note { to, origin: asker.of(node) };
        if to.node() == node {
            let (id, slot) = (to.id(), Pair::new(to.number(), asker.by.0));
            let signal = |()| move |su: &mut Su| su.signal_here(id, slot.first(), Enabler(slot.second()));
            self.pass_here(asker.layout, (), signal, |()| note().into());
        } else {
            self.pass_on(note(), |note| note, Event::from);
            self.show();
        }
    }

    /// Passes on a value of known type with its signal, in a unit that [passes types](Self::passes_types).
    /// Returns the value if it is too wide for a message.
    #[inline(always)]
    pub(in crate::node) fn pass_put<T: Wire>(&mut self, to: EntryRef, value: T, by: Asker) -> Result<(), T> {
        let node = self.node;
        if !MessageSender::<Su>::fits::<(EntryRef, Origin, T)>() {
            return Err(value);
        }
        let event = |value| Event::Put { to, value: Value::new(value, T::KIND), origin: by.of(node) };
        if to.node() == node {
            let (id, inlet) = (to.id(), Pair::new(to.number(), by.by.0));
            let put = |value| {
                move |su: &mut Su| su.put_here::<T>(id, inlet.first(), value, Enabler(inlet.second()))
            };
            self.pass_here(by.layout, value, put, event);
        } else {
            let origin = by.of(node);
            let put = |value| move |su: &mut Su| su.put(to, Value::new(value, T::KIND), origin);
            self.pass_on(value, put, event);
            self.show();
        }
        Ok(())
    }

    /// Shows the other unit all operations, and wakes it: an operation for another node must not wait until
    /// the fiber ends.
    pub(in crate::node) fn show(&mut self) {
        if let UnitTransport::Su(way) = &mut self.transport {
            way.wake();
        }
    }

    /// Shows the other unit all operations. This unit has more to run and [wakes](Self::show) the other one
    /// before it rests.
    pub(in crate::node) fn show_early(&mut self) {
        if let UnitTransport::Su(way) = &mut self.transport {
            way.publish();
        }
    }

    /// Whether the other unit may be asleep although it was shown messages.
    pub(super) fn may_be_asleep(&self) -> bool {
        matches!(&self.transport, UnitTransport::Su(way) if way.visibility == Visibility::Published)
    }

    /// Whether the other unit was not shown all operations, or may be asleep.
    #[inline(always)]
    pub(in crate::node) fn has_unshown(&self) -> bool {
        matches!(&self.transport, UnitTransport::Su(way) if way.visibility != Visibility::Awake)
    }

    /// Passes on that a frame without sizes begins.
    #[inline(always)]
    pub(in crate::node) fn pass_opened(&mut self, id: FrameId, frame: &'static FunctionLayout) {
        let opened = |()| {
            move |su: &mut Su| {
                su.frames.adopt_plain(id, frame);
                Ok(())
            }
        };
        self.pass_on((), opened, |()| Event::Open { id, frame, numbers: (&[][..]).into() });
    }

    #[inline(always)]
    pub(in crate::node) fn pass_closed(&mut self, id: FrameId) {
        self.pass_on((), |()| move |su: &mut Su| su.close(id), |()| Event::Close { id });
    }

    /// Whether the unit in the other thread holds events back for lack of room, so that no token is started.
    #[inline]
    pub(in crate::node) fn is_barred(&self) -> bool {
        matches!(&self.transport, UnitTransport::Su(way) if way.barred)
    }

    /// Bars or unbars tokens on behalf of the other unit.
    pub(super) fn bar_tokens_of(&mut self, barred: bool) {
        if let UnitTransport::Su(way) = &mut self.transport {
            way.barred = barred;
        }
        self.bar_tokens();
    }

    /// Shows the other unit all operations before tokens go to other nodes, since an address in a token may
    /// come back to it on another path. Returns whether tokens may go: all operations were sent.
    pub(in crate::node) fn show_before_tokens(&mut self) -> bool {
        if let UnitTransport::Su(way) = &mut self.transport {
            way.publish();
            way.ring.mark();
            return way.overflow.is_empty();
        }
        true
    }

    /// Reports that a unit that received work `given` times has no work left. Returns whether the report was
    /// sent.
    pub(super) fn request_token(&mut self, given: usize) -> bool {
        let UnitTransport::Su(way) = &mut self.transport else { return false };
        let sent_layout = way.try_pass(move |su: &mut Su| {
            su.eu_ring().idle(given);
            Ok(())
        });
        if sent_layout {
            self.sent += 1;
            self.note_order(Taken::Report);
        }
        sent_layout
    }
}

const _: () = assert!(size_of::<Event>() <= 8 * 14 && align_of::<Event>() <= 8);
