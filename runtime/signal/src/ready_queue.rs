//! The ready queue: one sender, one receiver, bounded. Enabled fibers go this way from an
//! SU to the EU of its node.
//!
//! Two counters that may wrap, each written by one side only and on a cache line of its own.
//! Each side remembers the other's counter as it last saw it and looks again only when that
//! memory says "full" or "empty".
//!
//! *Cost.* A send or a receive is one release store, and now and then one load of the other side's
//! line; nobody retries. A poll of an empty queue is one load of a line that stays in the cache
//! until something is sent.
//!
//! *When it loses.* A single value on its way through an empty queue moves two lines (counter and value)
//! where the event queue moves one; the gain is that a burst of values shares its lines.

use std::mem::MaybeUninit;

use crossbeam_utils::CachePadded;

use super::drops::drop_all;
use super::full::Full;
use super::primitive::{Arc, AtomicUsize, Ordering, UnsafeCell};

struct Shared<T> {
    /// How many have been received, wrapping; written by the receiver.
    head: CachePadded<AtomicUsize>,
    /// How many have been sent, wrapping; written by the sender.
    tail: CachePadded<AtomicUsize>,
    cells: Box<[UnsafeCell<MaybeUninit<T>>]>,
    mask: usize,
}

// SAFETY: the cells from `head` up to `tail` belong to the receiver, the others to the sender;
// there is one of each, and the release store of a counter hands cells over. Values pass between
// threads but are never shared.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    #[inline]
    fn cell(&self, number: usize) -> &UnsafeCell<MaybeUninit<T>> {
        &self.cells[number & self.mask]
    }
}

impl<T> Drop for Shared<T> {
    fn drop(&mut self) {
        let head = self.head.load(Ordering::Relaxed);
        let left = self.tail.load(Ordering::Relaxed).wrapping_sub(head);
        let cells = (0..left).map(|offset| self.cell(head.wrapping_add(offset)));
        // SAFETY: both handles are gone; the cells from `head` up to `tail` hold values that nobody received, and
        // each is visited once.
        drop_all(cells.map(|cell| cell.with_mut(|place| unsafe { (*place).assume_init_read() })));
    }
}

/// The sending handle of a ready queue.
pub struct ReadySender<T> {
    shared: Arc<Shared<T>>,
    tail: usize,
    /// `shared.head` when last seen.
    head_seen: usize,
}

/// The receiving handle of a ready queue.
///
/// ```compile_fail,E0599
/// let (_sender, receiver) = earth_signal::ready_queue::<u32>(8);
/// let second = receiver.clone();
/// ```
///
/// ```compile_fail,E0596
/// let (_sender, receiver) = earth_signal::ready_queue::<u32>(8);
/// let shared = &receiver;
/// shared.receive();
/// ```
pub struct ReadyReceiver<T> {
    shared: Arc<Shared<T>>,
    head: usize,
    /// `shared.tail` when last seen.
    tail_seen: usize,
}

/// A ready queue with room for `capacity` values.
///
/// What is still queued when both handles are gone is dropped.
///
/// # Panics
///
/// If `capacity` is not a power of two (1 is one).
///
/// # Examples
///
/// ```
/// let (mut sender, mut receiver) = earth_signal::ready_queue(1);
/// sender.send('a').unwrap();
/// assert_eq!(sender.send('b').unwrap_err().0, 'b');
/// assert_eq!((sender.len(), receiver.receive(), sender.len()), (1, Some('a'), 0));
/// ```
#[must_use]
pub fn ready_queue<T: Send>(capacity: usize) -> (ReadySender<T>, ReadyReceiver<T>) {
    starting_at(capacity, 0)
}

/// As [`ready_queue`], with both counters at `first`: the models start shortly before they wrap.
pub(crate) fn starting_at<T: Send>(capacity: usize, first: usize) -> (ReadySender<T>, ReadyReceiver<T>) {
    assert!(capacity.is_power_of_two(), "a capacity must be a power of two of at least 1, not {capacity}");
    let shared = Arc::new(Shared {
        head: CachePadded::new(AtomicUsize::new(first)),
        tail: CachePadded::new(AtomicUsize::new(first)),
        cells: (0..capacity).map(|_| UnsafeCell::new(MaybeUninit::uninit())).collect(),
        mask: capacity - 1,
    });
    (
        ReadySender { shared: Arc::clone(&shared), tail: first, head_seen: first },
        ReadyReceiver { shared, head: first, tail_seen: first },
    )
}

impl<T: Send> ReadySender<T> {
    /// Sends a value, or gives it back if the queue is full. Never waits.
    #[inline]
    pub fn send(&mut self, value: T) -> Result<(), Full<T>> {
        let capacity = self.shared.cells.len();
        if self.tail.wrapping_sub(self.head_seen) == capacity {
            self.head_seen = self.shared.head.load(Ordering::Acquire);
            if self.tail.wrapping_sub(self.head_seen) == capacity {
                return Err(Full(value));
            }
        }
        // SAFETY: fewer than `capacity` values lie between `head_seen` and `tail`, so the receiver is done
        // with this cell (its store of `head`, acquired above or before, came after it had read the cell),
        // and the only sender is ours.
        self.shared.cell(self.tail).with_mut(|place| unsafe { (*place).write(value) });
        self.tail = self.tail.wrapping_add(1);
        self.shared.tail.store(self.tail, Ordering::Release);
        Ok(())
    }

    /// How many values have been sent and, as far as is known here, not received: never fewer than there are.
    #[inline]
    #[expect(
        clippy::len_without_is_empty,
        reason = "an upper bound of 0 says empty; nobody needs a second name for it"
    )]
    pub fn len(&self) -> usize {
        self.tail.wrapping_sub(self.shared.head.load(Ordering::Relaxed))
    }
}

impl<T: Send> ReadyReceiver<T> {
    /// The next value, if there is one.
    #[inline]
    pub fn receive(&mut self) -> Option<T> {
        if self.is_empty() {
            return None;
        }
        // SAFETY: `head` is before `tail_seen`, so the sender's store of `tail`, acquired, came after it had
        // written this cell; it writes the cell again only after our store of `head` below, and the only
        // receiver is borrowed mutably.
        let value = self.shared.cell(self.head).with_mut(|place| unsafe { (*place).assume_init_read() });
        self.head = self.head.wrapping_add(1);
        self.shared.head.store(self.head, Ordering::Release);
        Some(value)
    }

    /// Whether [`receive`](Self::receive) would find nothing now.
    #[inline]
    pub fn is_empty(&mut self) -> bool {
        if self.head != self.tail_seen {
            return false;
        }
        self.tail_seen = self.shared.tail.load(Ordering::Acquire);
        self.head == self.tail_seen
    }
}
