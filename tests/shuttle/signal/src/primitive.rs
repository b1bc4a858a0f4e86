//! Shuttle's primitives.

pub(crate) use shuttle::hint::spin_loop;
pub(crate) use shuttle::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use shuttle::sync::{Arc, MutexGuard};
// Its values are made once, without another step between.
pub(crate) use std::sync::OnceLock;

use std::cell::Cell;
use std::sync::{LockResult, PoisonError, TryLockError};

/// A lock that is never poisoned. All threads of an execution run in one thread of the system. While one of
/// them unwinds, every lock that another releases would otherwise be poisoned.
#[derive(Default, Debug)]
pub(crate) struct Mutex<T>(shuttle::sync::Mutex<T>);

impl<T> Mutex<T> {
    pub(crate) const fn new(value: T) -> Self {
        Mutex(shuttle::sync::Mutex::new(value))
    }

    #[expect(clippy::unnecessary_wraps, reason = "the original lock may be poisoned")]
    pub(crate) fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn try_lock(&self) -> Result<MutexGuard<'_, T>, TryLockError<MutexGuard<'_, T>>> {
        match self.0.try_lock() {
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            tried => tried,
        }
    }
}

/// A condition variable that is never poisoned.
pub(crate) struct Condvar(shuttle::sync::Condvar);

impl Condvar {
    pub(crate) const fn new() -> Self {
        Condvar(shuttle::sync::Condvar::new())
    }

    #[expect(clippy::unnecessary_wraps, reason = "the original lock may be poisoned")]
    pub(crate) fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        Ok(self.0.wait(guard).unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits as [`wait`](Self::wait) does: no time-out expires under Shuttle.
    pub(crate) fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        _: std::time::Duration,
    ) -> LockResult<(MutexGuard<'a, T>, ())> {
        self.wait(guard).map(|guard| (guard, ())).map_err(|_| unreachable!("a lock is not poisoned"))
    }

    pub(crate) fn notify_one(&self) {
        self.0.notify_one();
    }

    pub(crate) fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// `std::cell::UnsafeCell` that tracks its accesses, and panics if two threads access it at once.
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

    /// Marks whether the caller holds the cell beyond an access.
    pub(crate) fn hold(&self, is_held: bool) {
        self.is_held.set(is_held);
    }

    /// Accesses the cell. Panics if another thread holds it.
    pub(crate) fn with_mut_unless_held<R>(&self, access: impl FnOnce(*mut T) -> R) -> R {
        assert!(!self.is_held.get(), "a cell is written while its receiver has it");
        self.with_mut(access)
    }
}
