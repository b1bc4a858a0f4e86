//! What enables a fiber.

use super::layout::Layout;

/// What enables a fiber: a slot, by its number, or a fiber that spawns it, by its own number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Enabler(pub(crate) u32);

/// What tells the number of a fiber from that of a slot.
const SPAWNED: u32 = 1 << 31;

impl Enabler {
    /// The first fiber of a function, which nothing enables.
    pub(crate) const START: Enabler = Enabler::spawned(0);

    #[inline(always)]
    pub(crate) const fn spawned(number: u32) -> Self {
        Enabler(SPAWNED | number)
    }

    /// The number of the slot, if it is one.
    #[inline(always)]
    pub(crate) const fn slot(self) -> Option<u32> {
        if self.0 & SPAWNED == 0 { Some(self.0) } else { None }
    }

    /// The number of the fiber, in a function of this layout whose slots have arrays of no length of their own, or by the
    /// ordinal of a declared slot.
    pub(crate) fn fiber(self, layout: &Layout) -> u32 {
        self.slot().map_or(self.0 & !SPAWNED, |slot| layout.fiber_of(slot))
    }
}
