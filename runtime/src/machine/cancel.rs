//! Cancellation of a run from outside.

use std::sync::{Arc, Weak};

use earth_signal::{Flag, ProcessLock};

/// Token that ends the runs of every machine that has it. Clones cancel the same runs.
///
/// A run ends when the fibers that are running have returned. Cancelling takes a lock for a short time, so
/// call it from a thread and not from a signal handler. In a forked child a token is a copy: neither process
/// cancels the other's runs.
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
    /// Machines to notify of a cancellation.
    machines: Arc<ProcessLock<Vec<Weak<dyn Cancels>>>>,
}

/// Machine that must be notified of a cancellation, because its workers do not poll the flag.
pub(super) trait Cancels: Send + Sync {
    /// Ends the run in progress, if there is one.
    fn cancel(&self);
}

impl CancelToken {
    /// Makes a token that is not cancelled.
    pub fn new() -> Self {
        CancelToken { flag: Flag::new(), machines: Arc::default() }
    }

    /// Registers `machine` for notification as long as it exists.
    pub(super) fn notify_on_cancel(&self, machine: Weak<dyn Cancels>) {
        // If a fork left the lock held in this child, the machine gets no notification, and its runs cannot
        // be cancelled.
        let Some(mut machines) = self.machines.lock() else { return };
        machines.retain(|machine| machine.strong_count() > 0);
        machines.push(machine);
    }

    /// Ends all current and future runs.
    pub fn cancel(&self) {
        // A run that begins later sees the flag. A run in progress is notified after the flag is raised.
        self.flag.raise();
        let Some(machines) = self.machines.lock() else { return };
        machines.iter().filter_map(Weak::upgrade).for_each(|machine| machine.cancel());
    }

    /// Returns whether the token was cancelled.
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
