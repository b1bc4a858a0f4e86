//! The performance models of papers, as pure functions.

pub mod torus;
