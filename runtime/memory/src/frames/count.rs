//! The count of a slot: one word, so that a slot begins its next round with one store.
//!
//! The first four bytes are the number of signals that the slot still awaits. The other four are its *total*:
//! the number of signals in its present round. A signal decrements the first half. Raising a slot increases
//! both. A one-shot slot that has reached zero is [`Count::OVER`]: it awaits 0 of `u32::MAX`. A slot that was
//! declared with a count of 0, and may still be raised, awaits 0 of 0.

use std::cell::UnsafeCell;

/// Reason why a frame refuses a value, a signal or a raise of a count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refusal {
    /// The frame has ended or never existed.
    Stale,
    /// The frame has no such slot, or no such inlet for values of this kind.
    NoSuchPart,
    /// The inlet is full.
    Full,
    /// The slot expects no signal.
    Unexpected,
    /// The slot whose count is raised is one-shot and has reached zero.
    TooLate,
    /// The raised total does not fit in 32 bits.
    Overflow,
}

/// The number of signals that a slot awaits, and their total.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub(super) struct Count(u64);

/// Cell of a slot's count. A signal reads and writes only the awaited half.
#[repr(transparent)]
pub(super) struct Counter(UnsafeCell<Count>);

impl Counter {
    #[inline(always)]
    pub(super) fn get(&self) -> Count {
        // SAFETY: no reference to the count is ever made, and only one thread has the frame.
        unsafe { self.0.get().read() }
    }

    #[inline(always)]
    pub(super) fn set(&self, count: Count) {
        // SAFETY: as in `get`.
        unsafe { self.0.get().write(count) }
    }

    #[inline(always)]
    pub(super) fn awaited(&self) -> u32 {
        // SAFETY: as in `get`. The awaited signals are the first half.
        unsafe { self.0.get().cast::<u32>().read() }
    }

    #[inline(always)]
    pub(super) fn set_awaited(&self, awaited: u32) {
        // SAFETY: as in `awaited`.
        unsafe { self.0.get().cast::<u32>().write(awaited) }
    }
}

/// The end of a slot's round: the inlets that must be full, and the next count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Due {
    /// Bits of the counted inlets in the mask that covers the first of them. If the inlets are in several
    /// masks, or are unknown, it has more bits than a mask.
    pub(super) counted: u64,
    /// Count of each later round.
    pub(super) next: Count,
}

impl Due {
    /// Marks an unknown end of a round. No mask has all these bits, so the slot's inlets and next count are
    /// looked up.
    pub(super) const UNKNOWN: Due = Due { counted: u64::MAX, next: Count::OVER };
}

impl Count {
    /// Count of a one-shot slot that has reached zero.
    pub(super) const OVER: Count = Self::new(0, u32::MAX);

    const fn new(awaited: u32, total: u32) -> Self {
        Count(bytemuck::must_cast([awaited, total]))
    }

    pub(super) const fn round(signals: u32) -> Self {
        Self::new(signals, signals)
    }

    /// Returns the count after the first round: a round of `reset` signals, or `OVER` if `reset` is 0.
    pub(super) const fn after(reset: u32) -> Self {
        if reset == 0 { Self::OVER } else { Self::round(reset) }
    }

    /// Returns the number of awaited signals, and the total.
    pub(super) const fn halves(self) -> (u32, u32) {
        let [awaited, total] = bytemuck::must_cast(self.0);
        (awaited, total)
    }

    /// Returns the count with `by` more signals in the present round.
    pub(super) fn raised(self, by: u32) -> Result<Self, Refusal> {
        let (awaited, mut total) = self.halves();
        if self == Self::OVER {
            if !seeded!(RaisedTooLate) {
                return Err(Refusal::TooLate);
            }
            total = 0;
        }
        // The awaited signals never exceed the total, so `awaited + by` does not overflow.
        let total = total.checked_add(by).ok_or(Refusal::Overflow)?;
        Ok(Self::new(awaited + by, total))
    }
}
