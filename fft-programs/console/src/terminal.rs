//! What people see meanwhile: results and words about them, bars, and how far a measurement is.

pub mod output;
pub mod progress;
pub(crate) mod stderr;
pub mod work;
