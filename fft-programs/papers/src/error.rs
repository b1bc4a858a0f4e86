//! Planning errors of the papers' programs.

use earth_fft::dataflow::MatrixError;
use earth_fft::kernel::KernelError;
use earth_fft::{PlanError, TransformError};
use earth_kernels::{OrderError, RadixError, SharesError};

/// Reason why a program of the papers has no plan. Each message names a valid choice.
///
/// A planner returns the error within [`PlanError::Refused`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// Invalid size or block of the sender-initiated FFT.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// Invalid size or block of an FFT by stages.
    #[error(transparent)]
    Radix(#[from] RadixError),
    /// The matrix cannot be cut into row blocks.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// Invalid number of points or nodes of the receiver-initiated FFT.
    #[error(transparent)]
    Shares(#[from] SharesError),
    /// The program is for one array of three dimensions.
    #[error("the algorithm 'overlap3d' takes one array of three dimensions without gaps")]
    NotThreeDimensions,
    /// A parameter of the overlapping transform is out of range.
    #[error(transparent)]
    Infeasible(#[from] crate::overlap::Infeasible),
    /// The program sends single points, and the signal is a phantom.
    #[error("the algorithm '{algorithm}' sends single points, and a phantom has none")]
    NeedsPoints {
        /// Name of the algorithm.
        algorithm: &'static str,
    },
    /// The program needs a power of two of samples.
    #[error("the algorithm '{algorithm}' needs a power of two of samples, not {n}; 'auto' takes any number")]
    NotAPowerOfTwo {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Number of samples.
        n: usize,
    },
    /// The FFT by stages needs a power of its radix of samples.
    #[error(
        "the algorithm '{algorithm}' needs a power of {radix} of samples ({radix}, {} and so on), not {n}; 'auto' takes any number",
        radix * radix
    )]
    NotAPowerOfRadix {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Points of a butterfly.
        radix: usize,
        /// Number of samples.
        n: usize,
    },
    /// Invalid block size of an FFT by stages.
    #[error(
        "the algorithm '{algorithm}' takes a power of {radix} as block size, at most {most} for {n} samples, not {block}",
        most = n / radix
    )]
    BlockOfRadix {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Points of a butterfly.
        radix: usize,
        /// Number of samples.
        n: usize,
        /// Requested block size, in points.
        block: usize,
    },
    /// The block size is not a power of two.
    #[error("the algorithm '{algorithm}' takes a power of two as block size, not {block}")]
    BlockNotAPowerOfTwo {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Requested block size, in points.
        block: usize,
    },
    /// The number of nodes is not a power of two, or exceeds the number of samples.
    #[error(
        "the algorithm '{algorithm}' runs on a power of two of nodes, at most one for each of the {n} samples, not on {nodes}"
    )]
    NodesNotAPowerOfTwo {
        /// Name of the algorithm.
        algorithm: &'static str,
        /// Requested number of nodes.
        nodes: usize,
        /// Number of samples.
        n: usize,
    },
    /// The program does not support groups of nodes.
    #[error("the algorithm '{algorithm}' does not support groups of nodes or their options; 'grouped' does")]
    NoGroups {
        /// Name of the algorithm.
        algorithm: String,
    },
    /// Groups were requested for a series; they share matrices only.
    #[error("groups of nodes need a matrix or an image, not a series")]
    GroupsOfSeries,
    /// The groups do not have the requested number of nodes.
    #[error("{groups} groups of {threads} nodes do not make {nodes} nodes")]
    NodesOfGroups {
        /// Number of groups.
        groups: usize,
        /// Nodes of each group.
        threads: usize,
        /// Requested number of nodes.
        nodes: usize,
    },
    /// The number of nodes overflows a `usize`.
    #[error("{groups} groups of {threads} nodes are more than this machine can count")]
    TooManyGroups {
        /// Number of groups.
        groups: usize,
        /// Nodes of each group.
        threads: usize,
    },
    /// The method needs speed functions, and none were given.
    #[error("{what} needs measured speed functions; 'earth-lab profile' measures them")]
    NeedsSpeeds {
        /// Option that needs them.
        what: &'static str,
    },
    /// No speed functions were given for rows with this padding.
    #[error(
        "no speed functions were given for rows with the padding '{pad}'; 'earth-lab profile --pad {pad}' measures them"
    )]
    NoSpeeds {
        /// Requested padding.
        pad: String,
    },
    /// The speed functions were measured for other groups.
    #[error(
        "the speed functions are of {} groups of {} nodes, but {} groups of {} were requested", measured[0], measured[1], requested[0], requested[1]
    )]
    GroupMismatch {
        /// Number of groups and nodes of each, as measured.
        measured: [usize; 2],
        /// Number of groups and nodes of each, as requested.
        requested: [usize; 2],
    },
    /// The speed functions were measured with another kernel or precision.
    #[error("the speed functions are of {measured}, but rows are transformed by {requested}")]
    KernelMismatch {
        /// Kernel and precision of the speed functions.
        measured: String,
        /// Kernel and precision of this plan.
        requested: String,
    },
    /// The speed functions lack a length or a number of rows.
    #[error("the speed functions do not cover this matrix: {0}")]
    Unmeasured(String),
    /// The distribution does not add up to the rows of the matrix.
    #[error("{dealt} rows are distributed, but the matrix has {rows}")]
    Dealt {
        /// Number of rows in the distribution.
        dealt: usize,
        /// Number of rows of the matrix, or of its transpose.
        rows: usize,
    },
    /// The groups and the machine have different numbers of nodes.
    #[error("{groups} groups of {threads} nodes do not match a machine of {nodes} nodes")]
    Nodes {
        /// Number of groups.
        groups: usize,
        /// Nodes of each group.
        threads: usize,
        /// Nodes of the machine.
        nodes: usize,
    },
    /// The rows have another length than the plan's.
    #[error("the plan is for rows of {len} points, not {found}")]
    Length {
        /// Row length of the plan, in points.
        len: usize,
        /// Length of the given rows, in points.
        found: usize,
    },
    /// The leading dimension is less than the row length.
    #[error("rows of {len} points do not fit a leading dimension of {leading}")]
    Leading {
        /// Row length, in points.
        len: usize,
        /// Leading dimension, in points.
        leading: usize,
    },
    /// The chirp's length is too short for the rows.
    #[error("a chirp for rows of {len} points needs a length of at least {least}, not {through}")]
    Chirp {
        /// Row length, in points.
        len: usize,
        /// Requested length of the chirp, in points.
        through: usize,
        /// Least possible length of the chirp, in points.
        least: usize,
    },
}

impl From<KernelError> for Error {
    fn from(error: KernelError) -> Self {
        Self::Matrix(error.into())
    }
}

impl From<Error> for PlanError {
    fn from(error: Error) -> Self {
        match error {
            Error::Matrix(error) => error.into(),
            error => Self::refused(error),
        }
    }
}

impl From<Error> for TransformError {
    fn from(error: Error) -> Self {
        Self::Plan(error.into())
    }
}
