//! The end of a queue that still holds values, any of which may panic when it is dropped.
//!
//! A panic must not leak the values behind it: one of them may own lent memory, and lending aborts the process
//! if a handle is left. So each drop is caught, and the first panic goes on when all values are gone.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

/// Drops all values, then unwinds with the first panic that any of them caused.
pub(crate) fn drop_all<T>(values: impl Iterator<Item = T>) {
    let mut first: Option<Box<dyn Any + Send>> = None;
    for value in values {
        let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(value))) else { continue };
        if first.is_none() {
            first = Some(payload);
        } else {
            // The drop of a payload may panic, too; what it panics with is leaked.
            std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
        }
    }
    if let Some(payload) = first {
        resume_unwind(payload);
    }
}
