//! Loom's primitives, with relaxed stores instead of release stores.

pub(crate) use loom::cell::UnsafeCell;

pub(crate) use crate::Leaked as Arc;
pub(crate) use crate::atomic::Ordering;

pub(crate) struct AtomicUsize(crate::atomic::AtomicUsize);

impl AtomicUsize {
    pub(crate) fn new(value: usize) -> Self {
        Self(crate::atomic::AtomicUsize::new(value))
    }

    pub(crate) fn load(&self, order: Ordering) -> usize {
        self.0.load(order)
    }

    pub(crate) fn store(&self, value: usize, _: Ordering) {
        self.0.store(value, Ordering::Relaxed);
    }

    pub(crate) fn compare_exchange_weak(
        &self,
        current: usize,
        new: usize,
        success: Ordering,
        failure: Ordering,
    ) -> Result<usize, usize> {
        self.0.compare_exchange_weak(current, new, success, failure)
    }
}
