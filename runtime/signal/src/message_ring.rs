//! Message ring: bounded, one sender, one receiver, for small messages of many types. The two units of a DUAL
//! node send each other their requests through it.
//!
//! A message is any value of at most [`WORDS`]` - 1` words. The ring stores its bytes unchanged, behind the
//! address of the function that receives it. So a message costs its own words and one more, and no tag is
//! decoded. Messages fill *cells* of two cache lines:
//!
//! ```text
//! cell   [stamp | message, words .. | message, words .. |  ..  ]
//! ```
//!
//! A cell belongs to its sender until its *stamp* holds its number and its number of used words, and to the
//! receiver from then on. The stamp is stored with the words, so one transfer moves both. A message is never
//! divided: if the next one does not fit, the sender publishes the cell and begins another. The sender may
//! publish a partly filled cell, and must do so before it rests, because the receiver cannot see unpublished
//! messages.
//!
//! The sender fills the cell in private memory and then stores all of it at once. So a receiver that polls
//! the stamp takes the lines away once, not after each message. The line with the stamp is stored last, and
//! the other line only if its words are used; so a short cell moves one line.
//!
//! The receiver returns cells by their number, four times per lap, on a separate line. The sender reads that
//! line only when its last known value leaves no room.
//!
//! *Other channels.* The sender may send a third party data that relies on its messages. It first *marks* how
//! many cells it has published. When the third party's message reaches the receiver, the receiver reads the
//! mark and receives those cells first. The mark is relaxed: the path through the third party orders the
//! accesses.
//!
//! *Cost.* A message is stored twice by its sender, the second time with others, and loaded once. A cell
//! costs one release store and one acquire load. Several cells of a stream can be under way at once, since
//! there are no replies. The sender prefetches the lines of the next cell while it continues. So does a
//! receiver that found a cell without waiting, because more cells are then usually ready. A waiting receiver
//! does not prefetch, since it would take away the cell being filled.

use std::marker::PhantomData;
use std::mem::{MaybeUninit, align_of, size_of};
use std::ops::Range;
use std::ptr;

use crossbeam_utils::CachePadded;

use super::drops::drop_all;
use super::full::Full;
use super::prefetch;
use super::primitive::{Arc, AtomicUsize, Ordering, UnsafeCell};

/// Number of words of a cell of two cache lines, not counting its stamp.
pub const WORDS: usize = 15;

/// Number of words of a cell in the cache line of its stamp.
const BESIDE_STAMP: usize = 7;

/// Number of bits of a stamp that hold how many words of its cell are used.
const USED_BITS: u32 = 8;

/// A receiver of messages.
pub trait Receiver: Sized + 'static {
    /// The result of receiving a message.
    type Outcome;
}

/// A message for an `R`: a value of a dedicated type, or a closure over the `R`.
pub trait Message<R: Receiver>: Sized + Send + 'static {
    /// Runs when the message is received.
    fn arrive(self, at: &mut R) -> R::Outcome;
}

impl<R: Receiver, F: FnOnce(&mut R) -> R::Outcome + Send + 'static> Message<R> for F {
    #[inline]
    fn arrive(self, at: &mut R) -> R::Outcome {
        self(at)
    }
}

type Word = MaybeUninit<u64>;

/// Header of a message: the functions that receive or drop it.
struct Handler<R: Receiver> {
    /// Number of words of the message, including this header.
    words: usize,
    arrive: unsafe fn(*const Word, &mut R) -> R::Outcome,
    drop: unsafe fn(*const Word),
}

/// Returns the number of words that a message of type `M` takes.
const fn words_of<M>() -> usize {
    1 + size_of::<M>().div_ceil(size_of::<Word>())
}

/// Handler of messages of type `M`.
struct HandlerOf<R, M>(PhantomData<fn(R, M)>);

impl<R: Receiver, M: Message<R>> HandlerOf<R, M> {
    const HANDLER: &'static Handler<R> =
        &Handler { words: words_of::<M>(), arrive: arrive::<R, M>, drop: drop_at::<M> };
}

/// Receives the message at `from`.
///
/// # Safety
///
/// `from` points to an `M`, which is not used there again.
unsafe fn arrive<R: Receiver, M: Message<R>>(from: *const Word, at: &mut R) -> R::Outcome {
    // SAFETY: by this function's contract.
    unsafe { from.cast::<M>().read() }.arrive(at)
}

/// Drops the message at `from`.
///
/// # Safety
///
/// `from` points to an `M`, which is not used there again.
unsafe fn drop_at<M>(from: *const Word) {
    // SAFETY: by this function's contract.
    drop(unsafe { from.cast::<M>().read() });
}

/// A message that is still in a cell and was never received.
struct Unreceived<R: Receiver>(&'static Handler<R>, *const Word);

impl<R: Receiver> Drop for Unreceived<R> {
    fn drop(&mut self) {
        // SAFETY: the creator of this value promises that the message is there and will not be used again.
        unsafe { (self.0.drop)(self.1) }
    }
}

#[repr(align(128))]
struct Cell<const N: usize> {
    stamp: AtomicUsize,
    words: UnsafeCell<[Word; N]>,
}

impl<const N: usize> Cell<N> {
    /// Returns the number of used words, if the cell was published under this number.
    #[inline(always)]
    fn used(&self, number: usize) -> Option<usize> {
        let found = self.stamp.load(Ordering::Acquire);
        let used = found & ((1 << USED_BITS) - 1);
        if found == stamp(number, used) { Some(used) } else { None }
    }
}

/// Copies these words one by one, in the width in which they were written: a wider load would wait for the
/// stores.
///
/// # Safety
///
/// Both pointers have these words.
#[inline(always)]
unsafe fn copy(words: Range<usize>, from: *const Word, to: *mut Word) {
    for at in words {
        // SAFETY: by this function's contract.
        unsafe { to.add(at).write_volatile(from.add(at).read_volatile()) };
    }
}

/// Returns the stamp of cell `number` with `used` used words.
const fn stamp(number: usize, used: usize) -> usize {
    number << USED_BITS | used
}

struct RingInner<R: Receiver, const N: usize> {
    /// Number of cells that the receiver has returned, wrapping.
    head: CachePadded<AtomicUsize>,
    /// Number of the cell after the last marked one.
    mark: CachePadded<AtomicUsize>,
    /// Number of words that the receiver had consumed of the cell at `head` when it was dropped.
    within: AtomicUsize,
    cells: Box<[Cell<N>]>,
    mask: usize,
    receives: PhantomData<fn(&mut R)>,
}

// SAFETY: the sender owns the cells before `head` plus the capacity that lack this lap's stamp; the receiver
// owns the cells that have it. There is one of each. Messages are `Send`, and pass between threads without
// being shared.
unsafe impl<R: Receiver, const N: usize> Sync for RingInner<R, N> {}
// SAFETY: as above.
unsafe impl<R: Receiver, const N: usize> Send for RingInner<R, N> {}

impl<R: Receiver, const N: usize> RingInner<R, N> {
    #[inline(always)]
    fn cell(&self, number: usize) -> &Cell<N> {
        // SAFETY: the mask is the number of cells, a power of two, minus one.
        unsafe { self.cells.get_unchecked(number & self.mask) }
    }

    /// Returns the handler of the message at word `at` of a cell that belongs to the caller.
    #[inline(always)]
    fn handler(&self, number: usize, at: usize) -> &'static Handler<R> {
        // SAFETY: the sender wrote it there before it published the cell, and the caller has seen the stamp.
        self.cell(number)
            .words
            .with_mut(|words| unsafe { words.cast::<Word>().add(at).cast::<&Handler<R>>().read() })
    }
}

impl<R: Receiver, const N: usize> Drop for RingInner<R, N> {
    fn drop(&mut self) {
        let (mut number, mut at) = (self.head.load(Ordering::Relaxed), self.within.load(Ordering::Relaxed));
        drop_all(std::iter::from_fn(|| {
            while at == self.cell(number).used(number)? {
                (number, at) = (number.wrapping_add(1), 0);
            }
            let handler = self.handler(number, at);
            // SAFETY: the message is within the cell. Both handles are gone, so it has no other user, and
            // `at` passes it.
            let from = self.cell(number).words.with_mut(|words| unsafe { words.cast::<Word>().add(at + 1) });
            at += handler.words;
            Some(Unreceived(handler, from))
        }));
    }
}

/// Sending handle of a message ring for an `R`.
pub struct MessageSender<R: Receiver, const N: usize = WORDS> {
    shared: Arc<RingInner<R, N>>,
    /// Number of the cell that is filled next; its contents are the first `used` words of `words`.
    cell: usize,
    used: usize,
    words: [Word; N],
    /// Value of `shared.head` when last read.
    head_seen: usize,
}

/// Room for a message of type `M` in the cell that the sender fills.
pub struct Room<'a, R: Receiver, M, const N: usize = WORDS> {
    sender: &'a mut MessageSender<R, N>,
    of: PhantomData<fn(M)>,
}

impl<R: Receiver, M: Message<R>, const N: usize> Room<'_, R, M, N> {
    /// Sends the message.
    #[inline(always)]
    pub fn send(self, message: M) {
        let at = self.sender.used;
        // SAFETY: the message fits behind the used words.
        unsafe {
            let to = self.sender.words.as_mut_ptr().add(at);
            to.cast::<&'static Handler<R>>().write(HandlerOf::<R, M>::HANDLER);
            to.add(1).cast::<M>().write(message);
        }
        self.sender.used = at + words_of::<M>();
    }
}

/// Receiving handle of a message ring.
pub struct MessageReceiver<R: Receiver, const N: usize = WORDS> {
    shared: Arc<RingInner<R, N>>,
    /// Number of the cell that is being emptied, its next word, and its number of used words.
    cell: usize,
    at: usize,
    used: usize,
}

/// Returns a message ring of `capacity` cells.
///
/// Messages not received when both handles are gone are dropped.
///
/// # Panics
///
/// If `capacity` is not a power of two (1 is one).
///
/// # Examples
///
/// ```
/// use earth_signal::{Message, Receiver, message_ring};
///
/// struct Sum(u64);
/// impl Receiver for Sum {
///     type Outcome = ();
/// }
/// struct Add(u64);
/// impl Message<Sum> for Add {
///     fn arrive(self, at: &mut Sum) {
///         at.0 += self.0;
///     }
/// }
///
/// let (mut sender, mut receiver) = message_ring(8);
/// let mut sum = Sum(0);
/// sender.send(Add(2)).unwrap();
/// assert!(receiver.receive(&mut sum).is_none());
/// sender.publish();
/// assert!(receiver.receive(&mut sum).is_some());
/// assert_eq!(sum.0, 2);
/// ```
#[must_use]
pub fn message_ring<R: Receiver>(capacity: usize) -> (MessageSender<R>, MessageReceiver<R>) {
    starting_at(capacity, 0)
}

/// Like [`message_ring`], with cells of `N` words and `first` as the number of the first cell: the models
/// start shortly before numbers wrap.
pub(crate) fn starting_at<R: Receiver, const N: usize>(
    capacity: usize,
    first: usize,
) -> (MessageSender<R, N>, MessageReceiver<R, N>) {
    assert!(capacity.is_power_of_two(), "a capacity must be a power of two of at least 1, not {capacity}");
    const { assert!(N < 1 << USED_BITS, "a stamp has room for the number of words") };
    let mask = capacity - 1;
    let empty = |index: usize| {
        // The number of a lap that did not happen.
        let before = first.wrapping_add(index.wrapping_sub(first) & mask).wrapping_sub(capacity);
        Cell {
            stamp: AtomicUsize::new(stamp(before, 0)),
            words: UnsafeCell::new([const { Word::uninit() }; N]),
        }
    };
    let shared = Arc::new(RingInner {
        head: CachePadded::new(AtomicUsize::new(first)),
        mark: CachePadded::new(AtomicUsize::new(first)),
        within: AtomicUsize::new(0),
        cells: (0..capacity).map(empty).collect(),
        mask,
        receives: PhantomData,
    });
    (
        MessageSender {
            shared: Arc::clone(&shared),
            cell: first,
            used: 0,
            words: [const { Word::uninit() }; N],
            head_seen: first,
        },
        MessageReceiver { shared, cell: first, at: 0, used: 0 },
    )
}

impl<R: Receiver, const N: usize> MessageSender<R, N> {
    /// Whether a message of this type fits a cell in size and alignment.
    pub const fn fits<M>() -> bool {
        words_of::<M>() <= N && align_of::<M>() <= align_of::<Word>()
    }

    /// Sends a message, or returns it if there is no room. Never waits. The receiver sees the message when
    /// the cell is full or [published](Self::publish).
    ///
    /// # Panics
    ///
    /// If messages of this type do not [fit](Self::fits).
    #[inline(always)]
    pub fn send<M: Message<R>>(&mut self, message: M) -> Result<(), Full<M>> {
        let Some(room) = self.room() else { return Err(Full(message)) };
        room.send(message);
        Ok(())
    }

    /// Reserves room for a message, or returns `None` if there is none. The caller then constructs the
    /// message directly in the ring, and it is never returned.
    ///
    /// # Panics
    ///
    /// As [`send`](Self::send).
    #[inline(always)]
    pub fn room<M: Message<R>>(&mut self) -> Option<Room<'_, R, M, N>> {
        assert!(Self::fits::<M>(), "a message fits a cell");
        if self.used + words_of::<M>() > N {
            self.publish();
        }
        if self.used == 0 && !self.has_cell() {
            return None;
        }
        Some(Room { sender: self, of: PhantomData })
    }

    /// Whether the next cell may be filled.
    #[inline(always)]
    fn has_cell(&mut self) -> bool {
        if self.knows_room() {
            return true;
        }
        self.head_seen = self.shared.head.load(Ordering::Acquire);
        self.knows_room()
    }

    /// Whether the last known `head` leaves room, without reading the shared one.
    #[inline(always)]
    fn knows_room(&self) -> bool {
        self.cell.wrapping_sub(self.head_seen) <= self.shared.mask
    }

    /// Whether messages were sent that the receiver cannot see yet.
    #[inline(always)]
    pub fn has_unpublished(&self) -> bool {
        self.used > 0
    }

    /// Makes all sent messages visible to the receiver.
    #[inline(always)]
    pub fn publish(&mut self) {
        if self.used > 0 {
            let Cell { stamp: published, words } = self.shared.cell(self.cell);
            // SAFETY: the cell is the sender's. Its number is less than a lap above the number of a returned
            // cell, as checked when the first message was sent, and it is unpublished. The messages move
            // there. The line of the stamp comes last: a receiver that polls the stamp takes that line away
            // once it is complete.
            words.with_mut(|words| unsafe {
                let (from, to) = (self.words.as_ptr(), words.cast::<Word>());
                if self.used > BESIDE_STAMP {
                    copy(BESIDE_STAMP..N, from, to);
                }
                copy(0..N.min(BESIDE_STAMP), from, to);
            });
            published.store(stamp(self.cell, self.used), Ordering::Release);
            self.cell = self.cell.wrapping_add(1);
            self.used = 0;
            if self.knows_room() {
                prefetch::to_write(self.shared.cell(self.cell));
            }
        }
    }
}

impl<R: Receiver, const N: usize> MessageSender<R, N> {
    /// Publishes all sent messages and marks them. A receiver that learns of a later action of the caller can
    /// then check whether it is [behind](MessageReceiver::is_behind).
    pub fn mark(&mut self) {
        self.publish();
        self.shared.mark.store(self.cell, Ordering::Relaxed);
    }

    /// Publishes all sent messages and continues at the first cell of the next lap, unless it is at a first
    /// cell. If the ring is empty and its receiver [does the same](MessageReceiver::begin_lap), the ring then
    /// behaves like a new one.
    pub fn begin_lap(&mut self) {
        self.publish();
        self.cell = lap_from(self.cell, self.shared.mask);
    }
}

/// Returns the number of the first cell of a lap, from `cell` on.
const fn lap_from(cell: usize, mask: usize) -> usize {
    cell.wrapping_add(mask) & !mask
}

impl<R: Receiver, const N: usize> Drop for MessageSender<R, N> {
    fn drop(&mut self) {
        self.publish();
    }
}

impl<R: Receiver, const N: usize> MessageReceiver<R, N> {
    /// Size of one cell, in bytes.
    pub const CELL: usize = size_of::<Cell<N>>();

    /// Receives the next message, if any, and returns its outcome at `at`.
    #[inline(always)]
    pub fn receive(&mut self, at: &mut R) -> Option<R::Outcome> {
        let mut received = None;
        self.receive_some(at, 1, |outcome| {
            received = Some(outcome);
            true
        });
        received
    }

    /// Receives at most `most` messages. Stops when the ring is empty or `goes_on` returns `false` for an
    /// outcome. Returns the number of messages received.
    #[inline(always)]
    pub fn receive_some(
        &mut self,
        at: &mut R,
        most: u32,
        mut goes_on: impl FnMut(R::Outcome) -> bool,
    ) -> u32 {
        let mut left = most;
        while left > 0 && !self.is_empty() {
            let (next, used) = (self.at, self.used);
            let ends = self.shared.cell(self.cell).words.with_mut(|words| {
                // SAFETY: a cell has at least `used` words.
                let (mut place, end) =
                    unsafe { (words.cast::<Word>().add(next), words.cast::<Word>().add(used)) };
                while !ptr::eq(place, end) {
                    // SAFETY: the cell is the receiver's, and `place` points to a message's handler.
                    // `self.at` passes the message before it is read, so it is never read again, even if it
                    // panics. Its cell is returned after that.
                    let outcome = unsafe {
                        let (handler, message) = (place.cast::<&Handler<R>>().read(), place.add(1));
                        place = place.add(handler.words);
                        self.at += handler.words;
                        (handler.arrive)(message, at)
                    };
                    left -= 1;
                    if !goes_on(outcome) || left == 0 {
                        return true;
                    }
                }
                false
            });
            if ends {
                break;
            }
        }
        most - left
    }

    /// Continues at the first cell of the next lap, unless it is at a first cell. Does nothing if the ring is
    /// not empty.
    pub fn begin_lap(&mut self) {
        if self.is_empty() {
            self.cell = lap_from(self.cell, self.shared.mask);
            self.shared.head.store(self.cell, Ordering::Release);
        }
    }

    /// Whether a [marked](MessageSender::mark) message is still unreceived.
    #[inline]
    pub fn is_behind(&mut self) -> bool {
        let marked = self.shared.mark.load(Ordering::Relaxed).wrapping_sub(self.cell);
        marked.cast_signed() > 0 && !self.is_empty()
    }

    /// Whether [`receive`](Self::receive) would find no message now.
    #[inline(always)]
    pub fn is_empty(&mut self) -> bool {
        self.at == self.used && !self.next_cell()
    }

    /// Returns the emptied cell, if any, to the sender and advances to the next one. Returns whether that is
    /// published.
    #[inline(always)]
    fn next_cell(&mut self) -> bool {
        let emptied = self.used > 0;
        if emptied {
            self.cell = self.cell.wrapping_add(1);
            (self.at, self.used) = (0, 0);
            if self.cell & self.shared.mask >> 2 == 0 {
                self.shared.head.store(self.cell, Ordering::Release);
            }
        }
        let (shared, number) = (&*self.shared, self.cell);
        let cell = shared.cell(number);
        let Some(used) = cell.used(number) else { return false };
        if used > BESIDE_STAMP {
            prefetch::to_read(cell, 1);
        }
        if emptied {
            prefetch::to_read(shared.cell(number.wrapping_add(1)), 0);
        }
        self.used = used;
        true
    }
}

impl<R: Receiver, const N: usize> Drop for MessageReceiver<R, N> {
    fn drop(&mut self) {
        self.shared.within.store(self.at, Ordering::Relaxed);
        self.shared.head.store(self.cell, Ordering::Release);
    }
}
