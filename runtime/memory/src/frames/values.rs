//! Values: how they are stored, each with its signal, taken out and handed over.

use std::mem::ManuallyDrop;
use std::ptr;

use super::id::FrameId;
use super::layout::{Family, FrameLayout, InletLayout, ValueOf};
use super::signals::{Counted, Put, next_round};
use super::store::{Frames, Head};
use crate::kind::{KindOf, read_value, words_of, write_value};
use crate::parcel::Parcel;

impl<H: Family> Frames<H> {
    /// Stores a value in an empty inlet that lies in the first mask of a plain frame, or is an element of a small array, and
    /// counts its signal, unless the slot reaches zero while another of its inlets is empty: what nearly all puts are, without
    /// a branch that comes back. In any other case it returns the value, with nothing changed, and
    /// [`put_plain`](Self::put_plain) is to be asked.
    ///
    /// The inlet is given by a word that is its number, or more than that of any.
    #[inline(always)]
    pub fn put_near<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u64,
        value: T,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Result<Counted, T> {
        let Some(head) = self.recent_or_live(id, false) else { return Err(value) };
        // SAFETY: Live. The layout has seen that it is plain and has so many inlets, that these signal slots of its own, and
        // that those count them. Counts and values lie where it says; an empty inlet has room for a value of its kind, and
        // is full afterwards.
        unsafe {
            let layout = Self::layout(head);
            if inlet >= layout.near {
                self.recent = head;
                return Self::put_gathered(head, inlet, value, kind);
            }
            let place = layout.inlets.get_unchecked(inlet as usize);
            let (slot, before) = (place.slot, (*head).mask);
            if !ptr::eq(place.kind, kind.erased()) || before & place.bit != 0 {
                return Err(value);
            }
            let full = before | place.bit;
            let awaited = Self::count_at(head, slot).cast::<u32>();
            let left = *awaited;
            if left > 1 {
                write_value(Self::place(head, place.at), value);
                (*head).mask = full;
                *awaited = left - 1;
                return Ok(Counted::Waits(slot));
            }
            let place_of_slot = layout.slots.get_unchecked(slot as usize);
            if left == 0 || !u64::from(full) & place_of_slot.counted != 0 {
                return Err(value);
            }
            write_value(Self::place(head, place.at), value);
            (*head).mask = full;
            Self::count_at(head, slot).write(next_round(place_of_slot.next));
            self.recent = head;
            Ok(Counted::Enables(slot))
        }
    }

    /// As [`put_near`](Self::put_near), in an element of the frame's [gathered](super::tables::Gathered) array.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(always)]
    unsafe fn put_gathered<T: Send + 'static>(
        head: *mut Head<H>,
        inlet: u64,
        value: T,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Result<Counted, T> {
        // SAFETY: by this function's contract; Sized: all elements of the array have bits in the first mask, and the slot that
        // it signals has its count in the frame; an empty inlet has room for a value of its kind, and is full afterwards.
        unsafe {
            let Some(arrays) = Self::arrays(head) else { return Err(value) };
            let inlets = &arrays.tables.gathered;
            let index = inlet.wrapping_sub(u64::from(inlets.first));
            if index >= u64::from(inlets.len) || !ptr::eq(inlets.kind, kind.erased()) {
                return Err(value);
            }
            let count = Self::count_at(head, inlets.slot);
            let (before, left) = ((*head).mask, *count.cast::<u32>());
            let full = before | 1u32.wrapping_shl(inlet as u32);
            if full == before {
                return Err(value);
            }
            let to = arrays.extra.word(inlets.at + index as u32 * words_of::<T>() as u32);
            if left > 1 {
                write_value(to, value);
                (*head).mask = full;
                *count.cast::<u32>() = left - 1;
                return Ok(Counted::Waits(inlets.slot));
            }
            if left == 0 || !u64::from(full) & inlets.counted != 0 {
                return Err(value);
            }
            write_value(to, value);
            (*head).mask = full;
            *count = next_round(inlets.next);
            Ok(Counted::Enables(inlets.slot))
        }
    }

    /// Stores a value in an empty inlet of any frame and counts its signal, as [`put_near`](Self::put_near) does or, failing
    /// that, [`put_plain`](Self::put_plain).
    #[inline(always)]
    pub fn put_typed<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Result<Counted, T> {
        let near = self.put_near(id, u64::from(inlet), value, kind);
        near.or_else(|value| self.put_plain(id, inlet, value, kind))
    }

    /// Stores a value in an empty inlet of any frame and counts its signal. If that cannot be, it returns the value, with
    /// nothing changed.
    #[inline]
    pub fn put_plain<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Result<Counted, T> {
        let Some(head) = self.recent_or_live(id, seeded!(LatePut)) else { return Err(value) };
        let value = ManuallyDrop::new(value);
        // SAFETY: Live; the value is given back if it was not stored.
        let Some(counted) = (unsafe { Self::put_far(head, inlet, &raw const *value, kind) }) else {
            return Err(ManuallyDrop::into_inner(value));
        };
        self.recent = head;
        Ok(counted)
    }

    /// As [`put_plain`](Self::put_plain), for a declared inlet.
    ///
    /// # Safety
    ///
    /// `head` is Live, of this layout, which has this inlet.
    #[inline(always)]
    unsafe fn put_at<T: Send + 'static>(
        head: *mut Head<H>,
        (layout, place): (&'static FrameLayout<H>, &'static InletLayout<H::Declared>),
        value: T,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Result<Counted, T> {
        // SAFETY: by this function's contract; masks, counts and values lie where the layout says; an empty inlet has room
        // for a value of its kind, and is full afterwards. An array has no bit.
        unsafe {
            if !place.kind.is_same(kind.erased()) {
                return Err(value);
            }
            let mask = Self::place::<u32>(head, place.mask_at);
            let awaited = Self::count_at(head, place.slot).cast::<u32>();
            let (before, left) = (*mask, (*awaited).checked_sub(1));
            let Some(left) = left.filter(|_| !before & place.bit != 0) else { return Err(value) };
            let full = before | place.bit;
            write_value(Self::place(head, place.at), value);
            *mask = full;
            *awaited = left;
            if left > 0 {
                return Ok(Counted::Waits(place.slot));
            }
            // The layout has seen that its inlets signal slots of its own, which count them.
            let slot = layout.slots.get_unchecked(place.slot as usize);
            Ok(Self::fire(head, layout.plain, slot, place.slot, full))
        }
    }

    /// As [`put_plain`](Self::put_plain). Returns nothing if it leaves the value where it is.
    ///
    /// # Safety
    ///
    /// `head` is Live. The value is not used again if it was stored.
    #[inline(never)]
    unsafe fn put_far<T: Send + 'static>(
        head: *mut Head<H>,
        inlet: u32,
        value: *const T,
        kind: &'static KindOf<T, ValueOf<H>>,
    ) -> Option<Counted> {
        // SAFETY: by this function's contract; an empty inlet has room for a value of its kind, and is full afterwards.
        unsafe {
            let layout = Self::layout(head);
            if let Some(place) = layout.inlets.get(inlet as usize) {
                let put = Self::put_at(head, (layout, place), value.read(), kind);
                return put.map_err(ManuallyDrop::new).ok();
            }
            let arrays = Self::arrays(head)?;
            let (inlets, index) = arrays.tables.inlet(inlet)?;
            let found = arrays.element(inlets, index);
            let count = match inlets.step {
                0 => Self::count_at(head, found.slot),
                _ => arrays.extra.count_of(found.slot - layout.slots.len() as u32)?,
            };
            let left = (*count.cast::<u32>()).checked_sub(1)?;
            if found.is_full() || !found.kind.is_same(kind.erased()) {
                return None;
            }
            write_value(found.value, value.read());
            *found.mask |= found.bit;
            *count.cast::<u32>() = left;
            Some(match left {
                0 => Self::fire_array(head, found.slot, count, inlets),
                _ => Counted::Waits(found.slot),
            })
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
            let arrays = Self::arrays(self.entered)?;
            let (declared, index) = (declared as usize, u32::try_from(index).ok()?);
            let inlets = arrays.tables.inlets.get(declared)?;
            if !inlets.extent.has_element(index) {
                return None;
            }
            let found = arrays.element(inlets, index);
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
