//! From the number of a slot or an inlet to where it is: in the frame, or in its extra.

use std::ptr;

use super::count::{Count, Due};
use super::id::FrameId;
use super::layout::{FrameLayout, Function};
use super::store::{Frames, Head};
use super::tables::Extent;
use crate::kind::Kind;

/// A slot of a frame.
pub(super) struct Slot {
    /// The number of its declaration, and its index if that is an array.
    pub(super) declared: usize,
    pub(super) index: Option<u32>,
    pub(super) count: *mut Count,
    /// The count of each round after the first.
    pub(super) next: Count,
}

/// An inlet of a frame.
pub(super) struct Inlet<V: 'static> {
    pub(super) kind: &'static Kind<V>,
    /// The number of the slot that it signals.
    pub(super) slot: u32,
    pub(super) value: *mut u8,
    pub(super) mask: *mut u32,
    pub(super) bit: u32,
    pub(super) due: Due,
}

impl<V> Inlet<V> {
    /// Whether it holds a value.
    pub(super) fn is_full(&self) -> bool {
        // SAFETY: the mask is that of a frame that was live when the inlet was found, and nothing has changed since.
        unsafe { *self.mask & self.bit != 0 }
    }
}

impl<F: Function> Frames<F> {
    /// Slot `number` of a frame.
    ///
    /// # Safety
    ///
    /// `head` is Live, and the slot is not used after the frame has ended.
    pub(super) unsafe fn slot(head: *mut Head<F>, number: u32) -> Option<Slot> {
        // SAFETY: by this function's contract; counts lie where the layout says.
        unsafe {
            let layout = Self::layout(head);
            let Some(place) = layout.slots.get(number as usize) else {
                let extra = Self::extra_of(head)?;
                let (array, index) = extra.tables.slot(number)?;
                let (count, declared) = (Self::count_of(head, number)?, array.declared as usize);
                return Some(Slot { declared, index: Some(index), count, next: array.due.next });
            };
            let next = match Self::extra_of(head) {
                Some(extra) => {
                    extra.tables.slots.get(number as usize).filter(|slots| !slots.extent.array)?.due.next
                }
                None if layout.resets_at != 0 => *Self::reset_at(head, layout, number),
                None => place.due.next,
            };
            Some(Slot { declared: number as usize, index: None, count: Self::count_at(head, number), next })
        }
    }

    /// The count of a slot of a frame, an element of an array or not.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    #[inline(always)]
    pub(super) unsafe fn count_of(head: *mut Head<F>, slot: u32) -> Option<*mut Count> {
        // SAFETY: by this function's contract.
        unsafe {
            let declared = Self::layout(head).slots.len() as u32;
            if slot < declared {
                Some(Self::count_at(head, slot))
            } else {
                Self::extra_of(head)?.count_of(slot - declared)
            }
        }
    }

    /// Inlet `number` of a frame.
    ///
    /// # Safety
    ///
    /// `head` is Live, and the inlet is not used after the frame has ended.
    pub(super) unsafe fn inlet(head: *mut Head<F>, number: u32) -> Option<Inlet<F::Value>> {
        // SAFETY: by this function's contract; masks and values lie where the layout says.
        unsafe {
            let layout = Self::layout(head);
            let (extra, first) = (Self::extra_of(head), &raw mut (*head).mask);
            let Some(place) = layout.inlets.get(number as usize) else {
                let extra = extra?;
                let (inlets, index) = extra.tables.inlet(number)?;
                return Some(extra.element(first, inlets, index));
            };
            if place.array {
                return None;
            }
            let due = match extra {
                _ if layout.plain => layout.slots[place.slot as usize].due,
                Some(extra) => extra.tables.inlets[number as usize].due,
                None => Due::UNKNOWN,
            };
            let (kind, slot, bit) = (place.kind, place.slot, place.spot.bit);
            let (value, mask) = (Self::place(head, place.spot.at), Self::place(head, place.spot.mask_at));
            Some(Inlet { kind, slot, value, mask, bit, due })
        }
    }

    /// The numbers of the inlets that a slot counts, one after another.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    pub(super) unsafe fn counted_by(head: *mut Head<F>, slot: &Slot) -> impl Iterator<Item = u32> + use<F> {
        // SAFETY: by this function's contract.
        let place = unsafe { &Self::layout(head).slots[slot.declared] };
        let (first, index) = (place.first_inlet as usize, slot.index);
        let declared = first..first + place.inlets as usize;
        declared.flat_map(move |declared| {
            let single = (declared as u32)..(declared as u32 + 1);
            // SAFETY: by this function's contract.
            let Some(extra) = (unsafe { Self::extra_of(head) }) else { return single };
            let Some(inlets) = extra.tables.inlets.get(declared) else { return single };
            let extent = inlets.extent;
            match (extent.array, index) {
                (false, _) => single,
                (true, Some(index)) if inlets.step == 1 => extent.first + index..extent.first + index + 1,
                (true, _) => extent.first..extent.first + extent.len,
            }
        })
    }

    /// Whether all inlets that a slot counts are full.
    ///
    /// # Safety
    ///
    /// `head` is Live.
    pub(super) unsafe fn has_all(head: *mut Head<F>, slot: &Slot) -> bool {
        // SAFETY: by this function's contract; masks lie where the layout says.
        unsafe {
            let layout = Self::layout(head);
            let place = &layout.slots[slot.declared];
            let (extra, first) = (Self::extra_of(head), &raw mut (*head).mask);
            (place.first_inlet as usize..).take(place.inlets as usize).all(|declared| {
                let inlet = &layout.inlets[declared];
                let Some(extra) = extra.filter(|_| inlet.array) else {
                    return *Self::place::<u32>(head, inlet.spot.mask_at) & inlet.spot.bit == inlet.spot.bit;
                };
                let inlets = &extra.tables.inlets[declared];
                match slot.index {
                    Some(index) if inlets.step == 1 => {
                        index >= inlets.extent.len || extra.element(first, inlets, index).is_full()
                    }
                    _ => extra.all_full(first, inlets),
                }
            })
        }
    }

    /// The declared slot of `number` and its index there: what enabled a fiber of the frame that is entered.
    #[inline(always)]
    pub fn declared(&self, number: u32) -> Option<(usize, usize)> {
        if self.entered.is_null() {
            return None;
        }
        // SAFETY: Entered.
        unsafe {
            if (number as usize) < Self::layout(self.entered).slots.len() {
                return Some((number as usize, 0));
            }
            let (array, index) = Self::extra_of(self.entered)?.tables.slot(number)?;
            Some((array.declared as usize, index as usize))
        }
    }

    /// The numbers of a declared array of slots of the frame that is entered, if it has one.
    #[inline(always)]
    pub fn entered_slots(&self, declared: u32) -> Option<Extent> {
        Some(self.entered_tables()?.slots.get(declared as usize)?.extent)
    }

    /// As [`entered_slots`](Self::entered_slots), of inlets.
    #[inline(always)]
    pub fn entered_inlets(&self, declared: u32) -> Option<Extent> {
        Some(self.entered_tables()?.inlets.get(declared as usize)?.extent)
    }

    /// The kind of the values of an inlet of a live frame, which may be an element of an array.
    pub fn inlet_kind(&self, id: FrameId, number: u32) -> Option<&'static Kind<F::Value>> {
        // SAFETY: Live.
        self.live(id).and_then(|head| unsafe { Self::inlet(head, number) }).map(|inlet| inlet.kind)
    }

    /// The number of the slot that an inlet of a live frame signals.
    pub fn slot_of(&self, id: FrameId, inlet: u32) -> Option<u32> {
        // SAFETY: Live.
        self.live(id).and_then(|head| unsafe { Self::inlet(head, inlet) }).map(|inlet| inlet.slot)
    }

    /// Whether the frame at `head` has this layout; null has none.
    #[inline(always)]
    pub(super) fn is(head: *mut Head<F>, layout: &'static FrameLayout<F>) -> bool {
        // SAFETY: Still.
        !head.is_null() && ptr::eq(unsafe { (*head).layout }, layout)
    }
}
