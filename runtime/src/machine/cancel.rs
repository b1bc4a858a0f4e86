//! Ending a run from outside.

use std::sync::{Arc, Weak};

use earth_signal::{Flag, ProcessLock};

/// Ends the runs of the machines that were given it. Clones cancel the same runs.
///
/// A run ends when the fibers that run now have returned. Cancelling takes a lock for a short time, so it
/// belongs in a thread, not in a signal handler. In a forked child a token is a copy: neither process cancels runs of
/// the other.
///
/// ```
/// # use earth::{CancelToken, Error, Eu, Machine, Reply, threaded};
/// # struct Answer;
/// # #[threaded]
/// # impl Answer {
/// #     fn start(out: Reply<u64>, eu: &mut Eu<Self>) {
/// #         eu.put(out, 42);
/// #     }
/// # }
/// let token = CancelToken::new();
/// let mut machine = Machine::threads(1).cancel_token(token.clone());
/// token.cancel();
/// assert_eq!(machine.run(Answer::call).unwrap_err(), Error::Cancelled);
/// ```
#[derive(Clone)]
pub struct CancelToken {
    flag: Flag,
    /// The machines that are told of a cancellation.
    machines: Arc<ProcessLock<Vec<Weak<dyn Cancels>>>>,
}

/// A machine that has to be told of a cancellation because its workers do not look at the flag.
pub(super) trait Cancels: Send + Sync {
    /// Ends the run that is on, if any is.
    fn cancel(&self);
}

impl CancelToken {
    /// A token that has not been cancelled.
    pub fn new() -> Self {
        CancelToken { flag: Flag::new(), machines: Arc::default() }
    }

    /// Tells `machine` when the token is cancelled, as long as there is that machine.
    pub(super) fn tell(&self, machine: Weak<dyn Cancels>) {
        // A run in a child of which the lock is held for ever ends by itself alone.
        let Some(mut machines) = self.machines.lock() else { return };
        machines.retain(|machine| machine.strong_count() > 0);
        machines.push(machine);
    }

    /// Ends the runs, now and in future.
    pub fn cancel(&self) {
        // A run that begins sees the flag; one that is on is told after it was raised.
        self.flag.raise();
        let Some(machines) = self.machines.lock() else { return };
        machines.iter().filter_map(Weak::upgrade).for_each(|machine| machine.cancel());
    }

    /// Whether it was cancelled.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.flag.is_raised()
    }
}

impl Default for CancelToken {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CancelToken").field("cancelled", &self.is_cancelled()).finish()
    }
}
