//! The values a sender keeps for lack of room, and the order in which it sends them.
//!
//! No sender waits for room. A value that finds its queue full stays with the sender, in a private list, and
//! every later value for that queue goes behind it. While the list is not empty, the sender offers the queue
//! only the oldest value of the list. So one sender's values reach the receiver in the order in which they
//! were sent (rule 6 of ARCHITECTURE.md).
//!
//! *Why a value may not try the queue first.* Between two sends the receiver makes room. A value that then
//! entered the queue would arrive before the one that is held back. A receiver may tell rounds apart by their
//! order; it would take the value for the earlier one, a wrong result without an error. The models show it
//! (`tests/model`).
//!
//! *Proof of the order.* Let `a` be sent before `b` by one sender to one queue.
//!
//! * Either `a` entered the queue at once, and `b` later, so the queue's own order holds.
//! * Or `a` went into the list. Then `b` finds the list empty only after `a` has entered the queue, or joins
//!   the list behind `a`, and the list leaves front first.
//!
//! *Cost.* One look at the list's length per send. *When it loses:* one full queue blocks all values that
//! this sender has for it, and the list has no bound. A producer must slow down while it holds values back.

use std::collections::VecDeque;

use super::full::Full;

/// Whether a value that was sent entered its queue.
#[must_use = "a sender that holds a value back must retry, and make no new work until then"]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sent {
    /// The queue has the value: the receiver may be woken.
    Queued,
    /// The sender still has the value.
    HeldBack,
}

/// The values that one sender holds back for one queue, oldest first.
///
/// # Examples
///
/// ```
/// use earth_signal::{HeldBack, Sent, event_queue};
///
/// let (sender, mut receiver) = event_queue(1);
/// let mut held = HeldBack::new();
/// assert_eq!(held.send('a', |value| sender.send(value)), Sent::Queued);
/// assert_eq!(held.send('b', |value| sender.send(value)), Sent::HeldBack);
/// assert_eq!(receiver.receive(), Some('a'));
/// // There is room for 'c', but 'b' comes first.
/// assert_eq!(held.send('c', |value| sender.send(value)), Sent::HeldBack);
/// assert_eq!((held.flush(|value| sender.send(value)), held.len()), (1, 1));
/// assert_eq!(receiver.receive(), Some('b'));
/// ```
#[derive(Debug)]
pub struct HeldBack<T> {
    values: VecDeque<T>,
}

impl<T> HeldBack<T> {
    /// Returns an empty list.
    pub const fn new() -> Self {
        HeldBack { values: VecDeque::new() }
    }

    /// Returns the number of values held back.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether no value is held back.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Sends a value behind all values held back. `offer` gives the queue a value, or gets it back.
    #[inline]
    pub fn send(&mut self, value: T, offer: impl FnOnce(T) -> Result<(), Full<T>>) -> Sent {
        let unsent = if self.values.is_empty() { offer(value) } else { Err(Full(value)) };
        match unsent {
            Ok(()) => Sent::Queued,
            Err(Full(value)) => {
                self.values.push_back(value);
                Sent::HeldBack
            }
        }
    }

    /// Offers the queue the values held back, oldest first, until it has no room. Returns how many the queue
    /// took.
    pub fn flush(&mut self, mut offer: impl FnMut(T) -> Result<(), Full<T>>) -> usize {
        let before = self.values.len();
        while let Some(value) = self.values.pop_front() {
            if let Err(Full(value)) = offer(value) {
                self.values.push_front(value);
                break;
            }
        }
        before - self.values.len()
    }
}

impl<T> Default for HeldBack<T> {
    fn default() -> Self {
        Self::new()
    }
}
