//! A live frame: its parts, and its slots and inlets by number, in the frame or in its extra.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::{self, NonNull};

use super::count::{Count, Counter, Due};
use super::extra::Extra;
use super::id::FrameId;
use super::layout::{COUNTS, FrameLayout, Function, Spot};
use super::store::{Frames, HAS_STATE, Head};
use super::tables::Extent;
use crate::kind::Kind;

/// A frame of a store that is borrowed as long as `'a`. So the frame is Live that long: whatever ends a frame needs the whole
/// store, or drops all values of this type first.
pub(super) struct Frame<'a, F: Function> {
    head: NonNull<Head<F>>,
    store: PhantomData<&'a Frames<F>>,
}

impl<F: Function> Clone for Frame<'_, F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Function> Copy for Frame<'_, F> {}

/// A slot of a frame.
pub(super) struct Slot<'a> {
    /// The number of its declaration, and its index if that is an array.
    pub(super) declared: usize,
    pub(super) index: Option<u32>,
    pub(super) count: &'a Counter,
    /// The count of each round after the first.
    pub(super) next: Count,
}

/// An inlet of a frame.
pub(super) struct Inlet<'a, V: 'static> {
    pub(super) kind: &'static Kind<V>,
    /// The number of the slot that it signals.
    pub(super) slot: u32,
    pub(super) value: *mut u8,
    pub(super) mask: &'a Cell<u32>,
    pub(super) bit: u32,
    pub(super) due: Due,
}

impl<V> Inlet<'_, V> {
    /// Whether it holds a value.
    pub(super) fn is_full(&self) -> bool {
        self.mask.get() & self.bit != 0
    }

    /// Has the inlet be empty. The value is the caller's.
    pub(super) fn empty(&self) {
        self.mask.set(self.mask.get() & !self.bit);
    }
}

impl<'a, F: Function> Frame<'a, F> {
    /// # Safety
    ///
    /// `head` is Live as long as `'a`.
    #[inline(always)]
    pub(super) unsafe fn new(head: *mut Head<F>) -> Self {
        // SAFETY: Live: it is the address of a head.
        Frame { head: unsafe { NonNull::new_unchecked(head) }, store: PhantomData }
    }

    #[inline(always)]
    pub(super) fn head(self) -> *mut Head<F> {
        self.head.as_ptr()
    }

    #[inline(always)]
    pub(super) fn id(self) -> FrameId {
        // SAFETY: Live: the generation is odd.
        unsafe { FrameId::from_live((*self.head()).id) }
    }

    #[inline(always)]
    pub(super) fn layout(self) -> &'static FrameLayout<F> {
        // SAFETY: Live: the frame has a layout, which is a constant.
        unsafe { &*(*self.head()).layout }
    }

    #[inline(always)]
    pub(super) fn flags(self) -> &'a Cell<u32> {
        // SAFETY: Live.
        unsafe { &(*self.head()).flags }
    }

    /// The mask of the first inlets.
    #[inline(always)]
    pub(super) fn mask(self) -> &'a Cell<u32> {
        // SAFETY: Live.
        unsafe { &(*self.head()).mask }
    }

    /// The mask at `at`.
    ///
    /// # Safety
    ///
    /// The layout has a mask there.
    #[inline(always)]
    pub(super) unsafe fn mask_at(self, at: u32) -> &'a Cell<u32> {
        // SAFETY: by this function's contract; Live.
        unsafe { &*Frames::place(self.head(), at) }
    }

    /// Whether the inlet at this spot holds a value.
    ///
    /// # Safety
    ///
    /// The spot is one of the layout.
    #[inline(always)]
    pub(super) unsafe fn is_full_at(self, spot: &Spot) -> bool {
        // SAFETY: by this function's contract.
        unsafe { self.mask_at(spot.mask_at) }.get() & spot.bit != 0
    }

    /// The extra, if the frame has one.
    #[inline(always)]
    pub(super) fn extra(self) -> Option<&'a Extra<F>> {
        // SAFETY: Live; the pointer is null or a box of the frame's own, and the store is not changed.
        unsafe { Frames::extra_at(self.head()).as_ref() }
    }

    /// Whether it holds a state.
    #[inline(always)]
    pub(super) fn has_state(self) -> bool {
        self.flags().get() & HAS_STATE != 0
    }

    /// The count of a declared slot.
    ///
    /// # Safety
    ///
    /// The layout has this slot.
    #[inline(always)]
    pub(super) unsafe fn count_at(self, slot: u32) -> &'a Counter {
        // SAFETY: by this function's contract; Live: counts follow the head, one after another.
        unsafe { &*Frames::place::<Counter>(self.head(), COUNTS).add(slot as usize) }
    }

    /// The count of each later round of a declared slot.
    ///
    /// # Safety
    ///
    /// The frame has this layout, which has this slot and `resets_at`.
    #[inline(always)]
    pub(super) unsafe fn reset_at(self, layout: &FrameLayout<F>, slot: u32) -> &'a Counter {
        // SAFETY: by this function's contract; Live: they stand one after another.
        unsafe { &*Frames::place::<Counter>(self.head(), layout.resets_at).add(slot as usize) }
    }

    /// The count of a slot, which may be an element of an array.
    #[inline(always)]
    pub(super) fn count_of(self, slot: u32) -> Option<&'a Counter> {
        let declared = self.layout().slots.len() as u32;
        if slot < declared {
            // SAFETY: the layout has this slot.
            Some(unsafe { self.count_at(slot) })
        } else {
            self.extra()?.count_of(slot - declared)
        }
    }

    /// The slot of this number.
    pub(super) fn slot(self, number: u32) -> Option<Slot<'a>> {
        let (layout, count) = (self.layout(), self.count_of(number)?);
        let declared = number as usize;
        let Some(place) = layout.slots.get(declared) else {
            let (array, index) = self.extra()?.tables.slot(number)?;
            let (declared, next) = (array.declared as usize, array.due.next);
            return Some(Slot { declared, index: Some(index), count, next });
        };
        let next = match self.extra() {
            Some(extra) => extra.tables.slots.get(declared).filter(|slots| !slots.extent.array)?.due.next,
            // SAFETY: the layout has this slot and `resets_at`.
            None if layout.resets_at != 0 => unsafe { self.reset_at(layout, number) }.get(),
            None => place.due.next,
        };
        Some(Slot { declared, index: None, count, next })
    }

    /// The inlet of this number.
    #[inline(always)]
    pub(super) fn inlet(self, number: u32) -> Option<Inlet<'a, F::Value>> {
        let (layout, extra) = (self.layout(), self.extra());
        let Some(place) = layout.inlets.get(number as usize) else {
            let (inlets, index) = extra?.tables.inlet(number)?;
            // SAFETY: the array is one of the frame's, and has an element of this index.
            return Some(unsafe { extra?.element(self.mask(), inlets, index) });
        };
        if place.array {
            return None;
        }
        let due = match extra {
            _ if layout.plain => layout.slots[place.slot as usize].due,
            Some(extra) => extra.tables.inlets[number as usize].due,
            None => Due::UNKNOWN,
        };
        let (kind, slot, spot) = (place.kind, place.slot, &place.spot);
        // SAFETY: masks and values are where the layout says.
        let (value, mask) = unsafe { (Frames::place(self.head(), spot.at), self.mask_at(spot.mask_at)) };
        Some(Inlet { kind, slot, value, mask, bit: spot.bit, due })
    }

    /// The numbers of the inlets that a slot of the frame counts, one after another.
    pub(super) fn counted_by(self, slot: &Slot<'_>) -> impl Iterator<Item = u32> + use<'a, F> {
        let place = &self.layout().slots[slot.declared];
        let (first, index) = (place.first_inlet, slot.index);
        (first..first + place.inlets).flat_map(move |declared| {
            let single = declared..declared + 1;
            let Some(extra) = self.extra() else { return single };
            let Some(inlets) = extra.tables.inlets.get(declared as usize) else { return single };
            let Extent { first, len, array } = inlets.extent;
            match index {
                _ if !array => single,
                Some(index) if inlets.step == 1 => first + index..first + index + 1,
                _ => first..first + len,
            }
        })
    }

    /// Whether all inlets that a slot of the frame counts are full.
    pub(super) fn has_all(self, slot: &Slot<'_>) -> bool {
        let (layout, extra) = (self.layout(), self.extra());
        let place = &layout.slots[slot.declared];
        (place.first_inlet as usize..).take(place.inlets as usize).all(|declared| {
            let inlet = &layout.inlets[declared];
            // SAFETY: the spots are of the layout; the arrays are the frame's, and have elements of such an index.
            unsafe {
                let Some(extra) = extra.filter(|_| inlet.array) else {
                    return inlet.array || self.is_full_at(&inlet.spot);
                };
                let inlets = &extra.tables.inlets[declared];
                match slot.index {
                    Some(index) if inlets.step == 1 => {
                        index >= inlets.extent.len || extra.element(self.mask(), inlets, index).is_full()
                    }
                    _ => extra.all_full(self.mask(), inlets),
                }
            }
        })
    }

    /// A superset of the numbers of the frame's inlets.
    pub(super) fn inlet_numbers(self) -> impl Iterator<Item = u32> {
        let ends = self.extra().into_iter().flat_map(|extra| &extra.tables.inlets);
        let end = ends.map(|inlets| inlets.extent.first + inlets.extent.len).max().unwrap_or(0);
        0..end.max(self.layout().inlets.len() as u32)
    }

    /// The inlets that hold values, with their numbers.
    pub(super) fn full_inlets(self) -> impl Iterator<Item = (u32, Inlet<'a, F::Value>)> {
        let inlets = self.inlet_numbers().filter_map(move |number| Some((number, self.inlet(number)?)));
        inlets.filter(|(_, inlet)| inlet.is_full())
    }

    /// Whether an inlet is full that has no bit in the first mask.
    #[inline(never)]
    pub(super) fn has_full_elsewhere(self) -> bool {
        let layout = self.layout();
        // SAFETY: the layout has these masks.
        let mask = |word| unsafe { self.mask_at(layout.masks_at + 4 * word) }.get();
        (0..layout.more_masks).any(|word| mask(word) != 0) || self.extra().is_some_and(Extra::has_full)
    }
}

impl<F: Function> Frames<F> {
    /// The frame that is entered, if there is one.
    #[inline(always)]
    pub(super) fn entered_frame(&self) -> Option<Frame<'_, F>> {
        // Entered; the store is borrowed as long as the frame is used.
        NonNull::new(self.entered).map(|head| Frame { head, store: PhantomData })
    }

    /// The frame that is entered, if it has this layout.
    #[inline(always)]
    pub(super) fn entered_of(&self, layout: &'static FrameLayout<F>) -> Option<Frame<'_, F>> {
        match self.entered_frame() {
            Some(frame) if ptr::eq(frame.layout(), layout) => Some(frame),
            _ => None,
        }
    }

    /// The declared slot of `number` and its index there: what enabled a fiber of the frame that is entered.
    #[inline(always)]
    pub fn declared(&self, number: u32) -> Option<(usize, usize)> {
        let frame = self.entered_frame()?;
        if (number as usize) < frame.layout().slots.len() {
            return Some((number as usize, 0));
        }
        let (array, index) = frame.extra()?.tables.slot(number)?;
        Some((array.declared as usize, index as usize))
    }

    /// The numbers of a declared array of slots of the frame that is entered, if it has one.
    #[inline(always)]
    pub fn entered_slots(&self, declared: u32) -> Option<Extent> {
        Some(self.entered_frame()?.extra()?.tables.slots.get(declared as usize)?.extent)
    }

    /// As [`entered_slots`](Self::entered_slots), of inlets.
    #[inline(always)]
    pub fn entered_inlets(&self, declared: u32) -> Option<Extent> {
        Some(self.entered_frame()?.extra()?.tables.inlets.get(declared as usize)?.extent)
    }

    /// The kind of the values of an inlet of a live frame, which may be an element of an array.
    pub fn inlet_kind(&self, id: FrameId, number: u32) -> Option<&'static Kind<F::Value>> {
        Some(self.live(id)?.inlet(number)?.kind)
    }

    /// The number of the slot that an inlet of a live frame signals.
    pub fn slot_of(&self, id: FrameId, inlet: u32) -> Option<u32> {
        Some(self.live(id)?.inlet(inlet)?.slot)
    }

    /// The number of the first inlet that a slot counts and that is empty.
    pub fn lacking(&self, id: FrameId, slot: u32) -> Option<u32> {
        let frame = self.live(id)?;
        let is_empty = |number: &u32| frame.inlet(*number).is_some_and(|inlet| !inlet.is_full());
        frame.counted_by(&frame.slot(slot)?).find(is_empty)
    }

    /// The numbers of the inlets that a slot of a live frame counts.
    pub fn inlets_of(&self, id: FrameId, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let inlets = self.live(id).and_then(|frame| Some(frame.counted_by(&frame.slot(slot)?)));
        inlets.into_iter().flatten()
    }

    /// Whether an inlet of a live frame holds a value.
    pub fn is_full(&self, id: FrameId, inlet: u32) -> bool {
        self.live(id).and_then(|frame| frame.inlet(inlet)).is_some_and(|inlet| inlet.is_full())
    }

    /// The numbers of the inlets of a live frame that hold values.
    pub fn full_inlets(&self, id: FrameId) -> Vec<u32> {
        self.live(id).into_iter().flat_map(Frame::full_inlets).map(|(number, _)| number).collect()
    }

    /// The numbers of the slots of a live frame.
    pub fn slot_numbers(&self, id: FrameId) -> impl Iterator<Item = u32> + '_ {
        self.live(id).into_iter().flat_map(|frame| {
            let ends = frame.extra().into_iter().flat_map(|extra| &extra.tables.slots);
            let end = ends.map(|slots| slots.extent.first + slots.extent.len).max().unwrap_or(0);
            (0..end.max(frame.layout().slots.len() as u32))
                .filter(move |&number| frame.slot(number).is_some())
        })
    }
}
