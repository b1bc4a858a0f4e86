//! Panics of the program: the error for a payload, and drops whose panics go no further.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use earth_memory::NoMemory;

use super::custom::{PolicyFault, text_of};
use super::error::{Error, FiberName};
use super::inside::NoEntry;

/// Drops values of the program. If a drop panics, the panic does not reach the caller.
pub(crate) fn drop_ignoring_panics<T>(left: T) {
    let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(left))) else { return };
    // Dropping the payload may panic too. The second payload is leaked.
    std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
}

/// Returns the error for a panic of a fiber.
pub(crate) fn error_of(payload: Box<dyn Any + Send>, at: FiberName) -> Error {
    let payload = match payload.downcast::<NoEntry>() {
        Ok(entry) => {
            let NoEntry { what, place } = *entry;
            return Error::NoSuchEntry { at, what, place: place.map(ToString::to_string) };
        }
        Err(payload) => payload,
    };
    let payload = match payload.downcast::<PolicyFault>() {
        Ok(fault) => return fault.into_error(),
        Err(payload) => payload,
    };
    let no_memory = payload.downcast_ref::<NoMemory>().cloned();
    let message = text_of(&*payload);
    drop_ignoring_panics(payload);
    match no_memory {
        Some(NoMemory { bytes, what }) => Error::NoMemory { at, bytes, what: what.to_owned() },
        None => Error::Panicked { at, message },
    }
}
