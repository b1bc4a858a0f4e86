//! The rounds of slots: what is left of one, how it is made longer, and which are cut short by the end of a frame.
//!
//! A slot with a reset that takes several signals a round may be amid one when its frame ends, which is for the user of
//! frames to judge. So a frame with such a slot does not end before its user has [looked](Frames::unfinished): a flag says so,
//! that its layout sets, or whoever raises a count.

use super::count::Count;
use super::id::FrameId;
use super::layout::{Function, ROUNDS, rounds_of};
use super::signals::Refusal;
use super::store::Frames;

impl<F: Function> Frames<F> {
    /// Gives the slots of a live frame that begins, and has no extra, their counts: that of the first round and that of
    /// later ones, which a layout without [resets](super::Beside::Resets) knows itself.
    pub fn begin_rounds(&mut self, id: FrameId, counts: impl IntoIterator<Item = (u32, u32)>) {
        let Some(head) = self.entered_or_live(id) else { return };
        // SAFETY: Live; counts lie where the layout says.
        unsafe {
            let layout = Self::layout(head);
            let mut flags = 0;
            for ((slot, place), (count, reset)) in (0..).zip(layout.slots).zip(counts) {
                let (first, mut next) = (Count::round(count), place.due.next);
                if layout.resets_at != 0 {
                    next = Count::after(reset);
                    Self::reset_at(head, layout, slot).write(next);
                }
                Self::count_at(head, slot).write(first);
                flags |= rounds_of(first, next);
            }
            (*head).flags = (*head).flags & !ROUNDS | flags;
        }
    }

    /// How many signals a slot of a live frame awaits, and how many its present round takes in all. A
    /// one-shot slot that has reached zero awaits none, and some total that is not 0.
    pub fn counts(&self, id: FrameId, slot: u32) -> Option<(u32, u32)> {
        // SAFETY: Live.
        unsafe { Self::slot(self.live(id)?, slot).map(|slot| (*slot.count).halves()) }
    }

    /// Has the present round of a slot take more signals.
    ///
    /// # Errors
    ///
    /// The frame is [`Stale`](Refusal::Stale), it has [no such](Refusal::Nowhere) slot, or the raise is
    /// [`TooLate`](Refusal::TooLate) or goes [`TooFar`](Refusal::TooFar).
    pub fn raise(&mut self, id: FrameId, slot: u32, by: u32) -> Result<(), Refusal> {
        let head = self.live(id).ok_or(Refusal::Stale)?;
        // SAFETY: Live.
        unsafe {
            let found = Self::slot(head, slot).ok_or(Refusal::Nowhere)?;
            (*found.count).raise(by)?;
            (*head).flags |= ROUNDS;
        }
        Ok(())
    }

    /// The slots of a live frame that have some but not all signals of a round after which another would follow: the
    /// number of each, how many have come, and how many the round takes.
    pub fn unfinished(&self, id: FrameId) -> Vec<(u32, u32, u32)> {
        let Some(head) = self.live(id) else { return Vec::new() };
        let amid = |number| {
            // SAFETY: Live.
            let slot = unsafe { Self::slot(head, number)? };
            // SAFETY: Live.
            let (awaited, total) = unsafe { *slot.count }.halves();
            let again = slot.next.halves().0 != 0;
            (again && awaited < total).then_some((number, total - awaited, total))
        };
        self.slot_numbers(id).filter_map(amid).collect()
    }

    /// Says that what is [unfinished](Self::unfinished) in a live frame has been looked at: it may end.
    pub fn rounds_noted(&mut self, id: FrameId) {
        if let Some(head) = self.live(id) {
            // SAFETY: Live.
            unsafe { (*head).flags &= !ROUNDS }
        }
    }
}
