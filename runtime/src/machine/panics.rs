//! Panics of the program, as the machine that runs it sees them.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::vocabulary::inside::set_inside;

/// Runs `work` as the inside of a machine; a panic becomes its payload.
pub(super) fn inside<T>(work: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    set_inside(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    set_inside(false);
    outcome
}

/// Drops what is left of a run. A value of the program that panics when it is dropped does not take the caller with
/// it.
pub(super) fn quietly<T>(left: T) {
    let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(left))) else { return };
    // The drop of a payload may panic, too; what it panics with is leaked.
    std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
}
