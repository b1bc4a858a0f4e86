//! Drops the values left in a queue, each of which may panic when it is dropped.
//!
//! A panic must not leak the values behind it: one of them may own borrowed memory, and lending aborts the
//! process if a handle is left. So each drop is caught, and the first panic resumes when all values are gone.

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
            // Dropping a payload may panic, too; the second payload is leaked.
            std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
        }
    }
    if let Some(payload) = first {
        resume_unwind(payload);
    }
}
