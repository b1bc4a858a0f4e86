//! Measures the cost of operations on this computer and writes it as a profile for the simulated machine;
//! checks how well the profile predicts the programs' times.
//!
//! * [`calibrated`]: the profile, from microbenchmarks;
//! * [`kernels()`]: the cost of the work of fibers;
//! * [`predicted`]: times of the FFT programs, measured and predicted by the profile;
//! * [`rates`]: rates for the cost model of plans, and the model's errors.

mod kernels;
mod prediction;
mod profile;
pub mod rates;

pub use kernels::kernels;
pub use prediction::{POINTS, Row, predicted};
pub(crate) use profile::with_messages;
pub use profile::{Effort, calibrated};
