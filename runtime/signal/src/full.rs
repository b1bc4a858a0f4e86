//! The error of a bounded queue that has no room.

use std::fmt;

/// A queue without room, with the value that was not sent.
///
/// No sender of this crate ever waits for room. The caller decides what to do with the value; the runtime
/// keeps it in a private list of the sending unit.
#[must_use = "the value was not sent and is in here"]
pub struct Full<T>(pub T);

impl<T> fmt::Debug for Full<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Full(..)")
    }
}

impl<T> fmt::Display for Full<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the queue is full")
    }
}

impl<T> std::error::Error for Full<T> {}
