//! The values of the fiber that is going to run, and its state: all taken out after one look at its frame.

use std::any::TypeId;

use super::layout::{FrameLayout, Function, MASK, MASK_BITS};
use super::store::{Frames, HAS_STATE, Head, PARKED};
use crate::kind::{KindOf, read_value};

/// The frame that is entered, with the values that a slot counts out of their inlets.
pub struct Entered<'a, F: Function> {
    frames: &'a mut Frames<F>,
    head: *mut Head<F>,
    layout: &'static FrameLayout<F>,
    /// The bits of the inlets whose values still lie there.
    held: u32,
}

impl<F: Function> Frames<F> {
    /// Takes the values of the inlets that a slot counts out of them, all at once, to be [given](Entered::take) one by one; one
    /// that nobody takes is leaked. `None`, and nothing is changed, if the frame that is entered is not of this layout, an
    /// inlet is empty, or they are none of the first inlets.
    #[inline(always)]
    pub fn all_of(&mut self, layout: &'static FrameLayout<F>, slot: u32) -> Option<Entered<'_, F>> {
        let (head, place) = (self.entered, &layout.slots[slot as usize]);
        if !Self::is(head, layout) || place.first_inlet + place.inlets > MASK_BITS {
            return None;
        }
        let held = place.due.counted as u32;
        // SAFETY: Entered; Full: the values are held, and the inlets are empty. The bit of an array is never set.
        unsafe {
            let rest = (*head).mask ^ held;
            if rest & held != 0 {
                return None;
            }
            (*head).mask = rest;
        }
        Some(Entered { frames: self, head, layout, held })
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
        // SAFETY: Entered, as the store is borrowed; the value is held, and is not any more. Of all values a number alone may
        // be there twice.
        unsafe {
            if seeded!(StaysFull) && TypeId::of::<T>() == TypeId::of::<u64>() {
                (*self.head).mask |= bit;
            }
            Some(read_value(Frames::place(self.head, place.spot.at)))
        }
    }

    /// Whether anything is [parked](Frames::park) of the frame.
    #[inline(always)]
    pub fn has_parked(&self) -> bool {
        // SAFETY: Entered, as the store is borrowed.
        unsafe { (*self.head).flags & PARKED != 0 }
    }

    /// Moves the state out, if the frame holds one of type `S` that is not lent.
    #[inline(always)]
    pub fn take_state<S: Send + 'static>(&mut self) -> Option<S> {
        if !self.layout.is_of::<S>() || !self.frames.lent.is_null() {
            return None;
        }
        // SAFETY: Entered, as the store is borrowed; Stated, and the state is not borrowed.
        unsafe {
            let holds = (*self.head).flags & HAS_STATE != 0;
            holds.then(|| Frames::move_state(self.head, self.layout.state_at))
        }
    }
}
