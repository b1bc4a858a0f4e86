//! Terminal: results and messages, progress bars, and the listener of a measurement.

pub mod output;
pub mod progress;
pub(crate) mod stderr;
pub mod work;
