//! Errors of planning.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use earth::Machine;
use earth_memory::NoMemory;
use earth_serial::PlanError as SerialError;

use crate::dataflow::MatrixError;
use crate::kernel::{IsaError, KernelError};
use crate::problem::ProblemError;

/// Why there is no plan. Most messages also say what is possible.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// The problem is no valid transform.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// There is no kernel for the rows.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// `EARTH_ISA` names no instruction set of this computer.
    #[error(transparent)]
    Isa(#[from] IsaError),
    /// A program for one array without gaps was given another problem.
    #[error("the algorithm '{algorithm}' transforms one {what} without gaps; 'auto' takes any problem")]
    NeedsOneArray {
        /// The program.
        algorithm: &'static str,
        /// The arrays that it takes.
        what: &'static str,
    },
    /// A program for complex points was given real numbers.
    #[error("the algorithm '{algorithm}' transforms complex points; 'auto' takes real numbers, too")]
    NeedsComplex {
        /// The program.
        algorithm: &'static str,
    },
    /// A distributed transform of real numbers, whose whole array is on rank 0.
    #[error("rank 0 has whole arrays of complex points only; `scatter` and `gather` move real numbers")]
    RootOfReal,
    /// The matrix cannot be cut into row blocks.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// No solver of this name is registered.
    #[error("there is no algorithm '{name}'; there are {known}")]
    NoSuchAlgorithm {
        /// The name.
        name: String,
        /// The names of the registered solvers.
        known: String,
    },
    /// A program that takes two real numbers as a point was given an odd number of them.
    #[error(
        "the algorithm '{algorithm}' takes real numbers in pairs, and there are {n}; 'auto' takes any number"
    )]
    NotPairs {
        /// The program.
        algorithm: &'static str,
        /// The number of real numbers.
        n: usize,
    },
    /// A program that takes a series as a matrix was given too few points, or a number that is no product of
    /// enough factors.
    #[error(
        "the algorithm '{algorithm}' takes a product of {numbers} numbers, each at least 2, and there are {n} points"
    )]
    NotAProduct {
        /// The program.
        algorithm: &'static str,
        /// How many factors it takes, as a word.
        numbers: &'static str,
        /// The number of points.
        n: usize,
    },
    /// A program without blocks was given a block size.
    #[error("the algorithm '{algorithm}' has no blocks; {known} have them")]
    NoBlocks {
        /// The program.
        algorithm: &'static str,
        /// The names of the registered solvers with blocks.
        known: String,
    },
    /// A solver refuses the problem by an error of its own.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A program for two dimensions was given a series.
    #[error("the algorithm '{algorithm}' transforms matrices and images; 'auto' takes both")]
    NeedsMatrix {
        /// The program.
        algorithm: &'static str,
    },
    /// A program for a series was given more dimensions.
    #[error("the algorithm '{algorithm}' transforms one series; 'auto' takes matrices, too")]
    NeedsLine {
        /// The program.
        algorithm: &'static str,
    },
    /// The transform needs more memory than is available.
    #[error(
        "the transform needs {needed} bytes of memory and {available} are available; larger blocks or fewer nodes need less"
    )]
    TooLittleMemory {
        /// The bytes needed besides the samples.
        needed: u64,
        /// The bytes available.
        available: u64,
    },
    /// The tables of a plan, or the arrays for measuring, need more memory than the system has.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// A distributed transform of arrays with gaps was requested.
    #[error(
        "a distributed transform takes arrays without gaps, because the plan decides where their parts are"
    )]
    Gaps,
    /// The shares of the ranks are no distribution of a dimension.
    #[error(
        "the shares of dimension {dimension} must add up to its length {length}, one share for each rank"
    )]
    Shares {
        /// The dimension, from 0.
        dimension: usize,
        /// Its length.
        length: usize,
    },
    /// The arrays of a batch interleave.
    #[error(
        "the algorithm 'batch' transforms arrays that follow each other in memory; 'auto' takes any others"
    )]
    NeedsArrays,
    /// The number of samples does not fit in a `usize`.
    #[error("the samples are more than this machine can count")]
    TooManySamples,
    /// The block size is more points than there are.
    #[error("the block size is {block} and there are only {n} samples")]
    BlockTooLarge {
        /// The number of samples.
        n: usize,
        /// The requested block size, in points.
        block: usize,
    },
    /// The block size is more rows than a matrix and its transpose have.
    #[error("the block size is {block} rows and the matrix has only {rows} rows and {cols} columns")]
    RowBlockTooLarge {
        /// The rows of the matrix.
        rows: usize,
        /// The rows of its transpose.
        cols: usize,
        /// The requested block size, in rows.
        block: usize,
    },
    /// More nodes were requested than a machine can have.
    #[error("a machine has 1 to {most} nodes, not {nodes}")]
    NoSuchMachine {
        /// The requested number of nodes.
        nodes: usize,
        /// The largest number of nodes.
        most: usize,
    },
}

impl PlanError {
    /// Wraps an error of a solver that has its own error type.
    pub fn refused(error: impl Error + Send + Sync + 'static) -> Self {
        Self::Refused(Refusal(Arc::new(error)))
    }

    /// Checks that a machine may have this number of nodes.
    ///
    /// # Errors
    ///
    /// [`PlanError::NoSuchMachine`].
    pub fn check_nodes(nodes: usize) -> Result<(), Self> {
        let most = Machine::MOST_NODES;
        if nodes > most { Err(Self::NoSuchMachine { nodes, most }) } else { Ok(()) }
    }
}

impl From<SerialError<KernelError>> for PlanError {
    fn from(error: SerialError<KernelError>) -> Self {
        match error {
            SerialError::Shape(error) => Self::Problem(error),
            SerialError::Kernel(error) => Self::Kernel(error),
        }
    }
}

/// Error of a solver that has its own error type. Two are equal if their messages are equal.
#[derive(Clone, Debug)]
pub struct Refusal(Arc<dyn Error + Send + Sync>);

impl Refusal {
    /// Returns the error, if it has this type.
    pub fn downcast_ref<E: Error + 'static>(&self) -> Option<&E> {
        self.0.downcast_ref()
    }
}

impl PartialEq for Refusal {
    fn eq(&self, other: &Self) -> bool {
        self.to_string() == other.to_string()
    }
}

impl Eq for Refusal {}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Refusal {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// Returns quoted names, separated by commas.
pub(super) fn listed(names: impl Iterator<Item = &'static str>) -> String {
    names.map(|name| format!("'{name}'")).collect::<Vec<_>>().join(", ")
}
