//! The count of a slot: one word, so that a slot begins its next round with one store.
//!
//! The first four bytes are the signals that the slot still awaits, the other four how many its present round takes in all,
//! its *total*. A signal takes one off the first half. A slot that is raised gets more of both. A one-shot slot that has
//! reached zero awaits none of [`OVER`]; one that was declared with a count of 0, and may yet be raised, none of 0.

use std::mem::MaybeUninit;

/// The total of a one-shot slot that has reached zero. No other total reaches it.
pub const OVER: u32 = u32::MAX;

/// How many signals a slot awaits, and of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Count(u64);

/// What becomes of a slot whose count is [raised](super::Frames::raise).
#[must_use]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Raised {
    /// Its present round takes more signals.
    Done,
    /// The frame has ended or never was.
    Stale,
    /// The frame has no such slot.
    Nowhere,
    /// The slot is one-shot and has reached zero.
    TooLate,
    /// Its total would reach [`OVER`].
    TooFar,
}

impl Count {
    const fn new(awaited: u32, total: u32) -> Self {
        Count(bytemuck::must_cast([awaited, total]))
    }

    /// A round of so many signals.
    ///
    /// # Panics
    ///
    /// If these are [`OVER`] or more.
    pub(super) const fn round(signals: u32) -> Self {
        assert!(signals < OVER, "a slot counts less than u32::MAX signals");
        Self::new(signals, signals)
    }

    /// What follows the first round: the next of so many signals, or none if `reset` is 0.
    pub(super) const fn after(reset: u32) -> Self {
        if reset == 0 { Self::new(0, OVER) } else { Self::round(reset) }
    }

    /// The signals awaited, and the total.
    pub(super) const fn halves(self) -> (u32, u32) {
        let [awaited, total] = bytemuck::must_cast(self.0);
        (awaited, total)
    }

    /// The count as a word of memory.
    pub(super) const fn into_word(self) -> MaybeUninit<u64> {
        MaybeUninit::new(self.0)
    }

    /// Takes more signals in the present round, or says why not.
    pub(super) fn raise(&mut self, by: u32) -> Raised {
        let (awaited, mut total) = self.halves();
        if total == OVER {
            if !seeded!(RaisedTooLate) {
                return Raised::TooLate;
            }
            total = 0;
        }
        match total.checked_add(by) {
            // No slot awaits more than its total.
            Some(total) if total < OVER => {
                *self = Self::new(awaited + by, total);
                Raised::Done
            }
            _ => Raised::TooFar,
        }
    }
}
