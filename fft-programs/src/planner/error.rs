//! Why there is no plan.

use earth::Machine;
use earth_kernels::{OrderError, RadixError, SharesError};
use earth_memory::NoMemory;
use earth_serial::PlanError as SerialError;

use crate::dataflow::matrix::MatrixError;
use crate::groups::Pad;
use crate::kernel::KernelError;
use crate::problem::ProblemError;

/// Why there is no plan; each says what could be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError {
    /// There is no such transform.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// There is no kernel for its rows.
    #[error(transparent)]
    Kernel(#[from] KernelError),
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
    /// The sender-initiated FFT has no such order.
    #[error(transparent)]
    Order(#[from] OrderError),
    /// An FFT by stages has no such order.
    #[error(transparent)]
    Radix(#[from] RadixError),
    /// The receiver-initiated FFT has no such shares.
    #[error(transparent)]
    Shares(#[from] SharesError),
    /// The matrix cannot be dealt.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
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
    /// No solver of this name is registered.
    #[error("there is no algorithm '{name}'; there are {known}")]
    NoSuchAlgorithm {
        /// The name.
        name: String,
        /// The names of the registered solvers.
        known: String,
    },
    /// Barriers in a program that has none.
    #[error(
        "the algorithm '{algorithm}' has no stages to wait for; barriers are for 'radix-2', 'radix-2-local', 'radix-4' and 'radix-8'"
    )]
    NoBarriers {
        /// The program.
        algorithm: &'static str,
    },
    /// A program that takes two real numbers as a point was given an odd number of them.
    #[error(
        "the algorithm '{algorithm}' takes real numbers in pairs, and there are {n}; 'auto' takes any number"
    )]
    NotPairs {
        /// The program.
        algorithm: &'static str,
        /// The real numbers.
        n: usize,
    },
    /// A program that takes a series as a matrix was given a number of points that is prime, or that is none of the
    /// products it takes, or too few.
    #[error(
        "the algorithm '{algorithm}' takes a product of {numbers} numbers from 2 on, and there are {n} points"
    )]
    NotAProduct {
        /// The program.
        algorithm: &'static str,
        /// How many factors it takes, as a word.
        numbers: &'static str,
        /// The number of points.
        n: usize,
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
    /// A program without blocks was given a block size.
    #[error(
        "the algorithm '{algorithm}' has no blocks; '--block' is for 'sender', 'grouped', 'two-pass', 'transpose', 'ffte' and 'radix-2' to 'radix-8'"
    )]
    NoBlocks {
        /// The program.
        algorithm: &'static str,
    },
    /// A program without groups was given some.
    #[error(
        "the algorithm '{algorithm}' knows no groups of nodes and nothing that is done for them; 'grouped' does"
    )]
    NoGroups {
        /// The program.
        algorithm: &'static str,
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
    #[error("{what} needs measured speed functions; 'earth-fft profile' measures them")]
    NeedsSpeeds {
        /// The option that needs them.
        what: &'static str,
    },
    /// Speed functions for rows with another padding.
    #[error(
        "no speed functions were given for rows with the padding '{pad}'; 'earth-fft profile --pad {pad}' measures them"
    )]
    NoSpeeds {
        /// The padding that was asked for.
        pad: Pad,
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
    /// A program for two dimensions was given one.
    #[error("the algorithm '{algorithm}' transforms matrices and images; 'auto' takes both")]
    NeedsMatrix {
        /// The program.
        algorithm: &'static str,
    },
    /// A program for one dimension was given two.
    #[error("the algorithm '{algorithm}' transforms one series; 'grouped' and 'auto' take matrices")]
    NeedsLine {
        /// The program.
        algorithm: &'static str,
    },
    /// Less memory than the transform would take.
    #[error(
        "the transform needs {needed} bytes of memory and {available} are available; larger blocks or fewer nodes need less"
    )]
    TooLittleMemory {
        /// The bytes needed, beside those of the samples.
        needed: u64,
        /// The bytes that can be had.
        available: u64,
    },
    /// The tables of a plan, or the arrays to measure it with, need more memory than the system gives.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// More samples than can be counted.
    #[error("the samples are more than this machine can count")]
    TooManySamples,
    /// More points a thread than there are points.
    #[error("the block size is {block} and there are only {n} samples")]
    BlockTooLarge {
        /// The number of samples.
        n: usize,
        /// The block size asked for.
        block: usize,
    },
    /// More rows a row block than a matrix and its transpose have.
    #[error("the block size is {block} rows and the matrix has only {rows} rows and {cols} columns")]
    RowBlockTooLarge {
        /// The rows of the matrix.
        rows: usize,
        /// The rows of its transpose.
        cols: usize,
        /// The block size asked for.
        block: usize,
    },
    /// More nodes than machines have.
    #[error("a machine has 1 to {most} nodes, not {nodes}")]
    NoSuchMachine {
        /// The number of nodes asked for.
        nodes: usize,
        /// The largest that there is.
        most: usize,
    },
}

impl PlanError {
    /// The error of a name that none of the `known` solvers has.
    pub(crate) fn no_such(name: &str, known: impl Iterator<Item = &'static str>) -> Self {
        let known = ["auto"].into_iter().chain(known).map(|name| format!("'{name}'"));
        Self::NoSuchAlgorithm { name: name.to_owned(), known: known.collect::<Vec<_>>().join(", ") }
    }

    /// Whether a machine may have so many nodes.
    pub(crate) fn check_nodes(nodes: usize) -> Result<(), Self> {
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
