//! The count of a slot: one word, so that a slot begins its next round with one store.
//!
//! The first four bytes are the signals that the slot still awaits, the other four how many its present round takes in all,
//! its *total*. A signal takes one off the first half. A slot that is raised gets more of both. A one-shot slot that has
//! reached zero is [`Count::OVER`], which awaits none of many; one that was declared with a count of 0, and may yet be raised,
//! awaits none of 0.

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
    /// Its total would not fit 32 bits.
    TooFar,
}

impl Count {
    /// The count of a one-shot slot that has reached zero.
    pub(super) const OVER: Count = Self::new(0, u32::MAX);

    const fn new(awaited: u32, total: u32) -> Self {
        Count(bytemuck::must_cast([awaited, total]))
    }

    /// A round of so many signals.
    pub(super) const fn round(signals: u32) -> Self {
        Self::new(signals, signals)
    }

    /// What follows the first round: the next of so many signals, or none if `reset` is 0.
    pub(super) const fn after(reset: u32) -> Self {
        if reset == 0 { Self::OVER } else { Self::round(reset) }
    }

    /// The signals awaited, and the total.
    pub(super) const fn halves(self) -> (u32, u32) {
        let [awaited, total] = bytemuck::must_cast(self.0);
        (awaited, total)
    }

    /// Takes more signals in the present round, or says why not.
    pub(super) fn raise(&mut self, by: u32) -> Raised {
        let (awaited, mut total) = self.halves();
        if *self == Self::OVER {
            if !seeded!(RaisedTooLate) {
                return Raised::TooLate;
            }
            total = 0;
        }
        // No slot awaits more than its total.
        let Some(total) = total.checked_add(by) else { return Raised::TooFar };
        *self = Self::new(awaited + by, total);
        Raised::Done
    }
}
