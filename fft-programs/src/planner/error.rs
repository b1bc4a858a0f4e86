//! Why there is no plan.

use earth_kernels::{OrderError, SharesError};
use earth_serial::PlanError as SerialError;

use crate::dataflow::matrix::MatrixError;
use crate::kernel::KernelError;
use crate::problem::ProblemError;
use crate::request::{Algorithm, Refusal};

/// Why there is no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// There is no such transform.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// There is no kernel for its rows.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The program cannot do what was asked.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A program for one array without gaps was given another problem.
    #[error(
        "the algorithm '{algorithm}' transforms one series or matrix without gaps; 'auto' takes any problem"
    )]
    NeedsOneArray {
        /// The program.
        algorithm: Algorithm,
    },
    /// A program for complex points was given real numbers.
    #[error("the algorithm '{algorithm}' transforms complex points; 'auto' takes real numbers, too")]
    NeedsComplex {
        /// The program.
        algorithm: Algorithm,
    },
    /// The sender-initiated FFT has no such order.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// The receiver-initiated FFT has no such shares.
    #[error(transparent)]
    Shares(#[from] SharesError),
    /// The matrix cannot be dealt.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
}

impl From<SerialError<KernelError>> for PlanError {
    fn from(error: SerialError<KernelError>) -> Self {
        match error {
            SerialError::Shape(error) => Self::Problem(error),
            SerialError::Kernel(error) => Self::Kernel(error),
        }
    }
}
