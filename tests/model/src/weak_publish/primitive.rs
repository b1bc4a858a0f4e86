//! Loom's primitives, with relaxed stores instead of release stores.

pub(crate) use loom::cell::UnsafeCell;
pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};
pub(crate) use std::sync::OnceLock;

pub(crate) use crate::Leaked as Arc;
pub(crate) use crate::atomic::Ordering;

macro_rules! atomic {
    ($name:ident, $value:ty) => {
        pub(crate) struct $name(crate::atomic::$name);

        impl $name {
            pub(crate) fn new(value: $value) -> Self {
                Self(crate::atomic::$name::new(value))
            }

            pub(crate) fn load(&self, order: Ordering) -> $value {
                self.0.load(order)
            }

            pub(crate) fn store(&self, value: $value, _: Ordering) {
                self.0.store(value, Ordering::Relaxed);
            }

            pub(crate) fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.0.compare_exchange(current, new, success, failure)
            }

            pub(crate) fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.0.compare_exchange_weak(current, new, success, failure)
            }
        }
    };
}
atomic!(AtomicUsize, usize);
atomic!(AtomicU64, u64);
