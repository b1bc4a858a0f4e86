//! How a run ends: one word, and the first declaration wins.
//!
//! Several units may find at once that a run is over: one sees quiescence, another's fiber has just panicked,
//! a third was cancelled. A compare-and-swap from *running* makes one of them first; everybody else's
//! declaration changes nothing.
//!
//! *Cost.* Asking whether the run is over is one load of a line that everybody has in its cache and
//! nobody writes until the end.

use crossbeam_utils::CachePadded;

use super::primitive::{AtomicUsize, Ordering};

const RUNNING: usize = 0;
const QUIET: usize = 1;
const FAILED: usize = 2;

/// How a run can end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// No unit has anything to do and no message is under way.
    Quiet,
    /// Something went wrong, or the run was cancelled; whoever is first keeps the reason.
    Failed,
}

/// Whether a declaration counted.
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
    /// The run is on.
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

    /// Whether the run is over. What the first declarer did before its declaration is then visible.
    #[inline]
    pub fn is_over(&self) -> bool {
        self.word.load(Ordering::Acquire) != RUNNING
    }

    /// How the run ended, if it has.
    pub fn ending(&self) -> Option<Ending> {
        match self.word.load(Ordering::Acquire) {
            RUNNING => None,
            QUIET => Some(Ending::Quiet),
            _ => Some(Ending::Failed),
        }
    }

    /// The next run is on. To be called between runs, when no unit runs: what starts the
    /// units must make it visible.
    pub fn reset(&self) {
        self.word.store(RUNNING, Ordering::Relaxed);
    }
}

impl Default for Verdict {
    fn default() -> Self {
        Self::new()
    }
}
