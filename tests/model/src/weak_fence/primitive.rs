//! Loom's primitives, without the fence.
//!
//! These models must find an endless sleep, which loom reports by a panic in the thread that fell asleep
//! last. Loom's own condition variable would make that thread unlock a mutex that it does not hold. Here a
//! waiter parks instead.

use std::ops::{Deref, DerefMut};
use std::sync::LockResult;

pub(crate) use crate::Leaked as Arc;
pub(crate) use crate::atomic::{AtomicU64, AtomicUsize, Ordering};

pub(crate) fn fence(_: Ordering) {}

pub(crate) struct Mutex<T>(loom::sync::Mutex<T>);

pub(crate) struct Guard<'a, T> {
    mutex: &'a Mutex<T>,
    inner: loom::sync::MutexGuard<'a, T>,
}

impl<T> Mutex<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    #[expect(clippy::unnecessary_wraps, reason = "the original has this signature")]
    pub(crate) fn lock(&self) -> LockResult<Guard<'_, T>> {
        Ok(Guard { mutex: self, inner: self.0.lock().expect("loom does not poison") })
    }
}

impl<T> Deref for Guard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.inner
    }
}

impl<T> DerefMut for Guard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.inner
    }
}

/// Condition variable for one waiter at a time.
pub(crate) struct Condvar(std::sync::Mutex<Option<loom::thread::Thread>>);

impl Condvar {
    pub(crate) fn new() -> Self {
        Self(std::sync::Mutex::new(None))
    }

    pub(crate) fn wait<'a, T>(&self, guard: Guard<'a, T>) -> LockResult<Guard<'a, T>> {
        let Guard { mutex, inner } = guard;
        *self.0.lock().expect("no panic in here") = Some(loom::thread::current());
        drop(inner);
        loom::thread::park();
        mutex.lock()
    }

    /// Waits as [`wait`](Self::wait) does: no time-out expires in a model.
    pub(crate) fn wait_timeout<'a, T>(
        &self,
        guard: Guard<'a, T>,
        _: std::time::Duration,
    ) -> LockResult<(Guard<'a, T>, ())> {
        self.wait(guard).map(|guard| (guard, ())).map_err(|_| unreachable!("a lock is not poisoned"))
    }

    pub(crate) fn notify_one(&self) {
        if let Some(waiter) = self.0.lock().expect("no panic in here").take() {
            waiter.unpark();
        }
    }
}
