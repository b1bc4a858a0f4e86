//! Operation counts of kernels, and the peak rate of a core.

pub(crate) mod operations;
pub(crate) mod peak;
pub(crate) mod tally;
pub(crate) mod whole;
