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
    /// Other rows are dealt than the matrix has.
    #[error("{dealt} rows are dealt of a matrix that has {rows}")]
    Dealt {
        /// The rows that are dealt.
        dealt: usize,
        /// The rows of the matrix, or of its transpose.
        rows: usize,
    },
    /// The groups have other nodes than the machine.
    #[error("{groups} groups of {threads} nodes are no machine of {nodes} nodes")]
    Nodes {
        /// The groups.
        groups: usize,
        /// The nodes of each.
        threads: usize,
        /// The nodes of the machine.
        nodes: usize,
    },
    /// Rows of another length than the plan's.
    #[error("rows of {found} points are not transformed by a plan for rows of {len}")]
    Length {
        /// The length that the plan is for.
        len: usize,
        /// The length of the rows.
        found: usize,
    },
    /// A leading dimension that is less than the length of a row.
    #[error("rows of {len} points do not fit a leading dimension of {leading}")]
    Leading {
        /// The points of a row.
        len: usize,
        /// The leading dimension.
        leading: usize,
    },
    /// The kernel, or its library, makes no plan.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A length through which a chirp does not go.
    #[error("rows of {len} points do not go through a length of {through}, which is less than {least}")]
    Chirp {
        /// The points of a row.
        len: usize,
        /// The length that was asked for.
        through: usize,
        /// The least that there is.
        least: usize,
    },
}
