//! The end of frames: what may be left in one, and what becomes of those that are left when the store is dropped.

use std::ptr;

use super::frame::Frame;
use super::head::{HAS_STATE, Head, PARKED};
use super::id::FrameId;
use super::layout::{FULL_ELSEWHERE, FrameLayout, Function, ROUNDS};

use super::store::Frames;
use crate::erased::{DropOf, FirstPanic, drop_erased};

/// What a frame that was to end still holds.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// It may have slots in the middle of a round: see [`unfinished`](Frames::unfinished), then say that they are
    /// [noted](Frames::rounds_noted).
    Rounds,
    /// Values that came and that no fiber has taken.
    Values,
    /// Things that its user has [parked](Frames::park).
    Parked,
}

impl<F: Function> Frames<F> {
    /// Ends the frame that is entered, which has this layout, most often. A state that it holds is dropped.
    ///
    /// # Errors
    ///
    /// The first of these that the frame still holds: rounds, parked things, values. It stays then, without a state.
    #[inline(always)]
    pub fn end(&mut self, layout: &'static FrameLayout<F>) -> Result<(), Left> {
        if let Some(frame) = self.entered_of(layout)
            && frame.flags().get() | frame.mask().get() == 0
        {
            let head = frame.head();
            self.entered = ptr::null_mut();
            // SAFETY: Live; it holds neither a state, which alone is borrowed, nor values.
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

    /// Ends a live frame that is not entered, empty and of a plain layout. Returns whether it did: in any other case the frame
    /// is as before, and [`end_of`](Self::end_of) decides.
    #[inline(always)]
    pub fn end_plain(&mut self, id: FrameId) -> bool {
        let Some(frame) = self.live(id) else { return false };
        let (head, layout) = (frame.head(), frame.layout());
        let ends = layout.plain && frame.flags().get() | frame.mask().get() == 0 && head != self.entered;
        if ends {
            // SAFETY: Live; it holds neither a state nor values.
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
        assert!(!ptr::eq(self.lent, head), "a frame does not end while its state is borrowed");
        if let Some((drop, state)) = frame.give_up_state() {
            // SAFETY: Stated: the flag went before the state is dropped, so that it is dropped once.
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
        // SAFETY: Live; it holds neither a state nor values.
        unsafe { self.let_go(head, layout) };
        Ok(())
    }

    /// Notes that one thing more, or less, of a live frame is kept by the user of frames. A frame does not end
    /// while anything is kept.
    pub fn park(&mut self, id: FrameId, one_more: bool) {
        let Some(frame) = self.live(id) else { return };
        let flags = frame.flags().get();
        let parked = flags & PARKED;
        let parked = if one_more { parked + 1 } else { parked.saturating_sub(1) };
        assert!(parked <= PARKED, "no memory holds so many values");
        frame.flags().set(flags & !PARKED | parked);
    }

    /// Whether anything is parked of the frame that is entered.
    #[inline(always)]
    pub fn entered_has_parked(&self) -> bool {
        self.entered_frame().is_some_and(|frame| frame.flags().get() & PARKED != 0)
    }

    /// Whether anything is parked of a live frame.
    #[inline(always)]
    pub fn has_parked(&self, id: FrameId) -> bool {
        self.live(id).is_some_and(|frame| frame.flags().get() & PARKED != 0)
    }
}

impl<F: Function> Frame<'_, F> {
    /// Has the frame hold no state. Returns the drop of the one that it held, and where that lies.
    fn give_up_state(self) -> Option<(DropOf, *mut u8)> {
        if !self.has_state() {
            return None;
        }
        self.flags().set(self.flags().get() & !HAS_STATE);
        // SAFETY: the state is where the layout says.
        let state = unsafe { Head::place(self.head(), self.layout().state_at) };
        Some((self.layout().drop_state?, state))
    }

    /// Drops all that the frame holds.
    fn empty(self, panics: &mut FirstPanic) {
        for (_, inlet) in self.full_inlets() {
            inlet.empty();
            if let Some(drop) = inlet.kind.drop {
                // SAFETY: Full: the bit went before the value is dropped.
                panics.catch(|| unsafe { drop_erased(drop, inlet.value) });
            }
        }
        if let Some((drop, state)) = self.give_up_state() {
            // SAFETY: Stated: the flag went before the state is dropped.
            panics.catch(|| unsafe { drop_erased(drop, state) });
        }
    }
}

impl<F: Function> Drop for Frames<F> {
    /// Drops what is left in frames, and what their user keeps with them. Of several panics the first goes on, when all is
    /// dropped.
    fn drop(&mut self) {
        if !self.lent.is_null() {
            // Somebody holds a state. Its memory and all others' stay.
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
