//! Signals: how slots count them, and what becomes of a slot that reaches zero.

use std::hint::cold_path;

use super::count::Count;
use super::extra::Extra;
use super::find::Slot;
use super::id::FrameId;
use super::layout::{Family, FrameLayout, Laid, MASK_BITS, SlotLayout};
use super::store::{Frames, Head};
use super::tables::Inlets;

/// What became of a slot that counted a signal.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Counted {
    /// It waits for more.
    Waits(u32),
    /// It has received all, its next round has begun, and its fiber is enabled.
    Enables(u32),
    /// It has received all, but one of the inlets that it counts is empty.
    Lacks(u32),
}

/// What became of a value, or of a signal.
#[must_use]
#[derive(Debug)]
pub enum Put<T> {
    /// It was counted.
    Counted(Counted),
    /// The frame has ended or never was.
    Stale(T),
    /// The frame has no such slot, or no such inlet.
    Nowhere(T),
    /// The inlet is full.
    Full(T),
    /// The slot expects no signal.
    Unexpected(T),
}

impl Counted {
    /// The number of the slot.
    pub fn slot(self) -> u32 {
        match self {
            Counted::Waits(slot) | Counted::Enables(slot) | Counted::Lacks(slot) => slot,
        }
    }
}

/// The count of a slot that reaches zero; `next` is that of each round after the first.
#[inline(always)]
pub(super) fn next_round(next: Count) -> Count {
    if seeded!(LostReset) { Count::after(0) } else { next }
}

/// Whether a slot that awaits `left` signals enables its fiber.
#[inline(always)]
fn is_due(left: u32) -> bool {
    left == 0 || left == 1 && seeded!(EarlyFiber)
}

impl<H: Family> Frames<H> {
    /// A slot at zero begins its next round. `full` is the mask that has the first of the inlets that it counts, anything if
    /// it counts none.
    ///
    /// # Safety
    ///
    /// `head` is Live, `plain` is what its layout says, and `place` is its declared slot of this number, which is no array.
    #[inline(always)]
    pub(super) unsafe fn fire(
        head: *mut Head<H>,
        plain: bool,
        place: &'static SlotLayout<H::Declared>,
        slot: u32,
        full: u32,
    ) -> Counted {
        // SAFETY: by this function's contract; counts lie where the layout says.
        unsafe {
            // Inlets that lie in several masks have more bits than one.
            if u64::from(full) & place.counted != place.counted || !plain {
                cold_path();
                return Self::fire_any(head, slot);
            }
            Self::count_at(head, slot).write(next_round(place.next));
            Counted::Enables(slot)
        }
    }

    /// A slot at zero begins its next round, wherever it and its inlets lie.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(never)]
    pub(super) unsafe fn fire_any(head: *mut Head<H>, number: u32) -> Counted {
        // SAFETY: by this function's contract.
        unsafe {
            if let Some(arrays) = Self::arrays(head)
                && let Some(slots) = arrays.tables.slots.get(number as usize)
                && !slots.extent.array
                && u64::from((*head).mask) & slots.counted == slots.counted
            {
                Self::count_at(head, number).write(next_round(slots.next));
                return Counted::Enables(number);
            }
            let Some(slot) = Self::slot(head, number) else { return Counted::Waits(number) };
            Self::fire_found(head, number, &slot)
        }
    }

    /// A slot at zero, whose count is given, begins its next round by a value at an array of inlets.
    ///
    /// # Safety
    ///
    /// `head` is Live, and `count` is that of its slot of this number, which this array signals.
    #[inline(always)]
    pub(super) unsafe fn fire_array(
        head: *mut Head<H>,
        slot: u32,
        count: *mut Count,
        inlets: &Inlets<H>,
    ) -> Counted {
        // SAFETY: by this function's contract.
        unsafe {
            // Inlets that have no bit in the first mask have more bits than a mask.
            if !u64::from((*head).mask) & inlets.counted != 0 {
                cold_path();
                return Self::fire_any(head, slot);
            }
            *count = next_round(inlets.next);
            Counted::Enables(slot)
        }
    }

    /// A slot at zero, which was found, begins its next round.
    ///
    /// # Safety
    ///
    /// `head` is Live, and `slot` is its slot of this number.
    unsafe fn fire_found(head: *mut Head<H>, number: u32, slot: &Slot) -> Counted {
        // SAFETY: by this function's contract.
        unsafe {
            *slot.count = next_round(slot.next);
            if Self::has_all(head, slot) || seeded!(FiresEmpty) {
                Counted::Enables(number)
            } else {
                Counted::Lacks(number)
            }
        }
    }

    /// Counts a signal at a slot of a live frame that expects it: the common case. In any other it returns nothing, with
    /// nothing changed.
    #[inline(always)]
    pub fn signal_plain(&mut self, id: FrameId, slot: u32) -> Option<Counted> {
        let head = self.live(id)?;
        // SAFETY: Live.
        unsafe { self.signal_frame(head, Self::layout(head), slot) }
    }

    /// As [`signal_plain`](Self::signal_plain), at a slot of the frame that is entered, if that has the layout of `L`. Returns
    /// the frame's identity, too.
    #[inline(always)]
    pub fn signal_entered<L: Laid<H>>(&mut self, slot: u32) -> Option<(FrameId, Counted)> {
        let head = self.entered;
        if !Self::is(head, L::FRAME) {
            return None;
        }
        // SAFETY: Entered.
        unsafe {
            self.signal_frame(head, L::FRAME, slot).map(|counted| (FrameId::from_live((*head).id), counted))
        }
    }

    /// Counts a signal at a slot of a live frame that expects it.
    ///
    /// # Safety
    ///
    /// `head` is Live, and of this layout.
    #[inline(always)]
    unsafe fn signal_frame(
        &mut self,
        head: *mut Head<H>,
        layout: &'static FrameLayout<H>,
        slot: u32,
    ) -> Option<Counted> {
        // SAFETY: by this function's contract; counts lie where the layout says.
        unsafe {
            if layout.extra_at != 0 {
                let offset = slot.wrapping_sub(layout.slots.len() as u32);
                let Some(count) = Self::extra_of(head)?.count_of(offset) else {
                    return Self::signal_extra(head, slot);
                };
                return self.count_element(head, slot, count);
            }
            let place = layout.slots.get(slot as usize)?;
            let awaited = Self::count_at(head, slot).cast::<u32>();
            let left = (*awaited).checked_sub(1)?;
            *awaited = left;
            if !is_due(left) {
                return Some(Counted::Waits(slot));
            }
            self.recent = head;
            let full = match place.first_inlet / MASK_BITS {
                _ if place.counted == 0 => 0,
                0 => (*head).mask,
                word => *Self::place(head, layout.masks_at + 4 * (word - 1)),
            };
            Some(Self::fire(head, layout.plain, place, slot, full))
        }
    }

    /// As [`signal_entered`](Self::signal_entered), at an element of a declared array of slots.
    #[inline(always)]
    pub fn signal_element<L: Laid<H>>(&mut self, declared: u32, index: u32) -> Option<(FrameId, Counted)> {
        let head = self.entered;
        if !Self::is(head, L::FRAME) {
            return None;
        }
        // SAFETY: Entered; the words of counts are those that the tables say.
        unsafe {
            let extra = Self::extra_of(head)?;
            let slots = extra.slots().get(declared as usize)?;
            if !slots.extent.has_element(index) {
                return None;
            }
            let (number, count) = (slots.extent.first + index, extra.word::<Count>(slots.at + index));
            let counted = self.count_element(head, number, count)?;
            Some((FrameId::from_live((*head).id), counted))
        }
    }

    /// Counts a signal at an element of an array of slots, whose count is given, if that expects one.
    ///
    /// # Safety
    ///
    /// `head` is Live, and `count` is that of its slot of this number.
    #[inline(always)]
    unsafe fn count_element(
        &mut self,
        head: *mut Head<H>,
        number: u32,
        count: *mut Count,
    ) -> Option<Counted> {
        // SAFETY: by this function's contract.
        unsafe {
            let awaited = count.cast::<u32>();
            let left = (*awaited).checked_sub(1)?;
            *awaited = left;
            self.recent = head;
            Some(if left == 0 { Self::fire_element(head, number, count) } else { Counted::Waits(number) })
        }
    }

    /// As [`fire_any`](Self::fire_any), of an element of an array of slots whose count is given.
    ///
    /// # Safety
    ///
    /// `head` is Live, and `count` is that of its slot of this number.
    #[inline(never)]
    unsafe fn fire_element(head: *mut Head<H>, number: u32, count: *mut Count) -> Counted {
        // SAFETY: by this function's contract.
        unsafe {
            if let Some(tables) = Self::extra_of(head).and_then(Extra::tables)
                && let Some((array, _)) = tables.slot(number)
                && array.bare
            {
                *count = next_round(array.next);
                return Counted::Enables(number);
            }
            Self::fire_any(head, number)
        }
    }

    /// As [`signal_frame`](Self::signal_frame), at a single slot of a frame with an extra.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(never)]
    unsafe fn signal_extra(head: *mut Head<H>, number: u32) -> Option<Counted> {
        // SAFETY: by this function's contract.
        unsafe {
            let slot = Self::slot(head, number)?;
            let awaited = slot.count.cast::<u32>();
            let left = (*awaited).checked_sub(1)?;
            *awaited = left;
            Some(if left == 0 { Self::fire_found(head, number, &slot) } else { Counted::Waits(number) })
        }
    }

    /// Counts a signal at any slot.
    pub fn signal(&mut self, id: FrameId, slot: u32) -> Put<()> {
        let Some(head) = self.live_under(id, seeded!(LateSignal)) else { return Put::Stale(()) };
        // SAFETY: Live.
        let Some(found) = (unsafe { Self::slot(head, slot) }) else { return Put::Nowhere(()) };
        // SAFETY: Live.
        unsafe { Self::count(head, slot, &found) }
    }

    /// Counts a signal at a slot that was found.
    ///
    /// # Safety
    ///
    /// `head` is Live, and `found` is its slot of this number.
    pub(super) unsafe fn count(head: *mut Head<H>, slot: u32, found: &Slot) -> Put<()> {
        // SAFETY: by this function's contract.
        unsafe {
            let count = found.count.cast::<u32>();
            match (*count).checked_sub(1) {
                None if seeded!(OverSignal) => return Put::Counted(Counted::Waits(slot)),
                None => return Put::Unexpected(()),
                Some(left) => *count = left,
            }
            Put::Counted(if is_due(*count) { Self::fire_any(head, slot) } else { Counted::Waits(slot) })
        }
    }
}
