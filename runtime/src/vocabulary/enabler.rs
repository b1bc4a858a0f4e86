//! The cause that enables a fiber.

use super::layout::Layout;

/// The cause that enables a fiber: a slot, by its number, or a `spawn`, by the number of the spawned fiber.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Enabler(pub(crate) u32);

/// Bit that distinguishes the number of a spawned fiber from the number of a slot.
const SPAWNED: u32 = 1 << 31;

impl Enabler {
    /// The first fiber of a function. No slot and no `spawn` enables it.
    pub(crate) const START: Enabler = Enabler::spawned(0);

    #[inline(always)]
    pub(crate) const fn spawned(number: u32) -> Self {
        Enabler(SPAWNED | number)
    }

    /// Returns the number of the slot, if a slot is the cause.
    #[inline(always)]
    pub(crate) const fn slot(self) -> Option<u32> {
        if self.0 & SPAWNED == 0 { Some(self.0) } else { None }
    }

    /// Returns the number of the fiber in a function of this layout. A slot number must be the ordinal of the
    /// declared slot, unless the layout has no arrays of slots.
    pub(crate) fn fiber(self, layout: &Layout) -> u32 {
        self.slot().map_or(self.0 & !SPAWNED, |slot| layout.fiber_of(slot))
    }
}
