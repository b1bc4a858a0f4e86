//! From the names a function uses to addresses that may travel.

use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::{Call, FrameLayout, Threaded};
use crate::vocabulary::address::{
    CellRef, CellRefs, EntryRef, FrameId, FrameRef, Replies, Reply, SlotRef, SlotRefs,
};
use crate::vocabulary::error::Error;
use crate::vocabulary::layout::{Extent, Sizes};
use crate::vocabulary::name::{SCALAR, Slot, SlotArray, element};
use crate::vocabulary::place::{Cell, Cells, Inlet, Inlets};

impl ExecutionUnit {
    /// The address of a slot of this frame.
    #[doc(alias = "SLOT_ADR")]
    #[inline(always)]
    pub(in crate::node) fn slot_ref(&self, slot: Slot) -> SlotRef {
        SlotRef { to: EntryRef::new(self.own_frame(), self.slot_number(slot)) }
    }

    /// The addresses of an array of slots of this frame.
    pub(in crate::node) fn slot_refs(&self, slots: SlotArray) -> SlotRefs {
        let Extent { first, len, .. } = self.slot_extent(slots.ordinal);
        SlotRefs { first: SlotRef { to: EntryRef::new(self.own_frame(), first) }, len }
    }

    /// The address of an inlet of this frame.
    #[inline(always)]
    pub(in crate::node) fn reply_to<F: Threaded, T>(&self, inlet: Inlet<F, T>) -> Reply<T> {
        let sizes = || self.first_sizes::<F>();
        let number = match inlet.index {
            SCALAR => inlet.ordinal,
            index => self.element(self.inlets(sizes, inlet.ordinal, inlet.fixed), index, "inlets"),
        };
        Reply::new(EntryRef::of(self.id_of(Call::<F>::FRAME), self.here, number))
    }

    /// The addresses of an array of inlets of this frame.
    #[inline(always)]
    pub(in crate::node) fn replies_to<F: Threaded, T>(&self, inlets: Inlets<F, T>) -> Replies<T> {
        let own = FrameRef { node: self.node, id: self.id_of(Call::<F>::FRAME) };
        let Extent { first, len, .. } = self.inlets(|| self.first_sizes::<F>(), inlets.ordinal, inlets.fixed);
        Replies { first: Reply::new(EntryRef::new(own, first)), len }
    }

    /// The address of a cell of this frame.
    pub(in crate::node) fn cell_ref<F, T>(&self, cell: Cell<F, T>) -> CellRef<T> {
        CellRef::new(EntryRef::new(self.own_frame(), self.cell_number(cell.ordinal, cell.index)))
    }

    /// The addresses of an array of cells of this frame.
    pub(in crate::node) fn cell_refs<F, T>(&self, cells: Cells<F, T>) -> CellRefs<T> {
        let Extent { first, len, .. } = self.cell_extent(cells.ordinal);
        CellRefs { first: CellRef::new(EntryRef::new(self.own_frame(), first)), len }
    }

    /// The address of this frame. The caller gives it out, so the frame must be made.
    #[inline(always)]
    pub(in crate::node) fn own_frame(&self) -> FrameRef {
        FrameRef { node: self.node, id: self.own_id() }
    }

    /// The identity of the frame of the fiber that runs: that of the frame, or the one that it will have.
    pub(in crate::node) fn own_id(&self) -> FrameId {
        self.id_of(self.current.frame)
    }

    /// The identity of the frame of the fiber that runs, whose layout this is.
    #[inline(always)]
    fn id_of(&self, frame: &'static FrameLayout) -> FrameId {
        let (memory, given) = (&self.su.frames.memory, &self.current.given);
        if let Some(id) = given.get() {
            return id;
        }
        let id = memory.entered().unwrap_or_else(|| memory.next_id(frame));
        given.set(Some(id));
        id
    }

    /// The sizes of the frame of the fiber that runs, which is a first fiber or has a frame with arrays.
    pub(in crate::node) fn own_sizes(&self) -> Sizes<'_> {
        let layout = self.current.layout();
        Sizes::new(layout, self.su.frames.memory.entered_numbers().unwrap_or(&self.numbers))
    }

    /// The sizes of the frame of the fiber that runs, which is a first fiber of `F`.
    #[inline(always)]
    pub(in crate::node) fn first_sizes<F: Threaded>(&self) -> Sizes<'_> {
        Sizes::new(F::LAYOUT, &self.numbers[..F::LAYOUT.numbers()])
    }

    #[inline(always)]
    fn slot_number(&self, slot: Slot) -> u32 {
        match slot.index {
            SCALAR => slot.ordinal,
            index => self.element(self.slot_extent(slot.ordinal), index, "slots"),
        }
    }

    /// The number of an element of an array of inlets.
    pub(in crate::node) fn inlet_number(&self, inlets: u32, index: usize) -> u32 {
        self.element(self.inlet_extent(inlets), element(index), "inlets")
    }

    #[inline(always)]
    pub(in crate::node) fn cell_number(&self, ordinal: u32, index: u32) -> u32 {
        match index {
            SCALAR => ordinal,
            index => self.element(self.cell_extent(ordinal), index, "cells"),
        }
    }

    #[inline(always)]
    fn slot_extent(&self, ordinal: u32) -> Extent {
        let made = self.su.frames.memory.entered_slots(ordinal);
        let slots = || self.own_sizes().slots().nth(ordinal as usize).map(|(extent, ..)| extent);
        self.extent(made.or_else(slots), "slots")
    }

    pub(in crate::node) fn inlet_extent(&self, inlets: u32) -> Extent {
        self.inlets(|| self.own_sizes(), inlets, 0)
    }

    /// The numbers of an array of inlets: `fixed` from this one on, or of a length that the frame knows, or these sizes if
    /// that is not made yet.
    #[inline(always)]
    fn inlets<'a>(&self, sizes: impl FnOnce() -> Sizes<'a>, ordinal: u32, fixed: u32) -> Extent {
        if fixed > 0 {
            return Extent { first: ordinal, len: fixed, array: true };
        }
        let made = self.su.frames.memory.entered_inlets(ordinal);
        self.extent(made.or_else(|| sizes().inlets().nth(ordinal as usize)), "inlets")
    }

    #[inline(always)]
    fn cell_extent(&self, ordinal: u32) -> Extent {
        self.extent(self.own_sizes().cells().nth(ordinal as usize), "cells")
    }

    #[inline(always)]
    fn extent(&self, extent: Option<Extent>, what: &str) -> Extent {
        match extent {
            Some(extent) => extent,
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
