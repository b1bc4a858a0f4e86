//! The definition of the transform, and how far another one is from it.

pub(crate) mod dft;
pub(crate) mod error;
#[cfg(test)]
pub(crate) mod naive;
#[cfg(test)]
pub(crate) mod noise;
pub(crate) mod verify;
