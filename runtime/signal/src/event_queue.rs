//! Event queue: bounded, many senders, one receiver. All messages from other threads reach an SU through it.
//!
//! A sender claims the next ticket by a compare-and-swap on a counter that only senders touch, writes its
//! value into the ticket's cell and marks the cell full. The receiver keeps its position private: it looks at
//! one cell, takes the value and marks the cell free for the next lap.
//!
//! *Order.* The values of one sender arrive in the order in which it sent them. Values of different senders
//! are not ordered.
//!
//! *Notes.* Most messages are much smaller than the largest value: a signal is an address. So a queue may
//! carry values of a second type, *notes*, in the same order as values. A note of at most 48 bytes fits in
//! the line of its cell's word. The sender does not write the cell's second line, and the receiver does not
//! fetch it.
//!
//! *A receiver that rests.* A receiver that will sleep, or that stops polling, announces this in a word that
//! its senders read after they have sent. Then it looks at the counter of tickets by a read-modify-write
//! ([`EventReceiver::is_drained`]). A sender's claim changes the same counter, so one of the two comes first:
//!
//! ```text
//! receiver                                  sender
//! announce                                  claim: change the counter
//! is_drained: change the counter            fill the cell
//!                                           look for the announcement
//! ```
//!
//! If the claim comes first, the receiver finds more tickets than it has taken, and does not rest. If the
//! receiver comes first, the claim acquires its announcement, and the sender sees it. The sender needs no
//! fence behind its cell, which would wait until the cell's line has arrived.
//!
//! *Cost.* An empty poll is one load of a line in the cache. A note moves with its cell's line, a value of
//! more than 48 bytes with two. Senders also share the counter's line. A send retries only when another
//! sender has succeeded.
//!
//! *When it loses.* A sender that is stopped between claiming its cell and filling it delays the values
//! behind it. No value is lost, but [`EventReceiver::receive`] returns `None` until the cell is filled.

use std::convert::Infallible;
use std::mem::ManuallyDrop;

use crossbeam_utils::CachePadded;

use super::full::Full;
use super::primitive::{Arc, AtomicUsize, Ordering};
use super::ring::{Ring, Ticket, Turn, Watch, next, ticket};

/// Content of a cell: a value or a note. In a cell the mark and a small note follow the sequence word in its
/// line.
#[repr(C)]
struct Content<T, N> {
    is_note: bool,
    either: Either<T, N>,
}

/// `note` if the content's mark says so, else `value`.
#[repr(C)]
union Either<T, N> {
    value: ManuallyDrop<T>,
    note: ManuallyDrop<N>,
}

impl<T, N> Drop for Content<T, N> {
    fn drop(&mut self) {
        // SAFETY: the mark says which of the two was written, and it is dropped once, with its content.
        unsafe {
            if self.is_note {
                ManuallyDrop::drop(&mut self.either.note);
            } else {
                ManuallyDrop::drop(&mut self.either.value);
            }
        }
    }
}

struct QueueInner<T, N> {
    tail: CachePadded<AtomicUsize>,
    ring: Ring<Content<T, N>>,
}

/// Sending handle of an event queue; clone it for every thread that sends.
pub struct EventSender<T, N = Infallible> {
    shared: Arc<QueueInner<T, N>>,
}

/// Receiving handle of an event queue. There is one.
///
/// It can move to another thread, but it can neither be cloned nor receive through a shared reference:
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
pub struct EventReceiver<T, N = Infallible> {
    shared: Arc<QueueInner<T, N>>,
    head: Ticket,
    /// Sequence word of the next cell.
    next: Watch,
}

/// Returns an event queue with room for `capacity` values.
///
/// Values still queued when the last handle is dropped are dropped with it.
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
/// assert_eq!(sender.waiting(), 1);
/// ```
#[must_use]
pub fn event_queue<T: Send>(capacity: usize) -> (EventSender<T>, EventReceiver<T>) {
    starting_at(capacity, 0)
}

/// Returns an [event queue](event_queue()) that carries notes beside values.
///
/// # Panics
///
/// As [`event_queue`](event_queue()).
///
/// # Examples
///
/// ```
/// let (sender, mut receiver) = earth_signal::event_and_note_queue::<[u64; 12], char>(2);
/// sender.note('a').unwrap();
/// sender.send([1; 12]).unwrap();
/// assert_eq!((receiver.receive(), receiver.receive_note()), (None, Some('a')));
/// assert_eq!((receiver.receive_note(), receiver.receive()), (None, Some([1; 12])));
/// ```
#[must_use]
pub fn event_and_note_queue<T: Send, N: Send>(capacity: usize) -> (EventSender<T, N>, EventReceiver<T, N>) {
    starting_at(capacity, 0)
}

/// Like [`event_and_note_queue`], with `first` as the number of the first position: the models start shortly
/// before the counters wrap.
pub(crate) fn starting_at<T: Send, N: Send>(
    capacity: usize,
    first: usize,
) -> (EventSender<T, N>, EventReceiver<T, N>) {
    let head = ticket(first);
    let shared = Arc::new(QueueInner {
        tail: CachePadded::new(AtomicUsize::new(head)),
        ring: Ring::starting_at(capacity, first),
    });
    let next = shared.ring.watch_to_take(head);
    (EventSender { shared: Arc::clone(&shared) }, EventReceiver { shared, head, next })
}

impl<T: Send, N: Send> EventSender<T, N> {
    /// Sends a value, or returns it if the queue is full. Never waits.
    ///
    /// A sender whose receiver may be asleep must look for its announcement after every successful send, even
    /// if the queue was not empty: an earlier value may not be visible yet. The look needs no fence if the
    /// receiver rests only while its queue [is drained](EventReceiver::is_drained).
    #[inline]
    pub fn send(&self, value: T) -> Result<(), Full<T>> {
        // SAFETY: this mark means a value.
        unsafe { self.send_as(false, value) }
    }

    /// Sends a note as [`send`](Self::send) sends a value.
    #[inline]
    pub fn note(&self, note: N) -> Result<(), Full<N>> {
        // SAFETY: this mark means a note.
        unsafe { self.send_as(true, note) }
    }

    /// Returns how many sent values and notes this thread sees in the queue. It looks at each cell, so it is
    /// for reports only.
    pub fn waiting(&self) -> usize {
        self.shared.ring.full_cells()
    }

    /// Sends a value or a note with its mark.
    ///
    /// # Safety
    ///
    /// `V` is `N` if the mark says that it is a note, else `T`.
    #[inline]
    unsafe fn send_as<V>(&self, is_note: bool, value: V) -> Result<(), Full<V>> {
        let Some(ticket) = self.claim() else { return Err(Full(value)) };
        let write = |place: *mut Content<T, N>| {
            // SAFETY: `place` is in a cell that this ticket owns. The mark says which of the two was written,
            // by this function's contract, and the mark occupies none of the following bytes.
            unsafe {
                (&raw mut (*place).is_note).write(is_note);
                (&raw mut (*place).either).cast::<V>().write(value);
            }
        };
        // SAFETY: `claim` gave the ticket to this thread and no other. The cell was free for it and stays so,
        // because only the holder of the ticket changes it.
        unsafe { self.shared.ring.fill_by(ticket, write) };
        Ok(())
    }

    /// Claims the next ticket, unless its cell is occupied. The caller must then fill the cell.
    #[inline]
    fn claim(&self) -> Option<Ticket> {
        let QueueInner { tail, ring } = &*self.shared;
        let mut mine = tail.load(Ordering::Relaxed);
        loop {
            match ring.turn_to_fill(mine) {
                Turn::Now => {
                    // Acquires the announcement of a receiver that rests, and keeps the loads of the
                    // sender's look behind the claim.
                    match tail.compare_exchange_weak(mine, next(mine), Ordering::AcqRel, Ordering::Relaxed) {
                        Ok(_) => return Some(mine),
                        Err(current) => mine = current,
                    }
                }
                Turn::NotYet => return None,
                Turn::Past => mine = tail.load(Ordering::Relaxed),
            }
        }
    }
}

impl<T, N> Clone for EventSender<T, N> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<T: Send, N: Send> EventReceiver<T, N> {
    /// Size of one cell, in bytes.
    pub const CELL: usize = Ring::<Content<T, N>>::CELL;

    /// Returns the next value, if it has arrived and is no note.
    ///
    /// It also returns `None` while a sender is between claiming the next cell and filling it. Values behind
    /// that cell wait, which keeps the order of every sender.
    #[inline]
    pub fn receive(&mut self) -> Option<T> {
        if self.next_is_note()? {
            return None;
        }
        // SAFETY: there is one receiver and it is borrowed mutably, so the claim is ours. The cell has just
        // reported that it is full, and its mark that it holds a value, which is read once.
        Some(unsafe { self.take(|either| either.cast::<T>().read()) })
    }

    /// Returns the next note, if it has arrived and no value comes before it.
    #[inline]
    pub fn receive_note(&mut self) -> Option<N> {
        if !self.next_is_note()? {
            return None;
        }
        // SAFETY: as in `receive`, with a note for the value.
        Some(unsafe { self.take(|either| either.cast::<N>().read()) })
    }

    /// Whether the next item is a note; `None` if it has not arrived.
    #[inline]
    fn next_is_note(&self) -> Option<bool> {
        if !self.is_there() {
            return None;
        }
        // SAFETY: this is the only receiver, and the cell has just reported that it is full. A full cell
        // always has its mark written.
        Some(unsafe { self.shared.ring.look_by(self.head, |content| (&raw const (*content).is_note).read()) })
    }

    /// Takes the next item by `read`, and advances to the following cell.
    ///
    /// # Safety
    ///
    /// The next cell has reported that it is full, and `read` reads the variant that its mark says.
    #[inline]
    unsafe fn take<R>(&mut self, read: impl FnOnce(*const Either<T, N>) -> R) -> R {
        // SAFETY: by this function's contract. There is one receiver and it is borrowed mutably, so the claim
        // is ours.
        let taken =
            unsafe { self.shared.ring.take_by(self.head, |content| read(&raw const (*content).either)) };
        self.head = next(self.head);
        self.next = self.shared.ring.watch_to_take(self.head);
        taken
    }

    /// Returns the number of values and notes sent and not received, or being sent, at this moment.
    #[expect(
        clippy::len_without_is_empty,
        reason = "is_empty says what may be received, so it takes the receiver alone"
    )]
    pub fn len(&self) -> usize {
        self.shared.tail.load(Ordering::Relaxed).wrapping_sub(self.head) / 2
    }

    /// Whether neither a value nor a note can be received now.
    #[inline(always)]
    pub fn is_empty(&mut self) -> bool {
        !self.is_there()
    }

    /// Whether everything that was sent, or is being sent, was received. A receiver calls it after the
    /// announcement that it will rest, and rests only if it returns `true`. Then each later sender sees the
    /// announcement.
    ///
    /// *Cost.* A read-modify-write of the line that senders share.
    pub fn is_drained(&mut self) -> bool {
        let tail = &self.shared.tail;
        tail.compare_exchange(self.head, self.head, Ordering::AcqRel, Ordering::Relaxed).is_ok()
    }

    /// Whether the next item has arrived.
    #[inline(always)]
    fn is_there(&self) -> bool {
        // SAFETY: this handle keeps the ring alive.
        unsafe { self.next.is_turn() }
    }
}
