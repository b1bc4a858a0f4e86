//! A ring of cells that say themselves for whom they are: the storage of the event
//! queue and of the shared end.
//!
//! Positions in the endless row of values are numbered 0, 1, 2, ...; position `p` lives in cell
//! `p mod capacity`. A cell carries, in the same cache line as its value, a *sequence word*:
//!
//! | word | meaning |
//! |---|---|
//! | `2p` | free, and waiting for the value of position `p` |
//! | `2p + 1` | holds the value of position `p` |
//!
//! Filling writes the value and then `2p + 1`; taking reads the value and then writes `2(p + capacity)`.
//! A word only ever grows. Counting in steps of two is what lets a ring of *one* cell work: if "holds
//! `p`" were written `p + 1`, it would read as "free for `p + 1`", and the next sender would overwrite a
//! value that nobody has taken.
//!
//! A *ticket* is `2p`, wrapping: whoever holds the only claim to a ticket may touch the cell as soon as the
//! word says that it is its turn. Who may claim, and how, is the business of the two protocols on top. An
//! unsuccessful look at a cell costs one load of a line that stays in the cache until somebody changes it; a
//! value moves with one transfer of its line (two, above 56 bytes). A line that a value has no use for is neither
//! written nor transferred, if whoever writes the value [leaves it out](Ring::fill_by).

use std::cmp;
use std::mem::MaybeUninit;

use super::drops::drop_all;
use super::primitive::{AtomicUsize, Ordering, UnsafeCell};

/// A position, doubled. Wraps.
pub(crate) type Ticket = usize;

/// The ticket of the position `number`.
pub(crate) const fn ticket(number: usize) -> Ticket {
    number.wrapping_mul(2)
}

/// The ticket after this one.
#[inline]
pub(crate) const fn next(ticket: Ticket) -> Ticket {
    ticket.wrapping_add(2)
}

/// What a cell says to the holder of a ticket.
#[must_use]
pub(crate) enum Turn {
    /// The ticket may use the cell now.
    Now,
    /// The cell has not come to this ticket yet: there is no room, or no value.
    NotYet,
    /// The cell is beyond this ticket: the ticket was read from a counter that has moved on since.
    Past,
}

// The word comes first, so that it shares its line with the start of the value.
#[repr(C, align(128))]
struct Cell<T> {
    sequence: AtomicUsize,
    value: UnsafeCell<MaybeUninit<T>>,
}

/// The word of one cell and what it says when it is a ticket's turn: for whoever has the only claim to the ticket and looks
/// again and again, which takes two loads so.
pub(crate) struct Watch {
    word: *const AtomicUsize,
    wanted: usize,
}

// SAFETY: the pointer is only used to load an atomic word.
unsafe impl Send for Watch {}

impl Watch {
    /// Whether it is the ticket's turn. What whoever used the cell before did is then visible.
    ///
    /// # Safety
    ///
    /// The ring is still there.
    #[inline(always)]
    pub(crate) unsafe fn is_turn(&self) -> bool {
        // SAFETY: by this function's contract: a ring's cells do not move.
        unsafe { (*self.word).load(Ordering::Acquire) == self.wanted }
    }

    /// A guess, good enough to decide whether to try: is it the ticket's turn?
    ///
    /// # Safety
    ///
    /// The ring is still there.
    #[inline(always)]
    pub(crate) unsafe fn seems_turn(&self) -> bool {
        // SAFETY: by this function's contract: a ring's cells do not move.
        unsafe { (*self.word).load(Ordering::Relaxed) == self.wanted }
    }
}

pub(crate) struct Ring<T> {
    cells: Box<[Cell<T>]>,
    mask: usize,
}

// SAFETY: a value is touched only by the holder of the one claim to its ticket (`fill` and `take`
// demand it), and the sequence word orders the accesses of successive holders; so values pass between
// threads but are never shared.
unsafe impl<T: Send> Sync for Ring<T> {}

impl<T> Ring<T> {
    /// The bytes of a cell.
    pub(crate) const CELL: usize = size_of::<Cell<T>>();

    /// An empty ring whose first position has the number `first`.
    ///
    /// # Panics
    ///
    /// If `capacity` is not a power of two.
    pub(crate) fn starting_at(capacity: usize, first: usize) -> Self {
        assert!(
            capacity.is_power_of_two(),
            "a capacity must be a power of two of at least 1, not {capacity}"
        );
        let mask = capacity - 1;
        let cells = (0..capacity)
            .map(|index| {
                let number = first.wrapping_add(index.wrapping_sub(first) & mask);
                Cell {
                    sequence: AtomicUsize::new(ticket(number)),
                    value: UnsafeCell::new(MaybeUninit::uninit()),
                }
            })
            .collect();
        Self { cells, mask }
    }

    #[inline]
    fn cell(&self, ticket: Ticket) -> &Cell<T> {
        &self.cells[(ticket >> 1) & self.mask]
    }

    #[inline]
    fn look(&self, ticket: Ticket, wanted: usize, order: Ordering) -> Turn {
        let found = self.cell(ticket).sequence.load(order);
        match found.wrapping_sub(wanted).cast_signed().cmp(&0) {
            cmp::Ordering::Equal => Turn::Now,
            cmp::Ordering::Less => Turn::NotYet,
            cmp::Ordering::Greater => Turn::Past,
        }
    }

    /// May the value of this ticket be written? What whoever emptied the cell did before is then visible.
    #[inline]
    pub(crate) fn turn_to_fill(&self, ticket: Ticket) -> Turn {
        self.look(ticket, ticket, Ordering::Acquire)
    }

    /// How many values it holds at most.
    pub(crate) fn capacity(&self) -> usize {
        self.mask + 1
    }

    /// May the value of this ticket be read? What its sender did before is then visible.
    #[inline]
    pub(crate) fn turn_to_take(&self, ticket: Ticket) -> Turn {
        self.look(ticket, ticket.wrapping_add(1), Ordering::Acquire)
    }

    /// What says that it is the turn of this ticket to be read.
    #[inline]
    pub(crate) fn watch_to_take(&self, ticket: Ticket) -> Watch {
        Watch { word: &raw const self.cell(ticket).sequence, wanted: ticket.wrapping_add(1) }
    }

    /// What says that it is the turn of this ticket to be written.
    #[inline]
    pub(crate) fn watch_to_fill(&self, ticket: Ticket) -> Watch {
        Watch { word: &raw const self.cell(ticket).sequence, wanted: ticket }
    }

    /// Stores the value of this ticket and says so.
    ///
    /// # Safety
    ///
    /// The caller holds the only claim to fill `ticket`, and `turn_to_fill(ticket)` has
    /// said `Now` to the thread.
    #[inline]
    pub(crate) unsafe fn fill(&self, ticket: Ticket, value: T) {
        // SAFETY: by this function's contract, which is that of `fill_by`; the place is written whole.
        unsafe { self.fill_by(ticket, |place| place.write(value)) };
    }

    /// As [`fill`](Self::fill), with a value that `write` makes where it is to lie.
    ///
    /// # Safety
    ///
    /// That of [`fill`](Self::fill); and `write` writes a value of which it may leave out the bytes that the value has no
    /// use for.
    #[inline]
    pub(crate) unsafe fn fill_by(&self, ticket: Ticket, write: impl FnOnce(*mut T)) {
        let cell = self.cell(ticket);
        // The word says `free for ticket` and only the caller may change it, so nobody else touches the value.
        cell.value.with_mut(|place| write(place.cast()));
        cell.sequence.store(ticket.wrapping_add(1), Ordering::Release);
    }

    /// Moves the value of this ticket out and gives the cell to the next lap.
    ///
    /// # Safety
    ///
    /// The caller holds the only claim to take `ticket`, and `turn_to_take(ticket)` has
    /// said `Now` to the thread.
    #[inline]
    pub(crate) unsafe fn take(&self, ticket: Ticket) -> T {
        // SAFETY: by this function's contract, which is that of `take_by`; the value is there and is read once.
        unsafe { self.take_by(ticket, |place| place.read()) }
    }

    /// Looks at the value of this ticket, which stays where it is.
    ///
    /// # Safety
    ///
    /// That of [`take`](Self::take); and `look` keeps nothing of it.
    #[inline]
    pub(crate) unsafe fn look_by<R>(&self, ticket: Ticket, look: impl FnOnce(*const T) -> R) -> R {
        self.cell(ticket).value.with_mut(|place| look(place.cast_const().cast()))
    }

    /// As [`take`](Self::take), with what `read` makes of the value where it lies.
    ///
    /// # Safety
    ///
    /// That of [`take`](Self::take); and `read` moves all out of the value that has to be dropped.
    #[inline]
    pub(crate) unsafe fn take_by<R>(&self, ticket: Ticket, read: impl FnOnce(*const T) -> R) -> R {
        let cell = self.cell(ticket);
        // The word says `holds ticket`, so the value is there; only the caller may take it, and the cell is given away
        // only below.
        let value = cell.value.with_mut(|place| read(place.cast_const().cast()));
        let lap = ticket.wrapping_add(super::ring::ticket(self.cells.len()));
        cell.sequence.store(lap, Ordering::Release);
        value
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        let full = self.cells.iter().filter(|cell| cell.sequence.load(Ordering::Relaxed) & 1 == 1);
        // SAFETY: the ring is ours alone, so nobody is between claiming a ticket and using it; an odd word means
        // that the cell holds a value, and each cell is visited once.
        drop_all(full.map(|cell| cell.value.with_mut(|place| unsafe { (*place).assume_init_read() })));
    }
}
