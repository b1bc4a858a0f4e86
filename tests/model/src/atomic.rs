//! Loom's atomics, with every access in loom's view.
//!
//! Loom decides which orders to try from the accesses to each object, and it remembers only the last one. A
//! thread that loads a word before it stores to it (every claim here does) thereby hides the load that
//! another thread made before: the two are not tried the other way round, and half of the executions are
//! missed. `tests/explorer.rs` shows that.
//!
//! Here every access first *touches* a companion by a relaxed read-modify-write, which conflicts with every
//! other touch; so the last access is always enough to see a conflict. Touches are relaxed: they order
//! nothing that the protocol does not order. (Between two fences they would, but loom takes all sequentially
//! consistent fences to be ordered anyway.)

pub use loom::sync::atomic::{Ordering, fence};

macro_rules! atomic {
    ($name:ident, $value:ty, { $($more:item)* }) => {
        /// The atomic of the same name, with every access in loom's view.
        #[derive(Debug)]
        pub struct $name {
            touched: loom::sync::atomic::AtomicBool,
            value: loom::sync::atomic::$name,
        }

        #[expect(missing_docs, reason = "the operations are those of the atomic of the same name")]
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
