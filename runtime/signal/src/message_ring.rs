//! The message ring: one sender, one receiver, bounded, for small messages of many types. The two units of a DUAL node
//! tell each other by it what to do.
//!
//! A message is any value of at most [`WORDS`]` - 1` words. It goes into the ring as it lies in memory, behind the address of
//! the function that receives it; so a message costs its own words and one more, and nobody looks at a tag. Messages fill
//! *cells* of two cache lines:
//!
//! ```text
//! cell   [stamp | message, words .. | message, words .. |  ..  ]
//! ```
//!
//! A cell belongs to its sender until its *stamp* says its number and how many of its words are used, and to the receiver
//! from then on: the stamp lies with the words, so what tells that a cell is there moves with it. A message is never
//! divided; where the next one does not fit, the cell is published and another one begun. The sender may publish a cell that is
//! not full, and must do so before it rests: what it keeps back nobody sees. It fills the cell in memory of its own and stores all
//! of it at once, so that a receiver that looks at the stamp takes the lines away once, not after each message. The line with
//! the stamp is stored last, and the other one only if words of it are used: so a short cell is one line that moves.
//!
//! The receiver gives cells back by their number, four times a lap, on a line of its own. The sender looks at that line
//! only when the ring is full as far as it knows.
//!
//! *Other ways.* The sender may tell a third party something that rests on its messages. It first *marks* how many cells it has
//! published. When the receiver hears from the third party it looks at the mark, and receives those cells first. The mark is
//! relaxed: the way by the third party orders the accesses.
//!
//! *Cost.* A message is stored twice by its sender, the second time with others, and loaded once; a cell is one release store
//! and one acquire load. Several cells of a stream are under way at once, since nothing is answered. The sender has the
//! lines of the next cell fetched while it goes on, and so has a receiver that found a cell without waiting for it: more of
//! them are there, most often. One that waits does not, since it would take away what is being filled.

use std::marker::PhantomData;
use std::mem::{MaybeUninit, align_of, size_of};
use std::ops::Range;
use std::ptr;

use crossbeam_utils::CachePadded;

use super::drops::drop_all;
use super::full::Full;
use super::prefetch;
use super::primitive::{Arc, AtomicUsize, Ordering, UnsafeCell};

/// How many words a cell of two cache lines has beside its stamp.
pub const WORDS: usize = 15;

/// How many words of a cell lie in the cache line of its stamp.
const BESIDE_STAMP: usize = 7;

/// The bits of a stamp that say how many words of its cell are used.
const USED_BITS: u32 = 8;

/// Who receives messages.
pub trait Receives: Sized + 'static {
    /// What it says of a message.
    type Outcome;
}

/// A message for an `R`: a value of a type of its own, or a function of the `R`.
pub trait Message<R: Receives>: Sized + Send + 'static {
    /// Is received.
    fn arrive(self, at: &mut R) -> R::Outcome;
}

impl<R: Receives, F: FnOnce(&mut R) -> R::Outcome + Send + 'static> Message<R> for F {
    #[inline]
    fn arrive(self, at: &mut R) -> R::Outcome {
        self(at)
    }
}

type Word = MaybeUninit<u64>;

/// What stands before a message: what becomes of it.
struct Handler<R: Receives> {
    /// How many words it takes, this one included.
    words: usize,
    arrive: unsafe fn(*const Word, &mut R) -> R::Outcome,
    drop: unsafe fn(*const Word),
}

/// How many words a message of type `M` takes.
const fn words_of<M>() -> usize {
    1 + size_of::<M>().div_ceil(size_of::<Word>())
}

/// The handler of messages of type `M`.
struct HandlerOf<R, M>(PhantomData<fn(R, M)>);

impl<R: Receives, M: Message<R>> HandlerOf<R, M> {
    const HANDLER: &'static Handler<R> =
        &Handler { words: words_of::<M>(), arrive: arrive::<R, M>, drop: drop_at::<M> };
}

/// Receives the message that lies at `from`.
///
/// # Safety
///
/// An `M` lies there, and is not used there again.
unsafe fn arrive<R: Receives, M: Message<R>>(from: *const Word, at: &mut R) -> R::Outcome {
    // SAFETY: by this function's contract.
    unsafe { from.cast::<M>().read() }.arrive(at)
}

/// Drops the message that lies at `from`.
///
/// # Safety
///
/// An `M` lies there, and is not used there again.
unsafe fn drop_at<M>(from: *const Word) {
    // SAFETY: by this function's contract.
    drop(unsafe { from.cast::<M>().read() });
}

/// A message that lies in a cell and that nobody received.
struct Left<R: Receives>(&'static Handler<R>, *const Word);

impl<R: Receives> Drop for Left<R> {
    fn drop(&mut self) {
        // SAFETY: whoever made this says that the message lies there, and uses it no more.
        unsafe { (self.0.drop)(self.1) }
    }
}

#[repr(align(128))]
struct Cell<const N: usize> {
    stamp: AtomicUsize,
    words: UnsafeCell<[Word; N]>,
}

impl<const N: usize> Cell<N> {
    /// How many words are used, if the cell was published under this number.
    #[inline(always)]
    fn used(&self, number: usize) -> Option<usize> {
        let found = self.stamp.load(Ordering::Acquire);
        let used = found & ((1 << USED_BITS) - 1);
        if found == stamp(number, used) { Some(used) } else { None }
    }
}

/// Copies these words, one by one, as they were written: what is read wider than it was written waits for the store.
///
/// # Safety
///
/// Both have these words.
#[inline(always)]
unsafe fn copy(words: Range<usize>, from: *const Word, to: *mut Word) {
    for at in words {
        // SAFETY: by this function's contract.
        unsafe { to.add(at).write_volatile(from.add(at).read_volatile()) };
    }
}

/// The stamp of cell `number`, of which so many words are used.
const fn stamp(number: usize, used: usize) -> usize {
    number << USED_BITS | used
}

struct Shared<R: Receives, const N: usize> {
    /// How many cells the receiver has given back, wrapping.
    head: CachePadded<AtomicUsize>,
    /// The number of the cell after the last one that was marked.
    mark: CachePadded<AtomicUsize>,
    /// How many words of the cell after those it had received when it was dropped.
    within: AtomicUsize,
    cells: Box<[Cell<N>]>,
    mask: usize,
    receives: PhantomData<fn(&mut R)>,
}

// SAFETY: the cells before `head` plus the capacity and without the stamp of this lap belong to the sender, those with it to
// the receiver; there is one of each. Messages are `Send`, and pass between threads without being shared.
unsafe impl<R: Receives, const N: usize> Sync for Shared<R, N> {}
// SAFETY: as above.
unsafe impl<R: Receives, const N: usize> Send for Shared<R, N> {}

impl<R: Receives, const N: usize> Shared<R, N> {
    #[inline(always)]
    fn cell(&self, number: usize) -> &Cell<N> {
        // SAFETY: the mask is one less than how many cells there are, a power of two.
        unsafe { self.cells.get_unchecked(number & self.mask) }
    }

    /// The handler of the message at word `at` of a cell that belongs to the caller.
    #[inline(always)]
    fn handler(&self, number: usize, at: usize) -> &'static Handler<R> {
        // SAFETY: the sender wrote it there before it published the cell, which the caller has seen.
        self.cell(number)
            .words
            .with_mut(|words| unsafe { words.cast::<Word>().add(at).cast::<&Handler<R>>().read() })
    }
}

impl<R: Receives, const N: usize> Drop for Shared<R, N> {
    fn drop(&mut self) {
        let (mut number, mut at) = (self.head.load(Ordering::Relaxed), self.within.load(Ordering::Relaxed));
        drop_all(std::iter::from_fn(|| {
            while at == self.cell(number).used(number)? {
                (number, at) = (number.wrapping_add(1), 0);
            }
            let handler = self.handler(number, at);
            // SAFETY: the message is within the cell. Both handles are gone, so nobody else uses it, and it is passed by.
            let from = self.cell(number).words.with_mut(|words| unsafe { words.cast::<Word>().add(at + 1) });
            at += handler.words;
            Some(Left(handler, from))
        }));
    }
}

/// The sending handle of a message ring for an `R`.
pub struct MessageSender<R: Receives, const N: usize = WORDS> {
    shared: Arc<Shared<R, N>>,
    /// The cell that is filled next, and what is to be in it: the first words, so many of them.
    cell: usize,
    used: usize,
    words: [Word; N],
    /// `shared.head` when last seen.
    head_seen: usize,
}

/// Room for a message of type `M` in the cell that its sender fills.
pub struct Room<'a, R: Receives, M, const N: usize = WORDS> {
    sender: &'a mut MessageSender<R, N>,
    of: PhantomData<fn(M)>,
}

impl<R: Receives, M: Message<R>, const N: usize> Room<'_, R, M, N> {
    /// Sends the message.
    #[inline(always)]
    pub fn send(self, message: M) {
        let at = self.sender.used;
        // SAFETY: the message fits behind what is used of the words.
        unsafe {
            let to = self.sender.words.as_mut_ptr().add(at);
            to.cast::<&'static Handler<R>>().write(HandlerOf::<R, M>::HANDLER);
            to.add(1).cast::<M>().write(message);
        }
        self.sender.used = at + words_of::<M>();
    }
}

/// The receiving handle of a message ring.
pub struct MessageReceiver<R: Receives, const N: usize = WORDS> {
    shared: Arc<Shared<R, N>>,
    /// The cell that is being emptied, which word of it is next, and how many there are.
    cell: usize,
    at: usize,
    used: usize,
}

/// A message ring of `capacity` cells.
///
/// Messages that nobody has received when both handles are gone are dropped.
///
/// # Panics
///
/// If `capacity` is not a power of two (1 is one).
///
/// # Examples
///
/// ```
/// use earth_signal::{Message, Receives, message_ring};
///
/// struct Sum(u64);
/// impl Receives for Sum {
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
pub fn message_ring<R: Receives>(capacity: usize) -> (MessageSender<R>, MessageReceiver<R>) {
    starting_at(capacity, 0)
}

/// As [`message_ring`], with cells of `N` words, the first of which has this number: the models start shortly before numbers
/// wrap.
pub(crate) fn starting_at<R: Receives, const N: usize>(
    capacity: usize,
    first: usize,
) -> (MessageSender<R, N>, MessageReceiver<R, N>) {
    assert!(capacity.is_power_of_two(), "a capacity must be a power of two of at least 1, not {capacity}");
    const { assert!(N < 1 << USED_BITS, "a stamp has room for the number of words") };
    let mask = capacity - 1;
    let empty = |index: usize| {
        // The number of a lap that was never.
        let before = first.wrapping_add(index.wrapping_sub(first) & mask).wrapping_sub(capacity);
        Cell {
            stamp: AtomicUsize::new(stamp(before, 0)),
            words: UnsafeCell::new([const { Word::uninit() }; N]),
        }
    };
    let shared = Arc::new(Shared {
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

impl<R: Receives, const N: usize> MessageSender<R, N> {
    /// Whether a message of this type fits a cell, and may lie there.
    pub const fn fits<M>() -> bool {
        words_of::<M>() <= N && align_of::<M>() <= align_of::<Word>()
    }

    /// Sends a message, or gives it back if there is no room. Never waits. The receiver sees it when the cell is full or
    /// [published](Self::publish).
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

    /// Room for a message that is to be made, if there is some: one that is made then is written where it goes, and never
    /// given back.
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

    /// Whether the cell that is next may be filled.
    #[inline(always)]
    fn has_cell(&mut self) -> bool {
        if self.knows_room() {
            return true;
        }
        self.head_seen = self.shared.head.load(Ordering::Acquire);
        self.knows_room()
    }

    /// Whether that is known without a look at what the receiver gave back.
    #[inline(always)]
    fn knows_room(&self) -> bool {
        self.cell.wrapping_sub(self.head_seen) <= self.shared.mask
    }

    /// Whether messages were sent that the receiver cannot see.
    #[inline(always)]
    pub fn keeps_back(&self) -> bool {
        self.used > 0
    }

    /// Shows the receiver all messages that were sent.
    #[inline(always)]
    pub fn publish(&mut self) {
        if self.used > 0 {
            let Cell { stamp: published, words } = self.shared.cell(self.cell);
            // SAFETY: the cell is the sender's: its number is less than a lap above that of a cell that was given back, which
            // was seen when the first message was sent, and it has not been published. The messages move there.
            // The line of the stamp comes last: whoever waits for the stamp takes it away when all of it is there.
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

impl<R: Receives, const N: usize> MessageSender<R, N> {
    /// Publishes all messages that were sent, and marks them: a receiver that hears of what the caller does afterwards can tell
    /// whether it is [behind](MessageReceiver::is_behind).
    pub fn mark(&mut self) {
        self.publish();
        self.shared.mark.store(self.cell, Ordering::Relaxed);
    }

    /// Goes on at the first cell of the next lap, unless it is at a first cell, after it has shown all that was sent. An
    /// empty ring whose receiver [does the same](MessageReceiver::begin_lap) is as new from then on.
    pub fn begin_lap(&mut self) {
        self.publish();
        self.cell = lap_from(self.cell, self.shared.mask);
    }
}

/// The number of the first cell of a lap, from this one on.
const fn lap_from(cell: usize, mask: usize) -> usize {
    cell.wrapping_add(mask) & !mask
}

impl<R: Receives, const N: usize> Drop for MessageSender<R, N> {
    fn drop(&mut self) {
        self.publish();
    }
}

impl<R: Receives, const N: usize> MessageReceiver<R, N> {
    /// The bytes of a cell.
    pub const CELL: usize = size_of::<Cell<N>>();

    /// Receives the next message, if there is one, and says what `at` said of it.
    #[inline(always)]
    pub fn receive(&mut self, at: &mut R) -> Option<R::Outcome> {
        let mut said = None;
        self.receive_some(at, 1, |outcome| {
            said = Some(outcome);
            true
        });
        said
    }

    /// Receives messages, `most` at most, as long as there is one and `goes_on` with what `at` said of the last. Returns how
    /// many there were.
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
                // SAFETY: a cell has so many words.
                let (mut place, end) =
                    unsafe { (words.cast::<Word>().add(next), words.cast::<Word>().add(used)) };
                while !ptr::eq(place, end) {
                    // SAFETY: the cell is the receiver's, and a message lies at `place`, behind its handler. It is passed by
                    // before it is read, so nobody reads it again, even if it panics; its cell is given back after that.
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

    /// Goes on at the first cell of the next lap, unless it is at a first cell. Of a ring that is not empty it does nothing.
    pub fn begin_lap(&mut self) {
        if self.is_empty() {
            self.cell = lap_from(self.cell, self.shared.mask);
            self.shared.head.store(self.cell, Ordering::Release);
        }
    }

    /// Whether a message that was [marked](MessageSender::mark) has not been received.
    #[inline]
    pub fn is_behind(&mut self) -> bool {
        let marked = self.shared.mark.load(Ordering::Relaxed).wrapping_sub(self.cell);
        marked.cast_signed() > 0 && !self.is_empty()
    }

    /// Whether [`receive`](Self::receive) would find nothing now.
    #[inline(always)]
    pub fn is_empty(&mut self) -> bool {
        self.at == self.used && !self.next_cell()
    }

    /// Gives back the cell that was emptied, if any, and goes on to the next one. Returns whether that is there.
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

impl<R: Receives, const N: usize> Drop for MessageReceiver<R, N> {
    fn drop(&mut self) {
        self.shared.within.store(self.at, Ordering::Relaxed);
        self.shared.head.store(self.cell, Ordering::Release);
    }
}
