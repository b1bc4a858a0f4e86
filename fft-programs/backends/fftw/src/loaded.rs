//! Loaded library: its places, its file, and its functions.

pub(crate) mod fftw2;
pub(crate) mod file;
pub(crate) mod interface;
pub(crate) mod precision;
pub(crate) mod search;
