//! Handling of panics of the program in the machine that runs it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::vocabulary::inside::set_inside;
pub(super) use crate::vocabulary::unwinding::drop_ignoring_panics;

/// Runs `work` as the inside of a machine. Returns the payload of a panic.
pub(super) fn inside<T>(work: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    set_inside(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    set_inside(false);
    outcome
}
