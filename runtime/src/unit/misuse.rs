//! From what is wrong with an operation to an error with names.

use super::su::Su;
use crate::error::Error;
use crate::frame::{BETWEEN, Misuse};
use crate::vocabulary::address::{FrameId, FrameRef, SlotRef};
use crate::vocabulary::origin::Origin;

impl Su {
    /// The error that says what is wrong with a signal for a slot, or with a value for an inlet and its signal.
    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(super) fn slot_error(
        &self,
        misuse: Misuse,
        to: SlotRef,
        inlet: Option<u32>,
        origin: Origin,
    ) -> Box<Error> {
        let names = self.frames.names(to.id());
        let slot = names.entry("slot", names.slot(to.slot()), self.node);
        let inlet = inlet.map(|inlet| names.entry("inlet", names.inlet(inlet), self.node));
        let what = if inlet.is_some() { "a value" } else { "a signal" };
        let sender = Box::new(origin.name());
        Box::new(match (misuse, inlet) {
            (Misuse::TooManySignals, _) => Error::TooManySignals { slot, sender },
            (Misuse::RaisedTooLate, _) => Error::CannotRaise { slot, why: "it has reached zero" },
            (Misuse::RaisedTooFar, _) => Error::CannotRaise { slot, why: "it does not fit 32 bits" },
            (Misuse::ParkingFull, Some(inlet)) => {
                Error::ParkingFull { node: self.node as usize, limit: self.frames.parking_limit(), inlet }
            }
            (Misuse::NoInlet, Some(inlet)) => {
                Error::StaleAddress { what, to: inlet, why: "has no such inlet", sender }
            }
            (Misuse::NoSlot, _) => Error::StaleAddress { what, to: slot, why: "has no such slot", sender },
            (_, inlet) => Error::StaleAddress { what, to: inlet.unwrap_or(slot), why: "had ended", sender },
        })
    }

    /// The error that says what is wrong with a question to a cell or a value for one.
    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(super) fn cell_error(
        &self,
        misuse: Misuse,
        at: FrameRef,
        cell: u32,
        what: &'static str,
        origin: Origin,
    ) -> Box<Error> {
        let names = self.frames.names(at.id);
        let cell = names.entry("cell", names.cell(cell), self.node);
        let why = match misuse {
            Misuse::WrittenTwice => return Box::new(Error::WrittenTwice { cell }),
            Misuse::Stale => "had ended",
            _ => "has no such cell",
        };
        Box::new(Error::StaleAddress { what, to: cell, why, sender: Box::new(origin.name()) })
    }

    /// The error that says what a frame that ended was still needed for.
    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(super) fn end_error(&self, frame: u32, why: &'static str) -> Box<Error> {
        // The function that the number served last has all later generations.
        let function = self.frames.names(FrameId::new(frame, BETWEEN)).function();
        Box::new(Error::EndedTooEarly { function, node: self.node as usize, why })
    }
}
