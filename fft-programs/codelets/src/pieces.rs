//! Loops of kernels, each compiled for every instruction set.

pub(crate) mod autosort;
pub(crate) mod cross;
pub(crate) mod stage;
pub(crate) mod tile;
pub(crate) mod turn;
