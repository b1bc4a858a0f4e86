//! Values: how they are stored, each with its signal, and how they leave their inlets.
//!
//! [`try_put`](Frames::try_put) is the common case, in line. Every other value is stored in two steps: [`find`](Frames::find)
//! finds its place or says why there is none, and the [`Place`] takes the value.

use std::marker::PhantomData;
use std::ptr;

use super::count::{Count, Due};
use super::find::Inlet;
use super::id::FrameId;
use super::layout::Function;
use super::signals::{Counted, Refusal, is_due, next_round};
use super::store::{Frames, Head};
use crate::kind::{Kind, KindOf, read_value, words_of, write_value};
use crate::parcel::Parcel;

/// An empty inlet of a live frame whose slot expects the inlet's signal.
pub struct Place<'a, F: Function> {
    head: *mut Head<F>,
    inlet: Inlet<F::Value>,
    count: *mut Count,
    frames: PhantomData<&'a mut Frames<F>>,
}

/// An inlet with its bit in the frame's first mask, which signals a slot whose count lies in the frame.
struct Near<V: 'static> {
    kind: *const Kind<V>,
    slot: u32,
    bit: u32,
    value: *mut u8,
}

impl<V> Near<V> {
    /// Stores a value and counts its signal, unless the inlet is full or of another kind, the slot expects no signal, or the
    /// slot reaches zero while another of its inlets is empty. Then nothing is changed.
    ///
    /// # Safety
    ///
    /// `head` is Live and has this inlet. `due` gives the [`Due`] of its slot.
    #[inline(always)]
    unsafe fn put<'a, F: Function<Value = V>, T: Send + 'static>(
        self,
        head: *mut Head<F>,
        value: T,
        kind: &'static KindOf<T, V>,
        due: impl FnOnce() -> &'a Due,
    ) -> Result<Counted, T> {
        // SAFETY: by this function's contract; an empty inlet has room for a value of its kind, and is full afterwards.
        unsafe {
            let before = (*head).mask;
            if !ptr::eq(self.kind, kind.erased()) || before & self.bit != 0 {
                return Err(value);
            }
            let full = before | self.bit;
            let count = Frames::<F>::count_at(head, self.slot);
            let left = *count.cast::<u32>();
            if left > 1 {
                write_value(self.value, value);
                (*head).mask = full;
                *count.cast::<u32>() = left - 1;
                return Ok(Counted::Waits(self.slot));
            }
            let due = due();
            if left == 0 || !u64::from(full) & due.counted != 0 {
                return Err(value);
            }
            write_value(self.value, value);
            (*head).mask = full;
            *count = next_round(due.next);
            Ok(Counted::Enables(self.slot))
        }
    }
}

impl<F: Function> Frames<F> {
    /// Stores a value and counts its signal, in the common case: an empty inlet that lies in the first mask of a plain frame,
    /// or is an element of a small array, for values of the kind at this very address. The slot expects the signal. If the
    /// slot reaches zero, its other inlets are full. In any other case it returns the value, nothing is changed, and
    /// [`find`](Self::find) decides.
    ///
    /// The inlet is given by a word that is its number, or more than the number of any.
    #[inline(always)]
    pub fn try_put<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u64,
        value: T,
        kind: &'static KindOf<T, F::Value>,
    ) -> Result<Counted, T> {
        let Some(head) = self.recent_or_live(id, false) else { return Err(value) };
        // SAFETY: Live. The layout has seen that it is plain and has so many inlets, that these signal slots of its own, and
        // that those count them. Counts and values lie where it says. Sized: all elements of a gathered array have bits in
        // the first mask, and their slot has its count in the frame.
        unsafe {
            let layout = Self::layout(head);
            if inlet < layout.near {
                let place = layout.inlets.get_unchecked(inlet as usize);
                let (slot, bit) = (place.slot, place.spot.bit);
                let near = Near { kind: place.kind, slot, bit, value: Self::place(head, place.spot.at) };
                let put = near.put(head, value, kind, || &layout.slots.get_unchecked(slot as usize).due);
                if let Ok(Counted::Enables(_)) = put {
                    self.recent = head;
                }
                return put;
            }
            self.recent = head;
            let Some(extra) = Self::extra_of(head) else { return Err(value) };
            let gathered = &extra.tables.gathered;
            let index = inlet.wrapping_sub(u64::from(gathered.first));
            if index >= u64::from(gathered.len) {
                return Err(value);
            }
            let value_at = extra.word(gathered.at + index as u32 * words_of::<T>() as u32);
            let bit = 1u32.wrapping_shl(inlet as u32);
            let near = Near { kind: gathered.kind, slot: gathered.slot, bit, value: value_at };
            near.put(head, value, kind, || &gathered.due)
        }
    }

    /// Finds the place of a value of this kind: an empty inlet of a live frame whose slot expects its signal.
    ///
    /// # Errors
    ///
    /// The first of these that is so: the frame is [`Stale`](Refusal::Stale), it has [no such](Refusal::Nowhere) inlet for
    /// values of this kind, the inlet is [`Full`](Refusal::Full), its slot is [`Unexpected`](Refusal::Unexpected).
    #[inline(never)]
    pub fn find(
        &mut self,
        id: FrameId,
        inlet: u32,
        kind: &'static Kind<F::Value>,
    ) -> Result<Place<'_, F>, Refusal> {
        let head = self.recent_or_live(id, seeded!(LatePut)).ok_or(Refusal::Stale)?;
        // SAFETY: Live.
        unsafe {
            let inlet = Self::inlet(head, inlet).filter(|inlet| inlet.kind.is_same(kind));
            let inlet = inlet.ok_or(Refusal::Nowhere)?;
            let count = Self::count_of(head, inlet.slot).ok_or(Refusal::Nowhere)?;
            if inlet.is_full() {
                return Err(Refusal::Full);
            }
            if (*count).halves().0 == 0 {
                return Err(Refusal::Unexpected);
            }
            self.recent = head;
            Ok(Place { head, inlet, count, frames: PhantomData })
        }
    }

    /// Takes the value of any inlet of the frame that is entered, by number.
    #[inline(never)]
    pub fn take_any<T: Send + 'static>(
        &mut self,
        inlet: u32,
        kind: &'static KindOf<T, F::Value>,
    ) -> Option<T> {
        if self.entered.is_null() {
            return None;
        }
        // SAFETY: Entered.
        unsafe { Self::inlet(self.entered, inlet)?.take(kind) }
    }

    /// Takes the value of element `index` of a declared array of inlets of the frame that is entered.
    #[inline]
    pub fn take_element<T: Send + 'static>(
        &mut self,
        declared: u32,
        index: usize,
        kind: &'static KindOf<T, F::Value>,
    ) -> Option<T> {
        if self.entered.is_null() {
            return None;
        }
        // SAFETY: Entered.
        unsafe {
            let extra = Self::extra_of(self.entered)?;
            let (inlets, index) = (extra.tables.inlets.get(declared as usize)?, u32::try_from(index).ok()?);
            if !inlets.extent.has_element(index) {
                return None;
            }
            extra.element(&raw mut (*self.entered).mask, inlets, index).take(kind)
        }
    }

    /// Takes all values that a slot counts out of their inlets, with the inlets' numbers, in the order in which these are
    /// declared.
    pub fn hand_over(&mut self, id: FrameId, slot: u32, mut give: impl FnMut(u32, Parcel<F::Value>)) {
        let Some(head) = self.live(id) else { return };
        // SAFETY: Live; Full: each inlet is empty before its value is given away.
        unsafe {
            let Some(found) = Self::slot(head, slot) else { return };
            for number in Self::counted_by(head, &found) {
                if let Some(inlet) = Self::inlet(head, number).filter(Inlet::is_full) {
                    *inlet.mask &= !inlet.bit;
                    give(number, Parcel::from_memory(inlet.kind, inlet.value));
                }
            }
        }
    }

    /// The number of the first inlet that a slot counts and that is empty.
    pub fn lacking(&self, id: FrameId, slot: u32) -> Option<u32> {
        // SAFETY: Live.
        let is_empty = |number| unsafe { Self::inlet(self.live(id)?, number) }.map(|inlet| !inlet.is_full());
        self.inlets_of(id, slot).find(|&number| is_empty(number) == Some(true))
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

impl<V> Inlet<V> {
    /// Takes the value, if there is one of this kind.
    ///
    /// # Safety
    ///
    /// The frame of the inlet is Live.
    #[inline(always)]
    unsafe fn take<T: Send + 'static>(self, kind: &'static KindOf<T, V>) -> Option<T> {
        if !self.kind.is_same(kind.erased()) || !self.is_full() {
            return None;
        }
        // SAFETY: by this function's contract; Full: the inlet holds a value of this kind, and is empty afterwards.
        unsafe {
            *self.mask &= !self.bit;
            Some(read_value(self.value))
        }
    }
}

impl<F: Function> Place<'_, F> {
    /// Stores the value and counts its signal.
    ///
    /// # Panics
    ///
    /// If the place was found for values of another kind.
    #[inline]
    pub fn store<T: Send + 'static>(self, value: T, kind: &'static KindOf<T, F::Value>) -> Counted {
        assert!(self.inlet.kind.is_same(kind.erased()), "a value goes to an inlet of its kind");
        // SAFETY: an empty inlet has room for a value of its kind.
        unsafe {
            write_value(self.inlet.value, value);
            self.fill()
        }
    }

    /// As [`store`](Self::store), of a value whose type was set aside.
    ///
    /// # Panics
    ///
    /// If the place was found for values of another kind.
    pub fn store_parcel(self, value: Parcel<F::Value>) -> Counted {
        let is_same = value.kind().is_some_and(|kind| self.inlet.kind.is_same(kind));
        assert!(is_same, "a value goes to an inlet of its kind");
        // SAFETY: an empty inlet has room for a value of its kind.
        unsafe {
            value.into_memory(self.inlet.value);
            self.fill()
        }
    }

    /// Notes that the inlet is full and counts the signal.
    ///
    /// # Safety
    ///
    /// A value of the inlet's kind was written to it.
    #[inline(never)]
    unsafe fn fill(self) -> Counted {
        let Place { head, count, inlet: Inlet { slot, mask, bit, due, .. }, .. } = self;
        // SAFETY: Live, as the store is borrowed; Full; the slot was found and expects a signal.
        unsafe {
            let full = *mask | bit;
            *mask = full;
            let left = *count.cast::<u32>() - 1;
            *count.cast::<u32>() = left;
            if is_due(left) { Frames::fire(head, slot, count, &due, full) } else { Counted::Waits(slot) }
        }
    }
}

impl<F: Function> std::fmt::Debug for Place<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").field("slot", &self.inlet.slot).finish_non_exhaustive()
    }
}
