//! Where an operation comes from, for the error that names it.

use super::enabler::Enabler;
use super::layout::Layout;
use crate::vocabulary::error::FiberName;

/// The fiber that asked for an operation. It goes along with events, and with questions to cells to their answers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) layout: &'static Layout,
    pub(crate) fiber: u32,
    pub(crate) node: u32,
}

const _: () = assert!(size_of::<Origin>() == 16, "an origin is two words of an event");

/// The fiber of a node that asks for an operation, as its own units name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker {
    pub(crate) layout: &'static Layout,
    /// What enabled it: of a function with arrays of slots by the ordinal of the declared one.
    pub(crate) by: Enabler,
}

impl Asker {
    /// The fiber as the nodes name it, of which this is its own.
    pub(crate) fn of(self, node: u32) -> Origin {
        Origin { layout: self.layout, fiber: self.by.fiber(self.layout), node }
    }
}

impl Origin {
    /// The fiber by name.
    pub(crate) fn name(self) -> FiberName {
        let Origin { layout, fiber, node } = self;
        FiberName { function: layout.name(), fiber: layout.fiber_name(fiber).to_owned(), node: node as usize }
    }
}
