//! The end of a run, shared by all units of a machine: whether the run is over, and its first error.
//!
//! An operation that fails declares its error before the fiber unwinds. A fiber that catches the unwinding
//! therefore does not save the run, and the run returns the first error.

use earth_signal::{Asker, Declared, Ending, Verdict};

use crate::primitive::Mutex;
use crate::vocabulary::error::Error;

/// The end of a run and its first error.
pub(crate) struct RunVerdict {
    word: Verdict,
    /// Written under the lock by the unit that declares failure first.
    error: Mutex<Option<Box<Error>>>,
    /// Ask the units that run many fibers before they check whether the run is over.
    askers: Mutex<Vec<Asker>>,
}

impl RunVerdict {
    /// Makes the verdict of a run that is not over.
    pub(crate) fn new() -> Self {
        RunVerdict { word: Verdict::new(), error: Mutex::new(None), askers: Mutex::default() }
    }

    /// Replaces the units to ask when an error ends a run.
    pub(crate) fn set_askers(&self, askers: Vec<Asker>) {
        *self.askers.lock() = askers;
    }

    pub(crate) fn reset(&self) {
        *self.error.lock() = None;
        self.word.reset();
    }

    #[inline(always)]
    pub(crate) fn is_over(&self) -> bool {
        self.word.is_over()
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.word.ending() == Some(Ending::Failed)
    }

    /// Ends the run without an error, unless it is over. No unit may be running fibers.
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

    /// Returns a copy of the error that ended the run, if there is one.
    pub(crate) fn error(&self) -> Option<Box<Error>> {
        self.error.lock().clone()
    }

    /// Takes the error that ended the run, if there is one.
    pub(crate) fn take_error(&self) -> Option<Box<Error>> {
        self.error.lock().take()
    }
}
