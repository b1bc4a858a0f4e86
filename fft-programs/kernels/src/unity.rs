//! Roots of unity.

pub(crate) mod circle;
pub(crate) mod roots;
pub(crate) mod twiddle;
