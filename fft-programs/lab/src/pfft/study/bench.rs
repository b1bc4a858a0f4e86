//! The measurements that a study asks for.

use earth_fft::kernel::{Kernel, KernelError};
use earth_fft::{PlanError, TransformError};
use earth_fftw::LibraryError;
use earth_papers::partition::{BadModel, Grouping};

use super::rows::{Methods, Published, Way};
use crate::pfft::measure::{MeasureError, SizesError};

/// A bench, which does the measurements. [`run`](super::run()) says which ones, and when.
pub trait Bench {
    /// All ways to make groups of all nodes, fewest groups first.
    fn groupings(&self) -> Vec<Grouping>;

    /// The version that a library reports.
    ///
    /// # Errors
    ///
    /// If the library cannot be loaded.
    fn version(&self, kernel: &Kernel) -> Result<Option<String>, BenchError>;

    /// The times of PFFT-LB on a matrix of `n` x `n` by all ways to make groups, run in turn.
    ///
    /// # Errors
    ///
    /// If the kernel has no plan, or the machine ends with an error.
    fn ways(&mut self, kernel: &Kernel, n: usize) -> Result<Vec<Way>, BenchError>;

    /// The times of all methods by these groups, run in turn; the baseline alone, if there is one group.
    ///
    /// # Errors
    ///
    /// Those of [`ways`](Self::ways), and a result that is wrong.
    fn methods(&mut self, kernel: &Kernel, n: usize, grouping: Grouping) -> Result<Methods, BenchError>;

    /// How far padding as published is from the transform, on a small matrix.
    ///
    /// # Errors
    ///
    /// Those of [`ways`](Self::ways).
    fn published(&mut self) -> Result<Published, BenchError>;
}

/// Why there is no row.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// A program ended with an error.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// A kernel cannot be used.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// There is no plan for what was asked for.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The speed functions cannot be measured at these sizes.
    #[error(transparent)]
    Sizes(#[from] SizesError),
    /// The speed functions are no valid model.
    #[error(transparent)]
    Model(#[from] BadModel),
    /// A mean cannot be taken.
    #[error("{0}")]
    Mean(String),
    /// A result is not the transform.
    #[error(
        "{what} is wrong for N = {n}: its relative error is {error:.1e} where at most {bound:.1e} is rounding"
    )]
    Wrong {
        /// The kernel and the method.
        what: String,
        /// The rows, and the columns, of the matrix.
        n: usize,
        /// The relative error.
        error: f64,
        /// The largest error that rounding explains.
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
