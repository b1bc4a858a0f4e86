//! Radices of a length, and roots of unity.

pub(crate) mod radices;
pub(crate) mod roots;
