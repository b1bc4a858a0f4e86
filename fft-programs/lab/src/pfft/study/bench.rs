//! Interface to the measurements of a study.

use earth_fft::kernel::{Kernel, KernelError};
use earth_fft::{PlanError, TransformError};
use earth_fftw::LibraryError;
use earth_papers::partition::{Grouping, ModelError};

use super::rows::further::{Efforts, Lengths, Transposes};
use super::rows::{GroupingTime, Methods, Published};
use crate::pfft::measure::{MeasureError, SizesError};

/// Bench that does the measurements. [`run`](super::run()) decides their selection and order.
pub trait Bench {
    /// Returns all groupings of all nodes, fewest groups first.
    fn groupings(&self) -> Vec<Grouping>;

    /// Returns the version that a library reports.
    ///
    /// # Errors
    ///
    /// Returns an error if the library cannot be loaded.
    fn version(&self, kernel: &Kernel) -> Result<Option<String>, BenchError>;

    /// Measures PFFT-LB on a matrix of `n` x `n` with all groupings, run in turn.
    ///
    /// # Errors
    ///
    /// Returns an error if the kernel has no plan, or if the machine ends with an error.
    fn ways(&mut self, kernel: &Kernel, n: usize) -> Result<Vec<GroupingTime>, BenchError>;

    /// Measures all methods with these groups, run in turn; only the baseline, if there is one group.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ways`](Self::ways), and an error for a wrong result.
    fn methods(&mut self, kernel: &Kernel, n: usize, grouping: Grouping) -> Result<Methods, BenchError>;

    /// Measures the deviation of padding as published from the transform, on a small matrix.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ways`](Self::ways).
    fn published(&mut self) -> Result<Published, BenchError>;

    /// Returns whether a kernel is a library whose own transform runs on threads and that plans by effort.
    ///
    /// # Errors
    ///
    /// Returns an error if the library cannot be loaded.
    fn has_efforts(&self, kernel: &Kernel) -> Result<bool, BenchError>;

    /// Measures a library's own transform of a matrix of `n` x `n`, planned by each effort, run in turn.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`methods`](Self::methods).
    fn efforts(&mut self, kernel: &Kernel, n: usize) -> Result<Efforts, BenchError>;

    /// Measures rows of the paper's example, and longer rows, by all groups at once.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`ways`](Self::ways).
    fn lengths(&mut self, kernel: &Kernel) -> Result<Lengths, BenchError>;

    /// Measures transposes of a matrix of `n` x `n` in place, by blocks of several sizes, run in turn.
    ///
    /// # Errors
    ///
    /// Returns an error if there is too little memory.
    fn transposes(&mut self, n: usize) -> Result<Transposes, BenchError>;
}

/// Error of a measurement.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A program ended with an error.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// A kernel cannot be used.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// No plan for the problem.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The speed functions cannot be measured at these sizes.
    #[error(transparent)]
    Sizes(#[from] SizesError),
    /// The speed functions are not a valid model.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A mean cannot be measured.
    #[error("{0}")]
    Mean(String),
    /// A result differs from the transform.
    #[error(
        "{what} is wrong for N = {n}: its relative error is {error:.1e}, and rounding explains at most {bound:.1e}"
    )]
    Wrong {
        /// Kernel and method.
        what: String,
        /// Number of rows, and of columns, of the matrix.
        n: usize,
        /// Relative error.
        error: f64,
        /// Largest error that rounding explains.
        bound: f64,
    },
}

impl From<LibraryError> for BenchError {
    fn from(error: LibraryError) -> Self {
        Self::Kernel(error.into())
    }
}

impl<E: Into<BenchError>> From<MeasureError<E>> for BenchError
where
    MeasureError<E>: std::fmt::Display,
{
    fn from(error: MeasureError<E>) -> Self {
        match error {
            MeasureError::Failed(error) => error.into(),
            other => Self::Mean(other.to_string()),
        }
    }
}
