//! What a fiber of [`threaded!`](crate::threaded) can ask for beside the operations of every fiber. Its names do not
//! say whose frame they are of, so an entry of another function is found out when it is used.

use std::ops::Range;

use super::eu::{Any, Eu};
use super::function::Threaded;
use crate::vocabulary::address::{CellRef, CellRefs, NodeId, Replies, Reply, SlotRef, SlotRefs};
use crate::vocabulary::name::{Cell, CellArray, Fiber, Inlet, InletArray, Slot, SlotArray};
use crate::vocabulary::wire::Wire;

impl Eu<Any> {
    /// Signals a slot of this frame.
    #[doc(alias = "SYNC")]
    #[inline(always)]
    pub fn sync(&mut self, slot: Slot) {
        let to = self.unit.slot_ref(slot);
        self.rsync(to);
    }

    /// Raises the count of a slot of this frame by `by`. It happens before anything this fiber starts afterwards can
    /// signal the slot. It is an error if the slot is one-shot and has reached zero.
    #[doc(alias = "INCR_SYNC")]
    pub fn incr(&mut self, slot: Slot, by: u32) {
        self.unit.raise(slot, by);
    }

    /// Enables a fiber of this frame directly, with index 0.
    #[doc(alias = "SPAWN")]
    pub fn spawn(&mut self, fiber: Fiber) {
        self.unit.spawn(fiber, 0);
    }

    /// Enables a fiber of this frame directly, with an index of the program's choice.
    ///
    /// # Panics
    ///
    /// If `index` does not fit 32 bits.
    #[doc(alias = "SPAWN")]
    pub fn spawn_at(&mut self, fiber: Fiber, index: usize) {
        self.unit.spawn(fiber, index);
    }

    /// Takes the value that arrived at an inlet of this frame. Exactly those values may be taken that came
    /// with the signals which enabled this fiber, and each of them must be before the fiber ends.
    ///
    /// An inlet gives values of its own type:
    ///
    /// ```compile_fail,E0308
    /// # use earth::{threaded_old, Reply, Then};
    /// threaded_old! {
    ///     fn Mistakes(out: Reply<u64>)
    ///     inlets { text: String }
    ///     slots  { come: 1 => add }
    ///     fiber start(this, eu) { eu.put(eu.reply_to(Self::text, Self::come), String::new()); Then::Wait }
    ///     fiber add(this, eu) { let number: u64 = eu.take(Self::text); eu.put(this.out, number); Then::End }
    /// }
    /// ```
    #[inline(always)]
    pub fn take<T: Wire>(&mut self, inlet: Inlet<T>) -> T {
        self.unit.take(inlet)
    }

    /// The address of a slot of this frame.
    #[doc(alias = "SLOT_ADR")]
    #[inline]
    pub fn slot_ref(&self, slot: Slot) -> SlotRef {
        self.unit.slot_ref(slot)
    }

    /// The addresses of an array of slots of this frame.
    pub fn slot_refs(&self, slots: SlotArray) -> SlotRefs {
        self.unit.slot_refs(slots)
    }

    /// The address of an inlet of this frame, whose value will signal `slot`.
    #[inline]
    pub fn reply_to<T>(&self, inlet: Inlet<T>, slot: Slot) -> Reply<T> {
        self.unit.reply_to(inlet, slot)
    }

    /// The addresses of an array of inlets, each of which signals the slot of the same index.
    ///
    /// # Panics
    ///
    /// If there are fewer slots than inlets.
    pub fn replies_to<T>(&self, inlets: InletArray<T>, slots: SlotArray) -> Replies<T> {
        self.unit.replies_to(inlets, slots)
    }

    /// The addresses of an array of inlets, all of which signal one slot.
    pub fn replies_to_one<T>(&self, inlets: InletArray<T>, slot: Slot) -> Replies<T> {
        self.unit.replies_to_one(inlets, slot)
    }

    /// The address of a cell of this frame.
    pub fn cell_ref<T>(&self, cell: Cell<T>) -> CellRef<T> {
        self.unit.cell_ref(cell)
    }

    /// The addresses of an array of cells of this frame.
    pub fn cell_refs<T>(&self, cells: CellArray<T>) -> CellRefs<T> {
        self.unit.cell_refs(cells)
    }

    /// Starts a function on a named node.
    #[doc(alias = "INVOKE")]
    #[inline]
    pub fn invoke_old<F: Threaded>(&mut self, node: NodeId, args: F::Args) {
        self.unit.invoke::<F>(node, args);
    }

    /// Starts a function wherever the balancer likes: here, last in first out, or on an idle node.
    #[doc(alias = "TOKEN")]
    #[inline(always)]
    pub fn token_old<F: Threaded>(&mut self, args: F::Args) {
        self.unit.token::<F>(args);
    }

    /// Starts a function wherever the balancer likes among the nodes `first..end` (a group).
    #[doc(alias = "TOKEN")]
    pub fn token_within_old<F: Threaded>(&mut self, nodes: Range<NodeId>, args: F::Args) {
        self.unit.token_within::<F>(nodes, args);
    }
}
