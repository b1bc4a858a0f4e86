//! The rounds of slots: what is left of one, how it is made longer, and which are cut short by the end of a frame.
//!
//! A slot with a reset that takes several signals a round may be amid one when its frame ends, which is for the user of
//! frames to judge. So a frame with such a slot does not end before its user has [looked](Frames::unfinished): a flag says so,
//! that its layout sets, or whoever raises a count.

use super::count::{Count, Refusal};
use super::id::FrameId;
use super::layout::{Function, ROUNDS, rounds_of};
use super::store::Frames;

impl<F: Function> Frames<F> {
    /// Gives the slots of a live frame that begins, and has no extra, their counts: that of the first round and that of
    /// later ones, which a layout without [resets](super::Beside::Resets) knows itself.
    pub fn begin_rounds(&mut self, id: FrameId, counts: impl IntoIterator<Item = (u32, u32)>) {
        let Some(frame) = self.entered_or_live(id) else { return };
        let layout = frame.layout();
        let mut flags = 0;
        for ((slot, place), (count, reset)) in (0..).zip(layout.slots).zip(counts) {
            let (first, mut next) = (Count::round(count), place.due.next);
            // SAFETY: the layout has this slot, and `resets_at` if that is not 0.
            unsafe {
                if layout.resets_at != 0 {
                    next = Count::after(reset);
                    frame.reset_at(layout, slot).set(next);
                }
                frame.count_at(slot).set(first);
            }
            flags |= rounds_of(first, next);
        }
        frame.flags().set(frame.flags().get() & !ROUNDS | flags);
    }

    /// How many signals a slot of a live frame awaits, and how many its present round takes in all. A
    /// one-shot slot that has reached zero awaits none, and some total that is not 0.
    pub fn counts(&self, id: FrameId, slot: u32) -> Option<(u32, u32)> {
        Some(self.live(id)?.slot(slot)?.count.get().halves())
    }

    /// Has the present round of a slot take more signals.
    ///
    /// # Errors
    ///
    /// The frame is [`Stale`](Refusal::Stale), it has [no such](Refusal::Nowhere) slot, or the raise is
    /// [`TooLate`](Refusal::TooLate) or goes [`TooFar`](Refusal::TooFar).
    pub fn raise(&mut self, id: FrameId, slot: u32, by: u32) -> Result<(), Refusal> {
        let frame = self.live(id).ok_or(Refusal::Stale)?;
        let slot = frame.slot(slot).ok_or(Refusal::Nowhere)?;
        slot.count.set(slot.count.get().raised(by)?);
        frame.flags().set(frame.flags().get() | ROUNDS);
        Ok(())
    }

    /// The slots of a live frame that have some but not all signals of a round after which another would follow: the
    /// number of each, how many have come, and how many the round takes.
    pub fn unfinished(&self, id: FrameId) -> Vec<(u32, u32, u32)> {
        let amid = |number| {
            let slot = self.live(id)?.slot(number)?;
            let (awaited, total) = slot.count.get().halves();
            let again = slot.next.halves().0 != 0;
            (again && awaited < total).then_some((number, total - awaited, total))
        };
        self.slot_numbers(id).filter_map(amid).collect()
    }

    /// Says that what is [unfinished](Self::unfinished) in a live frame has been looked at: it may end.
    pub fn rounds_noted(&mut self, id: FrameId) {
        if let Some(frame) = self.live(id) {
            frame.flags().set(frame.flags().get() & !ROUNDS);
        }
    }
}
