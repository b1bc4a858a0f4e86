//! How fast groups of threads are at row FFTs: speed functions ([`partition`](earth_papers::partition)), measured, and kept in a [file](earth_papers::file).
//!
//! After Khokhriakov, Manumachu and Lastovetsky, *IEEE Access* 6 (2018), sections II and IV and appendix B:
//! each of p groups of t threads has a speed function of the number of rows x and their length y.
//!
//! * [`Plan`]: which points to measure, and which next.
//! * [`repeat`]: how often to time a point, and what its mean is worth; [`normality()`] of the times.
//! * [`speeds`]: measures a point, all groups at once.
//! * [`variations`], [`Profile`], [`SpeedUp`]: what a profile of speeds is like.

mod normality;
mod plan;
pub mod speeds;
mod statistics;
mod variation;

pub use normality::normality;
pub use plan::{Plan, Progress, SizesError};
pub use statistics::{MeasureError, Measured, Reliability, Stop, repeat, student};
pub use variation::{Profile, SpeedUp, Variation, variations};
