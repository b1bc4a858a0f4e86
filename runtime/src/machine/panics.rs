//! Handling of panics of the program in the machine that runs it.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use crate::vocabulary::custom::PolicyFault;
use crate::vocabulary::error::Error;
use crate::vocabulary::inside::set_inside;
pub(super) use crate::vocabulary::unwinding::drop_ignoring_panics;

/// Runs `work` as the inside of a machine. Returns the payload of a panic.
pub(super) fn inside<T>(work: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    set_inside(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    set_inside(false);
    outcome
}

/// Does `work`, and returns a fault of a policy as an error. Other panics continue.
pub(super) fn with_faults<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| match payload.downcast::<PolicyFault>() {
        Ok(fault) => Err(fault.into_error()),
        Err(payload) => resume_unwind(payload),
    })
}
