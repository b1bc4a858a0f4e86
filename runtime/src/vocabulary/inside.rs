//! Whether a thread runs fibers, and the panic for an entry that does not exist.

use std::cell::Cell;
use std::panic::{Location, resume_unwind};

use crate::primitive::thread_local;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread steps units, so that the caller is a fiber.
pub(crate) fn inside_fiber() -> bool {
    INSIDE.with(Cell::get)
}

pub(crate) fn set_inside(inside: bool) {
    INSIDE.with(|it| it.set(inside));
}

/// The panic payload of a fiber that named an entry that no frame has. The machine turns it into
/// [`Error::NoSuchEntry`](crate::Error::NoSuchEntry).
pub(crate) struct NoEntry {
    pub(crate) what: String,
    /// The place of the use in the program, if it is known.
    pub(crate) place: Option<&'static Location<'static>>,
}

/// Ends the fiber that named an entry that does not exist, at `place` if that is known. Outside of fibers it
/// panics.
#[cold]
#[track_caller]
pub(crate) fn no_entry(what: String, place: Option<&'static Location<'static>>) -> ! {
    if inside_fiber() && cfg!(panic = "unwind") {
        resume_unwind(Box::new(NoEntry { what, place }))
    }
    panic!("{what} does not exist")
}
