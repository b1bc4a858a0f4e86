//! Signals and values: how they are counted, stored, taken out and handed over.

use std::hint::cold_path;

use super::count::Count;
use super::entered::Laid;
use super::extra::Extra;
use super::find::Slot;
use super::id::FrameId;
use super::layout::{Family, FrameLayout, InletLayout, MASK, MASK_BITS, SlotLayout, ValueOf};
use super::store::{Frames, Head};
use crate::kind::{KindOf, read_value, write_value};
use crate::parcel::Parcel;

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
fn next_round(next: Count) -> Count {
    if seeded!(LostReset) { Count::after(0) } else { next }
}

/// Whether a slot that awaits `left` signals enables its fiber.
#[inline(always)]
fn is_due(left: u32) -> bool {
    left == 0 || left == 1 && seeded!(EarlyFiber)
}

impl<H: Family> Frames<H> {
    /// Stores a value in an empty inlet of the frame itself and counts its signal: the common case. In any other it
    /// returns the value, with nothing changed.
    #[inline(always)]
    pub fn put_plain<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Result<Counted, T> {
        let Some(head) = self.live_under(id, seeded!(LatePut)) else { return Err(value) };
        // SAFETY: Live.
        unsafe {
            let layout = Self::layout(head);
            if inlet >= layout.near {
                return self.put_far(head, inlet, value, kind);
            }
            // The layout has seen that it is plain and has so many inlets, each with the bit of its number.
            let (place, bit) = (layout.inlets.get_unchecked(inlet as usize), 1 << inlet);
            self.put_at(head, (layout, place), (true, MASK, bit), value, kind)
        }
    }

    /// As [`put_plain`](Self::put_plain), for an inlet that is none of the near ones.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(never)]
    unsafe fn put_far<T: Send + 'static>(
        &mut self,
        head: *mut Head<H>,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Result<Counted, T> {
        // SAFETY: by this function's contract.
        unsafe {
            let layout = Self::layout(head);
            match layout.inlets.get(inlet as usize) {
                Some(place) => {
                    let where_full = (layout.plain, place.mask_at, place.bit);
                    self.put_at(head, (layout, place), where_full, value, kind)
                }
                None => Self::put_element(head, inlet, value, kind),
            }
        }
    }

    /// As [`put_plain`](Self::put_plain), for a declared inlet of a frame that is plain or not, whose mask and bit these are.
    ///
    /// # Safety
    ///
    /// `head` is Live, of this layout, which has this inlet.
    #[inline(always)]
    unsafe fn put_at<T: Send + 'static>(
        &mut self,
        head: *mut Head<H>,
        (layout, place): (&'static FrameLayout<H>, &'static InletLayout<H::Declared>),
        (plain, mask_at, bit): (bool, u32, u32),
        value: T,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Result<Counted, T> {
        // SAFETY: by this function's contract; masks, counts and values lie where the layout says; an empty inlet has room
        // for a value of its kind, and is full afterwards. An array has no bit.
        unsafe {
            if !place.kind.is_same(kind.erased()) {
                return Err(value);
            }
            let mask = Self::place::<u32>(head, mask_at);
            let awaited = Self::count_at(head, place.slot).cast::<u32>();
            let (before, left) = (*mask, (*awaited).checked_sub(1));
            let Some(left) = left.filter(|_| !before & bit != 0) else { return Err(value) };
            let full = before | bit;
            write_value(Self::place(head, place.at), value);
            *mask = full;
            *awaited = left;
            if left > 0 {
                return Ok(Counted::Waits(place.slot));
            }
            self.fired = head;
            // The layout has seen that its inlets signal slots of its own, which count them.
            let slot = layout.slots.get_unchecked(place.slot as usize);
            Ok(Self::fire(head, plain, slot, place.slot, full))
        }
    }

    /// As [`put_plain`](Self::put_plain), for an element of an array.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(always)]
    unsafe fn put_element<T: Send + 'static>(
        head: *mut Head<H>,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Result<Counted, T> {
        // SAFETY: by this function's contract; an empty inlet has room for a value of its kind, and is full afterwards.
        unsafe {
            let layout = Self::layout(head);
            let Some(extra) = Self::extra_of(head) else { return Err(value) };
            let Some(tables) = extra.tables() else { return Err(value) };
            let Some((inlets, index)) = tables.inlet(inlet) else { return Err(value) };
            let found = Self::element(extra, inlets, index);
            let count = match found.slot.checked_sub(layout.slots.len() as u32) {
                None => Self::count_at(head, found.slot),
                Some(offset) => match extra.count_of(offset) {
                    Some(count) => count,
                    None => return Err(value),
                },
            };
            let awaited = count.cast::<u32>();
            if found.is_full() || *awaited == 0 || !found.kind.is_same(kind.erased()) {
                return Err(value);
            }
            write_value(found.value, value);
            *found.mask |= found.bit;
            *awaited -= 1;
            if *awaited > 0 {
                return Ok(Counted::Waits(found.slot));
            }
            // This inlet is full. If the slot counts others besides, they are those of the array.
            if !inlets.alone || inlets.step == 0 && !extra.all_full(inlets) {
                return Ok(Self::fire_any(head, found.slot));
            }
            *count = next_round(inlets.next);
            Ok(Counted::Enables(found.slot))
        }
    }

    /// A slot at zero begins its next round. `full` is the mask that has the first of the inlets that it counts, anything if
    /// it counts none.
    ///
    /// # Safety
    ///
    /// `head` is Live, `plain` is what its layout says, and `place` is its declared slot of this number, which is no array.
    #[inline(always)]
    unsafe fn fire(
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
    unsafe fn fire_any(head: *mut Head<H>, number: u32) -> Counted {
        // SAFETY: by this function's contract.
        unsafe {
            let Some(slot) = Self::slot(head, number) else { return Counted::Waits(number) };
            Self::fire_found(head, number, &slot)
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
                let left = (*count.cast::<u32>()).checked_sub(1)?;
                *count.cast::<u32>() = left;
                self.fired = head;
                return Some(if left == 0 {
                    Self::fire_element(head, slot, count)
                } else {
                    Counted::Waits(slot)
                });
            }
            let place = layout.slots.get(slot as usize)?;
            let awaited = Self::count_at(head, slot).cast::<u32>();
            let left = (*awaited).checked_sub(1)?;
            *awaited = left;
            if !is_due(left) {
                return Some(Counted::Waits(slot));
            }
            self.fired = head;
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
            let left = (*count.cast::<u32>()).checked_sub(1)?;
            *count.cast::<u32>() = left;
            self.fired = head;
            let counted =
                if left == 0 { Self::fire_element(head, number, count) } else { Counted::Waits(number) };
            Some((FrameId::from_live((*head).id), counted))
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
    unsafe fn count(head: *mut Head<H>, slot: u32, found: &Slot) -> Put<()> {
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

    /// Stores a value whose type was set aside in an empty inlet and counts its signal. A value of another type than the
    /// inlet's goes nowhere.
    pub fn put(&mut self, id: FrameId, inlet: u32, value: Parcel<ValueOf<H>>) -> Put<Parcel<ValueOf<H>>> {
        let Some(head) = self.live(id) else { return Put::Stale(value) };
        // SAFETY: Live; an empty inlet has room for a value of its kind, and is full afterwards.
        unsafe {
            let Some(found) = Self::inlet(head, inlet) else { return Put::Nowhere(value) };
            let Some(slot) = Self::slot(head, found.slot) else { return Put::Nowhere(value) };
            if !value.kind().is_some_and(|kind| found.kind.is_same(kind)) {
                return Put::Nowhere(value);
            }
            if found.is_full() {
                return Put::Full(value);
            }
            if (*slot.count).halves().0 == 0 {
                return Put::Unexpected(value);
            }
            if let Some((kind, words)) = value.into_words() {
                found.value.copy_from_nonoverlapping(words.as_ptr().cast(), kind.size as usize);
                *found.mask |= found.bit;
            }
            match Self::count(head, found.slot, &slot) {
                Put::Counted(counted) => Put::Counted(counted),
                _ => unreachable!("a slot that expects a signal counts it"),
            }
        }
    }

    /// Takes the value of any inlet of the frame that is entered, by number.
    #[inline(never)]
    pub fn take_any<T: Send + 'static>(
        &mut self,
        inlet: u32,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Option<T> {
        if self.entered.is_null() {
            return None;
        }
        // SAFETY: Entered; Full; the inlet is empty afterwards.
        unsafe {
            let found = Self::inlet(self.entered, inlet)?;
            if !found.kind.is_same(kind.erased()) || !found.is_full() {
                return None;
            }
            *found.mask &= !found.bit;
            Some(read_value(found.value))
        }
    }

    /// Takes the value of element `index` of a declared array of inlets of the frame that is entered.
    #[inline]
    pub fn take_element<T: Send + 'static>(
        &mut self,
        declared: u32,
        index: usize,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Option<T> {
        if self.entered.is_null() {
            return None;
        }
        // SAFETY: Entered; Full; the inlet is empty afterwards.
        unsafe {
            let extra = Self::extra_of(self.entered)?;
            let (declared, index) = (declared as usize, u32::try_from(index).ok()?);
            let inlets = extra.inlets().get(declared)?;
            if !inlets.extent.has_element(index) {
                return None;
            }
            let found = Self::element(extra, inlets, index);
            if !found.kind.is_same(kind.erased()) || !found.is_full() {
                return None;
            }
            *found.mask &= !found.bit;
            Some(read_value(found.value))
        }
    }

    /// Takes all values that a slot counts out of their inlets, with the inlets' numbers, in the order in which these are
    /// declared.
    pub fn hand_over(&mut self, id: FrameId, slot: u32, mut give: impl FnMut(u32, Parcel<ValueOf<H>>)) {
        let Some(head) = self.live(id) else { return };
        // SAFETY: Live; Full; each inlet is empty before its value is given away.
        unsafe {
            let Some(found) = Self::slot(head, slot) else { return };
            for number in Self::counted_by(head, &found) {
                let Some(inlet) = Self::inlet(head, number).filter(super::find::Inlet::is_full) else {
                    continue;
                };
                *inlet.mask &= !inlet.bit;
                give(number, Parcel::from_memory(inlet.kind, inlet.value));
            }
        }
    }

    /// The number of the first inlet that a slot counts and that is empty.
    pub fn lacking(&self, id: FrameId, slot: u32) -> Option<u32> {
        let head = self.live(id)?;
        // SAFETY: Live.
        unsafe { Self::empty_inlet(head, &Self::slot(head, slot)?) }
    }

    /// The numbers of the inlets that a slot of a live frame counts.
    pub fn inlets_of(&self, id: FrameId, slot: u32) -> impl Iterator<Item = u32> + '_ {
        // SAFETY: Live; the store is borrowed as long as the numbers are.
        let slot = self.live(id).and_then(|head| unsafe { Some((head, Self::slot(head, slot)?)) });
        // SAFETY: Live.
        slot.into_iter().flat_map(|(head, slot)| unsafe { Self::counted_by(head, &slot) })
    }

    /// Whether an inlet of a live frame holds a value.
    pub fn is_full(&self, id: FrameId, inlet: u32) -> bool {
        // SAFETY: Live.
        self.live(id)
            .and_then(|head| unsafe { Self::inlet(head, inlet) })
            .is_some_and(|inlet| inlet.is_full())
    }
}
