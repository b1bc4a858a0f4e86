//! The FFTs of the papers as solvers of `earth-fft`, on the runtime `earth`.
//!
//! | solver | name | what it is |
//! |---|---|---|
//! | [`Sender`] | `sender` | the sender-initiated FFT: N/B threads that exchange blocks |
//! | [`Receiver::tree`] | `receiver` | the receiver-initiated FFT: points that ask for their operands, a tree of asks |
//! | [`Receiver::shared`] | `receiver-shared` | the same, each point of each level computed once |
//! | [`Grouped`] | `grouped` | the 2-D FFT by tiles, whose rows all nodes share, or [`groups`] of nodes by their speeds |
//! | [`Stages`] | `radix-2`, `radix-2-local`, `radix-4`, `radix-8` | FFTs by stages, with a barrier after each or without |
//!
//! A planner plans by one of them, with its settings, or knows all of them by their names:
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
//! [`shares`] tells who gets which rows by a plan of `grouped`; [`row_speed()`] measures what groups take for rows, and
//! [`partition`] makes distributions of it.

#![forbid(unsafe_code)]

mod error;
pub mod file;
pub mod groups;
pub mod manycore;
pub mod matrix;
pub mod partition;
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
pub use receiver::solver::Receiver;
pub use row_speed::{RowTimes, row_speed};
pub use sender::solver::Sender;

/// All of them, with their usual settings.
pub fn solvers() -> [Arc<dyn Solver>; 8] {
    [
        Arc::new(Sender::new()),
        Arc::new(Grouped::new()),
        Arc::new(Receiver::shared()),
        Arc::new(Receiver::tree()),
        Arc::new(Stages::radix_2()),
        Arc::new(Stages::radix_2_local()),
        Arc::new(Stages::radix_4()),
        Arc::new(Stages::radix_8()),
    ]
}

/// A planner that knows all of them.
pub fn planner() -> Planner {
    Planner::new().register(solvers())
}

/// A planner that knows all of them and plans by the algorithm of this name, in blocks of so many points or rows if a block
/// is given.
///
/// # Errors
///
/// [`PlanError::NoBlocks`] if it has none, [`PlanError::NoSuchAlgorithm`] if a block is given to an algorithm of an unknown
/// name.
pub fn by_name(name: &str, block: Option<NonZeroUsize>) -> Result<Planner, PlanError> {
    let planner = planner().algorithm(name);
    match block {
        Some(block) => planner.block(block),
        None => Ok(planner),
    }
}

/// The rows of each group, if groups of nodes share a matrix by this plan.
pub fn shares<T: Precision, K: Kind>(plan: &Plan<T, K>) -> Option<&Shares> {
    let program: &dyn Any = plan.program()?;
    program.downcast_ref::<matrix::solver::MatrixProgram<T>>()?.shares.as_deref()
}
