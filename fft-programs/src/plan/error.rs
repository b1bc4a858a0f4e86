//! Errors of transforms.

use earth::{LendError, ShapeError};
use earth_memory::NoMemory;
use earth_serial::CallError;

use crate::dataflow::MatrixError;
use crate::planner::PlanError;

/// Why a transform failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// Planning failed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The block of points is no matrix, or no signal, of the plan's size.
    #[error("the points do not fit the plan: {0}")]
    Shape(#[from] ShapeError),
    /// The points could not be lent to a machine.
    #[error(transparent)]
    Borrowed(#[from] LendError),
    /// A slice has another length than the problem, or there is no such transform in place.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A call needs more memory than the system has.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// A run on a machine has points with gaps between them.
    #[error("a run on a machine takes an array without gaps, or real numbers in padded rows")]
    Gaps,
    /// A plan [for phantoms](crate::Planner::phantom) was called with points, or another plan without points.
    #[error("a plan for phantoms runs without points, and any other plan needs points")]
    Phantom,
    /// A run without points has a machine of real cores.
    #[error(
        "a transform without data needs a simulated machine, because on real cores it has no time and no result"
    )]
    NotSimulated,
    /// The machine has another number of nodes than the plan.
    #[error("the plan is for {planned} nodes, and the machine has {nodes}")]
    OtherMachine {
        /// The number of nodes in the plan.
        planned: usize,
        /// The number of nodes of the machine.
        nodes: usize,
    },
    /// Rank 0 dropped its machine, or another rank begins no further run.
    #[error("the ranks make other calls: rank 0 begins no run")]
    NoRun,
    /// The machine ended the run.
    #[error(transparent)]
    Machine(#[from] earth::Error),
}

impl From<MatrixError> for TransformError {
    fn from(error: MatrixError) -> Self {
        Self::Plan(error.into())
    }
}
