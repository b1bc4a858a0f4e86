//! Ring of cells, each with a word that says whose turn it is: the storage of the event queue and of the
//! shared end.
//!
//! Positions in the infinite sequence of values are numbered 0, 1, 2, ...; position `p` uses cell
//! `p mod capacity`. A cell carries, in the same cache line as its value, a *sequence word*:
//!
//! | word | meaning |
//! |---|---|
//! | `2p` | free, and waiting for the value of position `p` |
//! | `2p + 1` | holds the value of position `p` |
//!
//! Filling writes the value and then `2p + 1`; taking reads the value and then writes `2(p + capacity)`. A
//! word only grows. Counting in steps of two lets a ring of *one* cell work. If "holds `p`" were written
//! `p + 1`, it would read as "free for `p + 1`", and the next sender would overwrite a value that was not
//! taken. Sequence words are from Vyukov's bounded queue (2010), which counts in steps of one.
//!
//! A *ticket* is `2p`, wrapping. The holder of the only claim to a ticket may touch the cell as soon as the
//! word says that it is its turn. The two protocols on top define who may claim, and how. An unsuccessful
//! look at a cell costs one load of a line that stays in the cache until another thread changes it. A value
//! moves with one transfer of its line (two, above 56 bytes). A line that a value does not use is neither
//! written nor transferred, if the writer of the value [leaves it out](Ring::fill_by).

use std::cmp;
use std::mem::MaybeUninit;

use super::drops::drop_all;
use super::primitive::{AtomicUsize, Ordering, UnsafeCell};

/// A position, doubled. Wraps.
pub(crate) type Ticket = usize;

/// Returns the ticket of position `number`.
pub(crate) const fn ticket(number: usize) -> Ticket {
    number.wrapping_mul(2)
}

/// Returns the ticket after this one.
#[inline]
pub(crate) const fn next(ticket: Ticket) -> Ticket {
    ticket.wrapping_add(2)
}

/// State of a cell from the viewpoint of a ticket's holder.
#[must_use]
pub(crate) enum Turn {
    /// The ticket may use the cell now.
    Now,
    /// The cell has not reached this ticket yet: there is no room, or no value.
    NotYet,
    /// The cell is beyond this ticket: the counter that gave the ticket has advanced since.
    Past,
}

// The word comes first, so that it shares its line with the start of the value.
#[repr(C, align(128))]
struct Cell<T> {
    sequence: AtomicUsize,
    value: UnsafeCell<MaybeUninit<T>>,
}

/// The sequence word of one cell, and its value when it is a ticket's turn. The holder of the only claim to
/// the ticket polls with it by two loads.
pub(crate) struct Watch {
    word: *const AtomicUsize,
    wanted: usize,
}

// SAFETY: the pointer is only used to load an atomic word.
unsafe impl Send for Watch {}

impl Watch {
    /// Whether it is the ticket's turn. If so, the writes of the cell's previous user are visible.
    ///
    /// # Safety
    ///
    /// The ring still exists.
    #[inline(always)]
    pub(crate) unsafe fn is_turn(&self) -> bool {
        // SAFETY: by this function's contract the ring exists, and its cells do not move.
        unsafe { (*self.word).load(Ordering::Acquire) == self.wanted }
    }

    /// Whether it is probably the ticket's turn: good enough to decide whether to try.
    ///
    /// # Safety
    ///
    /// The ring still exists.
    #[inline(always)]
    pub(crate) unsafe fn seems_turn(&self) -> bool {
        // SAFETY: by this function's contract the ring exists, and its cells do not move.
        unsafe { (*self.word).load(Ordering::Relaxed) == self.wanted }
    }
}

pub(crate) struct Ring<T> {
    cells: Box<[Cell<T>]>,
    mask: usize,
}

// SAFETY: a value is touched only by the holder of the one claim to its ticket (`fill` and `take` require
// it), and the sequence word orders the accesses of successive holders. So values pass between threads but
// are never shared.
unsafe impl<T: Send> Sync for Ring<T> {}

impl<T> Ring<T> {
    /// Size of one cell, in bytes.
    pub(crate) const CELL: usize = size_of::<Cell<T>>();

    /// Returns an empty ring whose first position has the number `first`.
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

    /// Returns whether this ticket's value may be written. On `Now`, the writes of the thread that emptied
    /// the cell are visible.
    #[inline]
    pub(crate) fn turn_to_fill(&self, ticket: Ticket) -> Turn {
        self.look(ticket, ticket, Ordering::Acquire)
    }

    /// Returns the largest number of values in the ring.
    pub(crate) fn capacity(&self) -> usize {
        self.mask + 1
    }

    /// Returns how many cells hold a value at this moment, by a look at each cell.
    pub(crate) fn full_cells(&self) -> usize {
        self.cells.iter().filter(|cell| cell.sequence.load(Ordering::Relaxed) & 1 == 1).count()
    }

    /// Returns whether this ticket's value may be read. On `Now`, the writes of its sender are visible.
    #[inline]
    pub(crate) fn turn_to_take(&self, ticket: Ticket) -> Turn {
        self.look(ticket, ticket.wrapping_add(1), Ordering::Acquire)
    }

    /// Returns a watch on the turn to read this ticket.
    #[inline]
    pub(crate) fn watch_to_take(&self, ticket: Ticket) -> Watch {
        Watch { word: &raw const self.cell(ticket).sequence, wanted: ticket.wrapping_add(1) }
    }

    /// Returns a watch on the turn to write this ticket.
    #[inline]
    pub(crate) fn watch_to_fill(&self, ticket: Ticket) -> Watch {
        Watch { word: &raw const self.cell(ticket).sequence, wanted: ticket }
    }

    /// Stores the value of this ticket and marks the cell full.
    ///
    /// # Safety
    ///
    /// The caller holds the only claim to fill `ticket`, and `turn_to_fill(ticket)` has returned `Now` to
    /// this thread.
    #[inline]
    pub(crate) unsafe fn fill(&self, ticket: Ticket, value: T) {
        // SAFETY: this function's contract is the contract of `fill_by`; the whole value is written.
        unsafe { self.fill_by(ticket, |place| place.write(value)) };
    }

    /// Like [`fill`](Self::fill), with a value that `write` constructs in the cell.
    ///
    /// # Safety
    ///
    /// As for [`fill`](Self::fill). `write` writes a value; it may leave out bytes that the value does not
    /// use.
    #[inline]
    pub(crate) unsafe fn fill_by(&self, ticket: Ticket, write: impl FnOnce(*mut T)) {
        let cell = self.cell(ticket);
        // The word says `free for ticket` and only the caller may change it, so no other thread touches the
        // value.
        cell.value.with_mut(|place| write(place.cast()));
        cell.sequence.store(ticket.wrapping_add(1), Ordering::Release);
    }

    /// Moves the value of this ticket out and gives the cell to the next lap.
    ///
    /// # Safety
    ///
    /// The caller holds the only claim to take `ticket`, and `turn_to_take(ticket)` has returned `Now` to
    /// this thread.
    #[inline]
    pub(crate) unsafe fn take(&self, ticket: Ticket) -> T {
        // SAFETY: this function's contract is the contract of `take_by`; the value is there and is read once.
        unsafe { self.take_by(ticket, |place| place.read()) }
    }

    /// Reads the value of this ticket without removing it.
    ///
    /// # Safety
    ///
    /// As for [`take`](Self::take). The result of `look` keeps no part of the value.
    #[inline]
    pub(crate) unsafe fn look_by<R>(&self, ticket: Ticket, look: impl FnOnce(*const T) -> R) -> R {
        self.cell(ticket).value.with_mut(|place| look(place.cast_const().cast()))
    }

    /// Like [`take`](Self::take), with the result that `read` makes of the value in the cell.
    ///
    /// # Safety
    ///
    /// As for [`take`](Self::take). `read` moves everything out of the value that must be dropped.
    #[inline]
    pub(crate) unsafe fn take_by<R>(&self, ticket: Ticket, read: impl FnOnce(*const T) -> R) -> R {
        let cell = self.cell(ticket);
        // The word says `holds ticket`, so the value is there. Only the caller may take it, and the cell is
        // released only below.
        let value = cell.value.with_mut(|place| read(place.cast_const().cast()));
        let lap = ticket.wrapping_add(super::ring::ticket(self.cells.len()));
        cell.sequence.store(lap, Ordering::Release);
        value
    }
}

impl<T> Drop for Ring<T> {
    fn drop(&mut self) {
        let full = self.cells.iter().filter(|cell| cell.sequence.load(Ordering::Relaxed) & 1 == 1);
        // SAFETY: the ring has no other user, so no thread is between claiming a ticket and using it. An odd
        // word means that the cell holds a value, and each cell is visited once.
        drop_all(full.map(|cell| cell.value.with_mut(|place| unsafe { (*place).assume_init_read() })));
    }
}
