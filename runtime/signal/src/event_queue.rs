//! The event queue: many senders, one receiver, bounded. Everything that reaches an SU from
//! another thread comes this way.
//!
//! A sender claims the next ticket by a compare-and-swap on a counter that only senders touch, writes its
//! value into the ticket's cell and marks the cell full. The receiver keeps its position to itself: it looks
//! at one cell, takes the value and marks the cell free for the next lap.
//!
//! *Order.* The values of one sender arrive in the order in which it sent them;
//! between senders there is none.
//!
//! *Cost.* An empty poll is one load of a line in the cache. A value moves with its cell's line; senders
//! further share the counter's line. A send retries only when another sender has succeeded.
//!
//! *When it loses.* A sender that is stopped between claiming its cell and filling it holds up the values
//! behind it: nothing is lost, but [`EventReceiver::receive`] returns `None` until the cell is filled.

use crossbeam_utils::CachePadded;

use super::full::Full;
use super::primitive::{Arc, AtomicUsize, Ordering};
use super::ring::{Ring, Ticket, Turn, next, ticket};

struct Shared<T> {
    tail: CachePadded<AtomicUsize>,
    ring: Ring<T>,
}

/// A sending handle of an event queue; clone it for every thread that sends.
pub struct EventSender<T> {
    shared: Arc<Shared<T>>,
}

/// The receiving handle of an event queue. There is one.
///
/// It can be given to another thread, but neither copied nor used through a shared reference:
///
/// ```compile_fail,E0599
/// let (_sender, receiver) = earth_signal::event_queue::<u32>(8);
/// let second = receiver.clone();
/// ```
///
/// ```compile_fail,E0596
/// let (_sender, receiver) = earth_signal::event_queue::<u32>(8);
/// let shared = &receiver;
/// shared.receive();
/// ```
pub struct EventReceiver<T> {
    shared: Arc<Shared<T>>,
    head: Ticket,
}

/// An event queue with room for `capacity` values.
///
/// What is still queued when the last handle goes is dropped with it.
///
/// # Panics
///
/// If `capacity` is not a power of two (1 is one).
///
/// # Examples
///
/// ```
/// let (sender, mut receiver) = earth_signal::event_queue(2);
/// sender.send('a').unwrap();
/// sender.clone().send('b').unwrap();
/// assert_eq!(sender.send('c').unwrap_err().0, 'c');
/// assert_eq!(receiver.receive(), Some('a'));
/// ```
#[must_use]
pub fn event_queue<T: Send>(capacity: usize) -> (EventSender<T>, EventReceiver<T>) {
    starting_at(capacity, 0)
}

/// As [`event_queue`], with the first position numbered `first`: the models start shortly
/// before the counters wrap.
pub(crate) fn starting_at<T: Send>(capacity: usize, first: usize) -> (EventSender<T>, EventReceiver<T>) {
    let head = ticket(first);
    let shared = Arc::new(Shared {
        tail: CachePadded::new(AtomicUsize::new(head)),
        ring: Ring::starting_at(capacity, first),
    });
    (EventSender { shared: Arc::clone(&shared) }, EventReceiver { shared, head })
}

impl<T: Send> EventSender<T> {
    /// Sends a value, or gives it back if the queue is full. Never waits.
    ///
    /// A sender whose receiver may be asleep wakes it after every send that succeeded, not only after those that found
    /// the queue empty: an earlier value may not be visible yet.
    #[inline]
    pub fn send(&self, value: T) -> Result<(), Full<T>> {
        let Shared { tail, ring } = &*self.shared;
        let mut mine = tail.load(Ordering::Relaxed);
        loop {
            match ring.turn_to_fill(mine) {
                Turn::Now => {
                    match tail.compare_exchange_weak(mine, next(mine), Ordering::Relaxed, Ordering::Relaxed) {
                        Ok(_) => {
                            // SAFETY: the exchange gave this thread, and no other, the ticket; the cell was
                            // free for it and stays so, because only the holder of the ticket changes it.
                            unsafe { ring.fill(mine, value) };
                            return Ok(());
                        }
                        Err(current) => mine = current,
                    }
                }
                Turn::NotYet => return Err(Full(value)),
                Turn::Past => mine = tail.load(Ordering::Relaxed),
            }
        }
    }
}

impl<T> Clone for EventSender<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<T: Send> EventReceiver<T> {
    /// The next value, if it has arrived.
    ///
    /// `None` also while a sender is between claiming the next cell and filling it: values behind it wait, so
    /// that the order of every sender is kept.
    #[inline]
    pub fn receive(&mut self) -> Option<T> {
        if !matches!(self.shared.ring.turn_to_take(self.head), Turn::Now) {
            return None;
        }
        // SAFETY: there is one receiver and it is borrowed mutably, so the claim is ours; the cell has just
        // said that it holds the value.
        let value = unsafe { self.shared.ring.take(self.head) };
        self.head = next(self.head);
        Some(value)
    }

    /// How many values have been sent and not received, or are being sent: a picture of a moment.
    #[expect(
        clippy::len_without_is_empty,
        reason = "is_empty says what may be received, so it takes the receiver alone"
    )]
    pub fn len(&self) -> usize {
        self.shared.tail.load(Ordering::Relaxed).wrapping_sub(self.head) / 2
    }

    /// Whether [`receive`](Self::receive) would find nothing now.
    #[inline]
    pub fn is_empty(&mut self) -> bool {
        !matches!(self.shared.ring.turn_to_take(self.head), Turn::Now)
    }
}
