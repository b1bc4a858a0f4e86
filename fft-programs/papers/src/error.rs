//! Why a program of the papers has no plan.

use earth_fft::dataflow::MatrixError;
use earth_fft::kernel::KernelError;
use earth_fft::{PlanError, TransformError};
use earth_kernels::{OrderError, RadixError, SharesError};

/// Why a program of the papers has no plan; each says what could be. A planner returns it within
/// [`PlanError::Refused`].
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    /// The sender-initiated FFT has no such order.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// An FFT by stages has no such order.
    #[error(transparent)]
    Radix(#[from] RadixError),
    /// The matrix cannot be cut.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// The receiver-initiated FFT has no such shares.
    #[error(transparent)]
    Shares(#[from] SharesError),
    /// A program whose points travel one by one, without points.
    #[error("the algorithm '{algorithm}' sends single points, and a phantom has none")]
    NeedsPoints {
        /// The program.
        algorithm: &'static str,
    },
    /// A program for powers of two was given another size.
    #[error(
        "the algorithm '{algorithm}' takes a power of two of samples and there are {n}; 'auto' takes any number"
    )]
    NotAPowerOfTwo {
        /// The program.
        algorithm: &'static str,
        /// The number of samples.
        n: usize,
    },
    /// An FFT by stages was given another size.
    #[error(
        "the algorithm '{algorithm}' takes {radix}, {} and so on samples, a power of {radix}, and there are {n}; 'auto' takes any number",
        radix * radix
    )]
    NotAPowerOfRadix {
        /// The program.
        algorithm: &'static str,
        /// The points of its butterflies.
        radix: usize,
        /// The number of samples.
        n: usize,
    },
    /// An FFT by stages was given another block size.
    #[error(
        "the algorithm '{algorithm}' takes a power of {radix} as block size, at most {most} for {n} samples, not {block}",
        most = n / radix
    )]
    BlockOfRadix {
        /// The program.
        algorithm: &'static str,
        /// The points of its butterflies.
        radix: usize,
        /// The number of samples.
        n: usize,
        /// The block size asked for.
        block: usize,
    },
    /// A program for powers of two was given another block size.
    #[error("the algorithm '{algorithm}' takes a power of two as block size, not {block}")]
    BlockNotAPowerOfTwo {
        /// The program.
        algorithm: &'static str,
        /// The block size asked for.
        block: usize,
    },
    /// A program for powers of two was given another number of nodes, or more nodes than samples.
    #[error(
        "the algorithm '{algorithm}' runs on a power of two of nodes, at most one for each of the {n} samples, not on {nodes}"
    )]
    NodesNotAPowerOfTwo {
        /// The program.
        algorithm: &'static str,
        /// The number of nodes asked for.
        nodes: usize,
        /// The number of samples.
        n: usize,
    },
    /// A program without groups was given some.
    #[error(
        "the algorithm '{algorithm}' knows no groups of nodes and nothing that is done for them; 'grouped' does"
    )]
    NoGroups {
        /// The program.
        algorithm: String,
    },
    /// Groups that share a series.
    #[error("groups of nodes share matrices and images, and this is one series")]
    GroupsOfLine,
    /// Groups that are not the nodes.
    #[error("{groups} groups of {threads} nodes are not {nodes} nodes")]
    NodesOfGroups {
        /// The groups.
        groups: usize,
        /// The nodes of each.
        threads: usize,
        /// The nodes that were asked for, too.
        nodes: usize,
    },
    /// More nodes than can be counted.
    #[error("{groups} groups of {threads} nodes are more than this machine can count")]
    TooManyGroups {
        /// The groups.
        groups: usize,
        /// The nodes of each.
        threads: usize,
    },
    /// A method that chooses by speed functions, without them.
    #[error("{what} needs measured speed functions; 'earth-lab profile' measures them")]
    NeedsSpeeds {
        /// The option that needs them.
        what: &'static str,
    },
    /// Speed functions for rows with another padding.
    #[error(
        "no speed functions were given for rows with the padding '{pad}'; 'earth-lab profile --pad {pad}' measures them"
    )]
    NoSpeeds {
        /// The padding that was asked for.
        pad: String,
    },
    /// Speed functions of other groups.
    #[error(
        "the speed functions are of {} groups of {} nodes, and {} groups of {} were asked for", measured[0], measured[1], asked[0], asked[1]
    )]
    OtherGroups {
        /// Groups and nodes of each, of the functions.
        measured: [usize; 2],
        /// Groups and nodes of each, as asked for.
        asked: [usize; 2],
    },
    /// Speed functions of another kernel.
    #[error("the speed functions are of {measured}, and rows are transformed by {asked}")]
    OtherKernel {
        /// The functions' kernel and precision.
        measured: String,
        /// The kernel and precision to be used.
        asked: String,
    },
    /// Speed functions that lack a length or a number of rows.
    #[error("the speed functions do not tell: {0}")]
    Unmeasured(String),
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
