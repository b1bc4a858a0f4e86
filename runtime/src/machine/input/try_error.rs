//! The reason why a call from outside was not sent.

use std::fmt;

use crate::vocabulary::error::Error;

/// The reason why a call was not sent. `C` is the call, which comes back if the queue is full.
#[derive(Clone, PartialEq, Eq)]
pub enum TryError<C> {
    /// The node's queue is full, or stayed full until the deadline. For a token, the queues of all nodes.
    Full(C),
    /// An error of the input, as from [`Input::invoke`](super::Input::invoke). The call was dropped.
    Error(Error),
}

impl<C> TryError<C> {
    /// Returns the call, if the queue is full.
    pub fn call(self) -> Option<C> {
        match self {
            TryError::Full(call) => Some(call),
            TryError::Error(_) => None,
        }
    }
}

impl<C> fmt::Display for TryError<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TryError::Full(_) => f.write_str("the queue for calls from outside is full"),
            TryError::Error(error) => error.fmt(f),
        }
    }
}

impl<C> fmt::Debug for TryError<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TryError::Full(_) => f.write_str("Full(..)"),
            TryError::Error(error) => f.debug_tuple("Error").field(error).finish(),
        }
    }
}

impl<C> std::error::Error for TryError<C> {}
