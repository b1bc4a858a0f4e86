//! The values and the state of the fiber that runs next, taken after one look-up of its frame.

use std::any::TypeId;

use super::frame::Frame;
use super::head::{Head, PARKED};
use super::layout::{FrameLayout, Function, MASK, MASK_BITS};

use super::store::Frames;
use crate::kind::{KindOf, read_value};

/// The entered frame, with the values of a slot's inlets to be taken.
pub struct Entered<'a, F: Function> {
    frame: Frame<'a, F>,
    /// Whether the state of a frame is borrowed.
    lends: bool,
    layout: &'static FrameLayout<F>,
    /// Bits of the inlets whose values have not been taken.
    held: u32,
}

impl<F: Function> Frames<F> {
    /// Empties the inlets that a slot counts, all at once. [`Entered::take`] then returns their values one by
    /// one; a value that is not taken is leaked. Returns `None`, without a change, if the entered frame
    /// does not have this layout, an inlet is empty, or the inlets are not all in the first mask.
    #[inline(always)]
    pub fn all_of(&mut self, layout: &'static FrameLayout<F>, slot: u32) -> Option<Entered<'_, F>> {
        let (frame, place) = (self.entered_of(layout)?, &layout.slots[slot as usize]);
        if place.first_inlet + place.inlets > MASK_BITS {
            return None;
        }
        let held = place.due.counted as u32;
        // Full: `held` owns the values, and the inlets are empty. An array's bit is never set.
        let rest = frame.mask().get() ^ held;
        if rest & held != 0 {
            return None;
        }
        frame.mask().set(rest);
        Some(Entered { frame, lends: !self.lent.is_null(), layout, held })
    }
}

impl<F: Function> Entered<'_, F> {
    /// Takes the value of an inlet, or returns `None` if it is not held.
    #[inline(always)]
    pub fn take<T: Send + 'static>(&mut self, inlet: u32, kind: &'static KindOf<T, F::Value>) -> Option<T> {
        let place = &self.layout.inlets[inlet as usize];
        let bit = place.spot.bit;
        if place.spot.mask_at != MASK || self.held & bit == 0 || !place.kind.is_same(kind.erased()) {
            return None;
        }
        self.held &= !bit;
        // A plain number is the only value that may safely exist twice.
        if seeded!(StaysFull) && TypeId::of::<T>() == TypeId::of::<u64>() {
            self.frame.mask().set(self.frame.mask().get() | bit);
        }
        // SAFETY: the value was held, and is no longer.
        Some(unsafe { read_value(Head::place(self.frame.head(), place.spot.at)) })
    }

    /// Whether the frame has [parked](Frames::park) values.
    #[inline(always)]
    pub fn has_parked(&self) -> bool {
        self.frame.flags().get() & PARKED != 0
    }

    /// Moves the state out, if the frame holds one of type `S` that is not borrowed.
    #[inline(always)]
    pub fn take_state<S: Send + 'static>(&mut self) -> Option<S> {
        if !self.layout.is_of::<S>() || self.lends || !self.frame.has_state() {
            return None;
        }
        // SAFETY: Stated, and the state is not borrowed.
        Some(unsafe { self.frame.move_state(self.layout.state_at) })
    }
}
