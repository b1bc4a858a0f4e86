//! What operations cost on this computer, as a profile for the simulated machine, and how well that foretells what
//! the programs take.
//!
//! * [`calibrated`]: the profile, from small programs that do one thing many times;
//! * [`kernels()`]: what the work of fibers costs;
//! * [`predicted`]: the FFT programs, measured and foretold by the profile;
//! * [`rates`]: the rates for the model of what plans take, and how far off that is.

mod kernels;
mod prediction;
mod profile;
mod programs;
pub mod rates;
mod times;

pub use kernels::kernels;
pub use prediction::{POINTS, Row, predicted};
pub use profile::{Effort, calibrated};
