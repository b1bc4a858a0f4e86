//! A word by which other threads make a unit look up from its work. Between two fibers the unit reads only
//! this word, and looks at everything else only when the word demands it.
//!
//! A thread that makes something the unit has to see *publishes* it first and then *asks*, which marks the
//! word. The unit *answers*, which removes the mark, and then looks at everything that it may be asked for.
//!
//! ```text
//! asker                          unit, when it finds itself asked
//! publish                        answer: take the mark away, acquiring
//! ask: make the mark, releasing  look at everything
//! ```
//!
//! *No request is overlooked.* Both change the word by a read-modify-write, so a request comes either before
//! an answer or after it.
//!
//! * An earlier request is in the release sequence that the answer reads, however many threads have asked
//!   since. (A plain store would break that sequence.) So everything published before the request is visible.
//! * A later request leaves the mark, and the unit looks once more.
//!
//! An answer that loaded the word and stored another could overwrite a request that came in between; the
//! models show it. The unit asks itself by the same read-modify-write, for the same reason.
//!
//! *Messages.* While messages arrive in a row, a request for each of them would move the line of the word to
//! and fro. So a unit that has received a message *polls*: it sets a mark, looks at its queue between any two
//! fibers, and its senders do not ask. When no message has come for a while, the unit stops polling.
//!
//! ```text
//! sender                                unit that ceases to poll
//! send                                  take the mark away
//! look at the mark, and ask without it  poll again unless the queue is drained
//! ```
//!
//! The sender's claim of a cell and the unit's look at the queue ([`EventReceiver::is_drained`]) change one
//! counter. So the unit sees that something is being sent, or the sender sees that the unit does not poll.
//!
//! [`EventReceiver::is_drained`]: super::event_queue::EventReceiver::is_drained
//!
//! *Cost.* A look is one load of a line that stays in the unit's cache until a thread asks. Asking,
//! answering, beginning and ceasing to poll each cost one read-modify-write; ceasing costs one of the queue's
//! counter as well.
//! Sending to a polling unit costs one load of a line that is not written meanwhile.
//!
//! *When it loses.* A message every hundred fibers finds a unit that has just stopped polling. Each such
//! message costs the read-modify-writes of asking, answering, beginning and ceasing.

use crossbeam_utils::CachePadded;

use super::primitive::{Arc, AtomicUsize, Ordering};

/// Mark: a thread has asked since the last answer.
const ASKED: usize = 1;
/// Mark: the unit polls its queue.
const POLLS: usize = 2;

/// Result of a look at the unit's word.
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// No thread has asked, and the unit does not poll.
    Continue,
    /// No thread has asked, and the unit polls: it looks at its queue.
    Poll,
    /// A thread has asked: the unit answers, and looks at everything.
    Asked,
}

/// Handle of the unit that is asked. There is one.
///
/// ```compile_fail,E0599
/// let (attention, _asker) = earth_signal::attention();
/// let second = attention.clone();
/// ```
pub struct Attention {
    word: Arc<CachePadded<AtomicUsize>>,
    /// Whether the unit has set its `POLLS` mark.
    polls: bool,
}

/// Handle of a thread that asks; clone it for each such thread.
///
/// It can ask, but not answer:
///
/// ```compile_fail,E0599
/// let (_attention, asker) = earth_signal::attention();
/// asker.answer();
/// ```
#[derive(Clone)]
pub struct Asker {
    word: Arc<CachePadded<AtomicUsize>>,
}

/// Returns the word of one unit, without requests and not polling.
///
/// # Examples
///
/// ```
/// use earth_signal::Look;
///
/// let (mut attention, asker) = earth_signal::attention();
/// assert_eq!(attention.look(), Look::Continue);
/// attention.poll();
/// assert_eq!(attention.look(), Look::Poll);
/// asker.ask();
/// asker.clone().ask();
/// assert_eq!(attention.look(), Look::Asked);
/// attention.answer();
/// assert!(attention.cease_polling());
/// assert_eq!(attention.look(), Look::Continue);
/// ```
#[must_use]
pub fn attention() -> (Attention, Asker) {
    let word = Arc::new(CachePadded::new(AtomicUsize::new(0)));
    (Attention { word: Arc::clone(&word), polls: false }, Asker { word })
}

impl Attention {
    /// Returns the state of the word. This alone makes no published data visible; [`answer`](Self::answer)
    /// does.
    #[inline(always)]
    pub fn look(&self) -> Look {
        match self.word.load(Ordering::Relaxed) {
            0 => Look::Continue,
            POLLS => Look::Poll,
            _ => Look::Asked,
        }
    }

    /// Discards all requests and stops polling, as if new. Call it between runs, when no thread can ask.
    pub fn reset(&mut self) {
        self.word.store(0, Ordering::Relaxed);
        self.polls = false;
    }

    /// Answers all requests. The askers' earlier writes are now visible, and the unit must look at them.
    #[inline]
    pub fn answer(&mut self) {
        self.word.fetch_and(!ASKED, Ordering::Acquire);
    }

    /// Makes the unit itself look again.
    #[inline]
    pub fn ask(&mut self) {
        self.word.fetch_or(ASKED, Ordering::Relaxed);
    }

    /// Begins to look at the queue between any two fibers, so that senders need not ask.
    #[inline]
    pub fn poll(&mut self) {
        if !self.polls {
            self.word.fetch_or(POLLS, Ordering::Relaxed);
            self.polls = true;
        }
    }

    /// Stops polling. Returns whether the unit polled; it must then poll again unless its queue
    /// [is drained](super::event_queue::EventReceiver::is_drained).
    #[inline]
    #[must_use = "a message may be under way"]
    pub fn cease_polling(&mut self) -> bool {
        if self.polls {
            self.word.fetch_and(!POLLS, Ordering::Relaxed);
        }
        std::mem::take(&mut self.polls)
    }
}

impl Asker {
    /// Makes the unit look at what the caller has published before.
    #[inline]
    pub fn ask(&self) {
        self.word.fetch_or(ASKED, Ordering::Release);
    }

    /// Makes the unit look at its queue, to which the caller has sent a message, unless the unit polls.
    #[inline]
    pub fn ask_unless_polling(&self) {
        if self.word.load(Ordering::Relaxed) & POLLS == 0 {
            self.ask();
        }
    }
}
