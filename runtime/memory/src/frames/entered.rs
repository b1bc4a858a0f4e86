//! The frame of the fiber that is going to run, known to be of one layout: its values and its state are taken out after one
//! look at it.

use std::marker::PhantomData;
use std::ptr;

use super::layout::{Family, FrameLayout, MASK, ValueOf};
use super::store::{Frames, HAS_STATE, Head, PARKED};
use super::values::taken_out;
use crate::kind::{KindOf, read_value};

/// What has a layout, which the compiler knows where it is used.
pub trait Laid<H: Family> {
    /// The layout.
    const FRAME: &'static FrameLayout<H>;
}

/// The frame that is entered, if it is of the layout of `L`.
pub struct Entered<'a, H: Family, L> {
    frames: &'a mut Frames<H>,
    /// The frame; null if none of this layout is entered.
    head: *mut Head<H>,
    laid: PhantomData<L>,
}

impl<H: Family> Frames<H> {
    /// The frame that is entered, to have its values and its state taken out.
    #[inline(always)]
    pub fn entered_as<L: Laid<H>>(&mut self) -> Entered<'_, H, L> {
        let head = if Self::is(self.entered, L::FRAME) { self.entered } else { ptr::null_mut() };
        Entered { frames: self, head, laid: PhantomData }
    }
}

impl<H: Family, L: Laid<H>> Entered<'_, H, L> {
    /// Takes the value of an inlet; `None` if it is empty.
    #[inline(always)]
    pub fn take<T: Send + 'static>(&mut self, inlet: u32, kind: &'static KindOf<T, ValueOf<H>>) -> Option<T> {
        let place = &L::FRAME.inlets[inlet as usize];
        if self.head.is_null() || place.mask_at != MASK || !ptr::eq(place.kind, kind.erased()) {
            return self.frames.take_any(inlet, kind);
        }
        // SAFETY: Entered; Full; the inlet is empty afterwards.
        unsafe {
            let mask = (*self.head).mask;
            if mask & place.bit == 0 {
                return None;
            }
            (*self.head).mask = taken_out::<T>(mask, place.bit);
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
