//! The shared end of a node's token store: its owner publishes a few tokens, and idle workers take the
//! oldest.
//!
//! The owner keeps most of its tokens private, without any atomic, and keeps this short bounded queue filled.
//! A publisher fills the next cell of a ring. Takers (thieves, or the owner that wants a token back) claim
//! the oldest ticket by a compare-and-swap on a counter, and only then copy the value out. The swap decides:
//! every token is taken exactly once. A thief that lost tries the next token at once, whatever the winner
//! does.
//!
//! *Why not a work-stealing deque.* In the Chase-Lev deque the owner's end is shared too, and each of the
//! owner's pops pays a full fence. Here the owner pays only for the tokens it offers. The thieves get the
//! oldest tokens, which are the largest pieces of work in a divide-and-conquer program.
//!
//! *Cost.* Publishing is one release store; checking for room is one load. Stealing is a compare-and-swap and
//! the transfer of two lines. An unsuccessful look is two loads of lines that stay in the cache.
//!
//! *When it loses.* A thief that is stopped in the middle of copying keeps its cell occupied. When the ring
//! comes round to that cell, the publisher finds no room until the thief resumes. No token waits for the
//! thief, because the owner keeps the tokens that do not fit.

use crossbeam_utils::CachePadded;

use super::full::Full;
use super::primitive::{Arc, AtomicUsize, Ordering};
use super::ring::{Ring, Ticket, Turn, Watch, next, ticket};

struct SharedEndInner<T> {
    /// The oldest unclaimed ticket.
    head: CachePadded<AtomicUsize>,
    ring: Ring<T>,
}

impl<T> SharedEndInner<T> {
    #[inline]
    fn take(&self) -> Option<T> {
        let mut mine = self.head.load(Ordering::Relaxed);
        loop {
            match self.ring.turn_to_take(mine) {
                Turn::Now => {
                    let claim = self.head.compare_exchange_weak(
                        mine,
                        next(mine),
                        Ordering::Relaxed,
                        Ordering::Relaxed,
                    );
                    match claim {
                        // SAFETY: the exchange gave the ticket to this thread only. The cell holds its value
                        // until the holder of the ticket has taken it.
                        Ok(_) => return Some(unsafe { self.ring.take(mine) }),
                        Err(current) => mine = current,
                    }
                }
                Turn::NotYet => return None,
                Turn::Past => mine = self.head.load(Ordering::Relaxed),
            }
        }
    }

    #[inline]
    fn is_empty(&self) -> bool {
        loop {
            match self.ring.turn_to_take(self.head.load(Ordering::Relaxed)) {
                Turn::Now => return false,
                Turn::NotYet => return true,
                // The taker that emptied the cell advanced `head` before, and the load of the cell's word has
                // made that visible: the next iteration starts at a later ticket.
                Turn::Past => {}
            }
        }
    }
}

/// Owner's handle of a shared end: it publishes, and may take back.
///
/// ```compile_fail,E0599
/// let (publisher, _stealer) = earth_signal::shared_end::<u32>(8);
/// let second = publisher.clone();
/// ```
pub struct Publisher<T> {
    shared: Arc<SharedEndInner<T>>,
    tail: Ticket,
    /// Sequence word of the cell that the next token goes to.
    next: Watch,
}

/// Thief's handle of a shared end; clone it for every thief.
///
/// It can take, but not publish:
///
/// ```compile_fail,E0599
/// let (_publisher, stealer) = earth_signal::shared_end::<u32>(8);
/// stealer.publish(1);
/// ```
pub struct Stealer<T> {
    shared: Arc<SharedEndInner<T>>,
}

/// Returns a shared end with room for `capacity` tokens (the runtime uses 8).
///
/// Tokens left when the last handle is dropped are dropped with it.
///
/// # Panics
///
/// If `capacity` is not a power of two (1 is one).
///
/// # Examples
///
/// ```
/// let (mut publisher, stealer) = earth_signal::shared_end(2);
/// publisher.publish("old").unwrap();
/// publisher.publish("young").unwrap();
/// assert!(!publisher.has_room());
/// assert_eq!((stealer.waiting(), stealer.steal()), (2, Some("old")));
/// assert_eq!(publisher.take_back(), Some("young"));
/// assert!(stealer.is_empty());
/// ```
#[must_use]
pub fn shared_end<T: Send>(capacity: usize) -> (Publisher<T>, Stealer<T>) {
    starting_at(capacity, 0)
}

/// Like [`shared_end`], with `first` as the number of the first position: the models start shortly before the
/// counters wrap.
pub(crate) fn starting_at<T: Send>(capacity: usize, first: usize) -> (Publisher<T>, Stealer<T>) {
    let tail = ticket(first);
    let shared = Arc::new(SharedEndInner {
        head: CachePadded::new(AtomicUsize::new(tail)),
        ring: Ring::starting_at(capacity, first),
    });
    let next = shared.ring.watch_to_fill(tail);
    (Publisher { shared: Arc::clone(&shared), tail, next }, Stealer { shared })
}

impl<T: Send> Publisher<T> {
    /// Offers a token to every thief, or returns it if there is no room. Never waits.
    #[inline]
    pub fn publish(&mut self, token: T) -> Result<(), Full<T>> {
        if !matches!(self.shared.ring.turn_to_fill(self.tail), Turn::Now) {
            return Err(Full(token));
        }
        // SAFETY: there is one publisher and it is borrowed mutably, so the claim is ours. The cell has just
        // reported that it is free for this ticket.
        unsafe { self.shared.ring.fill(self.tail, token) };
        self.tail = next(self.tail);
        self.next = self.shared.ring.watch_to_fill(self.tail);
        Ok(())
    }

    /// Whether [`publish`](Self::publish) would succeed now: one relaxed load. `true` stays
    /// true until the next publish.
    #[inline]
    pub fn has_room(&self) -> bool {
        // SAFETY: this handle keeps the ring alive.
        unsafe { self.next.seems_turn() }
    }

    /// Returns how many tokens fit, once the thieves that have claimed some have copied them.
    #[inline]
    pub fn room(&self) -> usize {
        let waiting = self.tail.wrapping_sub(self.shared.head.load(Ordering::Relaxed)) / 2;
        self.shared.ring.capacity() - waiting
    }

    /// Takes the oldest published token back, unless thieves have taken all.
    #[inline]
    pub fn take_back(&mut self) -> Option<T> {
        self.shared.take()
    }

    /// Whether no token is left to take.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty()
    }
}

impl<T: Send> Stealer<T> {
    /// Takes the oldest token. Returns `None` only if all have been taken, never because another thief was
    /// faster to one of several.
    #[inline]
    pub fn steal(&self) -> Option<T> {
        self.shared.take()
    }

    /// Whether no token is left to take.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.shared.is_empty()
    }

    /// Returns how many tokens this thread sees at the shared end. It looks at each cell, so it is for
    /// reports only.
    pub fn waiting(&self) -> usize {
        self.shared.ring.full_cells()
    }
}

impl<T> Clone for Stealer<T> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}
