//! Rows of any length by means of kernels of other lengths.

pub(crate) mod chirp;
pub(crate) mod composite;
pub(crate) mod product;
pub(crate) mod rader;
