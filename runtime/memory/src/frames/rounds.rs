//! Rounds of slots: their counts, raising them, and finding rounds that the end of a frame would cut short.
//!
//! A slot with a reset that takes several signals a round may be in the middle of a round when its frame
//! ends. The runtime decides whether that is an error. So a frame with such a slot does not end before the
//! runtime has [examined it](Frames::unfinished). The layout, or a raise of a count, sets a flag for this.

use super::count::{Count, Refusal};
use super::id::FrameId;
use super::layout::{Function, ROUNDS, rounds_of};
use super::store::Frames;

impl<F: Function> Frames<F> {
    /// Sets the counts of the slots of a live frame that begins and has no extra: the count of the first
    /// round and of later ones. A layout without [resets](super::ExtraContents::Resets) fixes the counts of
    /// later rounds itself.
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

    /// Returns the number of signals that a slot of a live frame awaits, and the total of its present round.
    /// A one-shot slot that has reached zero awaits none, of a total that is not 0.
    pub fn counts(&self, id: FrameId, slot: u32) -> Option<(u32, u32)> {
        Some(self.live(id)?.slot(slot)?.count.get().halves())
    }

    /// Adds `by` signals to the present round of a slot.
    ///
    /// # Errors
    ///
    /// * [`Stale`](Refusal::Stale): the frame has ended.
    /// * [`NoSuchPart`](Refusal::NoSuchPart): the frame has no such slot.
    /// * [`TooLate`](Refusal::TooLate): the slot is one-shot and has reached zero.
    /// * [`Overflow`](Refusal::Overflow): the raised total does not fit in 32 bits.
    pub fn raise(&mut self, id: FrameId, slot: u32, by: u32) -> Result<(), Refusal> {
        let frame = self.live(id).ok_or(Refusal::Stale)?;
        let slot = frame.slot(slot).ok_or(Refusal::NoSuchPart)?;
        slot.count.set(slot.count.get().raised(by)?);
        frame.flags().set(frame.flags().get() | ROUNDS);
        Ok(())
    }

    /// Returns the slots of a live frame that have received some but not all signals of a round, and would
    /// have another round after it. For each it gives the number, the signals received, and the total.
    pub fn unfinished(&self, id: FrameId) -> Vec<(u32, u32, u32)> {
        let in_round = |number| {
            let slot = self.live(id)?.slot(number)?;
            let (awaited, total) = slot.count.get().halves();
            let again = slot.next.halves().0 != 0;
            (again && awaited < total).then_some((number, total - awaited, total))
        };
        self.slot_numbers(id).filter_map(in_round).collect()
    }

    /// Records that the caller has examined the [unfinished](Self::unfinished) rounds of a live frame, so
    /// that it may end.
    pub fn mark_rounds_checked(&mut self, id: FrameId) {
        if let Some(frame) = self.live(id) {
            frame.flags().set(frame.flags().get() & !ROUNDS);
        }
    }
}
