//! The way from the execution unit of a DUAL node to its synchronization unit.

use std::collections::VecDeque;
use std::ptr;

use earth_memory::push_back;
use earth_signal::{Message, MessageSender, Sent};

use super::asks::{Asking, Closed, Hungry, Opened, Put, PutHere, SignalHere};
use super::{News, Pair};
use crate::node::event::Note;
use crate::node::function::{Event, FrameLayout, Token, Way};
use crate::node::su::Su;
use crate::transport::{Offer, Transport, Waker};
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::layout::{BETWEEN_FIBERS, Layout};
use crate::vocabulary::origin::Asker;
use crate::vocabulary::wire::Wire;

/// The ring to the synchronization unit, and what found no room there.
pub(crate) struct ToSu {
    ring: MessageSender<Su>,
    spilled: VecDeque<Event>,
    waker: Waker,
    /// How much of the sent messages the other unit knows of.
    news: News,
    /// The layout of the function whose fibers ask, as far as the other unit has been told.
    told: &'static Layout,
    /// Tells other nodes that this node shares tokens.
    offer: Box<dyn Offer>,
    /// Whether the other unit keeps something for lack of room, so that no token is started.
    barred: bool,
}

impl ToSu {
    pub(crate) fn new(ring: MessageSender<Su>, waker: Waker, offer: Box<dyn Offer>) -> Self {
        ToSu {
            ring,
            spilled: VecDeque::new(),
            waker,
            news: News::Told,
            told: &BETWEEN_FIBERS,
            offer,
            barred: false,
        }
    }

    /// Sends a message, or keeps the event that means the same.
    #[inline(always)]
    fn pass<M: Message<Su>>(&mut self, message: M, event: impl FnOnce(M) -> Event) -> Sent {
        self.news = News::Sent;
        let unsent = if self.spilled.is_empty() {
            match self.ring.send(message) {
                Ok(()) => return Sent::Queued,
                Err(full) => full.0,
            }
        } else {
            message
        };
        push_back(&mut self.spilled, event(unsent));
        Sent::HeldBack
    }

    /// Sends a message, unless there is no room or others wait for some.
    fn try_pass<M: Message<Su>>(&mut self, message: M) -> bool {
        let sent = self.spilled.is_empty() && self.ring.send(message).is_ok();
        if sent {
            self.news = News::Sent;
        }
        sent
    }

    /// Shows the other unit what was sent, which it may sleep over until it is [woken](Self::wake).
    #[inline(always)]
    pub(super) fn publish(&mut self) {
        if self.news == News::Sent {
            self.ring.publish();
            self.news = if self.waker.nudge() { News::Shown } else { News::Told };
        }
    }

    /// Shows the other unit what was sent, and sees to it that it is awake.
    #[inline(always)]
    pub(super) fn wake(&mut self) {
        if self.news != News::Told {
            self.news = News::Told;
            self.ring.publish();
            self.waker.wake();
        }
    }
}

impl Transport<Event, Token> for ToSu {
    fn begin(&mut self) {
        self.ring.begin_lap();
        self.offer.lower();
        (self.news, self.told, self.barred) = (News::Told, &BETWEEN_FIBERS, false);
    }

    fn send(&mut self, _to: u32, event: Event, _now: &mut u64) -> Sent {
        self.pass(event, |event| event)
    }

    fn signal(&mut self, note: Note, _now: &mut u64) -> Sent {
        self.pass(note, Event::from)
    }

    fn held_back(&self) -> usize {
        self.spilled.len()
    }

    fn flush(&mut self) -> usize {
        while let Some(event) = self.spilled.pop_front() {
            if let Err(full) = self.ring.send(event) {
                if seeded!(SpillReordered) {
                    self.spilled.push_back(full.0);
                } else {
                    self.spilled.push_front(full.0);
                }
                break;
            }
            self.news = News::Sent;
        }
        self.spilled.len()
    }

    fn shares(&mut self) {
        self.offer.raise();
    }

    fn shares_none(&mut self) {
        self.offer.lower();
    }
}

/// The operations that the execution unit of a DUAL node passes on by messages of their own types.
impl Su {
    /// Whether this unit keeps the tokens of its node, and passes on what its fibers ask for (DUAL).
    #[inline(always)]
    pub(crate) fn keeps_tokens(&self) -> bool {
        matches!(self.transport, Way::Su(_))
    }

    /// Sends a message to the unit that owns the slots; what else would be sent is the event that means the same.
    #[inline(always)]
    fn pass_on<M: Message<Su>>(&mut self, message: M, event: impl FnOnce(M) -> Event) {
        match &mut self.transport {
            Way::Su(way) => {
                let sent = way.pass(message, event);
                self.count_sent(sent);
            }
            Way::Machine(_) => self.forward(event(message)),
        }
    }

    /// Tells the unit that owns the slots which function asks on this node from now on. Returns whether it knows.
    #[inline(always)]
    fn tell_asker(&mut self, layout: &'static Layout) -> bool {
        matches!(&self.transport, Way::Su(way) if ptr::eq(way.told, layout)) || self.tell_other_asker(layout)
    }

    #[inline(never)]
    fn tell_other_asker(&mut self, layout: &'static Layout) -> bool {
        let Way::Su(way) = &mut self.transport else { return false };
        if seeded!(AskerOfBefore) && !ptr::eq(way.told, &raw const BETWEEN_FIBERS) {
            return true;
        }
        let told = way.try_pass(Asking { layout });
        if told {
            way.told = layout;
            self.sent += 1;
        }
        told
    }

    /// Passes on what a fiber of a function of this layout asks for on this node: by a message, if the unit that owns the slots
    /// knows the function, else by the event that means the same.
    #[inline(always)]
    fn pass_here<M: Message<Su>>(
        &mut self,
        layout: &'static Layout,
        message: M,
        event: impl FnOnce(M) -> Event,
    ) {
        if self.tell_asker(layout) {
            self.pass_on(message, event);
        } else {
            self.pass_on(event(message), |event| event);
        }
    }

    /// Whether messages of their own pass on what is asked for, by their types: nobody signs them.
    #[inline(always)]
    pub(in crate::node) fn passes_types(&self) -> bool {
        self.keeps_tokens() && self.recorder.is_none()
    }

    /// Passes on a signal, by a unit that [does so](Self::passes_types).
    #[inline(always)]
    pub(in crate::node) fn pass_signal(&mut self, to: EntryRef, Asker { layout, by }: Asker) {
        let node = self.node;
        if to.node() == node {
            let (id, slot) = (to.id(), Pair::new(to.number(), by.0));
            self.pass_here(layout, SignalHere { id, slot }, |signal| signal.event(node, layout));
        } else {
            self.pass_on(Note { to, origin: Asker { layout, by }.of(node) }, Event::from);
            self.show();
        }
    }

    /// Passes on a value, whose type is known, with its signal, by a unit that [does so](Self::passes_types). It is given back
    /// if it is too wide for a message.
    #[inline(always)]
    pub(in crate::node) fn pass_put<T: Wire>(&mut self, to: EntryRef, value: T, by: Asker) -> Result<(), T> {
        let node = self.node;
        if !Put::<T>::FITS {
            return Err(value);
        }
        if to.node() == node {
            let Asker { layout, by } = by;
            let put = PutHere { id: to.id(), inlet: Pair::new(to.number(), by.0), value };
            self.pass_here(layout, put, |put| put.event(node, layout));
        } else {
            self.pass_on(Put { to, origin: by.of(node), value }, Put::event);
            self.show();
        }
        Ok(())
    }

    /// Shows the other unit what was passed on, and wakes it: what is for another node does not wait until the fiber ends.
    pub(in crate::node) fn show(&mut self) {
        if let Way::Su(way) = &mut self.transport {
            way.wake();
        }
    }

    /// Shows the other unit what was passed on, by a unit that has more to run and [wakes](Self::show) it before it rests.
    pub(in crate::node) fn show_early(&mut self) {
        if let Way::Su(way) = &mut self.transport {
            way.publish();
        }
    }

    /// Whether the other unit may sleep over what it was shown.
    pub(super) fn owes_wake(&self) -> bool {
        matches!(&self.transport, Way::Su(way) if way.news == News::Shown)
    }

    /// Whether the other unit was not shown, or may sleep over, what was passed on.
    #[inline(always)]
    pub(in crate::node) fn has_unshown(&self) -> bool {
        matches!(&self.transport, Way::Su(way) if way.news != News::Told)
    }

    /// Passes on that a frame begins, of no sizes.
    #[inline(always)]
    pub(in crate::node) fn pass_opened(&mut self, id: FrameId, frame: &'static FrameLayout) {
        self.pass_on(Opened { id, frame }, |Opened { id, frame }| Event::Open {
            id,
            frame,
            numbers: (&[][..]).into(),
        });
    }

    /// Passes on that a frame ends.
    #[inline(always)]
    pub(in crate::node) fn pass_closed(&mut self, id: FrameId) {
        self.pass_on(Closed { id }, |Closed { id }| Event::Close { id });
    }

    /// Whether the unit in the other thread keeps something for lack of room, so that no token is started.
    #[inline]
    pub(in crate::node) fn is_barred(&self) -> bool {
        matches!(&self.transport, Way::Su(way) if way.barred)
    }

    /// Forbids the taking of tokens, or allows it again, as the other unit says.
    pub(super) fn bar_tokens_of(&mut self, barred: bool) {
        if let Way::Su(way) = &mut self.transport {
            way.barred = barred;
        }
        self.bar_tokens();
    }

    /// Shows the other unit what was passed on, before tokens go to other nodes: an address in a token may come back to it by
    /// another way. Returns whether tokens may go: all was sent.
    pub(in crate::node) fn show_before_tokens(&mut self) -> bool {
        if let Way::Su(way) = &mut self.transport {
            way.publish();
            way.ring.mark();
            return way.spilled.is_empty();
        }
        true
    }

    /// Says that nothing is there to run for a unit that was given work so many times. Returns whether it could be said.
    pub(super) fn ask_for_token(&mut self, given: usize) -> bool {
        let Way::Su(way) = &mut self.transport else { return false };
        let told = way.try_pass(Hungry { given });
        self.sent += u64::from(told);
        told
    }
}
