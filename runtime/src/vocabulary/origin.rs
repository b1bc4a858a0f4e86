//! The origin of an operation, for errors that name it.

use super::enabler::Enabler;
use super::layout::Layout;
use crate::vocabulary::error::FiberName;

/// The fiber that requested an operation. Events carry it, and so do reads of cells and the answers to them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) layout: &'static Layout,
    pub(crate) fiber: u32,
    pub(crate) node: u32,
}

const _: () = assert!(size_of::<Origin>() == 16, "an origin is two words of an event");

/// The fiber of a node that requests an operation, as the units of that node name it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asker {
    pub(crate) layout: &'static Layout,
    /// The cause that enabled the fiber. In a function with arrays of slots it holds the ordinal of the
    /// declared slot.
    pub(crate) by: Enabler,
}

impl Asker {
    /// Returns the origin for a fiber of node `node`.
    pub(crate) fn of(self, node: u32) -> Origin {
        Origin { layout: self.layout, fiber: self.by.fiber(self.layout), node }
    }
}

impl Origin {
    pub(crate) fn name(self) -> FiberName {
        let Origin { layout, fiber, node } = self;
        FiberName { function: layout.name(), fiber: layout.fiber_name(fiber).to_owned(), node: node as usize }
    }
}
