//! From what is wrong with an operation to an error with names.

use crate::node::frame::Misuse;
use crate::node::su::Su;
use crate::vocabulary::address::{EntryRef, FrameId};
use crate::vocabulary::error::{EntryName, Error, FiberName};
use crate::vocabulary::layout::Layout;
use crate::vocabulary::origin::Origin;

impl Su {
    /// The error that says what is wrong with a signal for a slot.
    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(in crate::node) fn slot_error(&self, misuse: Misuse, to: EntryRef, origin: Origin) -> Box<Error> {
        let slot = self.slot_name(to.id(), to.number());
        let sender = Box::new(origin.name());
        let what = "a signal".into();
        Box::new(match misuse {
            Misuse::TooManySignals => Error::TooManySignals { slot, sender },
            Misuse::RaisedTooLate => Error::CannotRaise { slot, why: "it has reached zero".into() },
            Misuse::RaisedTooFar => Error::CannotRaise { slot, why: "it does not fit 32 bits".into() },
            Misuse::NoSlot => Error::StaleAddress { what, to: slot, why: "has no such slot".into(), sender },
            _ => Error::StaleAddress { what, to: slot, why: "had ended".into(), sender },
        })
    }

    /// The error that says what is wrong with a value for an inlet and its signal.
    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(in crate::node) fn inlet_error(&self, misuse: Misuse, to: EntryRef, origin: Origin) -> Box<Error> {
        let names = self.frames.names(to.id());
        let inlet = names.entry("inlet", names.inlet(to.number()), self.node);
        let sender = Box::new(origin.name());
        let what = "a value".into();
        Box::new(match misuse {
            Misuse::TooManySignals => {
                let slot = self.frames.memory.slot_of(to.id(), to.number()).unwrap_or(u32::MAX);
                Error::TooManySignals { slot: self.slot_name(to.id(), slot), sender }
            }
            Misuse::ParkingFull => {
                Error::ParkingFull { node: self.node as usize, limit: self.frames.parking_limit(), inlet }
            }
            Misuse::NoInlet => {
                Error::StaleAddress { what, to: inlet, why: "has no such inlet".into(), sender }
            }
            _ => Error::StaleAddress { what, to: inlet, why: "had ended".into(), sender },
        })
    }

    fn slot_name(&self, id: FrameId, slot: u32) -> EntryName {
        let names = self.frames.names(id);
        names.entry("slot", names.slot(slot), self.node)
    }

    /// The error that says which inlet was empty when a slot had all its signals.
    #[cold]
    #[inline(never)]
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(in crate::node) fn lacks(&self, id: FrameId, slot: u32) -> Box<Error> {
        let names = self.frames.names(id);
        let inlet = self.frames.memory.lacking(id, slot).unwrap_or(u32::MAX);
        let at = FiberName { function: names.function(), fiber: names.fiber(slot), node: self.node as usize };
        Box::new(Error::NotDelivered { at, inlet: names.inlet(inlet) })
    }

    /// The error that says what is wrong with a question to a cell or a value for one.
    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(in crate::node) fn cell_error(
        &self,
        misuse: Misuse,
        at: EntryRef,
        what: &'static str,
        origin: Origin,
    ) -> Box<Error> {
        let names = self.frames.names(at.id());
        let cell = names.entry("cell", names.cell(at.number()), self.node);
        let why = match misuse {
            Misuse::WrittenTwice => return Box::new(Error::WrittenTwice { cell }),
            Misuse::Stale => "had ended",
            _ => "has no such cell",
        };
        Box::new(Error::StaleAddress {
            what: what.into(),
            to: cell,
            why: why.into(),
            sender: Box::new(origin.name()),
        })
    }

    /// The error that says what a frame that ended was still needed for.
    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(in crate::node) fn end_error(&self, layout: &Layout, why: Box<str>) -> Box<Error> {
        Box::new(Error::EndedTooEarly { function: layout.name(), node: self.node as usize, why })
    }
}
