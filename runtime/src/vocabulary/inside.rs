//! Whether a thread is inside of a machine, and how plain data tells of an entry that is not there.

use std::cell::Cell;
use std::panic::resume_unwind;

use crate::primitive::thread_local;

thread_local! {
    static INSIDE: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread steps units, so that the caller is a fiber.
pub(crate) fn inside_fiber() -> bool {
    INSIDE.with(Cell::get)
}

/// Notes whether this thread steps units.
pub(crate) fn set_inside(inside: bool) {
    INSIDE.with(|it| it.set(inside));
}

/// An entry that no frame has, as the payload of a fiber that unwinds. The machine makes
/// [`Error::NoSuchEntry`](crate::Error::NoSuchEntry) of it.
pub(crate) struct NoEntry(pub(crate) String);

/// Ends the fiber that named an entry that is not there. Elsewhere than in a fiber it panics.
#[cold]
#[track_caller]
pub(crate) fn no_entry(what: String) -> ! {
    if inside_fiber() && cfg!(panic = "unwind") {
        resume_unwind(Box::new(NoEntry(what)))
    }
    panic!("{what} was used")
}
