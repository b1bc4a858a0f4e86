//! From what is wrong with an operation to an error with names.

use super::su::Su;
use crate::error::{Error, PlaceName};
use crate::frame::Misuse;
use crate::vocabulary::address::{FrameRef, SlotRef};

impl Su {
    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(super) fn blame(&self, misuse: Misuse, to: SlotRef, inlet: Option<u32>) -> Box<Error> {
        let names = self.frames.names(to.id().number());
        let node = self.node as usize;
        let what = if inlet.is_some() { "a value" } else { "a signal" };
        let slot =
            || PlaceName { what: "slot", name: names.slot(to.slot()), function: names.function(), node };
        let stale = |why| Error::StaleAddress { what, address: to.frame().to_string(), why };
        Box::new(match misuse {
            Misuse::Stale => stale("has ended"),
            Misuse::NoSlot => stale("has no such slot"),
            Misuse::NoInlet => stale("has no such inlet"),
            Misuse::NoCell | Misuse::WrittenTwice => stale("has no such cell"),
            Misuse::TooManySignals => Error::TooManySignals { slot: slot() },
            Misuse::RaisedTooLate => Error::CannotRaise { slot: slot(), why: "it has reached zero" },
            Misuse::RaisedTooFar => Error::CannotRaise { slot: slot(), why: "it does not fit 32 bits" },
            Misuse::ParkingFull => Error::ParkingFull {
                node,
                limit: self.frames.parking_limit(),
                inlet: PlaceName {
                    what: "inlet",
                    name: names.inlet(inlet.unwrap_or(0)),
                    function: names.function(),
                    node,
                },
            },
            Misuse::EndedWith(why) => Error::EndedTooEarly { function: names.function(), node, why },
        })
    }

    #[cold]
    #[expect(clippy::unnecessary_box_returns, reason = "the error of an outcome is boxed")]
    pub(super) fn blame_cell(
        &self,
        misuse: Misuse,
        at: FrameRef,
        cell: u32,
        what: &'static str,
    ) -> Box<Error> {
        let names = self.frames.names(at.id.number());
        let stale = |why| Error::StaleAddress { what, address: at.to_string(), why };
        Box::new(match misuse {
            Misuse::WrittenTwice => Error::WrittenTwice {
                cell: PlaceName {
                    what: "cell",
                    name: names.cell(cell),
                    function: names.function(),
                    node: self.node as usize,
                },
            },
            Misuse::Stale => stale("has ended"),
            _ => stale("has no such cell"),
        })
    }
}
