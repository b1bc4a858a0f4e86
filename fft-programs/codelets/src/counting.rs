//! What kernels do, counted, and the most that a core does.

pub(crate) mod operations;
pub(crate) mod peak;
pub(crate) mod tally;
pub(crate) mod whole;
