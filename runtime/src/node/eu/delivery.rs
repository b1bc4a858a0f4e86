//! Delivery of values from inlets to the fiber that their slot enabled.
//!
//! Code that [`#[threaded]`](macro@crate::threaded) generates takes the values of a fiber's inlets before the
//! fiber runs (rule 2 of ARCHITECTURE.md). The values are in the frame's inlets. In DUAL they may instead
//! have been [handed over](super::execution_unit::handed_over) with the fiber, in the order in which it takes them.

use earth_memory::frames::Taken;

use crate::node::eu::execution_unit::ExecutionUnit;
use crate::vocabulary::error::Error;
use crate::vocabulary::layout::Extent;
use crate::vocabulary::name::element;
use crate::vocabulary::value::Carried;
use crate::vocabulary::wire::Wire;

impl ExecutionUnit {
    /// Takes the value of an element of an array of inlets.
    pub(in crate::node) fn take_element<T: Wire>(&mut self, inlets: u32, index: usize) -> T {
        let taken = self.su.frames.memory.take_element(inlets, index, T::KIND);
        taken.unwrap_or_else(|| {
            let inlet = self.element(self.inlet_extent(inlets), element(index), "inlets", None);
            self.take_delivered(inlet)
        })
    }

    /// Takes the values of an array of inlets. It is out of line, since its work takes longer than a call.
    #[inline(never)]
    pub(in crate::node) fn take_all<T: Wire>(&mut self, inlets: u32) -> Taken<T> {
        let memory = &mut self.su.frames.memory;
        memory.take_all(inlets, T::KIND).unwrap_or_else(|| self.take_all_delivered(inlets))
    }

    #[inline(never)]
    fn take_all_delivered<T: Wire>(&mut self, inlets: u32) -> Taken<T> {
        let mut taken = self.su.frames.memory.none_taken();
        let Extent { first, len, .. } = self.inlet_extent(inlets);
        (first..first + len).for_each(|inlet| taken.push(self.take_delivered(inlet)));
        taken
    }

    /// Takes the value of an inlet that was handed over with the fiber (DUAL).
    #[inline(never)]
    pub(in crate::node) fn take_delivered<T: Wire>(&mut self, inlet: u32) -> T {
        let value = self.handed.take(inlet).and_then(|mut value| value.take(T::KIND));
        value.unwrap_or_else(|| self.nothing_delivered(inlet))
    }

    /// Ends the run because a value is missing. A slot normally enables its fiber only if all inlets that it
    /// counts are full.
    #[cold]
    fn nothing_delivered(&self, number: u32) -> ! {
        let inlet = self.own_sizes().inlet_name(number);
        self.fail(Error::NotDelivered { at: self.fiber_name(), inlet })
    }

    /// Stores parked values in the inlets of the fiber that runs next: it has taken the values that were
    /// there.
    #[cold]
    #[inline(never)]
    pub(in crate::node) fn let_parked_in(&mut self) {
        let Some(slot) = self.current.by.slot() else { return };
        let id = self.own_id();
        let outcome = self.su.let_parked_in(id, slot);
        self.check(outcome);
    }

    /// Panics because an enabled fiber has no state, which is impossible.
    #[cold]
    pub(in crate::node) fn no_state() -> ! {
        unreachable!("fibers of one frame run one at a time, and its state stays with it until it ends")
    }
}
