//! What a fiber does with its own frame: it signals, raises and addresses slots, addresses inlets and cells, enables
//! fibers. It names them as [`#[threaded]`](macro@crate::threaded) writes them, so that only entries of its own
//! function are taken.

use std::hint::cold_path;

use crate::node::eu::Eu;
use crate::node::function::Threaded;
use crate::vocabulary::address::{CellRef, CellRefs, Replies, Reply, SlotRef, SlotRefs};
use crate::vocabulary::place::{Cell, Cells, Counted, CountedAll, Direct, Inlet, Inlets};

impl<F: Threaded> Eu<F> {
    /// Signals a slot of this frame. Its fiber does not run before this one has ended.
    ///
    /// # Errors of the run
    ///
    /// [`TooManySignals`](crate::Error::TooManySignals) if the slot expects none.
    #[doc(alias = "SYNC")]
    #[inline(always)]
    pub fn sync(&mut self, slot: impl Counted<F>) {
        let slot = slot.slot();
        if let Some(outcome) = self.unit.su.signal_own::<F>(slot) {
            self.unit.check(outcome);
        } else {
            cold_path();
            self.rsync(self.unit.slot_ref(slot));
        }
    }

    /// Raises the count of a slot of this frame by `by`. It happens before anything this fiber starts afterwards can
    /// signal the slot.
    ///
    /// # Errors of the run
    ///
    /// [`CannotRaise`](crate::Error::CannotRaise) if the slot is one-shot and has reached zero, or the count would not fit
    /// 32 bits.
    #[doc(alias = "INCR_SYNC")]
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

    /// The address of an inlet of this frame: a value that is put there signals the slot of the inlet's fiber.
    ///
    /// An address is a plain value that means the same on all nodes, until the frame ends. One of an element of an array
    /// that is not there ends the run with [`NoSuchEntry`](crate::Error::NoSuchEntry); so do those of slots and cells.
    #[inline(always)]
    pub fn reply<T>(&self, inlet: Inlet<F, T>) -> Reply<T> {
        self.unit.reply_to::<F, T>(inlet)
    }

    /// The addresses of an array of inlets of this frame.
    #[inline(always)]
    pub fn replies<T>(&self, inlets: Inlets<F, T>) -> Replies<T> {
        self.unit.replies_to::<F, T>(inlets)
    }

    /// The address of a slot of this frame.
    #[doc(alias = "SLOT_ADR")]
    #[inline(always)]
    pub fn slot_ref(&self, slot: impl Counted<F>) -> SlotRef {
        self.unit.slot_ref(slot.slot())
    }

    /// The addresses of an array of slots of this frame.
    pub fn slot_refs(&self, slots: impl CountedAll<F>) -> SlotRefs {
        self.unit.slot_refs(slots.slots())
    }

    /// The address of a cell of this frame.
    pub fn cell_ref<T>(&self, cell: Cell<F, T>) -> CellRef<T> {
        self.unit.cell_ref(cell)
    }

    /// The addresses of an array of cells of this frame.
    pub fn cell_refs<T>(&self, cells: Cells<F, T>) -> CellRefs<T> {
        self.unit.cell_refs(cells)
    }
}
