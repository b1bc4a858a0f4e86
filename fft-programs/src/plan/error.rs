//! Why there is no transform.

use earth::{LendError, ShapeError};
use earth_memory::NoMemory;
use earth_serial::CallError;

use crate::dataflow::MatrixError;
use crate::planner::PlanError;

/// Why there is no transform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// There is no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Points that are no matrix, or no signal, of the plan's.
    #[error("the points are not the plan's: {0}")]
    Shape(#[from] ShapeError),
    /// Points that could not be lent to a machine.
    #[error(transparent)]
    Lent(#[from] LendError),
    /// The slices of a call have other lengths, or there is no transform in place.
    #[error(transparent)]
    Call(#[from] CallError),
    /// A call needs more memory than the system gives.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// Points with gaps between them, for a machine.
    #[error("a run on a machine takes an array without gaps, or real numbers in padded rows")]
    Gaps,
    /// A plan [for phantoms](crate::Planner::phantom) was called with points, or another one without.
    #[error("a plan for phantoms runs without points, and no other plan does")]
    Phantom,
    /// A run without points on a machine of real cores.
    #[error(
        "a transform without data is for simulated machines: on real cores it would take no time and give nothing"
    )]
    NotSimulated,
    /// Another machine than the one planned for.
    #[error("the plan is for {planned} nodes, and the machine has {nodes}")]
    OtherMachine {
        /// The nodes planned for.
        planned: usize,
        /// The nodes of the machine.
        nodes: usize,
    },
    /// The machine ended the run.
    #[error(transparent)]
    Machine(#[from] earth::Error),
}

impl From<MatrixError> for TransformError {
    fn from(error: MatrixError) -> Self {
        Self::Plan(error.into())
    }
}
