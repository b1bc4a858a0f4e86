//! Answer to a request from outside of a run: waited for, with or without a time limit, or awaited.

use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use earth_signal::{Answers, Asked, Process};

use crate::primitive::spin_loop;
use crate::primitive::thread::yield_now;
use crate::vocabulary::address::Reply;
use crate::vocabulary::answers::{self, AnswerPlaces, Outcome};
use crate::vocabulary::error::Error;
use crate::vocabulary::inside::inside_fiber;
use crate::vocabulary::value::{self, Carried, ReadValue};
use crate::vocabulary::wire::Wire;

/// Number of looks for the answer before the thread yields its core. This is a few microseconds, longer than
/// a short function on another core takes to answer.
const LOOKS: usize = 200;

/// Number of times that the thread yields its core, with a look after each, before it sleeps.
const YIELDS: usize = 16;

/// The answer to one request of [`Input::ask`](super::Input::ask).
///
/// A thread waits for it, or any executor awaits it as a future. It must not be polled again after it was
/// ready. If it is dropped, the called function still runs, and its answer is discarded.
///
/// Each request has exactly one outcome: the value that a fiber puts to the request's reply, or an error. A
/// second value for the reply ends the run with [`Error::StaleAddress`].
///
/// # Errors
///
/// * The error that ended the run.
/// * [`Error::Unanswered`] if the run has ended and no fiber has put a value to the reply.
/// * [`Error::Forked`] in a child of the process that made the request.
/// * [`Error::InsideFiber`] if a fiber waits for it.
///
/// While the run's input is open, a function that forgets its reply leaves the answer pending: any fiber or
/// value may still hold the address. [`wait_for`](Answer::wait_for) bounds the wait.
#[must_use = "the answer is discarded if this is dropped"]
pub struct Answer<T> {
    /// `None` after the answer was taken.
    asked: Option<Asked<Outcome, ReadValue>>,
    process: Process,
    takes: PhantomData<fn() -> T>,
}

impl<T: Wire> Answer<T> {
    /// Takes a place for an answer. Its address is on node `node`. The value may arrive as bytes if
    /// `reads_bytes` is true.
    pub(super) fn new(
        places: &Arc<AnswerPlaces>,
        process: Process,
        node: u32,
        reads_bytes: bool,
    ) -> (Self, Reply<T>) {
        let asked = Answers::ask(places, reads_bytes.then_some(value::unpack::<T> as ReadValue));
        let reply = Reply::new(answers::address(asked.place(), node));
        (Answer { asked: Some(asked), process, takes: PhantomData }, reply)
    }

    /// Waits for the answer. The thread first looks for some microseconds, and then sleeps.
    ///
    /// # Errors
    ///
    /// The errors of [`Answer`].
    #[doc(alias = "join")]
    #[doc(alias = "recv")]
    pub fn wait(mut self) -> Result<T, Error> {
        match self.waited(None) {
            Some(outcome) => outcome,
            None => unreachable!("a wait without a deadline ends with the answer"),
        }
    }

    /// Waits for the answer, for at most the time `most`.
    ///
    /// # Errors
    ///
    /// The handle itself, if there is no answer by then.
    #[doc(alias = "timeout")]
    #[doc(alias = "recv_timeout")]
    pub fn wait_for(self, most: Duration) -> Result<Result<T, Error>, Self> {
        match Instant::now().checked_add(most) {
            Some(deadline) => self.wait_until(deadline),
            None => Ok(self.wait()),
        }
    }

    /// Waits for the answer until `deadline`.
    ///
    /// # Errors
    ///
    /// The handle itself, if there is no answer by then.
    #[doc(alias = "timeout_at")]
    pub fn wait_until(mut self, deadline: Instant) -> Result<Result<T, Error>, Self> {
        self.waited(Some(deadline)).ok_or(self)
    }

    /// Returns the answer if it is there.
    ///
    /// # Errors
    ///
    /// The handle itself, if there is no answer yet.
    #[doc(alias = "try_recv")]
    pub fn try_take(mut self) -> Result<Result<T, Error>, Self> {
        self.outcome().ok_or(self)
    }

    /// Returns whether the answer or an error is there.
    pub fn is_given(&self) -> bool {
        !self.process.is_current() || self.asked.as_ref().is_none_or(Asked::is_given)
    }

    /// Waits until `deadline`, if there is one. Returns `None` if there is no answer by then.
    fn waited(&mut self, deadline: Option<Instant>) -> Option<Result<T, Error>> {
        for look in 0..LOOKS + YIELDS {
            if self.is_given() {
                return self.outcome();
            }
            if look < LOOKS {
                // A pause takes longer than a look.
                if look >= LOOKS / 2 {
                    spin_loop();
                }
                continue;
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return None;
            }
            yield_now();
        }
        if inside_fiber() {
            return Some(Err(Error::InsideFiber));
        }
        loop {
            if let Some(outcome) = self.outcome() {
                return Some(outcome);
            }
            if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                return None;
            }
            self.asked.as_ref()?.sleep(deadline);
        }
    }

    /// Takes the outcome, if there is one.
    fn outcome(&mut self) -> Option<Result<T, Error>> {
        if !self.process.is_current() {
            return Some(Err(Error::Forked { what: "the answer".into() }));
        }
        let outcome = match &mut self.asked {
            Some(asked) => asked.take_out()?,
            None => panic!("the answer was already taken"),
        };
        self.asked = None;
        Some(match outcome {
            // The address is typed, so another type comes only with an address of another run.
            Ok(mut value) => value.take(T::KIND).ok_or(Error::Unanswered),
            Err(error) => Err(*error),
        })
    }
}

impl<T> Answer<T> {
    /// Frees the place of a request that was not sent.
    pub(super) fn withdraw(mut self) {
        if self.process.is_current()
            && let Some(asked) = self.asked.take()
        {
            asked.withdraw();
        }
    }
}

impl<T: Wire> Future for Answer<T> {
    type Output = Result<T, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if !self.is_given()
            && let Some(asked) = &self.asked
            && !asked.wake_by(context.waker())
        {
            return Poll::Pending;
        }
        match self.outcome() {
            Some(outcome) => Poll::Ready(outcome),
            None => Poll::Pending,
        }
    }
}

impl<T> Drop for Answer<T> {
    fn drop(&mut self) {
        // In a child, a thread of the parent may have held the locks.
        if !self.process.is_current()
            && let Some(asked) = self.asked.take()
        {
            asked.forget();
        }
    }
}

impl<T> std::fmt::Debug for Answer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Answer").finish_non_exhaustive()
    }
}
