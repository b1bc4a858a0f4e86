//! Early end of a run of a simulated machine or of the stepper.

use crate::machine::cancel::CancelToken;
use crate::node::verdict::RunVerdict;
use crate::vocabulary::error::Error;

/// Conditions that end a run early.
pub(in crate::machine) struct RunLimits<'a> {
    /// Verdict of the run. A fiber may declare an error there and catch its own unwinding.
    verdict: &'a RunVerdict,
    cancel: Option<&'a CancelToken>,
    /// Maximum number of steps of the run.
    most: u64,
    /// Number of steps left, and number of them before the next full check.
    left: u64,
    unchecked: u64,
}

impl<'a> RunLimits<'a> {
    /// Number of steps between two full checks, if no unit acts meanwhile.
    const STEPS: u64 = 64;

    pub(in crate::machine) fn new(
        verdict: &'a RunVerdict,
        cancel: Option<&'a CancelToken>,
        most: u64,
    ) -> Self {
        RunLimits { verdict, cancel, most, left: most.saturating_add(1), unchecked: 0 }
    }

    /// Counts a step that is about to be taken.
    #[inline(always)]
    pub(in crate::machine) fn count(&mut self) -> Result<(), Box<Error>> {
        if self.unchecked == 0 {
            self.check_all()?;
        }
        self.unchecked -= 1;
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn check_all(&mut self) -> Result<(), Box<Error>> {
        self.check()?;
        if self.left == 0 {
            return Err(Box::new(Error::TooManySteps { limit: self.most }));
        }
        self.unchecked = self.left.min(Self::STEPS);
        self.left -= self.unchecked;
        Ok(())
    }

    /// Checks that the run is not over, after a step in which a fiber may have run.
    #[inline(always)]
    pub(in crate::machine) fn check(&self) -> Result<(), Box<Error>> {
        let cancelled = self.cancel.is_some_and(CancelToken::is_cancelled);
        if self.verdict.is_over() || cancelled { self.end(cancelled) } else { Ok(()) }
    }

    #[cold]
    fn end(&self, cancelled: bool) -> Result<(), Box<Error>> {
        match self.verdict.is_over().then(|| self.verdict.take_error()).flatten() {
            Some(error) => Err(error),
            None if cancelled => Err(Box::new(Error::Cancelled)),
            None => Ok(()),
        }
    }
}
