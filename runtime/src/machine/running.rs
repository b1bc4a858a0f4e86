//! Runs in a thread of their own. The caller continues, and asks for the result later, waits for it with a
//! time limit, or awaits it as a future of any executor.
//!
//! ```
//! use std::time::Duration;
//!
//! use earth::{CancelToken, Error, Eu, Machine, Reply, Then, threaded};
//!
//! /// Never ends.
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
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::Pin;
use std::sync::{Arc, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use earth_signal::{Process, ProcessLock};

use super::gate::InputGate;
use super::panics::drop_ignoring_panics;
use super::{Machine, Maker, thread};
use crate::node::function::{Call, Threaded};
use crate::primitive::sync::mpsc::channel;
use crate::primitive::sync::{Condvar, MutexGuard};
use crate::primitive::thread::JoinHandle;
use crate::program::Run;
use crate::vocabulary::address::Reply;
use crate::vocabulary::error::Error;
use crate::vocabulary::shared::SharedValues;
use crate::vocabulary::wire::Wire;

/// End of a run in its own thread: the machine, which can run again, and the run's result.
pub type Ended<R> = (Machine, Result<Run<R>, Error>);

/// Run in a thread of its own: see [`Machine::start`]. The run continues if this handle is dropped.
///
/// As a future, it is ready when the run is over. It must not be polled again after that.
///
/// If the process forks during the run, the child's copy is over, with [`Error::Forked`] and a machine of the
/// same settings.
#[doc(alias = "join_handle")]
#[doc(alias = "JoinHandle")]
#[doc(alias = "future")]
#[must_use = "a run whose handle is dropped continues, but its result is lost"]
pub struct Running<R> {
    thread: Option<JoinHandle<()>>,
    end: Arc<End<R>>,
    /// Process that owns the thread.
    process: Process,
    /// Makes a machine for a child of that process.
    maker: Option<Maker>,
}

/// Whether the run is over, and who waits for it.
struct End<R> {
    state: ProcessLock<State<R>>,
    over: Condvar,
}

/// End of a run, or the panic of its thread.
type JoinResult<R> = crate::primitive::thread::Result<Ended<R>>;

struct State<R> {
    is_over: bool,
    /// `None` after a caller has taken it.
    ended: Option<JoinResult<R>>,
    waker: Option<Waker>,
}

impl<R> End<R> {
    fn new() -> Self {
        End {
            state: ProcessLock::new(State { is_over: false, ended: None, waker: None }),
            over: Condvar::new(),
        }
    }

    /// Publishes the end of the run and wakes the waiters.
    fn finish(&self, ended: JoinResult<R>) {
        let Some(mut state) = self.state.lock() else { return };
        state.is_over = true;
        state.ended = Some(ended);
        let waker = state.waker.take();
        drop(state);
        self.over.notify_all();
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Machine {
    /// Runs a function as [`run`](Machine::run) does, in a thread of its own. That thread is the machine's
    /// first worker, and its stack is as large as the others'. If it cannot be started, the run ends with
    /// [`Error::CannotBuild`].
    #[doc(alias = "spawn")]
    pub fn start<F: Threaded, R: Wire>(
        self,
        main: impl FnOnce(Reply<R>) -> Call<F> + Send + 'static,
    ) -> Running<R> {
        self.start_as(None, |machine, gate| machine.run_through(gate, None, SharedValues::default(), main))
    }

    /// Has `run` run this machine in a thread of its own, with input through `gate` if there is one.
    pub(super) fn start_as<R: Send + 'static, W>(self, gate: Option<Arc<InputGate>>, run: W) -> Running<R>
    where
        W: FnOnce(&mut Machine, Option<&InputGate>) -> Result<Run<R>, Error> + Send + 'static,
    {
        let (end, process, maker) = (Arc::new(End::new()), Process::current(), self.maker());
        // The machine and the work stay in this thread if the other thread cannot be started.
        let (give, given) = channel::<(Machine, Option<Arc<InputGate>>, W)>();
        let reports_addresses = Arc::clone(&end);
        let work = move || {
            let Ok((mut machine, gate, run)) = given.recv() else { return };
            let ended = catch_unwind(AssertUnwindSafe(|| {
                let result = InputGate::during(gate.as_deref(), |gate| run(&mut machine, gate));
                (machine, result)
            }));
            thread::end_in_child(process);
            reports_addresses.finish(ended);
        };
        let stack = self.settings.check().map(|()| self.settings.stack_size);
        let thread = match stack.and_then(|stack| thread::start("earth-0", stack, work)) {
            Ok(thread) => {
                // The receiving thread waits for this message.
                let _ = give.send((self, gate, run));
                Some(thread)
            }
            Err(error) => {
                drop_ignoring_panics(run);
                let result = InputGate::during(gate.as_deref(), |_| Err(error));
                end.finish(Ok((self, result)));
                None
            }
        };
        Running { thread, end, process, maker: Some(maker) }
    }
}

impl<R> Running<R> {
    /// Returns whether the run is over.
    pub fn is_over(&self) -> bool {
        !self.process.is_current() || self.end.state.lock().is_none_or(|state| state.is_over)
    }

    /// Waits until the run is over.
    #[doc(alias = "join")]
    pub fn wait(mut self) -> Ended<R> {
        let Some(state) = self.state() else { return self.forked() };
        let over = self.end.over.wait_while(state, |state| !state.is_over);
        let mut state = over.unwrap_or_else(PoisonError::into_inner);
        let ended = state.ended.take();
        drop(state);
        self.give(ended)
    }

    /// Waits until the run is over, for at most the time `most`.
    ///
    /// # Errors
    ///
    /// The handle itself, if the run is not over by then.
    #[doc(alias = "timeout")]
    pub fn wait_for(self, most: Duration) -> Result<Ended<R>, Self> {
        let is_over = self.state().is_none_or(|state| {
            let waited = self.end.over.wait_timeout_while(state, most, |state| !state.is_over);
            waited.unwrap_or_else(PoisonError::into_inner).0.is_over
        });
        if is_over { Ok(self.wait()) } else { Err(self) }
    }

    /// Returns the state of the run, unless another process owns the run and it was not over when this
    /// process forked.
    fn state(&self) -> Option<MutexGuard<'_, State<R>>> {
        self.end.state.lock().filter(|state| state.is_over || self.process.is_current())
    }

    /// Joins the thread and returns the end of the run. Resumes a panic of the thread in the caller.
    fn give(&mut self, ended: Option<JoinResult<R>>) -> Ended<R> {
        let Some(ended) = ended else { panic!("the result of this run was already taken") };
        if let Some(thread) = self.thread.take_if(|_| self.process.is_current()) {
            // The thread caught the panic of its run.
            let _ = thread.join();
        }
        ended.unwrap_or_else(|panic| resume_unwind(panic))
    }

    /// Returns the end of the run in a child of the process that owns it.
    fn forked(&mut self) -> Ended<R> {
        let Some(maker) = self.maker.take() else { panic!("the result of this run was already taken") };
        (maker(), Err(Error::Forked { what: "the run".into() }))
    }
}

impl<R> Future for Running<R> {
    type Output = Ended<R>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let Some(mut state) = self.state() else { return Poll::Ready(self.forked()) };
        if !state.is_over {
            state.waker = Some(context.waker().clone());
            return Poll::Pending;
        }
        let ended = state.ended.take();
        drop(state);
        Poll::Ready(self.give(ended))
    }
}

impl<R> Drop for Running<R> {
    fn drop(&mut self) {
        if !self.process.is_current() {
            // Even detaching a thread that does not exist in this process is undefined behavior.
            std::mem::forget(self.thread.take());
        }
    }
}

impl<R> std::fmt::Debug for Running<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("is_over", &self.is_over()).finish_non_exhaustive()
    }
}
