//! Which fiber an execution unit runs: the word that a stall monitor reads.
//!
//! The unit writes the word when a fiber begins and when it has returned. A monitor in another thread reads it now and
//! then. The word holds all that the monitor asks for: the number of the function in the table of the run, the number
//! of the fiber in its function, and a sequence number that changes with each fiber. It is 0 while no fiber runs.
//!
//! # Why one word is enough
//!
//! What is written in one store is read in one load, so the monitor never sees the function of one fiber with the number
//! of another. Equal words at two looks are one fiber, which had begun by the first look and had not returned by the
//! second: another fiber would have another sequence number, unless 2³² fibers, to the last one, began in between.
//!
//! The word hands nothing over. Numbers are looked up in a table that the monitor was given before the run, so nothing
//! must be visible with them and all accesses are relaxed. Loads of one word see its values in the order in which they
//! were written; so a monitor may be late by what a store takes to reach another core, and never goes back.
//!
//! *Cost.* Two stores a fiber, to a line that is read only when the monitor looks. A unit that nobody watches has no
//! such word.

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
/// Nobody else can write:
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

/// A fiber that runs: 16 bits of the function, 16 of the fiber, 32 of the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Running(NonZeroU64);

impl Activity {
    /// The word of a unit that runs no fiber.
    pub fn new() -> Self {
        Self { word: Arc::new(CachePadded::new(AtomicU64::new(0))), sequence: 0 }
    }

    /// The reading end of this word.
    pub fn view(&self) -> ActivityView {
        ActivityView { word: Arc::clone(&self.word) }
    }

    /// A fiber begins. The largest function number is 65,534 and the largest fiber number is 65,535: these stand for all
    /// that are larger, too.
    #[inline]
    pub fn begin(&mut self, function: u32, fiber: u32) {
        self.sequence = self.sequence.wrapping_add(1);
        // Function numbers are kept plus one, so that no fiber is 0.
        let function = u64::from(function.min(0xfffe)) + 1;
        let fiber = u64::from(fiber.min(0xffff));
        self.word.store(function << 48 | fiber << 32 | u64::from(self.sequence), Ordering::Relaxed);
    }

    /// The fiber has returned.
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
    /// The fiber that runs, if one does.
    pub fn running(&self) -> Option<Running> {
        NonZeroU64::new(self.word.load(Ordering::Relaxed)).map(Running)
    }
}

impl Running {
    /// The number of its function.
    pub fn function(self) -> u32 {
        (self.0.get() >> 48) as u32 - 1
    }

    /// The number of the fiber in its function.
    pub fn fiber(self) -> u32 {
        (self.0.get() >> 32) as u32 & 0xffff
    }
}
