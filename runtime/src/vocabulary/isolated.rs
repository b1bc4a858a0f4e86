//! Answers of [isolated calls](crate::Eu::isolated), whose failure does not end the run.

use std::fmt;

use super::error::Error;
use super::wire::Wire;

/// The reason why an [isolated call](crate::Eu::isolated) gave no value.
///
/// It travels between nodes and processes, as every value does. [`error`](IsolatedError::error) names the
/// function, the fiber and the node.
#[derive(Clone, PartialEq, Eq, Debug, Wire)]
#[non_exhaustive]
pub enum IsolatedError {
    /// A fiber of the call panicked, returned an error, or used an operation wrongly. This is the error with
    /// which the run would have ended without isolation.
    Failed(Box<Error>),
    /// The call and everything that it started has ended, and none of it has put a value to the reply.
    NoAnswer,
    /// The call was made inside another isolated call, which failed.
    CallerFailed,
}

impl IsolatedError {
    /// Returns the error of the fiber that failed, if one did. A panic is an
    /// [`Error::Panicked`](crate::Error::Panicked) with its message.
    pub fn error(&self) -> Option<&Error> {
        match self {
            IsolatedError::Failed(error) => Some(error),
            IsolatedError::NoAnswer | IsolatedError::CallerFailed => None,
        }
    }
}

impl fmt::Display for IsolatedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            IsolatedError::Failed(error) => error.fmt(f),
            IsolatedError::NoAnswer => f.write_str("the isolated call ended without a value"),
            IsolatedError::CallerFailed => f.write_str("the isolated call that made this one failed"),
        }
    }
}

impl std::error::Error for IsolatedError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.error().map(|error| error as _)
    }
}
