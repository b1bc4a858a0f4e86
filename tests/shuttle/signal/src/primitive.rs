//! Shuttle's primitives.

pub(crate) use shuttle::hint::spin_loop;
pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use shuttle::sync::{Arc, Condvar, Mutex, MutexGuard};

use std::cell::Cell;

/// `std::cell::UnsafeCell` that knows whether somebody has it, and panics instead of letting two have it at once.
pub(crate) struct UnsafeCell<T> {
    value: std::cell::UnsafeCell<T>,
    is_accessed: Cell<bool>,
    is_held: Cell<bool>,
}

impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        let value = std::cell::UnsafeCell::new(value);
        UnsafeCell { value, is_accessed: Cell::new(false), is_held: Cell::new(false) }
    }

    pub(crate) fn with_mut<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
        /// Ends the access, even if it unwinds.
        struct Ends<'a>(&'a Cell<bool>);
        impl Drop for Ends<'_> {
            fn drop(&mut self) {
                self.0.set(false);
            }
        }
        assert!(!self.is_accessed.replace(true), "two threads use one cell");
        let _ends = Ends(&self.is_accessed);
        access(self.value.get())
    }

    /// Says whether the caller has the cell from now on, beyond an access.
    pub(crate) fn hold(&self, is_held: bool) {
        self.is_held.set(is_held);
    }

    /// An access of one who may not come while another has the cell.
    pub(crate) fn with_mut_unless_held<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
        assert!(!self.is_held.get(), "a cell is written while its receiver has it");
        self.with_mut(access)
    }
}
