//! The end of frames: what may be left in one, and what becomes of those that are left when the store is dropped.

use std::hint::cold_path;
use std::ptr;

use super::extra::Extra;
use super::id::FrameId;
use super::layout::{FULL_ELSEWHERE, FrameLayout, Function, ROUNDS};
use super::store::{Frames, HAS_STATE, Head, PARKED};
use crate::erased::{FirstPanic, drop_erased};

/// What a frame that was to end still holds.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Left {
    /// It may have slots that are amid a round: see [`unfinished`](Frames::unfinished), then say that they are
    /// [noted](Frames::rounds_noted).
    Rounds,
    /// Values that came and that no fiber has taken.
    Values,
    /// What its user has [parked](Frames::park).
    Parked,
}

impl<F: Function> Frames<F> {
    /// Ends the frame that is entered. A state that it holds is dropped.
    ///
    /// # Errors
    ///
    /// What it still holds besides a state: rounds before what is parked, that before values. It stays then, without a state.
    #[inline(never)]
    pub fn end(&mut self) -> Result<(), Left> {
        let head = self.entered;
        if head.is_null() {
            return Ok(());
        }
        // SAFETY: Entered.
        unsafe { self.end_frame(head) }
    }

    /// Ends the frame that is entered, as [`end`](Self::end) does, which has this layout.
    ///
    /// # Errors
    ///
    /// As [`end`](Self::end).
    #[inline(always)]
    pub fn end_as(&mut self, layout: &'static FrameLayout<F>) -> Result<(), Left> {
        let head = self.entered;
        // SAFETY: Entered.
        if !Self::is(head, layout) || unsafe { (*head).flags | (*head).mask } != 0 {
            cold_path();
            return self.end();
        }
        self.entered = ptr::null_mut();
        // SAFETY: Live; it holds neither a state, which alone is borrowed, nor values.
        unsafe { self.let_go(head, layout) };
        Ok(())
    }

    /// Ends a live frame that is not entered.
    ///
    /// # Errors
    ///
    /// As [`end`](Self::end).
    pub fn end_of(&mut self, id: FrameId) -> Result<(), Left> {
        // SAFETY: Live.
        self.live(id).map_or(Ok(()), |head| unsafe { self.end_frame(head) })
    }

    /// Ends a live frame that is not entered and holds nothing, of a function whose frames have nothing beside their slots and
    /// inlets. Returns whether it did: in any other case nothing is changed, and [`end_of`](Self::end_of) is to be asked.
    #[inline(always)]
    pub fn end_plain(&mut self, id: FrameId) -> bool {
        let Some(head) = self.live(id) else { return false };
        // SAFETY: Live; it holds neither a state nor values.
        unsafe {
            let layout = Self::layout(head);
            let ends = layout.plain && (*head).flags | (*head).mask == 0 && head != self.entered;
            if ends {
                self.let_go(head, layout);
            }
            ends
        }
    }

    /// # Safety
    ///
    /// `head` is Live.
    unsafe fn end_frame(&mut self, head: *mut Head<F>) -> Result<(), Left> {
        assert!(!ptr::eq(self.lent, head), "a frame does not end while its state is borrowed");
        // SAFETY: Live; Stated: the flag goes before the state is dropped, so that it is dropped once.
        unsafe {
            let layout = Self::layout(head);
            if (*head).flags & HAS_STATE != 0 {
                (*head).flags &= !HAS_STATE;
                if let Some(drop) = layout.drop_state {
                    drop_erased(drop, Self::place(head, layout.state_at));
                }
            }
            let flags = (*head).flags;
            if flags & !FULL_ELSEWHERE != 0 {
                return Err(if flags & ROUNDS != 0 { Left::Rounds } else { Left::Parked });
            }
            let full = (*head).mask != 0 || flags != 0 && Self::has_full_elsewhere(head);
            if full && !seeded!(EndedFull) {
                return Err(Left::Values);
            }
            if ptr::eq(self.entered, head) {
                self.entered = ptr::null_mut();
            }
            self.let_go(head, layout);
            Ok(())
        }
    }

    /// Whether an inlet is full that has no bit in the first mask.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(never)]
    pub(super) unsafe fn has_full_elsewhere(head: *mut Head<F>) -> bool {
        // SAFETY: by this function's contract; masks lie where the layout says.
        unsafe {
            let layout = Self::layout(head);
            (0..layout.more_masks).any(|word| *Self::place::<u32>(head, layout.masks_at + 4 * word) != 0)
                || Self::extra_of(head).is_some_and(Extra::has_full)
        }
    }

    /// The numbers of all inlets of a frame, and of some that it has not.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    unsafe fn inlet_numbers(head: *mut Head<F>) -> impl Iterator<Item = u32> {
        // SAFETY: by this function's contract.
        let (declared, extra) = unsafe { (Self::layout(head).inlets.len() as u32, Self::extra_of(head)) };
        let ends = extra.into_iter().flat_map(|extra| &extra.tables.inlets);
        let end = ends.map(|inlets| inlets.extent.first + inlets.extent.len).max().unwrap_or(0);
        0..declared.max(end)
    }

    /// The numbers of the inlets of a live frame that hold values.
    pub fn full_inlets(&self, id: FrameId) -> Vec<u32> {
        let Some(head) = self.live(id) else { return Vec::new() };
        // SAFETY: Live.
        unsafe { Self::inlet_numbers(head).filter(|&number| self.is_full(id, number)).collect() }
    }

    /// The numbers of the slots of a live frame.
    pub fn slot_numbers(&self, id: FrameId) -> impl Iterator<Item = u32> + '_ {
        let end = self.live(id).map_or(0, |head| {
            // SAFETY: Live.
            let (declared, extra) = unsafe { (Self::layout(head).slots.len() as u32, Self::extra_of(head)) };
            let ends = extra.into_iter().flat_map(|extra| &extra.tables.slots);
            ends.map(|slots| slots.extent.first + slots.extent.len).fold(declared, u32::max)
        });
        (0..end).filter(move |&number| self.counts(id, number).is_some())
    }

    /// Notes that one thing more, or less, of a live frame is kept by the user of frames, who may end no frame of which
    /// anything is.
    pub fn park(&mut self, id: FrameId, one_more: bool) {
        let Some(head) = self.live(id) else { return };
        // SAFETY: Live.
        unsafe {
            let flags = &mut (*head).flags;
            let parked = *flags & PARKED;
            let parked = if one_more { parked + 1 } else { parked.saturating_sub(1) };
            assert!(parked <= PARKED, "no memory holds so many values");
            *flags = *flags & !PARKED | parked;
        }
    }

    /// Whether anything is parked of the frame that is entered.
    #[inline(always)]
    pub fn entered_has_parked(&self) -> bool {
        // SAFETY: Entered.
        !self.entered.is_null() && unsafe { (*self.entered).flags & PARKED != 0 }
    }

    /// Whether anything is parked of a live frame.
    #[inline(always)]
    pub fn has_parked(&self, id: FrameId) -> bool {
        // SAFETY: Live.
        self.live(id).is_some_and(|head| unsafe { (*head).flags & PARKED != 0 })
    }

    /// Drops all that a frame holds.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    unsafe fn empty(head: *mut Head<F>, panics: &mut FirstPanic) {
        // SAFETY: by this function's contract; Stated, Full: flag and bit go before what they tell of is dropped.
        unsafe {
            let layout = Self::layout(head);
            for number in Self::inlet_numbers(head) {
                let Some(inlet) = Self::inlet(head, number).filter(super::find::Inlet::is_full) else {
                    continue;
                };
                *inlet.mask &= !inlet.bit;
                if let Some(drop) = inlet.kind.drop {
                    panics.catch(|| drop_erased(drop, inlet.value));
                }
            }
            if (*head).flags & HAS_STATE != 0 {
                (*head).flags &= !HAS_STATE;
                if let Some(drop) = layout.drop_state {
                    panics.catch(|| drop_erased(drop, Self::place(head, layout.state_at)));
                }
            }
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
        let live: Vec<FrameId> = self.live_frames().collect();
        for head in live.into_iter().filter_map(|id| self.live(id)) {
            // SAFETY: Live.
            unsafe { Self::empty(head, &mut panics) }
        }
        // SAFETY: the store is not used afterwards.
        unsafe { self.free(&mut panics) }
        panics.resume();
    }
}
