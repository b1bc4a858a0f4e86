//! Translation of the names that a function uses into addresses that may travel.

use std::panic::Location;

use crate::node::eu::execution_unit::ExecutionUnit;
use crate::node::function::{FunctionLayout, Threaded};
use crate::vocabulary::address::{EntryRef, FrameId, FrameRef, SlotRef};
use crate::vocabulary::error::Error;
use crate::vocabulary::layout::{Extent, Sizes};
use crate::vocabulary::name::{SCALAR, Slot};

impl ExecutionUnit {
    /// Returns the address of a slot of this frame.
    #[inline(always)]
    #[track_caller]
    pub(in crate::node) fn slot_ref(&self, slot: Slot) -> SlotRef {
        let number = match slot.index {
            SCALAR => slot.ordinal,
            index => self.element(self.slot_extent(slot.ordinal), index, "slots", Some(Location::caller())),
        };
        SlotRef { to: EntryRef::new(self.own_frame(), number) }
    }

    /// Returns the address of this frame. The caller gives it out, so the frame must be made.
    #[inline(always)]
    pub(in crate::node) fn own_frame(&self) -> FrameRef {
        FrameRef { node: self.node, id: self.own_id() }
    }

    /// Returns the identity of the running fiber's frame, or the identity that the frame will have.
    pub(in crate::node) fn own_id(&self) -> FrameId {
        self.id_of(self.current.frame)
    }

    /// Returns the identity of the running fiber's frame, which has this layout.
    #[inline(always)]
    pub(super) fn id_of(&self, frame: &'static FunctionLayout) -> FrameId {
        let (memory, given) = (&self.su.frames.memory, &self.current.given);
        if let Some(id) = given.get() {
            return id;
        }
        let id = memory.entered().unwrap_or_else(|| memory.next_id(frame));
        given.set(Some(id));
        id
    }

    /// Returns the sizes of the running fiber's frame. The fiber is a first fiber, or its frame has arrays.
    pub(in crate::node) fn own_sizes(&self) -> Sizes<'_> {
        let layout = self.current.layout();
        Sizes::new(layout, self.su.frames.memory.entered_numbers().unwrap_or(&self.numbers))
    }

    /// Returns the sizes of the frame of a first fiber of `F`, which is running.
    #[inline(always)]
    pub(in crate::node) fn first_sizes<F: Threaded>(&self) -> Sizes<'_> {
        Sizes::new(F::LAYOUT, &self.numbers[..F::LAYOUT.numbers()])
    }

    #[inline(always)]
    pub(super) fn slot_extent(&self, ordinal: u32) -> Extent {
        let made = self.su.frames.memory.entered_slots(ordinal);
        let slots = || self.own_sizes().slots().nth(ordinal as usize).map(|(extent, ..)| extent);
        self.extent(made.or_else(slots), "slots")
    }

    pub(in crate::node) fn inlet_extent(&self, inlets: u32) -> Extent {
        self.inlets(|| self.own_sizes(), inlets, 0)
    }

    /// Returns the numbers of an array of inlets. If `fixed` is positive, they are `fixed` numbers from
    /// `ordinal` on. Otherwise the frame knows the length, or `sizes` does if the frame is not made yet.
    #[inline(always)]
    pub(super) fn inlets<'a>(&self, sizes: impl FnOnce() -> Sizes<'a>, ordinal: u32, fixed: u32) -> Extent {
        if fixed > 0 {
            return Extent { first: ordinal, len: fixed, array: true };
        }
        let made = self.su.frames.memory.entered_inlets(ordinal);
        self.extent(made.or_else(|| sizes().inlets().nth(ordinal as usize)), "inlets")
    }

    #[inline(always)]
    pub(super) fn cell_extent(&self, ordinal: u32) -> Extent {
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
            place: None,
        })
    }

    /// Returns the number of element `index` of an array. An error names `place`, where the program uses the
    /// element.
    #[inline(always)]
    pub(super) fn element(
        &self,
        extent: Extent,
        index: u32,
        what: &str,
        place: Option<&'static Location<'static>>,
    ) -> u32 {
        if index >= extent.len {
            self.no_such_element(extent, index, what, place);
        }
        extent.first + index
    }

    #[cold]
    fn no_such_element(
        &self,
        extent: Extent,
        index: u32,
        what: &str,
        place: Option<&'static Location<'static>>,
    ) -> ! {
        let what = format!("element {index} of an array of {} {what}", extent.len);
        let place = place.map(ToString::to_string);
        self.fail(Error::NoSuchEntry { at: self.fiber_name(), what, place })
    }
}
