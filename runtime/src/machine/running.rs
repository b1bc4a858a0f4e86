//! Runs in a thread of their own: the caller goes on, and asks for the result later, waits for it a while, or awaits it as a
//! future of any executor.
//!
//! ```
//! use std::time::Duration;
//!
//! use earth::{CancelToken, Error, Eu, Machine, Reply, Then, threaded};
//!
//! /// Goes round for ever.
//! struct Spins;
//!
//! #[threaded]
//! impl Spins {
//!     fn start(_out: Reply<()>, eu: &mut Eu<Self>) -> Self {
//!         eu.sync(Self::again());
//!         Spins
//!     }
//!
//!     #[slot(sync, again)]
//!     fn again(&mut self, eu: &mut Eu<Self>) -> Then {
//!         eu.sync(Self::again());
//!         Then::Wait
//!     }
//! }
//!
//! // A deadline.
//! let token = CancelToken::new();
//! let running = Machine::threads(2).cancel_token(token.clone()).start(Spins::call);
//! let (mut machine, result) = running.wait_for(Duration::from_millis(1)).unwrap_or_else(|running| {
//!     token.cancel();
//!     running.wait()
//! });
//! assert!(matches!(result, Err(Error::Cancelled)));
//! # let _ = &mut machine;
//! ```

use std::future::Future;
use std::panic::resume_unwind;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::Machine;
use crate::node::function::{Call, Threaded};
use crate::program::Run;
use crate::vocabulary::address::Reply;
use crate::vocabulary::error::Error;
use crate::vocabulary::wire::Wire;

/// What a run in a thread of its own ends with: the machine, which can run again, and the run's result.
pub type Ended<R> = (Machine, Result<Run<R>, Error>);

/// A run in a thread of its own: see [`Machine::start`]. It goes on if this is dropped.
///
/// As a future it is ready when the run is over. It is not polled again then.
#[derive(Debug)]
#[must_use = "nobody hears of a run whose handle is dropped"]
pub struct Running<R> {
    /// Nothing when the result has been taken.
    thread: Option<JoinHandle<Ended<R>>>,
    end: Arc<End>,
}

/// Whether the run is over, and who waits for it.
#[derive(Debug, Default)]
struct End {
    state: Mutex<(bool, Option<Waker>)>,
    over: Condvar,
}

/// Tells that the run is over, even if its thread panics.
struct Tells(Arc<End>);

impl Drop for Tells {
    fn drop(&mut self) {
        let waker = {
            let mut state = self.0.state.lock();
            state.0 = true;
            state.1.take()
        };
        self.0.over.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Machine {
    /// Runs a function as [`run`](Machine::run) does, in a thread of its own, which is the machine's first worker.
    ///
    /// # Panics
    ///
    /// If there cannot be one thread more.
    pub fn start<F: Threaded, R: Wire>(
        self,
        main: impl FnOnce(Reply<R>) -> Call<F> + Send + 'static,
    ) -> Running<R> {
        self.start_as(|machine| machine.run(main))
    }

    /// Has `run` run this machine in a thread of its own.
    pub(super) fn start_as<R: Send + 'static>(
        mut self,
        run: impl FnOnce(&mut Machine) -> Result<Run<R>, Error> + Send + 'static,
    ) -> Running<R> {
        let end = Arc::new(End::default());
        let tells = Tells(Arc::clone(&end));
        let thread = std::thread::spawn(move || {
            let _tells = tells;
            let result = run(&mut self);
            (self, result)
        });
        Running { thread: Some(thread), end }
    }
}

impl<R> Running<R> {
    /// Whether the run is over.
    pub fn is_over(&self) -> bool {
        self.end.state.lock().0
    }

    /// Waits until the run is over.
    pub fn wait(mut self) -> Ended<R> {
        self.take()
    }

    /// Waits until the run is over, but no longer than this: then it is given back.
    ///
    /// # Errors
    ///
    /// The run, if it is not over.
    pub fn wait_for(self, most: Duration) -> Result<Ended<R>, Self> {
        // A time that the clock cannot count to never comes.
        let until = Instant::now().checked_add(most);
        let mut state = self.end.state.lock();
        while !state.0 {
            let Some(until) = until else {
                self.end.over.wait(&mut state);
                continue;
            };
            if self.end.over.wait_until(&mut state, until).timed_out() && !state.0 {
                drop(state);
                return Err(self);
            }
        }
        drop(state);
        Ok(self.wait())
    }

    /// What it ended with. A panic of the thread goes on in this one.
    fn take(&mut self) -> Ended<R> {
        let Some(thread) = self.thread.take() else { panic!("the result of a run was taken before") };
        thread.join().unwrap_or_else(|panic| resume_unwind(panic))
    }
}

impl<R> Future for Running<R> {
    type Output = Ended<R>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let mut state = self.end.state.lock();
        if !state.0 {
            state.1 = Some(context.waker().clone());
            return Poll::Pending;
        }
        drop(state);
        Poll::Ready(self.take())
    }
}
