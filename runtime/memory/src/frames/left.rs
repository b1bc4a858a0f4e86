//! The end of frames: what a frame may still hold, and the drop of remaining contents with the store.

use std::ptr;

use super::frame::Frame;
use super::head::{HAS_STATE, Head, PARKED};
use super::id::FrameId;
use super::layout::{FULL_ELSEWHERE, FrameLayout, Function, ROUNDS};

use super::store::Frames;
use crate::erased::{DropOf, FirstPanic, drop_erased};

/// Contents that prevent a frame from ending.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// Slots that may be in the middle of a round. The caller examines [`unfinished`](Frames::unfinished),
    /// then calls [`mark_rounds_checked`](Frames::mark_rounds_checked).
    Rounds,
    /// Values that arrived and that no fiber has taken.
    Values,
    /// Items that the runtime has [parked](Frames::park).
    Parked,
}

impl<F: Function> Frames<F> {
    /// Ends the entered frame and drops its state. The frame usually has the layout `layout`.
    ///
    /// # Errors
    ///
    /// The first of these contents that the frame still holds: rounds, parked items, values. The frame then
    /// stays, without a state.
    #[inline(always)]
    pub fn end(&mut self, layout: &'static FrameLayout<F>) -> Result<(), Left> {
        if let Some(frame) = self.entered_of(layout)
            && frame.flags().get() | frame.mask().get() == 0
        {
            let head = frame.head();
            self.entered = ptr::null_mut();
            // SAFETY: Live. The frame holds no values and no state, and only a state can be borrowed.
            unsafe { self.let_go(head, layout) };
            return Ok(());
        }
        self.end_entered()
    }

    #[cold]
    #[inline(never)]
    fn end_entered(&mut self) -> Result<(), Left> {
        self.entered().map_or(Ok(()), |id| self.end_of(id))
    }

    /// Ends a live frame that is not entered, is empty and has a plain layout. Returns whether it did. In any
    /// other case it leaves the frame unchanged, and the caller uses [`end_of`](Self::end_of).
    #[inline(always)]
    pub fn end_plain(&mut self, id: FrameId) -> bool {
        let Some(frame) = self.live(id) else { return false };
        let (head, layout) = (frame.head(), frame.layout());
        let ends = layout.plain && frame.flags().get() | frame.mask().get() == 0 && head != self.entered;
        if ends {
            // SAFETY: Live. The frame holds neither a state nor values.
            unsafe { self.let_go(head, layout) };
        }
        ends
    }

    /// Ends a live frame.
    ///
    /// # Errors
    ///
    /// As [`end`](Self::end).
    #[inline(never)]
    pub fn end_of(&mut self, id: FrameId) -> Result<(), Left> {
        let Some(frame) = self.live(id) else { return Ok(()) };
        let (head, layout) = (frame.head(), frame.layout());
        assert!(!ptr::eq(self.lent, head), "a frame cannot end while its state is borrowed");
        if let Some((drop, state)) = frame.give_up_state() {
            // SAFETY: Stated: the flag was cleared before the state is dropped, so it is dropped once.
            unsafe { drop_erased(drop, state) };
        }
        let flags = frame.flags().get();
        if flags & !FULL_ELSEWHERE != 0 {
            return Err(if flags & ROUNDS != 0 { Left::Rounds } else { Left::Parked });
        }
        let full = frame.mask().get() != 0 || flags != 0 && frame.has_full_elsewhere();
        if full && !seeded!(EndedFull) {
            return Err(Left::Values);
        }
        if ptr::eq(self.entered, head) {
            self.entered = ptr::null_mut();
        }
        // SAFETY: Live. The frame holds neither a state nor values.
        unsafe { self.let_go(head, layout) };
        Ok(())
    }

    /// Ends a live frame whatever it holds: drops its values and its state. Panics of these drops are
    /// discarded. Returns whether there was such a frame.
    ///
    /// # Panics
    ///
    /// If the frame's state is borrowed.
    pub fn discard(&mut self, id: FrameId) -> bool {
        let Some(frame) = self.live(id) else { return false };
        let (head, layout) = (frame.head(), frame.layout());
        assert!(!ptr::eq(self.lent, head), "a frame cannot end while its state is borrowed");
        let mut panics = FirstPanic::none();
        frame.empty(&mut panics);
        panics.discard();
        if ptr::eq(self.entered, head) {
            self.entered = ptr::null_mut();
        }
        // SAFETY: Live. The frame holds neither a state nor values.
        unsafe { self.let_go(head, layout) };
        true
    }

    /// Counts one more or one less item that the runtime keeps for a live frame. A frame does not end while
    /// the count is positive.
    pub fn park(&mut self, id: FrameId, one_more: bool) {
        let Some(frame) = self.live(id) else { return };
        let flags = frame.flags().get();
        let parked = flags & PARKED;
        let parked = if one_more { parked + 1 } else { parked.saturating_sub(1) };
        assert!(parked <= PARKED, "too many items are parked at one frame");
        frame.flags().set(flags & !PARKED | parked);
    }

    /// Whether the entered frame has parked items.
    #[inline(always)]
    pub fn entered_has_parked(&self) -> bool {
        self.entered_frame().is_some_and(|frame| frame.flags().get() & PARKED != 0)
    }

    /// Whether a live frame has parked items.
    #[inline(always)]
    pub fn has_parked(&self, id: FrameId) -> bool {
        self.live(id).is_some_and(|frame| frame.flags().get() & PARKED != 0)
    }
}

impl<F: Function> Frame<'_, F> {
    /// Clears the frame's state flag. Returns the drop function and the address of the state that it held.
    fn give_up_state(self) -> Option<(DropOf, *mut u8)> {
        if !self.has_state() {
            return None;
        }
        self.flags().set(self.flags().get() & !HAS_STATE);
        // SAFETY: the layout gives the offset of the state.
        let state = unsafe { Head::place(self.head(), self.layout().state_at) };
        Some((self.layout().drop_state?, state))
    }

    /// Drops all values and the state of the frame.
    fn empty(self, panics: &mut FirstPanic) {
        for (_, inlet) in self.full_inlets() {
            inlet.empty();
            if let Some(drop) = inlet.kind.drop {
                // SAFETY: Full: the bit was cleared before the value is dropped.
                panics.catch(|| unsafe { drop_erased(drop, inlet.value) });
            }
        }
        if let Some((drop, state)) = self.give_up_state() {
            // SAFETY: Stated: the flag was cleared before the state is dropped.
            panics.catch(|| unsafe { drop_erased(drop, state) });
        }
    }
}

impl<F: Function> Drop for Frames<F> {
    /// Drops the remaining contents of frames, and the runtime's data in them. If several drops panic, the
    /// first panic is resumed after all drops.
    fn drop(&mut self) {
        if !self.lent.is_null() {
            // A state is borrowed. Its memory and all other frames' memory stay allocated.
            std::mem::forget(std::mem::take(&mut self.chunks));
            return;
        }
        let mut panics = FirstPanic::none();
        self.live_frames().filter_map(|id| self.live(id)).for_each(|frame| frame.empty(&mut panics));
        // SAFETY: the store is not used afterwards.
        unsafe { self.free(&mut panics) }
        panics.resume();
    }
}
