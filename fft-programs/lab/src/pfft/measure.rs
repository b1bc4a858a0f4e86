//! Measurement of the speed of groups of threads at row FFTs: speed functions
//! ([`partition`](earth_papers::partition)), kept in a [file](earth_papers::file).
//!
//! After Khokhriakov, Manumachu and Lastovetsky, *IEEE Access* 6 (2018), sections II and IV and appendix B:
//! each of p groups of t threads has a speed function of the number of rows x and their length y.
//!
//! * [`Plan`]: the points to measure, and their order.
//! * [`repeat`]: repeats the timing of a point, and gives the confidence interval of its mean;
//!   [`normality()`] tests the times.
//! * [`speeds`]: measures a point, all groups at once.
//! * [`variations`], [`Profile`], [`SpeedUp`]: properties of a profile of speeds.

mod clearly;
mod normality;
mod plan;
pub mod speeds;
mod statistics;
mod variation;

pub(crate) use clearly::{count_clearly, is_clearly_less, null_band};
pub use normality::normality;
pub use plan::{Plan, Progress, SizesError};
pub use statistics::{MeasureError, Measured, Reliability, Stop, repeat, student};
pub use variation::{Profile, SpeedUp, Variation, variations};
