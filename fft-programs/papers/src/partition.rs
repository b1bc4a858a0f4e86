//! How fast groups of threads are at rows of a matrix, and how rows are dealt so that the slowest group is as fast
//! as can be: plain data and pure functions, which neither run nor time anything and know no files.
//!
//! * [`SpeedFunction`]: measured points of a group, the sections that [`partition`] takes, estimates in between.
//! * [`PerformanceModel`]: the functions of all groups, and the rows and the [`Computer`](earth_fft::computer::Computer) that they hold for.
//! * [`partition`]: the fastest [`Distribution`] of rows by such functions.
//!
//! A two-dimensional FFT by rows and columns gives each of p groups (the paper's abstract processors) some
//! rows; the slowest group decides. [`Distribution::balanced`] gives all the same number (PFFT-LB). On real
//! machines time is no smooth function of the number of rows, so another distribution can be faster than the
//! balanced one. [`partition`] finds the fastest, after Khokhriakov, Manumachu and Lastovetsky, *IEEE Access*
//! 6 (2018), section II-C and Algorithm 2 (PFFT-FPM): if the groups' functions differ by more than ε at any
//! number of rows, each keeps its own ([`hpopta`]); otherwise they are taken for alike and averaged
//! ([`popta`]).
//!
//! Both give a distribution whose slowest group is as fast as in any other: by an exact search
//! ([`slowest_least`]), ours, since the paper gives only what POPTA and HPOPTA minimise. The search knows the
//! measured numbers of rows alone, as multiples of a granularity g; a group may stay without rows, whatever N
//! is. If N is no multiple of g, one group takes the rest on top of its multiple, in the time interpolated
//! between that multiple and the next if that number of rows was not measured. The minimum is exact over
//! those distributions.
//!
//! Everything here is in seconds, not in speeds. For rows of one length y the paper's x·y/s, which lacks the
//! logarithm of its own speed, only differs by the factor 5 log2 y, so distributions are the same;
//! [`TimeFunction::from_speeds`] has the logarithm, as times of different y must.
//!
//! ```
//! use earth_papers::partition::{Options, TimeFunction, partition};
//!
//! // Two groups, rows of 1024 points; 512 rows are unlucky, so the balanced distribution of 1024 is.
//! let lucky = [(256, 1.0e9), (384, 1.0e9), (512, 0.4e9), (640, 1.0e9), (768, 0.9e9)];
//! let functions = vec![TimeFunction::from_speeds(1024, lucky)?; 2];
//! let found = partition(&functions, 1024, Options { granularity: 128, ..Options::default() })?;
//! assert_eq!(found.optimum.distribution.rows(), [640, 384]);
//! assert!(found.optimum.is_measured());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choose;
mod distribution;
mod function;
mod grouping;
mod performance;
mod reach;
mod search;
mod times;

pub use choose::{EPSILON, Method, Options, Partition, average, hpopta, partition, popta, predict, spread};
pub use distribution::{Distribution, NoGroups};
pub use function::{BadPoint, NoSection, Point, SIGNIFICANCE, Section, Size, SpeedFunction};
pub use grouping::{Grouping, groupings};
pub use performance::{BadModel, PerformanceModel, Unpartitioned};
pub use search::{Optimum, PartitionError, slowest_least};
pub use times::{Estimate, TimeFunction, TimeFunctionError, flops};
