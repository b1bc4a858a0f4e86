//! Loom's primitives, with read-modify-writes in two halves.

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

    pub(crate) fn store(&self, value: usize, order: Ordering) {
        self.0.store(value, order);
    }

    fn change(&self, new: impl FnOnce(usize) -> usize, order: Ordering) -> usize {
        let found = self.0.load(if order == Ordering::Release { Ordering::Relaxed } else { order });
        self.0.store(new(found), if order == Ordering::Acquire { Ordering::Relaxed } else { order });
        found
    }

    pub(crate) fn fetch_or(&self, bits: usize, order: Ordering) -> usize {
        self.change(|found| found | bits, order)
    }

    pub(crate) fn fetch_and(&self, bits: usize, order: Ordering) -> usize {
        self.change(|found| found & bits, order)
    }

    pub(crate) fn compare_exchange(
        &self,
        current: usize,
        new: usize,
        success: Ordering,
        failure: Ordering,
    ) -> Result<usize, usize> {
        let found = self.0.load(failure);
        if found != current {
            return Err(found);
        }
        self.0.store(new, success);
        Ok(found)
    }

    pub(crate) fn compare_exchange_weak(
        &self,
        current: usize,
        new: usize,
        success: Ordering,
        failure: Ordering,
    ) -> Result<usize, usize> {
        self.compare_exchange(current, new, success, failure)
    }
}
