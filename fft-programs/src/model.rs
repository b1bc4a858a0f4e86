//! Functional performance models: how fast groups of threads are at row FFTs, measured, kept in a file, and
//! asked for the best distribution of a matrix's rows.
//!
//! After Khokhriakov, Manumachu and Lastovetsky, *IEEE Access* 6 (2018), sections II and IV and appendix B:
//! each of p groups of t threads has a speed function of the number of rows x and their length y. Nothing
//! here measures time or runs a transform: whoever does gives [`repeat`] a closure.
//!
//! * [`SpeedFunction`]: measured points, the sections that [`partition`](crate::partition) takes, estimates
//!   in between.
//! * [`repeat`]: how often to time a point, and what its mean is worth; [`normality()`] of the times.
//! * [`Plan`]: which points to measure, and which next.
//! * [`PerformanceModel`]: the functions of all groups, what they hold for, and their file.
//! * [`variations`], [`Profile`], [`SpeedUp`]: what a profile of speeds is like.

mod file;
mod function;
mod normality;
mod performance;
mod plan;
#[cfg(test)]
mod seeded;
mod statistics;
mod variation;

pub use file::{LoadError, SCHEMA};
pub use function::{BadPoint, NoSection, Point, Section, Size, SpeedFunction};
pub use normality::{SIGNIFICANCE, normality};
pub use performance::{BadModel, Kernel, PerformanceModel, Unpartitioned};
pub use plan::{Grouping, Plan, PlanError, Progress, STEP, groupings};
pub use statistics::{MeasureError, Measured, Reliability, Stop, interval, repeat, student};
pub use variation::{Profile, SpeedUp, Variation, variations};
