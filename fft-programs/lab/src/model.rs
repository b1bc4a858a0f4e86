//! Performance models of papers and of distributed FFTs, as pure functions.

pub mod distributed;
pub(crate) mod manycore;
pub mod torus;
