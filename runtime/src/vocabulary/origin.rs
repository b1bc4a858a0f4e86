//! Where an operation comes from, for the error that names it.

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

impl Origin {
    /// The fiber by name.
    pub(crate) fn name(self) -> FiberName {
        let fiber = self.layout.fibers.get(self.fiber as usize).copied().unwrap_or("?");
        FiberName { function: self.layout.name(), fiber: fiber.to_owned(), node: self.node as usize }
    }
}
