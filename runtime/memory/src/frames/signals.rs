//! Signals: how slots count them, and the effect of a slot that reaches zero.

use std::hint::cold_path;

use super::count::{Count, Counter, Due, Refusal};
use super::frame::{Frame, SlotView};
use super::id::FrameId;
use super::layout::{FrameLayout, Function, MASK_BITS};
use super::store::Frames;

/// Result of a signal that a slot counted.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// The slot awaits more signals.
    Waits(u32),
    /// The slot has received all signals. Its next round has begun, and its fiber is enabled.
    Enables(u32),
    /// The slot has received all signals, but one of the inlets that it counts is empty.
    Lacks(u32),
}

impl Counted {
    /// Returns the number of the slot.
    pub fn slot(self) -> u32 {
        match self {
            Counted::Waits(slot) | Counted::Enables(slot) | Counted::Lacks(slot) => slot,
        }
    }
}

/// Returns the count of a slot that has reached zero. `next` is the count of each later round.
#[inline(always)]
pub(super) fn next_round(next: Count) -> Count {
    if seeded!(LostReset) { Count::OVER } else { next }
}

/// Whether a slot that awaits `left` signals enables its fiber.
#[inline(always)]
pub(super) fn is_due(left: u32) -> bool {
    left == 0 || left == 1 && seeded!(EarlyFiber)
}

impl<F: Function> Frame<'_, F> {
    /// Begins the next round of slot `number`, whose count is at zero. `full` is the mask that covers the
    /// first of the inlets that the slot counts. If it counts none, `full` is ignored.
    #[inline(always)]
    pub(super) fn fire(self, number: u32, count: &Counter, due: &Due, full: u32) -> Counted {
        // For inlets in several masks, `counted` has more bits than a mask.
        if !u64::from(full) & due.counted != 0 {
            cold_path();
            return self.fire_any(number);
        }
        count.set(next_round(due.next));
        Counted::Enables(number)
    }

    /// Does the same as [`fire`](Self::fire), but looks up the slot and its inlets.
    #[inline(never)]
    fn fire_any(self, number: u32) -> Counted {
        self.slot(number).map_or(Counted::Waits(number), |slot| self.fire_found(number, &slot))
    }

    fn fire_found(self, number: u32, slot: &SlotView<'_>) -> Counted {
        slot.count.set(next_round(slot.next));
        let fires = self.has_all(slot) || seeded!(FiresEmpty);
        if fires { Counted::Enables(number) } else { Counted::Lacks(number) }
    }

    /// Does the same as [`fire`](Self::fire) for an element of an array of slots.
    #[inline(always)]
    fn fire_element(self, number: u32, count: &Counter) -> Counted {
        match self.extra().and_then(|extra| extra.tables.slot(number)) {
            Some((array, ..)) => self.fire(number, count, &array.due, self.mask().get()),
            None => self.fire_any(number),
        }
    }

    #[inline(never)]
    fn signal_any(self, number: u32) -> Result<Counted, Refusal> {
        let slot = self.slot(number).ok_or(Refusal::NoSuchPart)?;
        let Some(left) = slot.count.awaited().checked_sub(1) else {
            return if seeded!(OverSignal) { Ok(Counted::Waits(number)) } else { Err(Refusal::Unexpected) };
        };
        slot.count.set_awaited(left);
        Ok(if is_due(left) { self.fire_found(number, &slot) } else { Counted::Waits(number) })
    }
}

impl<F: Function> Frames<F> {
    /// Counts a signal in the common case: a slot of a live frame expects it. In any other case it returns
    /// `None` and leaves the frame unchanged, and the caller uses [`signal`](Self::signal).
    #[inline(always)]
    pub fn try_signal(&mut self, id: FrameId, slot: u32) -> Option<Counted> {
        let frame = self.live(id)?;
        // SAFETY: the layout is the frame's.
        unsafe { self.signal_frame(frame, frame.layout(), slot) }
    }

    /// Counts a signal, as [`try_signal`](Self::try_signal) does, at a slot of the entered frame if that has
    /// this layout. Also returns the frame's identity.
    #[inline(always)]
    pub fn signal_entered(
        &mut self,
        layout: &'static FrameLayout<F>,
        slot: u32,
    ) -> Option<(FrameId, Counted)> {
        let frame = self.entered_of(layout)?;
        // SAFETY: the layout is the frame's.
        Some((frame.id(), unsafe { self.signal_frame(frame, layout, slot) }?))
    }

    /// Counts a signal, as [`signal_entered`](Self::signal_entered) does, at an element of a declared array
    /// of slots.
    #[inline(always)]
    pub fn signal_element(
        &mut self,
        layout: &'static FrameLayout<F>,
        declared: u32,
        index: u32,
    ) -> Option<(FrameId, Counted)> {
        let frame = self.entered_of(layout)?;
        let extra = frame.extra()?;
        let slots = extra.tables.slots.get(declared as usize)?;
        if !slots.extent.has_element(index) {
            return None;
        }
        // SAFETY: the counts of the array are the words from `at` on.
        let count = unsafe { extra.counter(slots.at + index) };
        Some((frame.id(), self.count_element(frame, slots.extent.first + index, count)?))
    }

    /// Counts a signal at a slot of a frame, if the slot expects one.
    ///
    /// # Safety
    ///
    /// The frame has this layout.
    #[inline(always)]
    unsafe fn signal_frame(
        &self,
        frame: Frame<'_, F>,
        layout: &'static FrameLayout<F>,
        slot: u32,
    ) -> Option<Counted> {
        if layout.extra_at != 0 {
            let element = slot.wrapping_sub(layout.slots.len() as u32);
            return match frame.extra()?.count_of(element) {
                Some(count) => self.count_element(frame, slot, count),
                None => frame.signal_any(slot).ok(),
            };
        }
        let place = layout.slots.get(slot as usize)?;
        // SAFETY: the layout has this slot.
        let count = unsafe { frame.count_at(slot) };
        let left = count.awaited().checked_sub(1)?;
        count.set_awaited(left);
        if !is_due(left) {
            return Some(Counted::Waits(slot));
        }
        self.recent.set(frame.head());
        let full = match place.first_inlet / MASK_BITS {
            _ if place.due.counted == 0 => 0,
            0 => frame.mask().get(),
            // SAFETY: the layout has the masks of the inlets that its slots count.
            word => unsafe { frame.mask_at(layout.masks_at + 4 * (word - 1)) }.get(),
        };
        if !layout.plain {
            cold_path();
            return Some(frame.fire_any(slot));
        }
        Some(frame.fire(slot, count, &place.due, full))
    }

    /// Counts a signal at an element of an array of slots with this count, if the element expects one.
    #[inline(always)]
    fn count_element(&self, frame: Frame<'_, F>, number: u32, count: &Counter) -> Option<Counted> {
        let left = count.awaited().checked_sub(1)?;
        count.set_awaited(left);
        self.recent.set(frame.head());
        Some(if left == 0 { frame.fire_element(number, count) } else { Counted::Waits(number) })
    }

    /// Counts a signal at any slot.
    ///
    /// # Errors
    ///
    /// * [`Stale`](Refusal::Stale): the frame has ended.
    /// * [`NoSuchPart`](Refusal::NoSuchPart): the frame has no such slot.
    /// * [`Unexpected`](Refusal::Unexpected): the slot expects no signal.
    pub fn signal(&mut self, id: FrameId, slot: u32) -> Result<Counted, Refusal> {
        self.live_under(id, seeded!(LateSignal)).ok_or(Refusal::Stale)?.signal_any(slot)
    }
}
