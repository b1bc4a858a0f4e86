//! Slots by number, as units know them, and the ways a fiber ends. Programs use [names](super::place) for
//! slots, inlets, cells and fibers; these names carry the type of their function.

use super::inside::no_entry;

/// The index of a single entry, which is not an element of an array.
pub(crate) const SCALAR: u32 = u32::MAX;

/// A slot of the running function's own frame, or one element of an array of slots.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Slot {
    pub(crate) ordinal: u32,
    pub(crate) index: u32,
}

/// An array of slots of the running function's own frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotArray {
    pub(crate) ordinal: u32,
}

/// The fate of a function when its first fiber ends.
#[must_use = "a first fiber says how it ends by returning this"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start<F> {
    /// The fiber ends; its frame stays, with this state.
    #[doc(alias = "END_THREAD")]
    Wait(F),
    /// The fiber and the function end.
    #[doc(alias = "END_FUNCTION")]
    End,
}

/// The fate of the frame when a fiber ends.
#[must_use = "a fiber says how it ends by returning this"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Then {
    /// The fiber ends; its frame stays.
    #[doc(alias = "END_THREAD")]
    Wait,
    /// The fiber and its frame end.
    #[doc(alias = "END_FUNCTION")]
    End,
}

/// Returns the index of an element of an array, in 32 bits.
#[inline(always)]
#[track_caller]
pub(crate) fn element(index: usize) -> u32 {
    if index >= SCALAR as usize {
        no_entry(format!("element {index} of an array, whose indices fit 32 bits"), None);
    }
    index as u32
}

impl Slot {
    #[doc(hidden)]
    pub const fn new(ordinal: u32) -> Self {
        Slot { ordinal, index: SCALAR }
    }
}

impl SlotArray {
    #[doc(hidden)]
    pub const fn new(ordinal: u32) -> Self {
        SlotArray { ordinal }
    }

    /// Returns element `index`. The unit checks that the frame has it when it is used.
    #[inline]
    pub fn at(self, index: usize) -> Slot {
        Slot { ordinal: self.ordinal, index: element(index) }
    }
}
