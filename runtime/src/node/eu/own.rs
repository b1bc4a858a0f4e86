//! Operations of a fiber on its own frame: it signals, raises and addresses slots, addresses inlets and
//! cells, and enables fibers. The fiber names these parts as [`#[threaded]`](macro@crate::threaded) generates
//! them, so that the compiler accepts only parts of its own function.

use std::hint::cold_path;
use std::panic::Location;

use crate::node::eu::Eu;
use crate::node::function::{Call, Threaded};
use crate::vocabulary::address::{CellRef, CellRefs, EntryRef, FrameRef, Replies, Reply, SlotRef, SlotRefs};
use crate::vocabulary::layout::Extent;
use crate::vocabulary::name::SCALAR;
use crate::vocabulary::place::{Cell, Cells, Counted, CountedAll, Direct, Inlet, Inlets};

impl<F: Threaded> Eu<F> {
    /// Signals a slot of this frame. The slot's fiber does not run before this fiber has ended.
    ///
    /// # Errors of the run
    ///
    /// [`TooManySignals`](crate::Error::TooManySignals) if the slot expects no signal.
    #[doc(alias = "SYNC")]
    #[inline(always)]
    #[track_caller]
    pub fn sync(&mut self, slot: impl Counted<F>) {
        let slot = slot.slot();
        if let Some(outcome) = self.unit.su.signal_own::<F>(slot) {
            self.unit.check(outcome);
        } else {
            cold_path();
            self.rsync(self.unit.slot_ref(slot));
        }
    }

    /// Raises the count of a slot of this frame by `by`. The raise takes effect before any work that this
    /// fiber starts afterwards can signal the slot.
    ///
    /// # Errors of the run
    ///
    /// [`CannotRaise`](crate::Error::CannotRaise) if the slot is one-shot and has reached zero, or the count
    /// would not fit 32 bits.
    #[doc(alias = "INCR_SYNC")]
    #[track_caller]
    pub fn incr(&mut self, slot: impl Counted<F>, by: u32) {
        self.unit.raise(slot.slot(), by);
    }

    /// Enables a fiber of this frame directly, without a slot.
    ///
    /// # Errors of the run
    ///
    /// [`NoSuchEntry`](crate::Error::NoSuchEntry) if its index does not fit 32 bits.
    #[doc(alias = "SPAWN")]
    pub fn spawn(&mut self, fiber: impl Direct<F>) {
        let (fiber, index) = fiber.fiber();
        self.unit.spawn(fiber, index);
    }

    /// Returns the address of an inlet of this frame. A value put there signals the slot of the inlet's
    /// fiber.
    ///
    /// An address is a plain value that is valid on all nodes, until the frame ends. For an array element
    /// that does not exist the run ends with [`NoSuchEntry`](crate::Error::NoSuchEntry), which names the
    /// caller's line. This also holds for slots and cells.
    #[inline(always)]
    #[track_caller]
    pub fn reply<T>(&self, inlet: Inlet<F, T>) -> Reply<T> {
        let (unit, Inlet { ordinal, index, fixed, .. }) = (&self.unit, inlet);
        let number = match index {
            SCALAR => ordinal,
            index => {
                let inlets = unit.inlets(|| unit.first_sizes::<F>(), ordinal, fixed);
                unit.element(inlets, index, "inlets", Some(Location::caller()))
            }
        };
        Reply::new(EntryRef::of(unit.id_of(Call::<F>::FRAME), unit.here, number))
    }

    /// Returns the addresses of an array of inlets of this frame.
    #[inline(always)]
    pub fn replies<T>(&self, inlets: Inlets<F, T>) -> Replies<T> {
        let (unit, Inlets { ordinal, fixed, .. }) = (&self.unit, inlets);
        let own = FrameRef { node: unit.node, id: unit.id_of(Call::<F>::FRAME) };
        let Extent { first, len, .. } = unit.inlets(|| unit.first_sizes::<F>(), ordinal, fixed);
        Replies { first: Reply::new(EntryRef::new(own, first)), len }
    }

    /// Returns the address of a slot of this frame.
    #[doc(alias = "SLOT_ADR")]
    #[inline(always)]
    #[track_caller]
    pub fn slot_ref(&self, slot: impl Counted<F>) -> SlotRef {
        self.unit.slot_ref(slot.slot())
    }

    /// Returns the addresses of an array of slots of this frame.
    pub fn slot_refs(&self, slots: impl CountedAll<F>) -> SlotRefs {
        let Extent { first, len, .. } = self.unit.slot_extent(slots.slots().ordinal);
        SlotRefs { first: SlotRef { to: EntryRef::new(self.unit.own_frame(), first) }, len }
    }

    /// Returns the address of a cell of this frame.
    #[track_caller]
    pub fn cell_ref<T>(&self, cell: Cell<F, T>) -> CellRef<T> {
        let (unit, Cell { ordinal, index, .. }) = (&self.unit, cell);
        let number = match index {
            SCALAR => ordinal,
            index => unit.element(unit.cell_extent(ordinal), index, "cells", Some(Location::caller())),
        };
        CellRef::new(EntryRef::new(unit.own_frame(), number))
    }

    /// Returns the addresses of an array of cells of this frame.
    pub fn cell_refs<T>(&self, cells: Cells<F, T>) -> CellRefs<T> {
        let Extent { first, len, .. } = self.unit.cell_extent(cells.ordinal);
        CellRefs { first: CellRef::new(EntryRef::new(self.unit.own_frame(), first)), len }
    }
}
