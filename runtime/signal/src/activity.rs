//! The fiber that an execution unit runs: one word that a stall monitor reads.
//!
//! The unit writes the word when a fiber begins and when it has returned. A monitor in another thread reads
//! it now and then. The word holds all that the monitor needs:
//!
//! * the number of the function in the function table of the run, or 0 while no fiber runs;
//! * the number of the fiber in its function;
//! * a sequence number that changes with each fiber, and stays after the fiber has returned.
//!
//! A second word holds the numbers of fibers and tokens that wait behind the running fiber. The monitor only
//! prints them.
//!
//! # Why one word is enough
//!
//! One store writes all three numbers and one load reads them, so the monitor never sees the function of one
//! fiber with the number of another. Equal words at two looks mean the same fiber, which began before the
//! first look and had not returned by the second. Another fiber would have another sequence number, unless an
//! exact multiple of 2³² fibers began in between.
//!
//! The word hands no data over. The monitor looks the numbers up in a table that it got before the run. So no
//! other write must be visible with them, and all accesses are relaxed. Loads of one word see its values in
//! the order in which they were written. So a monitor may lag by the time that a store takes to reach another
//! core, and never goes back.
//!
//! *Cost.* Three stores per fiber and one per token, to a line that is read only when the monitor looks. A
//! unit without a monitor has no such words.

use std::num::NonZeroU64;

use crossbeam_utils::CachePadded;

use super::primitive::{Arc, AtomicU64, Ordering};

/// The writing end, which an execution unit holds.
///
/// # Examples
///
/// ```
/// let mut activity = earth_signal::Activity::new();
/// let view = activity.view();
/// assert!(view.running().is_none());
/// activity.begin(3, 1);
/// activity.waits(2, 5);
/// let running = view.running().expect("a fiber runs");
/// assert_eq!((running.function(), running.fiber(), view.waiting()), (3, 1, (2, 5)));
/// activity.rest();
/// assert_eq!((view.running(), view.begun()), (None, 1));
/// activity.begin(3, 1);
/// assert_ne!(view.running(), Some(running), "this is another fiber");
/// ```
///
/// No other handle can write:
///
/// ```compile_fail,E0599
/// let second = earth_signal::Activity::new().clone();
/// ```
#[derive(Debug)]
pub struct Activity {
    words: Arc<CachePadded<ActivityWords>>,
    sequence: u32,
}

/// The reading end.
#[derive(Clone)]
pub struct ActivityView {
    words: Arc<CachePadded<ActivityWords>>,
}

#[derive(Debug)]
struct ActivityWords {
    /// 16 bits of function number plus one, 16 bits of fiber number, 32 bits of sequence number.
    fiber: AtomicU64,
    /// 32 bits of waiting fibers, 32 bits of waiting tokens.
    waiting: AtomicU64,
}

/// A running fiber: 16 bits of function number, 16 bits of fiber number, 32 bits of sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Running(NonZeroU64);

impl Activity {
    /// Returns the words of a unit that runs no fiber.
    pub fn new() -> Self {
        let words = ActivityWords { fiber: AtomicU64::new(0), waiting: AtomicU64::new(0) };
        Self { words: Arc::new(CachePadded::new(words)), sequence: 0 }
    }

    /// Returns a reading end of these words.
    pub fn view(&self) -> ActivityView {
        ActivityView { words: Arc::clone(&self.words) }
    }

    /// Records that a fiber begins. Function numbers above 65,534 are stored as 65,534, and fiber numbers
    /// above 65,535 as 65,535.
    #[inline]
    pub fn begin(&mut self, function: u32, fiber: u32) {
        self.sequence = self.sequence.wrapping_add(1);
        // The word stores the function number plus one, so that 0 means no fiber.
        let function = u64::from(function.min(0xfffe)) + 1;
        let fiber = u64::from(fiber.min(0xffff));
        self.words.fiber.store(function << 48 | fiber << 32 | u64::from(self.sequence), Ordering::Relaxed);
    }

    /// Records the numbers of fibers and tokens that wait for the running fiber to return. Numbers above
    /// `u32::MAX` are stored as `u32::MAX`.
    #[inline]
    pub fn waits(&self, fibers: usize, tokens: usize) {
        let half = |number: usize| u64::from(u32::try_from(number).unwrap_or(u32::MAX));
        self.words.waiting.store(half(fibers) << 32 | half(tokens), Ordering::Relaxed);
    }

    /// Records that the fiber has returned.
    #[inline]
    pub fn rest(&self) {
        self.words.fiber.store(u64::from(self.sequence), Ordering::Relaxed);
    }
}

impl Default for Activity {
    fn default() -> Self {
        Self::new()
    }
}

impl ActivityView {
    /// Returns the running fiber, or `None` if the unit runs none.
    pub fn running(&self) -> Option<Running> {
        let word = self.words.fiber.load(Ordering::Relaxed);
        NonZeroU64::new(word).filter(|_| word >> 48 != 0).map(Running)
    }

    /// Returns the number of fibers that the unit has begun, modulo 2³².
    pub fn begun(&self) -> u32 {
        self.words.fiber.load(Ordering::Relaxed) as u32
    }

    /// Returns the last recorded numbers of waiting fibers and tokens. They are valid
    /// while a fiber runs.
    pub fn waiting(&self) -> (u32, u32) {
        let word = self.words.waiting.load(Ordering::Relaxed);
        ((word >> 32) as u32, word as u32)
    }
}

impl Running {
    /// Returns the number of its function.
    pub fn function(self) -> u32 {
        (self.0.get() >> 48) as u32 - 1
    }

    /// Returns the number of the fiber in its function.
    pub fn fiber(self) -> u32 {
        (self.0.get() >> 32) as u32 & 0xffff
    }
}
