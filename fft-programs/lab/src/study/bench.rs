//! What a study asks of whoever measures.

use earth_fft::kernel::{Kernel, KernelError};
use earth_fft::{PlanError, TransformError};
use earth_fftw::LibraryError;
use earth_partition::{BadModel, Grouping};

use super::rows::{Methods, Published, Way};
use crate::measure::{MeasureError, SizesError};

/// What measures. [`run`](super::run()) says what and when.
pub trait Bench {
    /// All ways to make groups of all nodes, fewest groups first.
    fn groupings(&self) -> Vec<Grouping>;

    /// What a library says of its version.
    ///
    /// # Errors
    ///
    /// One that cannot be loaded.
    fn version(&self, kernel: &Kernel) -> Result<Option<String>, BenchError>;

    /// PFFT-LB of a matrix of `n` x `n` by all ways to make groups, in turn.
    ///
    /// # Errors
    ///
    /// A kernel that has no plan, or the machine's.
    fn ways(&mut self, kernel: &Kernel, n: usize) -> Result<Vec<Way>, BenchError>;

    /// All methods by these groups, in turn; the baseline alone, if there is one group.
    ///
    /// # Errors
    ///
    /// As [`ways`](Self::ways); a result that is wrong.
    fn methods(&mut self, kernel: &Kernel, n: usize, grouping: Grouping) -> Result<Methods, BenchError>;

    /// How far padding as published is from the transform, on a small matrix.
    ///
    /// # Errors
    ///
    /// As [`ways`](Self::ways).
    fn published(&mut self) -> Result<Published, BenchError>;
}

/// Why there is no row.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// The program.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// The kernel.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// What was asked for cannot be done.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Speed functions that cannot be measured.
    #[error(transparent)]
    Sizes(#[from] SizesError),
    /// Speed functions that cannot be kept.
    #[error(transparent)]
    Model(#[from] BadModel),
    /// A mean that cannot be taken.
    #[error("{0}")]
    Mean(String),
    /// A result that is not the transform.
    #[error(
        "{what} is wrong for N = {n}: its relative error is {error:.1e} where at most {bound:.1e} is rounding"
    )]
    Wrong {
        /// Which kernel and method.
        what: String,
        /// Rows and columns.
        n: usize,
        /// The relative error.
        error: f64,
        /// The largest that rounding explains.
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
