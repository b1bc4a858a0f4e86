//! Kernels: the choice of a method by length, and the checks before memory is accessed.

pub(crate) mod autosort;
pub(crate) mod batch;
pub(crate) mod matrix;
pub(crate) mod mirror;
pub(crate) mod real;
pub(crate) mod rows;
pub(crate) mod split;
pub(crate) mod turned;
pub(crate) mod within;
