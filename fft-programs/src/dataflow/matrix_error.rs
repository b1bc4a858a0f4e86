//! Why a matrix cannot be transformed.

use crate::kernel::KernelError;

/// Why a matrix cannot be dealt.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MatrixError {
    /// It has no points.
    #[error("a matrix of {rows} x {cols} has no points to transform")]
    NoPoints {
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
    },
    /// Row blocks of 0 rows were asked for.
    #[error("a row block has at least one row")]
    NoRows,
    /// The kernel, or its library, makes no plan.
    #[error(transparent)]
    Kernel(#[from] KernelError),
}
