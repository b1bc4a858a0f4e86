//! The loops of kernels, each compiled for every set of vector instructions.

pub(crate) mod cross;
pub(crate) mod small;
pub(crate) mod stage;
pub(crate) mod tile;
pub(crate) mod turn;
