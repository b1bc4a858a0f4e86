//! Ending a run from outside.

use earth_signal::Flag;

/// Ends the runs of the machines that were given it. Clones cancel the same runs.
///
/// Units look at it between fibers: a run ends when the fibers that run now have returned.
///
/// ```
/// # use earth::{threaded, CancelToken, Error, Machine, Reply, Then};
/// # threaded! {
/// #     fn Answer(out: Reply<u64>)
/// #     fiber start(this, eu) { eu.put(this.out, 42); Then::End }
/// # }
/// let token = CancelToken::new();
/// let mut machine = Machine::threads(1).cancel_token(token.clone());
/// token.cancel();
/// assert_eq!(machine.run::<Answer>(()).unwrap_err(), Error::Cancelled);
/// ```
#[derive(Clone)]
pub struct CancelToken {
    flag: Flag,
}

impl CancelToken {
    /// A token that has not been cancelled.
    pub fn new() -> Self {
        CancelToken { flag: Flag::new() }
    }

    /// Ends the runs, now and in future.
    pub fn cancel(&self) {
        self.flag.raise();
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
