//! Why a program gave no transform.

use earth::ShapeError;
use earth_kernels::{OrderError, SharesError};
use earth_serial::CallError;

use crate::dataflow::matrix::MatrixError;
use crate::planner::PlanError;

/// Why there is no transform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// No points, or sizes that are no powers of two.
    #[error("the sender-initiated FFT cannot be dealt: {0}")]
    Order(#[from] OrderError),
    /// No points, or more nodes than points, or sizes that are no powers of two.
    #[error("the receiver-initiated FFT cannot be dealt: {0}")]
    Shares(#[from] SharesError),
    /// No points.
    #[error(transparent)]
    NoPoints(#[from] NoPoints),
    /// A matrix that cannot be dealt.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// No data on a machine of real cores.
    #[error(transparent)]
    NotSimulated(#[from] NotSimulated),
    /// More points than a block can hold.
    #[error("too many points: {0}")]
    Shape(#[from] ShapeError),
    /// There is no plan.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The slices of a call are too short, or there is no transform in place.
    #[error(transparent)]
    Call(#[from] CallError),
    /// Points with gaps between them, for a machine.
    #[error("a run on a machine takes an array without gaps")]
    Gaps,
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

/// A transform of no points was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there are no points to transform")]
pub struct NoPoints;

/// A phantom was to be transformed on real cores.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "a transform without data is for simulated machines: on real cores it would take no time and give nothing"
)]
pub struct NotSimulated;
