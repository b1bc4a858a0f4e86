//! A counter that one thread increments and another thread reads.
//!
//! The synchronization unit of a DUAL node hands fibers over and must know how many of them still wait, in
//! any queue. It compares the number it has handed over with the execution unit's tally of fibers run.
//!
//! The reader sees a count that was true at some moment, and never falls. It may lag, so that more fibers
//! seem to wait than do, never fewer. It orders no other access: no value is read because of it.
//!
//! *Cost.* A store to increment and a load to read, of one line that the two threads share.

use crossbeam_utils::CachePadded;

use super::primitive::{Arc, AtomicUsize, Ordering};

/// Handle of the counting thread. It is not `Clone`: one thread counts.
pub struct Tally {
    count: usize,
    shown: Arc<CachePadded<AtomicUsize>>,
}

/// Handle of the reading thread.
pub struct TallyReader {
    shown: Arc<CachePadded<AtomicUsize>>,
}

/// Returns the two handles of a count of 0.
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

    /// Resets the count to 0.
    pub fn reset(&mut self) {
        self.count = 0;
        self.shown.store(0, Ordering::Relaxed);
    }
}

impl TallyReader {
    /// Returns the last count visible to this thread.
    #[inline]
    pub fn get(&self) -> usize {
        self.shown.load(Ordering::Relaxed)
    }
}
