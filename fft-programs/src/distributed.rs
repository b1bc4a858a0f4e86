//! Distributed arrays: plans of transforms whose data live on many ranks.
//!
//! Each rank brings its part of an array and keeps its part of the spectrum. A rank is a node of a machine: a
//! process of an MPI job, a thread, or a simulated node.
//!
//! ```
//! use earth::Machine;
//! use earth_fft::distributed::Order;
//! use earth_fft::{Complex, Planner, Problem};
//!
//! // On a machine of threads one process has all ranks, each with two rows of four points.
//! let plan = Planner::new().plan_distributed::<f64>(&Problem::complex(&[4, 4]), 2, Order::Transposed)?;
//! assert_eq!(plan.local_input(1).ranges(), [2..4, 0..4]);
//! assert_eq!(plan.local_output(1).ranges(), [0..4, 2..4]);
//! let mut points = vec![Complex::from(1.0); plan.local_len(0) + plan.local_len(1)];
//! plan.process_slab(&mut Machine::threads(2), &mut points)?;
//! assert_eq!(points[0], Complex::from(16.0));
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! * [`Order`]: where the spectrum is.
//! * [`Shares`]: parts of unequal lengths, for ranks of unequal speed.
//! * `route.rs`: which dimensions are transformed in which distribution.
//! * [`program`]: the threaded functions, and their counts.
//!
//! *Cost.* Transposed order takes one exchange for slabs and two for pencils and series. Natural order takes
//! one more. In an exchange each point is written to a tile and read from it, and sent if it changes its
//! rank. Columns are read from tiles and written to tiles without another copy. Rows are copied within the
//! cache. If the first or the last stage only moves points, points that stay on their rank are not copied.
//!
//! *When it loses.* In one process, [`Plan`](crate::Plan) transforms in place, without a copy.

mod deal;
mod distribution;
mod pieces;
mod plan;
#[cfg(test)]
mod plan_tests;
pub mod program;
mod rank_arrays;
mod rank_plan;
mod real_series;
mod route;
mod shared_wisdom;
mod shares;
mod stage_plan;

pub use distribution::{Part, bound};
pub use plan::DistributedPlan;
pub use rank_arrays::{RankArrays, run_or_serve};
pub use rank_plan::RankPlan;
pub use route::Order;
pub(crate) use route::{Cuts, sides};
pub use shares::Shares;
