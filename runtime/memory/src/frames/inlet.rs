//! An inlet of a live frame. Its value and its bit may be in the frame or in the extra.

use std::cell::Cell;

use super::count::Due;
use crate::kind::Kind;

pub(super) struct InletView<'a, V: 'static> {
    pub(super) kind: &'static Kind<V>,
    /// Number of the slot that the inlet signals.
    pub(super) slot: u32,
    pub(super) value: *mut u8,
    pub(super) mask: &'a Cell<u32>,
    pub(super) bit: u32,
    pub(super) due: Due,
}

impl<V> InletView<'_, V> {
    /// Whether the inlet holds a value.
    pub(super) fn is_full(&self) -> bool {
        self.mask.get() & self.bit != 0
    }

    /// Marks the inlet as empty. The caller owns the value.
    pub(super) fn empty(&self) {
        self.mask.set(self.mask.get() & !self.bit);
    }
}
