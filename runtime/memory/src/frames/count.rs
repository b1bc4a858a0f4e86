//! The count of a slot: one word, so that a slot begins its next round with one store.
//!
//! The first four bytes are the signals that the slot still awaits, the other four how many its present round takes in all,
//! its *total*. A signal takes one off the first half. A slot that is raised gets more of both. A one-shot slot that has
//! reached zero is [`Count::OVER`], which awaits none of many; one that was declared with a count of 0, and may yet be raised,
//! awaits none of 0.

use std::cell::UnsafeCell;

/// Why a frame does not take a value or a signal, or does not raise a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The frame has ended or never was.
    Stale,
    /// The frame has no such slot, or no such inlet for values of this kind.
    Nowhere,
    /// The inlet is full.
    Full,
    /// The slot expects no signal.
    Unexpected,
    /// The slot whose count is raised is one-shot and has reached zero.
    TooLate,
    /// The raised total does not fit 32 bits.
    TooFar,
}

/// How many signals a slot awaits, and of how many.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Count(u64);

/// The place of the count of a slot. A signal reads and writes the awaited half alone.
#[repr(transparent)]
pub(super) struct Counter(UnsafeCell<Count>);

impl Counter {
    #[inline(always)]
    pub(super) fn get(&self) -> Count {
        // SAFETY: no reference to the count is ever made, and one thread alone has the frame.
        unsafe { self.0.get().read() }
    }

    #[inline(always)]
    pub(super) fn set(&self, count: Count) {
        // SAFETY: as in `get`.
        unsafe { self.0.get().write(count) }
    }

    #[inline(always)]
    pub(super) fn awaited(&self) -> u32 {
        // SAFETY: as in `get`; the awaited ones are the first half.
        unsafe { self.0.get().cast::<u32>().read() }
    }

    #[inline(always)]
    pub(super) fn set_awaited(&self, awaited: u32) {
        // SAFETY: as in `awaited`.
        unsafe { self.0.get().cast::<u32>().write(awaited) }
    }
}

/// The end of a round of a slot: the values that it needs, and the count that follows.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// The bits of the inlets that the slot counts, in the mask that has the first of them. If others have bits in another
    /// mask, or this is not known, there are more bits than a mask has.
    pub(super) counted: u64,
    /// The count of each later round.
    pub(super) next: Count,
}

impl Due {
    /// No mask has all these bits, so the inlets of the slot and its next count are looked up.
    pub(super) const UNKNOWN: Due = Due { counted: u64::MAX, next: Count::OVER };
}

impl Count {
    /// The count of a one-shot slot that has reached zero.
    pub(super) const OVER: Count = Self::new(0, u32::MAX);

    const fn new(awaited: u32, total: u32) -> Self {
        Count(bytemuck::must_cast([awaited, total]))
    }

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

    /// The count with more signals in the present round.
    pub(super) fn raised(self, by: u32) -> Result<Self, Refusal> {
        let (awaited, mut total) = self.halves();
        if self == Self::OVER {
            if !seeded!(RaisedTooLate) {
                return Err(Refusal::TooLate);
            }
            total = 0;
        }
        // No slot awaits more than its total.
        let total = total.checked_add(by).ok_or(Refusal::TooFar)?;
        Ok(Self::new(awaited + by, total))
    }
}
