//! Conversion of a refused operation into an error with names.

use earth_memory::frames::Refusal;

use crate::node::su::Su;
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::answers;
use crate::vocabulary::error::{EntryName, Error, FiberName};
use crate::vocabulary::layout::Layout;
use crate::vocabulary::origin::Origin;

impl Su {
    /// Returns the error for a refused signal to a slot.
    #[cold]
    pub(in crate::node) fn slot_error(&self, refusal: Refusal, to: EntryRef, origin: Origin) -> Error {
        let slot = self.slot_name(to.id(), to.number());
        match refusal {
            Refusal::Unexpected => Error::TooManySignals { slot, sender: Box::new(origin.name()) },
            Refusal::TooLate => Error::CannotRaise { slot, why: "it has reached zero".into() },
            Refusal::Overflow => Error::CannotRaise { slot, why: "it does not fit 32 bits".into() },
            Refusal::NoSuchPart => stale("a signal", slot, "has no such slot", origin),
            _ => stale("a signal", slot, "had ended", origin),
        }
    }

    /// Returns the error for a refused value to an inlet, or for its signal. [`Full`](Refusal::Full) means
    /// that no more values may be parked.
    #[cold]
    pub(in crate::node) fn inlet_error(&self, refusal: Refusal, to: EntryRef, origin: Origin) -> Error {
        if answers::place(to).is_some() {
            return answered(to, origin);
        }
        let names = self.frames.names(to.id());
        let inlet = names.entry("inlet", names.inlet(to.number()), self.node);
        match refusal {
            Refusal::Unexpected => {
                let slot = self.frames.memory.slot_of(to.id(), to.number()).unwrap_or(u32::MAX);
                let (slot, sender) = (self.slot_name(to.id(), slot), Box::new(origin.name()));
                Error::TooManySignals { slot, sender }
            }
            Refusal::Full => {
                Error::ParkingFull { node: self.node as usize, limit: self.frames.parking_limit, inlet }
            }
            Refusal::NoSuchPart => stale("a value", inlet, "has no such inlet", origin),
            _ => stale("a value", inlet, "had ended", origin),
        }
    }

    fn slot_name(&self, id: FrameId, slot: u32) -> EntryName {
        let names = self.frames.names(id);
        names.entry("slot", names.slot(slot), self.node)
    }

    /// Returns the error for an inlet that was empty when its slot had all signals.
    #[cold]
    #[inline(never)]
    pub(in crate::node) fn lacks(&self, id: FrameId, slot: u32) -> Error {
        let names = self.frames.names(id);
        let inlet = self.frames.memory.lacking(id, slot).unwrap_or(u32::MAX);
        let at = FiberName { function: names.function(), fiber: names.fiber(slot), node: self.node as usize };
        Error::NotDelivered { at, inlet: names.inlet(inlet) }
    }

    /// Returns the error for a refused read or write of a cell. [`Full`](Refusal::Full) means that the cell
    /// was written before.
    #[cold]
    pub(in crate::node) fn cell_error(
        &self,
        refusal: Refusal,
        at: EntryRef,
        what: &'static str,
        origin: Origin,
    ) -> Error {
        let names = self.frames.names(at.id());
        let cell = names.entry("cell", names.cell(at.number()), self.node);
        match refusal {
            Refusal::Full => Error::WrittenTwice { cell },
            Refusal::Stale => stale(what, cell, "had ended", origin),
            _ => stale(what, cell, "has no such cell", origin),
        }
    }

    /// Returns the error for a frame that ended while it was needed.
    #[cold]
    pub(in crate::node) fn end_error(&self, layout: &Layout, why: Box<str>) -> Error {
        Error::EndedTooEarly { function: layout.name(), node: self.node as usize, why }
    }
}

/// Returns the error for a value to the address of an answer that was given before, or that belongs to
/// another run.
fn answered(to: EntryRef, origin: Origin) -> Error {
    let name = EntryName {
        what: "inlet".into(),
        name: "answer".into(),
        function: "a thread outside of the run".into(),
        node: to.node() as usize,
    };
    stale("a value", name, "had its value already", origin)
}

fn stale(what: &'static str, to: EntryName, why: &'static str, origin: Origin) -> Error {
    Error::StaleAddress { what: what.into(), to, why: why.into(), sender: Box::new(origin.name()) }
}
