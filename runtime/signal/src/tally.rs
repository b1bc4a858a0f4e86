//! A count that one thread raises and another one looks at.
//!
//! The synchronization unit of a DUAL node hands fibers over and has to know how many of them wait still, wherever
//! they wait: it compares what it has handed over with the execution unit's tally of what it has run.
//!
//! What the reader sees is a count that was true at some moment, and never falls: it may be late, so that more seem
//! to wait than do, and never the other way round. It orders nothing else: nobody reads a value because of it.
//!
//! *Cost.* A store to raise it, a load to look at it, of one line that the two threads share.

use crossbeam_utils::CachePadded;

use super::primitive::{Arc, AtomicUsize, Ordering};

/// The handle of the thread that counts. It is not `Clone`: one thread counts.
pub struct Tally {
    count: usize,
    shown: Arc<CachePadded<AtomicUsize>>,
}

/// The handle of the thread that looks.
pub struct TallyReader {
    shown: Arc<CachePadded<AtomicUsize>>,
}

/// A count of 0.
///
/// # Examples
///
/// ```
/// let (mut tally, reader) = earth_signal::tally();
/// tally.raise();
/// assert_eq!(reader.get(), 1);
/// ```
#[must_use]
pub fn tally() -> (Tally, TallyReader) {
    let shown = Arc::new(CachePadded::new(AtomicUsize::new(0)));
    (Tally { count: 0, shown: Arc::clone(&shown) }, TallyReader { shown })
}

impl Tally {
    /// Adds one to the count, which wraps.
    #[inline]
    pub fn raise(&mut self) {
        self.count = self.count.wrapping_add(1);
        self.shown.store(self.count, Ordering::Relaxed);
    }

    /// Counts from 0 again.
    pub fn reset(&mut self) {
        self.count = 0;
        self.shown.store(0, Ordering::Relaxed);
    }
}

impl TallyReader {
    /// The count, as far as it is known here.
    #[inline]
    pub fn get(&self) -> usize {
        self.shown.load(Ordering::Relaxed)
    }
}
