//! Early end of a command: by Ctrl-C, or because its time budget is over.
//!
//! Both cancel the run, so that units stop between fibers. Reading, writing and a long fiber do not check the
//! token, so the process does not wait for them. Ctrl-C ends the process at once. A time budget ends it after
//! `GRACE`, in which the command may end by itself. Before that, [`Unfinished`] is swept, so that no
//! half-written file is left.

use std::io::{self, IsTerminal as _};
use std::time::Duration;
use std::{process, thread};

use earth::CancelToken;

use crate::io::atomic_output::Unfinished;
use crate::terminal::stderr::print_message;

/// Exit code after Ctrl-C, as in shells.
pub const INTERRUPTED: u8 = 130;

/// Time that a command may take to end by itself after its budget.
const GRACE: Duration = Duration::from_millis(300);

/// Handle to end a command early. Clones end the same command.
#[derive(Clone, Default)]
pub struct Stop {
    /// Token that cancels runs, for the machines of the command.
    pub cancel: CancelToken,
    /// Files that must not be left half-written.
    pub unfinished: Unfinished,
    /// Set when the time is over.
    out_of_time: CancelToken,
}

impl Stop {
    /// Ends the process with [`interrupt`](Self::interrupt) on Ctrl-C, and when the system asks it to end. A
    /// process calls it once. If it fails, it prints a warning.
    pub fn watch_interrupts(&self) {
        let stop = self.clone();
        let handler = ctrlc::set_handler(move || {
            if io::stderr().is_terminal() {
                // Keeps the shell's prompt off the line of a progress bar or of ^C.
                eprintln!();
            }
            stop.interrupt()
        });
        if let Err(error) = handler {
            print_message(format_args!("warning: Ctrl-C may leave a file behind: {error}"));
        }
    }

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
    /// The waiting thread cannot be started.
    pub fn after(&self, budget: Duration) -> io::Result<()> {
        let stop = self.clone();
        let wait = move || {
            thread::sleep(budget);
            stop.out_of_time.cancel();
            stop.cancel.cancel();
            thread::sleep(GRACE);
            let _swept = stop.unfinished.sweep();
            print_message(OUT_OF_TIME);
            process::exit(1);
        };
        thread::Builder::new().name("time budget".to_owned()).spawn(wait).map(drop)
    }

    /// Whether the time is over.
    pub fn is_out_of_time(&self) -> bool {
        self.out_of_time.is_cancelled()
    }
}

/// Message of a command that ends because its time is over.
pub const OUT_OF_TIME: &str = "the time of --max-seconds is over; it was stopped";
