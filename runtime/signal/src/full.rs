//! What a bounded queue says when it has no room.

use std::fmt;

/// The queue was full: the value that was not sent, given back.
///
/// No sender of this crate ever waits for room; what to do with the value is the caller's decision (the
/// runtime keeps it in a private list of the sending unit).
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
