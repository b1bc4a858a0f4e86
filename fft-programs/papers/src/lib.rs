//! The FFTs of the papers as solvers of `earth-fft`, on the runtime `earth`.
//!
//! | solver | name | what it is |
//! |---|---|---|
//! | [`Sender`] | `sender` | the sender-initiated FFT: N/B threads that exchange blocks |
//! | [`Receiver::tree`] | `receiver` | the receiver-initiated FFT: points request their operands, in a tree of requests |
//! | [`Receiver::shared`] | `receiver-shared` | the same, with each point of each level computed once |
//! | [`Receiver::tokens`] | `receiver-tokens` | the tree of requests as tokens, which idle nodes take; not in [`solvers`] |
//! | [`Grouped`] | `grouped` | the 2-D FFT by tiles; all nodes share the rows, or [`groups`] of nodes do by their speeds |
//! | [`Stages`] | `radix-2`, `radix-2-local`, `radix-4`, `radix-8` | FFTs by stages, with or without a barrier after each |
//! | [`Overlap3d`] | `overlap3d` | the 3-D FFT whose exchange overlaps with its work |
//!
//! A planner uses one of these solvers with its settings, or chooses one of all by its name:
//!
//! ```
//! use std::num::NonZeroUsize;
//!
//! use earth_fft::{Complex, Planner, Problem};
//!
//! let sender = earth_papers::Sender::new().block(NonZeroUsize::new(32));
//! let plan = Planner::new().with(sender).plan::<f64>(&Problem::complex(&[256]))?;
//! let mut points = vec![Complex::from(1.0); 256];
//! plan.process(&mut points)?;
//! assert_eq!((plan.algorithm(), points[0].re), ("sender", 256.0));
//!
//! let plan = earth_papers::planner().algorithm("receiver").plan::<f64>(&Problem::complex(&[256]))?;
//! assert_eq!(plan.algorithm(), "receiver");
//! # Ok::<(), earth_fft::TransformError>(())
//! ```
//!
//! [`shares`] returns the distribution of rows of a `grouped` plan. [`row_speed()`] measures how long groups
//! take for rows, and [`partition`] computes distributions from that. [`ranks`] does so for the ranks of a
//! job, which have separate memories.

#![forbid(unsafe_code)]

mod error;
pub mod file;
pub mod groups;
pub mod manycore;
pub mod matrix;
pub mod overlap;
pub mod partition;
pub mod ranks;
pub mod receiver;
pub mod row_speed;
pub mod sender;
pub mod threads;

use std::any::Any;
use std::num::NonZeroUsize;
use std::sync::Arc;

use earth_fft::solver::Solver;
use earth_fft::{Kind, Plan, PlanError, Planner, Precision};

pub use error::Error;
pub use groups::{Groups, Shares};
pub use manycore::solver::Stages;
pub use matrix::solver::Grouped;
pub use overlap::Overlap3d;
pub use receiver::solver::Receiver;
pub use row_speed::{RowTimes, row_speed};
pub use sender::solver::Sender;

/// Returns all solvers of this crate, with their default settings.
pub fn solvers() -> [Arc<dyn Solver>; 9] {
    [
        Arc::new(Sender::new()),
        Arc::new(Grouped::new()),
        Arc::new(Receiver::shared()),
        Arc::new(Receiver::tree()),
        Arc::new(Stages::radix_2()),
        Arc::new(Stages::radix_2_local()),
        Arc::new(Stages::radix_4()),
        Arc::new(Stages::radix_8()),
        Arc::new(Overlap3d::new()),
    ]
}

/// Returns a planner with all solvers of this crate.
pub fn planner() -> Planner {
    Planner::new().register(solvers())
}

/// Returns a planner with all solvers of this crate that plans by the algorithm `name`, in blocks of `block`
/// points or rows if given.
///
/// # Errors
///
/// [`PlanError::NoBlocks`] if the algorithm has no blocks. [`PlanError::NoSuchAlgorithm`] if a block is given
/// and the name is unknown.
pub fn by_name(name: &str, block: Option<NonZeroUsize>) -> Result<Planner, PlanError> {
    let planner = planner().algorithm(name);
    match block {
        Some(block) => planner.block(block),
        None => Ok(planner),
    }
}

/// Returns each group's rows, if groups of nodes share the matrix in this plan.
pub fn shares<T: Precision, K: Kind>(plan: &Plan<T, K>) -> Option<&Shares> {
    let program: &dyn Any = plan.program()?;
    program.downcast_ref::<matrix::solver::MatrixProgram<T>>()?.shares.as_deref()
}
