//! The fiber that an execution unit runs: one word that a stall monitor reads.
//!
//! The unit writes the word when a fiber begins and when it has returned. A monitor in another thread reads
//! it now and then. The word is 0 while no fiber runs. Otherwise it holds all that the monitor needs:
//!
//! * the number of the function in the function table of the run;
//! * the number of the fiber in its function;
//! * a sequence number that changes with each fiber.
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
//! *Cost.* Two stores per fiber, to a line that is read only when the monitor looks. A unit without a monitor
//! has no such word.

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
/// let running = view.running().expect("a fiber runs");
/// assert_eq!((running.function(), running.fiber()), (3, 1));
/// activity.rest();
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
    word: Arc<CachePadded<AtomicU64>>,
    sequence: u32,
}

/// The reading end.
#[derive(Clone)]
pub struct ActivityView {
    word: Arc<CachePadded<AtomicU64>>,
}

/// A running fiber: 16 bits of function number, 16 bits of fiber number, 32 bits of sequence number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Running(NonZeroU64);

impl Activity {
    /// Returns the word of a unit that runs no fiber.
    pub fn new() -> Self {
        Self { word: Arc::new(CachePadded::new(AtomicU64::new(0))), sequence: 0 }
    }

    /// Returns a reading end of this word.
    pub fn view(&self) -> ActivityView {
        ActivityView { word: Arc::clone(&self.word) }
    }

    /// Records that a fiber begins. Function numbers above 65,534 are stored as 65,534, and fiber numbers
    /// above 65,535 as 65,535.
    #[inline]
    pub fn begin(&mut self, function: u32, fiber: u32) {
        self.sequence = self.sequence.wrapping_add(1);
        // The word stores the function number plus one, so no fiber is 0.
        let function = u64::from(function.min(0xfffe)) + 1;
        let fiber = u64::from(fiber.min(0xffff));
        self.word.store(function << 48 | fiber << 32 | u64::from(self.sequence), Ordering::Relaxed);
    }

    /// Records that the fiber has returned.
    #[inline]
    pub fn rest(&self) {
        self.word.store(0, Ordering::Relaxed);
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
        NonZeroU64::new(self.word.load(Ordering::Relaxed)).map(Running)
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
