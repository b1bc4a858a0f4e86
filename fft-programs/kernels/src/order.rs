//! Data distribution, twiddle exponents and output orders of the parallel programs, as pure arithmetic.

pub(crate) mod bit_reversal;
pub(crate) mod radix;
pub(crate) mod receiver;
pub(crate) mod sender;
