//! Rows of any length through other kernels.

pub(crate) mod chirp;
pub(crate) mod composite;
pub(crate) mod product;
pub(crate) mod rader;
