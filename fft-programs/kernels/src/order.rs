//! Who holds which points, by which factors they are multiplied, and in which order they come: the arithmetic of programs, pure.

pub(crate) mod bit_reversal;
pub(crate) mod radix;
pub(crate) mod receiver;
pub(crate) mod sender;
