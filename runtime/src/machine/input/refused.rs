//! Requests that a full queue has refused, and that come back to the caller.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::gate::{InputGate, Patience};
use super::answer::Answer;
use super::calls::{Goal, send};
use super::try_error::TryError;
use crate::node::function::{Call, Threaded};
use crate::vocabulary::error::Error;
use crate::vocabulary::wire::Wire;

/// A request that was not sent, because a queue was full: the call, and the place of its answer. It can be
/// sent later. If it is dropped, the call is dropped.
#[must_use = "the request is lost if this is dropped"]
pub struct Unsent<F: Threaded, T> {
    pub(super) goal: Goal,
    pub(super) gate: Arc<InputGate>,
    /// `None` only while the value is dropped or taken apart.
    pub(super) parts: Option<(Call<F>, Answer<T>)>,
}

impl<F: Threaded, T: Wire> Unsent<F, T> {
    /// Sends the request, and waits while the queue is full.
    ///
    /// # Errors
    ///
    /// The errors of [`Input::ask`](super::Input::ask), and [`Error::Unanswered`] if the input was closed.
    pub fn send(self) -> Result<Answer<T>, Error> {
        self.send_with(Patience::Forever).map_err(|error| match error {
            TryError::Error(error) => error,
            TryError::Full(_) => unreachable!("the sender waits for room"),
        })
    }

    /// Sends the request unless the queue is full.
    ///
    /// # Errors
    ///
    /// [`TryError::Full`] with the request, or the errors of [`send`](Unsent::send).
    pub fn try_send(self) -> Result<Answer<T>, TryError<Self>> {
        self.send_with(Patience::None)
    }

    /// Sends the request, and waits for room at most the time `most`.
    ///
    /// # Errors
    ///
    /// [`TryError::Full`] with the request, or the errors of [`send`](Unsent::send).
    pub fn send_timeout(self, most: Duration) -> Result<Answer<T>, TryError<Self>> {
        self.send_with(patience(most))
    }

    pub(super) fn send_with(mut self, patience: Patience) -> Result<Answer<T>, TryError<Self>> {
        let Some((call, answer)) = self.parts.take() else { unreachable!("only `drop` leaves it empty") };
        match send(&self.gate, self.goal, call, patience) {
            Ok(()) => Ok(answer),
            Err(TryError::Full(call)) => {
                self.parts = Some((call, answer));
                Err(TryError::Full(self))
            }
            Err(TryError::Error(error)) => {
                answer.withdraw();
                Err(TryError::Error(error))
            }
        }
    }
}

impl<F: Threaded, T> Drop for Unsent<F, T> {
    fn drop(&mut self) {
        if let Some((_, answer)) = self.parts.take() {
            answer.withdraw();
        }
    }
}

impl<F: Threaded, T> fmt::Debug for Unsent<F, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Unsent").field(&self.parts.as_ref().map(|(call, _)| call)).finish()
    }
}

/// Returns the patience of a sender that waits at most the time `most`.
pub(super) fn patience(most: Duration) -> Patience {
    Instant::now().checked_add(most).map_or(Patience::Forever, Patience::Until)
}
