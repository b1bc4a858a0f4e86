//! Loom's primitives, with an `Arc` that may be abandoned.

pub(crate) use loom::cell::UnsafeCell;

pub(crate) use crate::Leaked as Arc;
pub(crate) use crate::atomic::{AtomicU64, AtomicUsize, Ordering, fence};
