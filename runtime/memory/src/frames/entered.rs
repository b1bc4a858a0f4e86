//! The frame of the fiber that is going to run, known to be of one layout: its values and its state are taken out after one
//! look at it.

use std::any::TypeId;
use std::marker::PhantomData;
use std::ptr;

use super::layout::{Family, Laid, MASK, MASK_BITS, ValueOf};
use super::store::{Frames, HAS_STATE, Head, PARKED};
use crate::kind::{KindOf, read_value};

/// The frame that is entered, if it is of the layout of `L`.
pub struct Entered<'a, H: Family, L> {
    frames: &'a mut Frames<H>,
    /// The frame; null if none of this layout is entered.
    head: *mut Head<H>,
    /// The bits of the inlets whose values were taken out of them and still lie there.
    held: u32,
    laid: PhantomData<L>,
}

impl<H: Family> Frames<H> {
    /// The frame that is entered, to have its values and its state taken out.
    #[inline(always)]
    pub fn entered_as<L: Laid<H>>(&mut self) -> Entered<'_, H, L> {
        let head = if Self::is(self.entered, L::FRAME) { self.entered } else { ptr::null_mut() };
        Entered { frames: self, head, held: 0, laid: PhantomData }
    }
}

impl<H: Family, L: Laid<H>> Entered<'_, H, L> {
    /// Takes the values of the inlets that a slot counts out of them, all at once, to be [given](Self::take) one by one; one
    /// that nobody takes is leaked. `None`, and nothing is changed, if one is empty, or they are none of the first inlets.
    #[inline(always)]
    pub fn all_of(self, slot: u32) -> Option<Self> {
        let place = &L::FRAME.slots[slot as usize];
        if self.head.is_null() || place.first_inlet + place.inlets > MASK_BITS {
            return None;
        }
        let held = place.due.counted as u32;
        // SAFETY: Entered; Full: the values are held, and the inlets are empty. The bit of an array is never set.
        unsafe {
            let rest = (*self.head).mask ^ held;
            if rest & held != 0 {
                return None;
            }
            (*self.head).mask = rest;
        }
        Some(Entered { held, ..self })
    }

    /// Takes the value of an inlet; `None` if it is not [held](Self::all_of).
    #[inline(always)]
    pub fn take<T: Send + 'static>(&mut self, inlet: u32, kind: &'static KindOf<T, ValueOf<H>>) -> Option<T> {
        let place = &L::FRAME.inlets[inlet as usize];
        if place.mask_at != MASK || self.held & place.bit == 0 || !place.kind.is_same(kind.erased()) {
            return None;
        }
        self.held &= !place.bit;
        // SAFETY: Entered, as the store is borrowed; the value is held, and is not any more. Of all values a number alone may
        // be there twice.
        unsafe {
            if seeded!(StaysFull) && TypeId::of::<T>() == TypeId::of::<u64>() {
                (*self.head).mask |= place.bit;
            }
            Some(read_value(Frames::place(self.head, place.at)))
        }
    }

    /// Whether anything is [parked](Frames::park) of the frame.
    #[inline(always)]
    pub fn has_parked(&self) -> bool {
        if self.head.is_null() {
            return self.frames.entered_has_parked();
        }
        // SAFETY: Entered.
        unsafe { (*self.head).flags & PARKED != 0 }
    }

    /// Moves the state out, if the frame holds one of type `F`.
    #[inline(always)]
    pub fn take_state<F: Send + 'static>(&mut self) -> Option<F> {
        let head = self.head;
        if head.is_null() || !L::FRAME.is_of::<F>() || !self.frames.lent.is_null() {
            return self.frames.take_state(L::FRAME);
        }
        // SAFETY: Entered; Stated, and it is not borrowed.
        unsafe {
            let holds = (*head).flags & HAS_STATE != 0;
            holds.then(|| Frames::move_state(head, L::FRAME.state_at))
        }
    }
}
