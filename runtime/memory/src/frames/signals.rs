//! Signals: how slots count them, and what becomes of a slot that reaches zero.

use std::hint::cold_path;

use super::count::{Count, Due};
use super::find::Slot;
use super::id::FrameId;
use super::layout::{FrameLayout, Function, MASK_BITS};
use super::store::{Frames, Head};

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

/// Why a frame does not take a value or a signal, or does not raise a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The frame has ended or never was.
    Stale,
    /// The frame has no such slot, or no such inlet for values of this kind.
    Nowhere,
    /// The inlet is full.
    Full,
    /// The slot expects no signal.
    Unexpected,
    /// The slot whose count is raised is one-shot and has reached zero.
    TooLate,
    /// The raised total does not fit 32 bits.
    TooFar,
}

/// The count of a slot that reaches zero; `next` is that of each round after the first.
#[inline(always)]
pub(super) fn next_round(next: Count) -> Count {
    if seeded!(LostReset) { Count::OVER } else { next }
}

/// Whether a slot that awaits `left` signals enables its fiber.
#[inline(always)]
pub(super) fn is_due(left: u32) -> bool {
    left == 0 || left == 1 && seeded!(EarlyFiber)
}

impl Counted {
    /// The number of the slot.
    pub fn slot(self) -> u32 {
        match self {
            Counted::Waits(slot) | Counted::Enables(slot) | Counted::Lacks(slot) => slot,
        }
    }
}

impl<F: Function> Frames<F> {
    /// A slot at zero begins its next round. `full` is the mask that has the first of the inlets that it counts, anything if
    /// it counts none.
    ///
    /// # Safety
    ///
    /// `head` is Live, and `count` and `due` are those of its slot of this number.
    #[inline(always)]
    pub(super) unsafe fn fire(
        head: *mut Head<F>,
        slot: u32,
        count: *mut Count,
        due: &Due,
        full: u32,
    ) -> Counted {
        // SAFETY: by this function's contract.
        unsafe {
            // Inlets that lie in several masks have more bits than one.
            if !u64::from(full) & due.counted != 0 {
                cold_path();
                return Self::fire_any(head, slot);
            }
            *count = next_round(due.next);
            Counted::Enables(slot)
        }
    }

    /// As [`fire`](Self::fire), wherever the slot and its inlets lie.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(never)]
    unsafe fn fire_any(head: *mut Head<F>, number: u32) -> Counted {
        // SAFETY: by this function's contract.
        unsafe {
            match Self::slot(head, number) {
                Some(slot) => Self::fire_found(head, number, &slot),
                None => Counted::Waits(number),
            }
        }
    }

    /// As [`fire_any`](Self::fire_any), of a slot that was found.
    ///
    /// # Safety
    ///
    /// `head` is Live, and `slot` is its slot of this number.
    unsafe fn fire_found(head: *mut Head<F>, number: u32, slot: &Slot) -> Counted {
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

    /// Counts a signal at a slot of a live frame that expects it: the common case. In any other it returns nothing, nothing
    /// is changed, and [`signal`](Self::signal) decides.
    #[inline(always)]
    pub fn try_signal(&mut self, id: FrameId, slot: u32) -> Option<Counted> {
        let head = self.live(id)?;
        // SAFETY: Live.
        unsafe { self.signal_frame(head, Self::layout(head), slot) }
    }

    /// As [`try_signal`](Self::try_signal), at a slot of the frame that is entered, if that has this layout. Returns the
    /// frame's identity, too.
    #[inline(always)]
    pub fn signal_entered(
        &mut self,
        layout: &'static FrameLayout<F>,
        slot: u32,
    ) -> Option<(FrameId, Counted)> {
        let head = self.entered;
        if !Self::is(head, layout) {
            return None;
        }
        // SAFETY: Entered.
        unsafe {
            let counted = self.signal_frame(head, layout, slot)?;
            Some((FrameId::from_live((*head).id), counted))
        }
    }

    /// As [`signal_entered`](Self::signal_entered), at an element of a declared array of slots.
    #[inline(always)]
    pub fn signal_element(
        &mut self,
        layout: &'static FrameLayout<F>,
        declared: u32,
        index: u32,
    ) -> Option<(FrameId, Counted)> {
        let head = self.entered;
        if !Self::is(head, layout) {
            return None;
        }
        // SAFETY: Entered; the words of counts are those that the tables say.
        unsafe {
            let extra = Self::extra_of(head)?;
            let slots = extra.tables.slots.get(declared as usize)?;
            if !slots.extent.has_element(index) {
                return None;
            }
            let counted =
                self.count_element(head, slots.extent.first + index, extra.word(slots.at + index))?;
            Some((FrameId::from_live((*head).id), counted))
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
        head: *mut Head<F>,
        layout: &'static FrameLayout<F>,
        slot: u32,
    ) -> Option<Counted> {
        // SAFETY: by this function's contract; counts lie where the layout says.
        unsafe {
            if layout.extra_at != 0 {
                let element = slot.wrapping_sub(layout.slots.len() as u32);
                return match Self::extra_of(head)?.count_of(element) {
                    Some(count) => self.count_element(head, slot, count),
                    None => Self::signal_any(head, slot).ok(),
                };
            }
            let place = layout.slots.get(slot as usize)?;
            let count = Self::count_at(head, slot);
            let left = (*count.cast::<u32>()).checked_sub(1)?;
            *count.cast::<u32>() = left;
            if !is_due(left) {
                return Some(Counted::Waits(slot));
            }
            self.recent = head;
            let full = match place.first_inlet / MASK_BITS {
                _ if place.due.counted == 0 => 0,
                0 => (*head).mask,
                word => *Self::place(head, layout.masks_at + 4 * (word - 1)),
            };
            if !layout.plain {
                cold_path();
                return Some(Self::fire_any(head, slot));
            }
            Some(Self::fire(head, slot, count, &place.due, full))
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
        head: *mut Head<F>,
        number: u32,
        count: *mut Count,
    ) -> Option<Counted> {
        // SAFETY: by this function's contract.
        unsafe {
            let left = (*count.cast::<u32>()).checked_sub(1)?;
            *count.cast::<u32>() = left;
            self.recent = head;
            Some(if left == 0 { Self::fire_element(head, number, count) } else { Counted::Waits(number) })
        }
    }

    /// As [`fire`](Self::fire), of an element of an array of slots.
    ///
    /// # Safety
    ///
    /// `head` is Live, and `count` is that of its slot of this number.
    #[inline(never)]
    unsafe fn fire_element(head: *mut Head<F>, number: u32, count: *mut Count) -> Counted {
        // SAFETY: by this function's contract.
        unsafe {
            match Self::extra_of(head).and_then(|extra| extra.tables.slot(number)) {
                Some((array, _)) => Self::fire(head, number, count, &array.due, (*head).mask),
                None => Self::fire_any(head, number),
            }
        }
    }

    /// Counts a signal at any slot.
    ///
    /// # Errors
    ///
    /// The frame is [`Stale`](Refusal::Stale), it has [no such](Refusal::Nowhere) slot, or the signal is
    /// [`Unexpected`](Refusal::Unexpected).
    pub fn signal(&mut self, id: FrameId, slot: u32) -> Result<Counted, Refusal> {
        let head = self.live_under(id, seeded!(LateSignal)).ok_or(Refusal::Stale)?;
        // SAFETY: Live.
        unsafe { Self::signal_any(head, slot) }
    }

    /// As [`signal`](Self::signal), of a frame that was found.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(never)]
    unsafe fn signal_any(head: *mut Head<F>, number: u32) -> Result<Counted, Refusal> {
        // SAFETY: by this function's contract.
        unsafe {
            let slot = Self::slot(head, number).ok_or(Refusal::Nowhere)?;
            let count = slot.count.cast::<u32>();
            match (*count).checked_sub(1) {
                None if seeded!(OverSignal) => return Ok(Counted::Waits(number)),
                None => return Err(Refusal::Unexpected),
                Some(left) => *count = left,
            }
            Ok(if is_due(*count) { Self::fire_found(head, number, &slot) } else { Counted::Waits(number) })
        }
    }
}
