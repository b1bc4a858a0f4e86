//! Performance models of papers, as pure functions.

pub(crate) mod manycore;
pub mod torus;
