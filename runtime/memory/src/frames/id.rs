//! The identity of a frame: one word, so that it is copied and compared as one.

use std::fmt;
use std::num::NonZero;

pub(super) const GENERATION: u64 = 1 << 32;

/// A frame at one generation: its number and a generation, which is odd, as those of all frames that live are. So one
/// comparison with the word of a frame that is there says whether this frame lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId(NonZero<u64>);

impl FrameId {
    /// The identity of no frame that a store makes.
    pub const ROOT: FrameId = Self::new(u32::MAX, 1).expect("1 is odd");

    /// The frame of this number at this generation, if that is odd.
    #[inline(always)]
    pub const fn new(number: u32, generation: u32) -> Option<Self> {
        Self::from_word((generation as u64) << 32 | number as u64)
    }

    /// The frame whose generation is the upper half of a word and whose number is the lower, if the generation is odd.
    #[inline(always)]
    pub(super) const fn from_word(word: u64) -> Option<Self> {
        match NonZero::new(word) {
            Some(some) if word & GENERATION != 0 => Some(FrameId(some)),
            _ => None,
        }
    }

    /// The frame of a word whose generation is known to be odd.
    ///
    /// # Safety
    ///
    /// It is odd.
    #[inline(always)]
    pub(super) const unsafe fn from_live(word: u64) -> Self {
        // SAFETY: by this function's contract; such a word is not 0.
        FrameId(unsafe { NonZero::new_unchecked(word) })
    }

    /// The whole word: the generation in the upper half, the number in the lower.
    #[inline(always)]
    pub const fn word(self) -> u64 {
        self.0.get()
    }

    /// The number.
    #[inline(always)]
    pub const fn number(self) -> u32 {
        self.word() as u32
    }

    /// The generation.
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
