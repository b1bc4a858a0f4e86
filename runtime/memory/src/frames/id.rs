//! The identity of a frame: one word, so that it is copied and compared as one.

use std::fmt;
use std::num::NonZero;

pub(super) const GENERATION: u64 = 1 << 32;

/// Identity of a frame: its number and an odd generation. The generation of every live frame is odd, so one
/// comparison with the word in a frame's head shows whether the frame lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(NonZero<u64>);

impl FrameId {
    /// Identity that no store gives to a frame, for the result of a run.
    pub const ROOT: FrameId = Self::new(u32::MAX, 1).expect("1 is odd");

    /// The lowest number that no store gives to a frame. [`ROOT`](Self::ROOT) has the highest number.
    pub const FIRST_RESERVED: u32 = u32::MAX - 1023;

    /// Returns the identity of this number and generation, or `None` if the generation is even.
    #[inline(always)]
    pub const fn new(number: u32, generation: u32) -> Option<Self> {
        Self::from_word((generation as u64) << 32 | number as u64)
    }

    /// Returns the identity with the generation in the upper half of `word` and the number in the lower half,
    /// or `None` if the generation is even.
    #[inline(always)]
    pub(super) const fn from_word(word: u64) -> Option<Self> {
        match NonZero::new(word) {
            Some(some) if word & GENERATION != 0 => Some(FrameId(some)),
            _ => None,
        }
    }

    /// Returns the identity of a word whose generation is known to be odd.
    ///
    /// # Safety
    ///
    /// The generation is odd.
    #[inline(always)]
    pub(super) const unsafe fn from_live(word: u64) -> Self {
        // SAFETY: by this function's contract. Such a word is not 0.
        FrameId(unsafe { NonZero::new_unchecked(word) })
    }

    /// Returns the whole word: the generation in the upper half, the number in the lower half.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        self.0.get()
    }

    /// Returns the number.
    #[inline(always)]
    pub const fn number(self) -> u32 {
        self.word() as u32
    }

    /// Returns the generation.
    #[inline(always)]
    pub const fn generation(self) -> u32 {
        (self.word() >> 32) as u32
    }
}

impl fmt::Debug for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "frame {} (generation {})", self.number(), self.generation())
    }
}
