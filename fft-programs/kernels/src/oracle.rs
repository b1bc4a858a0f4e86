//! Definition of the transform, and errors relative to it.

pub(crate) mod dft;
pub(crate) mod error;
#[cfg(test)]
pub(crate) mod naive;
#[cfg(test)]
pub(crate) mod noise;
pub(crate) mod verify;
