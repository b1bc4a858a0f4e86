//! How a command is ended before it has finished: by Ctrl-C, or because its time is over.
//!
//! Both cancel the run, so that units stop between fibers. Reading, writing and a long fiber do not
//! look at the token, so neither is waited for: Ctrl-C ends the process at once, a time budget
//! after `GRACE`, in which the command may end by itself. Before that, [`Unfinished`] is swept, so
//! nothing half-written is left.

use std::time::Duration;
use std::{process, thread};

use earth::CancelToken;

use crate::io::aside::Unfinished;
use crate::terminal::stderr::say;

/// The exit code after Ctrl-C, as shells have it.
pub const INTERRUPTED: u8 = 130;

/// How long a command that is over its time may take to end by itself.
const GRACE: Duration = Duration::from_millis(300);

/// Ends a command before it has finished; clones end the same one.
#[derive(Clone, Default)]
pub struct Stop {
    /// Ends runs: for the machines of the command.
    pub cancel: CancelToken,
    /// The files that must not be left behind half-written.
    pub unfinished: Unfinished,
    /// Set when the time is over.
    out_of_time: CancelToken,
}

impl Stop {
    /// Ends the process with 130, as Ctrl-C does. For a thread, not for a signal handler.
    pub fn interrupt(&self) -> ! {
        self.cancel.cancel();
        let _swept = self.unfinished.sweep();
        process::exit(INTERRUPTED.into());
    }

    /// Ends the command when `budget` is over, counted from now.
    ///
    /// # Errors
    ///
    /// If there can be no thread that waits.
    pub fn after(&self, budget: Duration) -> std::io::Result<()> {
        let stop = self.clone();
        let wait = move || {
            thread::sleep(budget);
            stop.out_of_time.cancel();
            stop.cancel.cancel();
            thread::sleep(GRACE);
            let _swept = stop.unfinished.sweep();
            say(OUT_OF_TIME);
            process::exit(1);
        };
        thread::Builder::new().name("time budget".to_owned()).spawn(wait).map(drop)
    }

    /// Whether the time is over.
    pub fn is_out_of_time(&self) -> bool {
        self.out_of_time.is_cancelled()
    }
}

/// The message of a command that ends because its time is over.
pub const OUT_OF_TIME: &str = "the time of --max-seconds is over; it was stopped";
