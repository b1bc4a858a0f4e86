//! The values of the fiber that is going to run, and its state: all taken out after one look at its frame.

use std::any::TypeId;

use super::frame::Frame;
use super::head::{Head, PARKED};
use super::layout::{FrameLayout, Function, MASK, MASK_BITS};

use super::store::Frames;
use crate::kind::{KindOf, read_value};

/// The frame that is entered, with the values that a slot counts out of their inlets.
pub struct Entered<'a, F: Function> {
    frame: Frame<'a, F>,
    /// Whether the state of a frame is lent.
    lends: bool,
    layout: &'static FrameLayout<F>,
    /// The bits of the inlets whose values are still there.
    held: u32,
}

impl<F: Function> Frames<F> {
    /// Takes the values of the inlets that a slot counts out of them, all at once, to be [given](Entered::take) one by one; one
    /// that nobody takes is leaked. `None`, without a change, if the frame that is entered is not of this layout, an
    /// inlet is empty, or they are none of the first inlets.
    #[inline(always)]
    pub fn all_of(&mut self, layout: &'static FrameLayout<F>, slot: u32) -> Option<Entered<'_, F>> {
        let (frame, place) = (self.entered_of(layout)?, &layout.slots[slot as usize]);
        if place.first_inlet + place.inlets > MASK_BITS {
            return None;
        }
        let held = place.due.counted as u32;
        // Full: the values are held, and the inlets are empty. The bit of an array is never set.
        let rest = frame.mask().get() ^ held;
        if rest & held != 0 {
            return None;
        }
        frame.mask().set(rest);
        Some(Entered { frame, lends: !self.lent.is_null(), layout, held })
    }
}

impl<F: Function> Entered<'_, F> {
    /// Takes the value of an inlet; `None` if it is not held.
    #[inline(always)]
    pub fn take<T: Send + 'static>(&mut self, inlet: u32, kind: &'static KindOf<T, F::Value>) -> Option<T> {
        let place = &self.layout.inlets[inlet as usize];
        let bit = place.spot.bit;
        if place.spot.mask_at != MASK || self.held & bit == 0 || !place.kind.is_same(kind.erased()) {
            return None;
        }
        self.held &= !bit;
        // Of all values a number alone may be there twice.
        if seeded!(StaysFull) && TypeId::of::<T>() == TypeId::of::<u64>() {
            self.frame.mask().set(self.frame.mask().get() | bit);
        }
        // SAFETY: the value was held, and is not any more.
        Some(unsafe { read_value(Head::place(self.frame.head(), place.spot.at)) })
    }

    /// Whether anything is [parked](Frames::park) of the frame.
    #[inline(always)]
    pub fn has_parked(&self) -> bool {
        self.frame.flags().get() & PARKED != 0
    }

    /// Moves the state out, if the frame holds one of type `S` that is not lent.
    #[inline(always)]
    pub fn take_state<S: Send + 'static>(&mut self) -> Option<S> {
        if !self.layout.is_of::<S>() || self.lends || !self.frame.has_state() {
            return None;
        }
        // SAFETY: Stated, and the state is not borrowed.
        Some(unsafe { self.frame.move_state(self.layout.state_at) })
    }
}
