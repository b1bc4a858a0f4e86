//! An inlet of a live frame, wherever its value and its bit are.

use std::cell::Cell;

use super::count::Due;
use crate::kind::Kind;

pub(super) struct Inlet<'a, V: 'static> {
    pub(super) kind: &'static Kind<V>,
    /// The number of the slot that it signals.
    pub(super) slot: u32,
    pub(super) value: *mut u8,
    pub(super) mask: &'a Cell<u32>,
    pub(super) bit: u32,
    pub(super) due: Due,
}

impl<V> Inlet<'_, V> {
    /// Whether it holds a value.
    pub(super) fn is_full(&self) -> bool {
        self.mask.get() & self.bit != 0
    }

    /// Has the inlet be empty. The value is the caller's.
    pub(super) fn empty(&self) {
        self.mask.set(self.mask.get() & !self.bit);
    }
}
