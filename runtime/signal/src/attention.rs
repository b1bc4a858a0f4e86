//! A word by which others have a unit look up from its work: the unit looks at this one word between two fibers, and at
//! everything else only when it is set.
//!
//! Whoever makes something that the unit has to see *publishes* it first and then *asks*, which sets the word. The unit
//! *answers*, which clears the word, and then looks at everything that it may be asked for.
//!
//! ```text
//! asker                          unit, when it finds the word set
//! publish                        answer: clear the word, acquiring
//! ask: set the word, releasing   look at everything
//! ```
//!
//! *Nothing is overlooked.* Both change the word by a read-modify-write, so an ask comes either before an answer or after
//! it. One that comes before is in the release sequence that the answer reads, however many others have asked since (a
//! plain store would break that sequence): what was published before is then visible. One that comes after leaves the
//! word set, and the unit looks once more. An answer that loaded the word and stored zero could overwrite an ask that came
//! in between; the models show it. The unit asks itself by the same read-modify-write, for the same reason.
//!
//! *Cost.* A look is one load of a line that stays in the cache of the unit until somebody asks. Asking is a
//! read-modify-write, and so is answering.
//!
//! *When it loses.* What happens about as often as the unit looks is better looked at itself: an ask moves the line of the
//! word to the asker, and back. So messages have no ask; they are found in their queue.

use crossbeam_utils::CachePadded;

use super::primitive::{Arc, AtomicUsize, Ordering};

/// Nobody has asked since the last answer.
const UNASKED: usize = 0;
/// Somebody has.
const ASKED: usize = 1;

/// The handle of the unit that is asked. There is one.
///
/// ```compile_fail,E0599
/// let (attention, _asker) = earth_signal::attention();
/// let second = attention.clone();
/// ```
pub struct Attention {
    word: Arc<CachePadded<AtomicUsize>>,
}

/// A handle of those who ask; clone it for each of them.
///
/// It asks, and cannot answer:
///
/// ```compile_fail,E0599
/// let (_attention, asker) = earth_signal::attention();
/// asker.answer();
/// ```
#[derive(Clone)]
pub struct Asker {
    word: Arc<CachePadded<AtomicUsize>>,
}

/// The word of one unit, which nobody has asked yet.
///
/// # Examples
///
/// ```
/// let (mut attention, asker) = earth_signal::attention();
/// assert!(!attention.is_asked());
/// asker.ask();
/// asker.clone().ask();
/// assert!(attention.is_asked());
/// attention.answer();
/// assert!(!attention.is_asked());
/// ```
#[must_use]
pub fn attention() -> (Attention, Asker) {
    let word = Arc::new(CachePadded::new(AtomicUsize::new(UNASKED)));
    (Attention { word: Arc::clone(&word) }, Asker { word })
}

impl Attention {
    /// Whether somebody has asked since the last answer. It says nothing about what was published:
    /// [`answer`](Self::answer) does.
    #[inline(always)]
    pub fn is_asked(&self) -> bool {
        self.word.load(Ordering::Relaxed) != UNASKED
    }

    /// Answers all who have asked: what they published before is visible from now on, and is to be looked at.
    #[inline]
    pub fn answer(&mut self) {
        self.word.swap(UNASKED, Ordering::Acquire);
    }

    /// Has the unit itself look again.
    #[inline]
    pub fn ask(&mut self) {
        self.word.swap(ASKED, Ordering::Relaxed);
    }
}

impl Asker {
    /// Has the unit look at what the caller has published before.
    #[inline]
    pub fn ask(&self) {
        self.word.swap(ASKED, Ordering::Release);
    }
}
