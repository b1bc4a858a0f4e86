//! Loom's primitives, unchanged.

pub(crate) use loom::cell::UnsafeCell;
pub(crate) use loom::hint::spin_loop;
pub(crate) use loom::sync::{Arc, Condvar, Mutex, MutexGuard};
pub(crate) use std::sync::OnceLock;

pub(crate) use crate::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
