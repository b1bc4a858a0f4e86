//! A live frame: its parts, and its slots and inlets by number, in the frame or in its extra.

use std::cell::Cell;
use std::marker::PhantomData;
use std::ptr::NonNull;

use super::count::{Count, Counter, Due};
use super::extra::Extra;
use super::head::{HAS_STATE, Head};
use super::id::FrameId;
use super::inlet::InletView;
use super::layout::{COUNTS, FrameLayout, Function, Spot};

use super::tables::Extent;

/// A frame of a store that is borrowed for `'a`. The frame is Live for `'a`: code that ends a frame needs the
/// whole store, or drops all values of this type first.
pub(super) struct Frame<'a, F: Function> {
    head: NonNull<Head<F>>,
    store: PhantomData<&'a Head<F>>,
}

impl<F: Function> Clone for Frame<'_, F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Function> Copy for Frame<'_, F> {}

pub(super) struct SlotView<'a> {
    /// Number of its declaration, and its index if it is an array element.
    pub(super) declared: usize,
    pub(super) index: Option<u32>,
    pub(super) count: &'a Counter,
    /// Count of each round after the first.
    pub(super) next: Count,
}

impl<'a, F: Function> Frame<'a, F> {
    /// # Safety
    ///
    /// `head` is Live for `'a`.
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

    /// Returns the mask of the first inlets.
    #[inline(always)]
    pub(super) fn mask(self) -> &'a Cell<u32> {
        // SAFETY: Live.
        unsafe { &(*self.head()).mask }
    }

    /// Returns the mask at offset `at`.
    ///
    /// # Safety
    ///
    /// The layout has a mask there.
    #[inline(always)]
    pub(super) unsafe fn mask_at(self, at: u32) -> &'a Cell<u32> {
        // SAFETY: by this function's contract; Live.
        unsafe { &*Head::place(self.head(), at) }
    }

    /// Whether the inlet at this spot holds a value.
    ///
    /// # Safety
    ///
    /// The spot belongs to the layout.
    #[inline(always)]
    pub(super) unsafe fn is_full_at(self, spot: &Spot) -> bool {
        // SAFETY: by this function's contract.
        unsafe { self.mask_at(spot.mask_at) }.get() & spot.bit != 0
    }

    #[inline(always)]
    pub(super) fn extra(self) -> Option<&'a Extra<F>> {
        // SAFETY: Live. The pointer is null or a box of the frame's own, and the store is not changed.
        unsafe { Head::extra_at(self.head()).as_ref() }
    }

    #[inline(always)]
    pub(super) fn has_state(self) -> bool {
        self.flags().get() & HAS_STATE != 0
    }

    /// Returns the count of a declared slot.
    ///
    /// # Safety
    ///
    /// The layout has this slot.
    #[inline(always)]
    pub(super) unsafe fn count_at(self, slot: u32) -> &'a Counter {
        // SAFETY: by this function's contract. Live: counts follow the head, one after another.
        unsafe { &*Head::place::<Counter>(self.head(), COUNTS).add(slot as usize) }
    }

    /// Returns the count of each later round of a declared slot.
    ///
    /// # Safety
    ///
    /// The frame has this layout, which has this slot and `resets_at`.
    #[inline(always)]
    pub(super) unsafe fn reset_at(self, layout: &FrameLayout<F>, slot: u32) -> &'a Counter {
        // SAFETY: by this function's contract. Live: these counts follow one another.
        unsafe { &*Head::place::<Counter>(self.head(), layout.resets_at).add(slot as usize) }
    }

    /// Returns the count of a slot, which may be an array element.
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

    pub(super) fn slot(self, number: u32) -> Option<SlotView<'a>> {
        let (layout, count) = (self.layout(), self.count_of(number)?);
        let declared = number as usize;
        let Some(place) = layout.slots.get(declared) else {
            let (array, declared, index) = self.extra()?.tables.slot(number)?;
            return Some(SlotView { declared, index: Some(index), count, next: array.due.next });
        };
        let next = match self.extra() {
            Some(extra) => extra.tables.slots.get(declared).filter(|slots| !slots.extent.array)?.due.next,
            // SAFETY: the layout has this slot and `resets_at`.
            None if layout.resets_at != 0 => unsafe { self.reset_at(layout, number) }.get(),
            None => place.due.next,
        };
        Some(SlotView { declared, index: None, count, next })
    }

    #[inline(always)]
    pub(super) fn inlet(self, number: u32) -> Option<InletView<'a, F::Value>> {
        let (layout, extra) = (self.layout(), self.extra());
        let Some(place) = layout.inlets.get(number as usize) else {
            let (inlets, index) = extra?.tables.inlet(number)?;
            // SAFETY: the array belongs to the frame and has an element of this index.
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
        // SAFETY: the layout gives the offsets of masks and values.
        let (value, mask) = unsafe { (Head::place(self.head(), spot.at), self.mask_at(spot.mask_at)) };
        Some(InletView { kind, slot, value, mask, bit: spot.bit, due })
    }

    /// Iterates over the numbers of the inlets that a slot of the frame counts.
    pub(super) fn counted_by(self, slot: &SlotView<'_>) -> impl Iterator<Item = u32> + use<'a, F> {
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
    pub(super) fn has_all(self, slot: &SlotView<'_>) -> bool {
        let (layout, extra) = (self.layout(), self.extra());
        let place = &layout.slots[slot.declared];
        (place.first_inlet as usize..).take(place.inlets as usize).all(|declared| {
            let inlet = &layout.inlets[declared];
            // SAFETY: the spots belong to the layout. The arrays belong to the frame and have elements of
            // this index.
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

    /// Iterates over a superset of the numbers of the frame's inlets.
    pub(super) fn inlet_numbers(self) -> impl Iterator<Item = u32> {
        let ends = self.extra().into_iter().flat_map(|extra| &extra.tables.inlets);
        let end = ends.map(|inlets| inlets.extent.first + inlets.extent.len).max().unwrap_or(0);
        0..end.max(self.layout().inlets.len() as u32)
    }

    /// Iterates over the inlets that hold values, with their numbers.
    pub(super) fn full_inlets(self) -> impl Iterator<Item = (u32, InletView<'a, F::Value>)> {
        let inlets = self.inlet_numbers().filter_map(move |number| Some((number, self.inlet(number)?)));
        inlets.filter(|(_, inlet)| inlet.is_full())
    }

    /// Whether an inlet without a bit in the first mask is full.
    #[inline(never)]
    pub(super) fn has_full_elsewhere(self) -> bool {
        let layout = self.layout();
        // SAFETY: the layout has these masks.
        let mask = |word| unsafe { self.mask_at(layout.masks_at + 4 * word) }.get();
        (0..layout.more_masks).any(|word| mask(word) != 0) || self.extra().is_some_and(Extra::has_full)
    }
}
