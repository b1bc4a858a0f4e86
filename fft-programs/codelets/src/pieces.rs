//! Loops of kernels, each compiled for every instruction set.

pub(crate) mod cross;
pub(crate) mod small;
pub(crate) mod stage;
pub(crate) mod tile;
pub(crate) mod turn;
