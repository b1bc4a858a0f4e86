//! The only place that names an atomic, a lock or a cell.
//!
//! Every protocol file of this crate takes these names from `super::primitive`. The model-checking package
//! compiles the same files with a `primitive` module whose names are loom's or deliberately weakened.
//! `tests/shuttle` compiles them with Shuttle's names.

pub(crate) use std::hint::spin_loop;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock};

/// `std::cell::UnsafeCell` with closure access, so that a model checker sees where an access ends.
pub(crate) struct UnsafeCell<T>(std::cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(std::cell::UnsafeCell::new(value))
    }

    #[inline(always)]
    pub(crate) fn with_mut<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
        access(self.0.get())
    }
}
