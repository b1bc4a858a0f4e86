//! A word by which others have a unit look up from its work: the unit looks at this one word between two fibers, and at
//! everything else only when the word says so.
//!
//! Whoever makes something that the unit has to see *publishes* it first and then *asks*, which marks the word. The unit
//! *answers*, which takes the mark away, and then looks at everything that it may be asked for.
//!
//! ```text
//! asker                          unit, when it finds itself asked
//! publish                        answer: take the mark away, acquiring
//! ask: make the mark, releasing  look at everything
//! ```
//!
//! *Nothing is overlooked.* Both change the word by a read-modify-write, so an ask comes either before an answer or after
//! it. One that comes before is in the release sequence that the answer reads, however many others have asked since (a
//! plain store would break that sequence): what was published before is then visible. One that comes after leaves the
//! mark, and the unit looks once more. An answer that loaded the word and stored another could overwrite an ask that came
//! in between; the models show it. The unit asks itself by the same read-modify-write, for the same reason.
//!
//! *Messages.* While messages come one after another, an ask for each of them would move the line of the word to and fro. So
//! a unit that has received one *polls*: it makes a mark that says so, looks at its queue between any two fibers, and those
//! who send to it do not ask. When none has come for a while it ceases.
//!
//! ```text
//! sender                                unit that ceases to poll
//! send                                  take the mark away
//! fence (that of `Sleepers::wake`)      fence
//! look at the mark, and ask without it  look at the queue
//! ```
//!
//! Of the two fences one comes first, so the unit sees the message or the sender sees that the unit does not poll.
//!
//! *Cost.* A look is one load of a line that stays in the cache of the unit until somebody asks. Asking, answering, beginning
//! and ceasing to poll are a read-modify-write each, ceasing a fence as well. Sending to a unit that polls costs a load of a
//! line that nobody writes meanwhile.
//!
//! *When it loses.* A message every hundred fibers finds a unit that has just ceased to poll: each one costs the
//! read-modify-writes of asking, answering, beginning and ceasing.

use crossbeam_utils::CachePadded;

use super::primitive::{Arc, AtomicUsize, Ordering, fence};

/// The mark that somebody has asked since the last answer.
const ASKED: usize = 1;
/// The mark that the unit looks for messages by itself.
const POLLS: usize = 2;

/// What a unit finds when it looks at its word.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// Nobody has asked, and the unit does not poll.
    Nothing,
    /// Nobody has asked, and the unit polls: it looks at its queue.
    Poll,
    /// Somebody has asked: the unit answers, and looks at everything.
    Asked,
}

/// The handle of the unit that is asked. There is one.
///
/// ```compile_fail,E0599
/// let (attention, _asker) = earth_signal::attention();
/// let second = attention.clone();
/// ```
pub struct Attention {
    word: Arc<CachePadded<AtomicUsize>>,
    /// Whether the mark is made that says that it polls.
    polls: bool,
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

/// The word of one unit, which nobody has asked yet and which does not poll.
///
/// # Examples
///
/// ```
/// use earth_signal::Look;
///
/// let (mut attention, asker) = earth_signal::attention();
/// assert_eq!(attention.look(), Look::Nothing);
/// attention.poll();
/// assert_eq!(attention.look(), Look::Poll);
/// asker.ask();
/// asker.clone().ask();
/// assert_eq!(attention.look(), Look::Asked);
/// attention.answer();
/// attention.cease_polling();
/// assert_eq!(attention.look(), Look::Nothing);
/// ```
#[must_use]
pub fn attention() -> (Attention, Asker) {
    let word = Arc::new(CachePadded::new(AtomicUsize::new(0)));
    (Attention { word: Arc::clone(&word), polls: false }, Asker { word })
}

impl Attention {
    /// What the word says. Nothing that was published is visible by this alone: [`answer`](Self::answer) makes it so.
    #[inline(always)]
    pub fn look(&self) -> Look {
        match self.word.load(Ordering::Relaxed) {
            0 => Look::Nothing,
            POLLS => Look::Poll,
            _ => Look::Asked,
        }
    }

    /// Forgets all that was asked, and polls no more: as new. To be called between runs, when nobody has anything to ask.
    pub fn reset(&mut self) {
        self.word.store(0, Ordering::Relaxed);
        self.polls = false;
    }

    /// Answers all who have asked: what they published before is visible from now on, and is to be looked at.
    #[inline]
    pub fn answer(&mut self) {
        self.word.fetch_and(!ASKED, Ordering::Acquire);
    }

    /// Has the unit itself look again.
    #[inline]
    pub fn ask(&mut self) {
        self.word.fetch_or(ASKED, Ordering::Relaxed);
    }

    /// Looks at the queue between any two fibers from now on, so that those who send need not ask.
    #[inline]
    pub fn poll(&mut self) {
        if !self.polls {
            self.word.fetch_or(POLLS, Ordering::Relaxed);
            self.polls = true;
        }
    }

    /// Looks at the queue once more, after this call, and then only when somebody has asked.
    #[inline]
    pub fn cease_polling(&mut self) {
        if self.polls {
            self.word.fetch_and(!POLLS, Ordering::Relaxed);
            fence(Ordering::SeqCst);
            self.polls = false;
        }
    }
}

impl Asker {
    /// Has the unit look at what the caller has published before.
    #[inline]
    pub fn ask(&self) {
        self.word.fetch_or(ASKED, Ordering::Release);
    }

    /// Has the unit look at its queue, to which the caller has sent something, unless it does so by itself. Between sending
    /// and this call the caller has passed a sequentially consistent fence, most often that of
    /// `Sleepers::wake`.
    #[inline]
    pub fn ask_unless_polling(&self) {
        if self.word.load(Ordering::Relaxed) & POLLS == 0 {
            self.ask();
        }
    }
}
