//! Loom's atomics, changed so that loom sees every access.
//!
//! Loom decides which orders to try from the accesses to each object, and it remembers only the last access.
//! A thread that loads a word before it stores to it (as every claim here does) thereby hides an earlier load
//! by another thread. Loom then does not try the two accesses in the other order, and misses half of the
//! executions. `tests/models/explorer.rs` shows this.
//!
//! Here every access first *touches* a companion by a relaxed read-modify-write, which conflicts with every
//! other touch. The last access is then always enough to see a conflict. Touches are relaxed, so they add no
//! order that the protocol does not have. Between two fences they would add one, but loom takes all
//! sequentially consistent fences to be ordered anyway.

pub use loom::sync::atomic::{Ordering, fence};

macro_rules! atomic {
    ($name:ident, $value:ty, { $($more:item)* }) => {
        /// The atomic of the same name; loom sees every access.
        #[derive(Debug)]
        pub struct $name {
            touched: loom::sync::atomic::AtomicBool,
            value: loom::sync::atomic::$name,
        }

        #[expect(missing_docs, reason = "the atomic of the same name documents the operations")]
        impl $name {
            pub fn new(value: $value) -> Self {
                Self {
                    touched: loom::sync::atomic::AtomicBool::new(false),
                    value: loom::sync::atomic::$name::new(value),
                }
            }

            fn touch(&self) -> &loom::sync::atomic::$name {
                self.touched.swap(true, Ordering::Relaxed);
                &self.value
            }

            pub fn load(&self, order: Ordering) -> $value {
                self.touch().load(order)
            }

            pub fn store(&self, value: $value, order: Ordering) {
                self.touch().store(value, order);
            }

            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                self.touch().swap(value, order)
            }

            pub fn compare_exchange(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.touch().compare_exchange(current, new, success, failure)
            }

            pub fn compare_exchange_weak(
                &self,
                current: $value,
                new: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                self.touch().compare_exchange_weak(current, new, success, failure)
            }

            $($more)*
        }
    };
}

macro_rules! number {
    ($name:ident, $value:ty) => {
        atomic!($name, $value, {
            pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                self.touch().fetch_add(value, order)
            }

            pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                self.touch().fetch_sub(value, order)
            }

            pub fn fetch_or(&self, bits: $value, order: Ordering) -> $value {
                self.touch().fetch_or(bits, order)
            }

            pub fn fetch_and(&self, bits: $value, order: Ordering) -> $value {
                self.touch().fetch_and(bits, order)
            }
        });
    };
}

atomic!(AtomicBool, bool, {});
number!(AtomicU64, u64);
number!(AtomicUsize, usize);
