//! Values: how they are stored, each with its signal, and how they are taken out of their inlets.
//!
//! [`try_put`](Frames::try_put) handles the common case in line. Every other value is stored in two steps.
//! [`find`](Frames::find) returns its [`Place`] or the reason why it is refused, and the [`Place`] stores the
//! value.

use super::count::{Counter, Due, Refusal};
use super::frame::Frame;
use super::head::Head;
use super::id::FrameId;
use super::inlet::InletView;
use super::layout::Function;
use super::signals::{Counted, is_due, next_round};
use super::store::Frames;
use crate::kind::{Kind, KindOf, read_value, words_of, write_value};
use crate::parcel::Parcel;

/// An empty inlet of a live frame whose slot expects the inlet's signal.
pub struct Place<'a, F: Function> {
    frame: Frame<'a, F>,
    inlet: InletView<'a, F::Value>,
    count: &'a Counter,
}

/// An inlet with its bit in the frame's first mask, which signals a slot whose count is in the frame.
struct FastInlet<V: 'static> {
    kind: &'static Kind<V>,
    slot: u32,
    bit: u32,
    value: *mut u8,
}

impl<V> FastInlet<V> {
    /// Stores a value and counts its signal. Returns the value, and leaves the frame unchanged, if
    ///
    /// * the inlet is full or has another kind,
    /// * the slot expects no signal, or
    /// * the slot would reach zero while another of its inlets is empty.
    ///
    /// # Safety
    ///
    /// It is an inlet of the frame. `due` returns the [`Due`] of its slot.
    #[inline(always)]
    unsafe fn put<'a, F: Function<Value = V>, T: Send + 'static>(
        self,
        frame: Frame<'_, F>,
        value: T,
        kind: &'static KindOf<T, V>,
        due: impl FnOnce() -> &'a Due,
    ) -> Result<Counted, T> {
        let before = frame.mask().get();
        if !self.kind.is_same(kind.erased()) || before & self.bit != 0 {
            return Err(value);
        }
        let full = before | self.bit;
        // SAFETY: by this function's contract.
        let count = unsafe { frame.count_at(self.slot) };
        let left = count.awaited();
        if left > 1 {
            // SAFETY: an empty inlet has room for a value of its kind, and is full afterwards.
            unsafe { write_value(self.value, value) };
            frame.mask().set(full);
            count.set_awaited(left - 1);
            return Ok(Counted::Waits(self.slot));
        }
        let due = due();
        if left == 0 || !u64::from(full) & due.counted != 0 {
            return Err(value);
        }
        // SAFETY: as above.
        unsafe { write_value(self.value, value) };
        frame.mask().set(full);
        count.set(next_round(due.next));
        Ok(Counted::Enables(self.slot))
    }
}

impl<F: Function> Frames<F> {
    /// Stores a value and counts its signal, in the common case. The inlet is empty and its bit is in the
    /// first mask of a plain frame, or it is an element of a small array. It has this kind, and its slot
    /// expects the signal. If the slot reaches zero, its other inlets are full. In any other
    /// case it returns the value and leaves the frame unchanged, and the caller uses [`find`](Self::find).
    #[inline(always)]
    pub fn try_put<T: Send + 'static>(
        &mut self,
        id: FrameId,
        inlet: u32,
        value: T,
        kind: &'static KindOf<T, F::Value>,
    ) -> Result<Counted, T> {
        let Some(frame) = self.recent_or_live(id, false) else { return Err(value) };
        let layout = frame.layout();
        // SAFETY: the layout is plain, has the inlet, and was checked to have the slot that it signals. The
        // layout gives the offsets of values, and an array with elements has a kind. Sized: all elements of a
        // gathered array have bits in the first mask, and their slot has its count in the frame.
        unsafe {
            if u64::from(inlet) < layout.leading_inlets {
                let place = layout.inlets.get_unchecked(inlet as usize);
                let (slot, bit) = (place.slot, place.spot.bit);
                let to = Head::place(frame.head(), place.spot.at);
                let leading_inlets = FastInlet { kind: place.kind, slot, bit, value: to };
                let put =
                    leading_inlets.put(frame, value, kind, || &layout.slots.get_unchecked(slot as usize).due);
                if let Ok(Counted::Enables(_)) = put {
                    self.recent.set(frame.head());
                }
                return put;
            }
            self.recent.set(frame.head());
            let Some(extra) = frame.extra() else { return Err(value) };
            let gathered = &extra.tables.gathered;
            let index = inlet.wrapping_sub(gathered.first);
            if index >= gathered.len {
                return Err(value);
            }
            let to = extra.word(gathered.at + index * words_of::<T>() as u32);
            let bit = 1u32.wrapping_shl(inlet);
            let leading_inlets = FastInlet { kind: &*gathered.kind, slot: gathered.slot, bit, value: to };
            leading_inlets.put(frame, value, kind, || &gathered.due)
        }
    }

    /// Finds the place of a value of this kind: an empty inlet of a live frame whose slot expects its signal.
    ///
    /// # Errors
    ///
    /// The first that applies:
    ///
    /// * [`Stale`](Refusal::Stale): the frame has ended.
    /// * [`NoSuchPart`](Refusal::NoSuchPart): the frame has no such inlet for values of this kind.
    /// * [`Full`](Refusal::Full): the inlet is full.
    /// * [`Unexpected`](Refusal::Unexpected): the slot expects no signal.
    #[inline(never)]
    pub fn find(
        &mut self,
        id: FrameId,
        inlet: u32,
        kind: &'static Kind<F::Value>,
    ) -> Result<Place<'_, F>, Refusal> {
        let frame = self.recent_or_live(id, seeded!(LatePut)).ok_or(Refusal::Stale)?;
        let inlet = frame.inlet(inlet).filter(|inlet| inlet.kind.is_same(kind)).ok_or(Refusal::NoSuchPart)?;
        let count = frame.count_of(inlet.slot).ok_or(Refusal::NoSuchPart)?;
        if inlet.is_full() {
            return Err(Refusal::Full);
        }
        if count.awaited() == 0 {
            return Err(Refusal::Unexpected);
        }
        self.recent.set(frame.head());
        Ok(Place { frame, inlet, count })
    }

    /// Takes the value of any inlet of the entered frame, by number.
    #[inline(never)]
    pub fn take_any<T: Send + 'static>(
        &mut self,
        inlet: u32,
        kind: &'static KindOf<T, F::Value>,
    ) -> Option<T> {
        self.entered_frame()?.inlet(inlet)?.take(kind)
    }

    /// Takes the value of element `index` of a declared array of inlets of the entered frame.
    #[inline]
    pub fn take_element<T: Send + 'static>(
        &mut self,
        declared: u32,
        index: usize,
        kind: &'static KindOf<T, F::Value>,
    ) -> Option<T> {
        let frame = self.entered_frame()?;
        let extra = frame.extra()?;
        let (inlets, index) = (extra.tables.inlets.get(declared as usize)?, u32::try_from(index).ok()?);
        if !inlets.extent.has_element(index) {
            return None;
        }
        // SAFETY: the extra has this array and this element.
        unsafe { extra.element(frame.mask(), inlets, index) }.take(kind)
    }

    /// Takes all values that a slot counts out of their inlets. Passes them to `give` with the inlets'
    /// numbers, in the order of declaration.
    pub fn hand_over(&mut self, id: FrameId, slot: u32, mut give: impl FnMut(u32, Parcel<F::Value>)) {
        let Some(frame) = self.live(id) else { return };
        let Some(slot) = frame.slot(slot) else { return };
        for number in frame.counted_by(&slot) {
            if let Some(inlet) = frame.inlet(number).filter(InletView::is_full) {
                inlet.empty();
                // SAFETY: Full: the inlet held a value of its kind, and is now empty.
                give(number, unsafe { Parcel::from_memory(inlet.kind, inlet.value) });
            }
        }
    }
}

impl<V> InletView<'_, V> {
    #[inline(always)]
    fn take<T: Send + 'static>(self, kind: &'static KindOf<T, V>) -> Option<T> {
        if !self.kind.is_same(kind.erased()) || !self.is_full() {
            return None;
        }
        self.empty();
        // SAFETY: Full: the inlet held a value of this kind, and is now empty.
        Some(unsafe { read_value(self.value) })
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
        assert!(self.inlet.kind.is_same(kind.erased()), "a value must have the kind of its inlet");
        // SAFETY: an empty inlet has room for a value of its kind.
        unsafe {
            write_value(self.inlet.value, value);
            self.fill()
        }
    }

    /// Stores a value of any type, as [`store`](Self::store) does.
    ///
    /// # Panics
    ///
    /// If the place was found for values of another kind.
    pub fn store_parcel(self, value: Parcel<F::Value>) -> Counted {
        let is_same = value.kind().is_some_and(|kind| self.inlet.kind.is_same(kind));
        assert!(is_same, "a value must have the kind of its inlet");
        // SAFETY: an empty inlet has room for a value of its kind.
        unsafe {
            value.into_memory(self.inlet.value);
            self.fill()
        }
    }

    /// Marks the inlet as full and counts the signal.
    ///
    /// # Safety
    ///
    /// A value of the inlet's kind was written to it.
    #[inline(always)]
    unsafe fn fill(self) -> Counted {
        let Place { frame, count, inlet: InletView { slot, mask, bit, due, .. } } = self;
        let (full, left) = (mask.get() | bit, count.awaited() - 1);
        mask.set(full);
        count.set_awaited(left);
        if is_due(left) { frame.fire(slot, count, &due, full) } else { Counted::Waits(slot) }
    }
}

impl<F: Function> std::fmt::Debug for Place<'_, F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").field("slot", &self.inlet.slot).finish_non_exhaustive()
    }
}
