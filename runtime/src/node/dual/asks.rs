//! What an execution unit tells the synchronization unit of its node (DUAL): operations, and what it has to run.
//!
//! The operations that fibers use most have messages of their own, in which a value lies with its type known; all others
//! go as [events](Event).

use std::mem::{align_of, size_of};

use earth_signal::{Message, MessageSender, Receives};

use super::Pair;
use crate::node::event::Note;
use crate::node::function::{Event, FrameLayout};
use crate::node::su::{Outcome, Su};
use crate::vocabulary::address::{EntryRef, FrameId, FrameRef};
use crate::vocabulary::enabler::Enabler;
use crate::vocabulary::layout::Layout;
use crate::vocabulary::origin::{Asker, Origin};
use crate::vocabulary::value::{Carried, Value};
use crate::vocabulary::wire::Wire;

impl Receives for Su {
    type Outcome = Outcome;
}

impl Message<Su> for Event {
    #[inline(never)]
    fn arrive(self, su: &mut Su) -> Outcome {
        su.apply(self)
    }
}

impl Message<Su> for Note {
    #[inline]
    fn arrive(self, su: &mut Su) -> Outcome {
        su.signal(self.to, self.origin)
    }
}

/// The fibers that ask for what follows, on their own node, are those of a function of this layout.
pub(super) struct Asking {
    pub(super) layout: &'static Layout,
}

impl Message<Su> for Asking {
    #[inline]
    fn arrive(self, su: &mut Su) -> Outcome {
        su.way_to_eu().asks = self.layout;
        Ok(())
    }
}

/// A signal for a slot of the node on which it was asked for.
pub(super) struct SignalHere {
    pub(super) id: FrameId,
    /// The number of the slot, and what enabled the fiber that asked, of the function that [asks](Asking).
    pub(super) slot: Pair,
}

impl SignalHere {
    /// The event that means the same on this node, by a function of this layout.
    pub(super) fn event(self, node: u32, layout: &'static Layout) -> Event {
        let origin = Asker { layout, by: Enabler(self.slot.second()) }.of(node);
        Note { to: EntryRef::new(FrameRef { node, id: self.id }, self.slot.first()), origin }.into()
    }
}

impl Message<Su> for SignalHere {
    #[inline]
    fn arrive(self, su: &mut Su) -> Outcome {
        su.signal_here(self.id, self.slot.first(), Enabler(self.slot.second()))
    }
}

/// A value and its signal for an inlet of the node on which it was asked for.
pub(super) struct PutHere<T> {
    pub(super) id: FrameId,
    /// The number of the inlet, and what enabled the fiber that asked, of the function that [asks](Asking).
    pub(super) inlet: Pair,
    pub(super) value: T,
}

impl<T: Wire> PutHere<T> {
    /// The event that means the same on this node, by a function of this layout.
    pub(super) fn event(self, node: u32, layout: &'static Layout) -> Event {
        let to = EntryRef::new(FrameRef { node, id: self.id }, self.inlet.first());
        let origin = Asker { layout, by: Enabler(self.inlet.second()) }.of(node);
        Event::Put { to, value: Value::new(self.value, T::KIND), origin }
    }
}

impl<T: Wire> Message<Su> for PutHere<T> {
    #[inline]
    fn arrive(self, su: &mut Su) -> Outcome {
        su.put_here(self.id, self.inlet.first(), self.value, Enabler(self.inlet.second()))
    }
}

/// A value and its signal for an inlet of another node.
pub(super) struct Put<T> {
    pub(super) to: EntryRef,
    pub(super) origin: Origin,
    pub(super) value: T,
}

impl<T: Wire> Put<T> {
    /// Whether such a message is narrow enough for the ring.
    pub(super) const FITS: bool = MessageSender::<Su>::fits::<Self>();

    /// The event that means the same.
    pub(super) fn event(self) -> Event {
        Event::Put { to: self.to, value: Value::new(self.value, T::KIND), origin: self.origin }
    }
}

impl<T: Wire> Message<Su> for Put<T> {
    #[inline]
    fn arrive(self, su: &mut Su) -> Outcome {
        su.put(self.to, Value::new(self.value, T::KIND), self.origin)
    }
}

/// A frame begins that has neither arrays nor cells, and whose counts are those of its layout.
pub(super) struct Opened {
    pub(super) id: FrameId,
    pub(super) frame: &'static FrameLayout,
}

impl Message<Su> for Opened {
    #[inline]
    fn arrive(self, su: &mut Su) -> Outcome {
        su.frames.adopt_plain(self.id, self.frame);
        Ok(())
    }
}

/// A frame ends.
pub(super) struct Closed {
    pub(super) id: FrameId,
}

impl Message<Su> for Closed {
    #[inline]
    fn arrive(self, su: &mut Su) -> Outcome {
        su.close(self.id)
    }
}

/// The execution unit has nothing to run, and has been given work so many times.
pub(super) struct Hungry {
    pub(super) given: usize,
}

impl Message<Su> for Hungry {
    fn arrive(self, su: &mut Su) -> Outcome {
        su.way_to_eu().hungry(self.given);
        Ok(())
    }
}

const _: () = assert!(size_of::<Event>() <= 8 * 14 && align_of::<Event>() <= 8);
