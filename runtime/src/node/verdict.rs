//! How a run ends, as all units of a machine share it: whether it is over, and the first error.
//!
//! An error is declared where an operation meets it, before the fiber unwinds. So a fiber that catches what
//! unwinds ends the run all the same, and the run gives the error that came first.

use earth_signal::{Asker, Declared, Ending, Verdict};

use crate::primitive::Mutex;
use crate::vocabulary::error::Error;

/// The end of a run and its first error.
pub(crate) struct RunVerdict {
    word: Verdict,
    /// Written by whoever declares failure first, while this is locked.
    error: Mutex<Option<Box<Error>>>,
    /// Those of the units that run many fibers before they look whether the run is over.
    askers: Mutex<Vec<Asker>>,
}

impl RunVerdict {
    /// The run is on.
    pub(crate) fn new() -> Self {
        RunVerdict { word: Verdict::new(), error: Mutex::new(None), askers: Mutex::default() }
    }

    /// Asks these to look, in place of those before, when an error ends a run.
    pub(crate) fn tell(&self, askers: Vec<Asker>) {
        *self.askers.lock() = askers;
    }

    /// Prepares for the next run.
    pub(crate) fn reset(&self) {
        *self.error.lock() = None;
        self.word.reset();
    }

    #[inline(always)]
    pub(crate) fn is_over(&self) -> bool {
        self.word.is_over()
    }

    /// Whether an error ended the run.
    pub(crate) fn has_failed(&self) -> bool {
        self.word.ending() == Some(Ending::Failed)
    }

    /// Ends the run well, unless it is over. No unit runs fibers then.
    pub(crate) fn settle(&self) {
        let _ = self.word.declare(Ending::Quiet);
    }

    /// Ends the run with an error, unless it is over.
    pub(crate) fn fail(&self, error: Box<Error>) {
        let mut first = self.error.lock();
        if self.word.declare(Ending::Failed) == Declared::First {
            *first = Some(error);
            self.askers.lock().iter().for_each(Asker::ask);
        }
    }

    /// A copy of the error that ended the run, if one did.
    pub(crate) fn error(&self) -> Option<Box<Error>> {
        self.error.lock().clone()
    }

    /// The error that ended the run, if one did.
    pub(crate) fn take_error(&self) -> Option<Box<Error>> {
        self.error.lock().take()
    }
}
