//! From the names a function uses to addresses that may travel.

use std::marker::PhantomData;

use super::execution_unit::ExecutionUnit;
use crate::error::Error;
use crate::vocabulary::address::{CellRef, CellRefs, FrameRef, Replies, Reply, SlotRef, SlotRefs};
use crate::vocabulary::layout::{Extent, Sizes};
use crate::vocabulary::name::{Cell, CellArray, Inlet, InletArray, SCALAR, Slot, SlotArray};

impl ExecutionUnit {
    /// The address of a slot of this frame.
    #[doc(alias = "SLOT_ADR")]
    #[inline]
    pub(super) fn slot_ref(&self, slot: Slot) -> SlotRef {
        SlotRef::new(self.own_frame(), self.slot_number(slot))
    }

    /// The addresses of an array of slots of this frame.
    pub(super) fn slot_refs(&self, slots: SlotArray) -> SlotRefs {
        let Extent { first, len, .. } = self.slot_extent(slots.ordinal);
        SlotRefs { first: SlotRef::new(self.own_frame(), first), len }
    }

    /// The address of an inlet of this frame, whose value will signal `slot`.
    #[inline]
    pub(super) fn reply_to<T>(&self, inlet: Inlet<T>, slot: Slot) -> Reply<T> {
        Reply {
            to: self.slot_ref(slot),
            inlet: self.inlet_number(inlet.ordinal, inlet.index),
            takes: PhantomData,
        }
    }

    /// The addresses of an array of inlets, each of which signals the slot of the same index.
    ///
    /// # Panics
    ///
    /// If there are fewer slots than inlets.
    pub(super) fn replies_to<T>(&self, inlets: InletArray<T>, slots: SlotArray) -> Replies<T> {
        let Extent { first, len, .. } = self.slot_extent(slots.ordinal);
        let replies = self.replies(inlets, first, 1);
        assert!(
            replies.len <= len,
            "{} inlets signal slots of their own, but there are {len} slots",
            replies.len
        );
        replies
    }

    /// The addresses of an array of inlets, all of which signal one slot.
    pub(super) fn replies_to_one<T>(&self, inlets: InletArray<T>, slot: Slot) -> Replies<T> {
        self.replies(inlets, self.slot_number(slot), 0)
    }

    fn replies<T>(&self, inlets: InletArray<T>, slot: u32, slot_step: u32) -> Replies<T> {
        let Extent { first, len, .. } = self.inlet_extent(inlets.ordinal);
        let to = SlotRef::new(self.own_frame(), slot);
        Replies { first: Reply { to, inlet: first, takes: PhantomData }, len, slot_step }
    }

    /// The address of a cell of this frame.
    pub(super) fn cell_ref<T>(&self, cell: Cell<T>) -> CellRef<T> {
        CellRef::new(self.own_frame(), self.cell_number(cell.ordinal, cell.index))
    }

    /// The addresses of an array of cells of this frame.
    pub(super) fn cell_refs<T>(&self, cells: CellArray<T>) -> CellRefs<T> {
        let Extent { first, len, .. } = self.cell_extent(cells.ordinal);
        CellRefs { first: CellRef::new(self.own_frame(), first), len }
    }

    /// The address of this frame. The caller gives it out, so the frame must be made.
    #[inline(always)]
    pub(super) fn own_frame(&self) -> FrameRef {
        self.current.addressed.set(true);
        FrameRef { node: self.node, id: self.current.own }
    }

    #[inline(always)]
    pub(super) fn own_sizes(&self) -> Option<&Sizes> {
        self.frames[self.current.own.number() as usize].sizes.as_deref()
    }

    #[inline(always)]
    fn slot_number(&self, slot: Slot) -> u32 {
        match slot.index {
            SCALAR => slot.ordinal,
            index => self.element(self.slot_extent(slot.ordinal), index, "slots"),
        }
    }

    #[inline(always)]
    pub(super) fn inlet_number(&self, ordinal: u32, index: u32) -> u32 {
        match index {
            SCALAR => ordinal,
            index => self.element(self.inlet_extent(ordinal), index, "inlets"),
        }
    }

    #[inline(always)]
    pub(super) fn cell_number(&self, ordinal: u32, index: u32) -> u32 {
        match index {
            SCALAR => ordinal,
            index => self.element(self.cell_extent(ordinal), index, "cells"),
        }
    }

    #[inline(always)]
    fn slot_extent(&self, ordinal: u32) -> Extent {
        self.extent(self.own_sizes().and_then(|sizes| sizes.slots.get(ordinal as usize)), "slots")
    }

    #[inline(always)]
    pub(super) fn inlet_extent(&self, ordinal: u32) -> Extent {
        self.extent(self.own_sizes().and_then(|sizes| sizes.inlets.get(ordinal as usize)), "inlets")
    }

    #[inline(always)]
    fn cell_extent(&self, ordinal: u32) -> Extent {
        self.extent(self.own_sizes().and_then(|sizes| sizes.cells.get(ordinal as usize)), "cells")
    }

    #[inline(always)]
    fn extent(&self, extent: Option<&Extent>, what: &str) -> Extent {
        match extent {
            Some(extent) => *extent,
            None => self.no_such_array(what),
        }
    }

    #[cold]
    fn no_such_array(&self, what: &str) -> ! {
        self.fail(Error::NoSuchEntry {
            at: self.fiber_name(),
            what: format!("an array of {what} of another function"),
        })
    }

    #[inline(always)]
    fn element(&self, extent: Extent, index: u32, what: &str) -> u32 {
        if index >= extent.len {
            self.no_such_element(extent, index, what);
        }
        extent.first + index
    }

    #[cold]
    fn no_such_element(&self, extent: Extent, index: u32, what: &str) -> ! {
        let what = format!("element {index} of an array of {} {what}", extent.len);
        self.fail(Error::NoSuchEntry { at: self.fiber_name(), what })
    }
}
