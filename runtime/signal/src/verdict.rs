//! The end of a run: one word, in which the first declaration wins.
//!
//! Several units may find at once that a run is over: one detects quiescence, another's fiber has just
//! panicked, a third was cancelled. A compare-and-swap from *running* makes one of them first; all other
//! declarations have no effect.
//!
//! *Cost.* Checking whether the run is over is one load of a line that every unit has in its cache and that
//! is not written until the end.

use crossbeam_utils::CachePadded;

use super::primitive::{AtomicUsize, Ordering};

const RUNNING: usize = 0;
const QUIET: usize = 1;
const FAILED: usize = 2;

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// All units are idle and no message is under way.
    Quiet,
    /// The run failed or was cancelled; the first declarer keeps the reason.
    Failed,
}

/// Whether a declaration came first.
#[must_use = "only the first declaration counts, and its maker has to follow it up"]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Declared {
    /// This declaration ended the run.
    First,
    /// The run was over already.
    TooLate,
}

/// The end of a run, which is declared once.
pub struct Verdict {
    word: CachePadded<AtomicUsize>,
}

impl Verdict {
    /// Returns a verdict that is still open.
    pub fn new() -> Self {
        Self { word: CachePadded::new(AtomicUsize::new(RUNNING)) }
    }

    /// Ends the run, unless it is over. Exactly one declaration of a run is `First`.
    pub fn declare(&self, how: Ending) -> Declared {
        let word = match how {
            Ending::Quiet => QUIET,
            Ending::Failed => FAILED,
        };
        match self.word.compare_exchange(RUNNING, word, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Declared::First,
            Err(_) => Declared::TooLate,
        }
    }

    /// Whether the run is over. If so, all writes of the first declarer before its declaration are visible.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.word.load(Ordering::Acquire) != RUNNING
    }

    /// Returns how the run ended, or `None` while it runs.
    pub fn ending(&self) -> Option<Ending> {
        match self.word.load(Ordering::Acquire) {
            RUNNING => None,
            QUIET => Some(Ending::Quiet),
            _ => Some(Ending::Failed),
        }
    }

    /// Reopens the verdict for the next run. Call it between runs, when no unit runs. Starting the units must
    /// make this write visible to them.
    pub fn reset(&self) {
        self.word.store(RUNNING, Ordering::Relaxed);
    }
}

impl Default for Verdict {
    fn default() -> Self {
        Self::new()
    }
}
