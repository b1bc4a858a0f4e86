//! What is asked of an FFT program and what it answers: plain data, so that the command line and the programs
//! need not know each other.
//!
//! A [`Request`] is checked against the size of the signal before any machine is built ([`Request::check`]);
//! what a program cannot do it refuses by a [`Refusal`], which says what it can do. Programs are called
//! through [`Programs`].

use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;

use earth::Trace;
use num_complex::Complex;
use serde::Serialize;

use crate::signal::{Precision, Shape};

pub mod groups;

use groups::{Groups, Pad, Shared};

/// Which program computes the transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// A parallel one if --nodes asks, else a row kernel
    #[default]
    Auto,
    /// Receiver-initiated, a tree of asks; powers of two
    Receiver,
    /// The same, each point of each level computed once
    ReceiverShared,
    /// Sender-initiated; N a power of two
    Sender,
    /// Two dimensions of any sizes, by tiles
    Grouped,
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Receiver => "receiver",
            Self::ReceiverShared => "receiver-shared",
            Self::Sender => "sender",
            Self::Grouped => "grouped",
        })
    }
}

/// How a node divides its work over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Config {
    /// One thread a node runs fibers and serves their operations
    #[default]
    Spn,
    /// Two threads a node: one runs fibers, one serves operations
    Dual,
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Spn => "spn",
            Self::Dual => "dual",
        })
    }
}

impl From<Config> for earth::Config {
    fn from(config: Config) -> Self {
        match config {
            Config::Spn => Self::Spn,
            Config::Dual => Self::Dual,
        }
    }
}

/// One transform that somebody wants.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// How the samples are arranged; one for each place.
    pub shape: Shape,
    /// The program.
    pub algorithm: Algorithm,
    /// The division of work in a node.
    pub config: Config,
    /// The number of nodes P; the machine's choice if `None`.
    pub nodes: Option<NonZeroUsize>,
    /// The number of points a thread B, or of a matrix the rows of a row block; the
    /// program's choice if `None`.
    pub block: Option<NonZeroUsize>,
    /// Groups of nodes that share a matrix, if they were asked for.
    pub groups: Option<Groups>,
    /// From a spectrum back to a signal, divided by N; forward is not normalised.
    pub inverse: bool,
}

impl Request {
    /// The number of samples.
    ///
    /// # Errors
    ///
    /// If it cannot be counted.
    pub fn samples(&self) -> Result<usize, Refusal> {
        self.shape.samples().ok_or(Refusal::TooManySamples)
    }

    /// Whether samples of this shape can be transformed in this way.
    ///
    /// # Errors
    ///
    /// Every size that no program could use, and what the named program in particular cannot do.
    pub fn check(&self) -> Result<(), Refusal> {
        let Self { algorithm, .. } = *self;
        let n = self.samples()?;
        let block = self.block.map(NonZeroUsize::get);
        if let Some(nodes) = self.nodes {
            n.checked_mul(nodes.get()).ok_or(Refusal::TooManyNodes { n, nodes: nodes.get() })?;
        }
        match (self.shape, block) {
            (Shape::Line(n), Some(block)) if block > n => return Err(Refusal::BlockTooLarge { n, block }),
            (Shape::Matrix { rows, cols }, Some(block)) if block > rows.max(cols) => {
                return Err(Refusal::RowBlockTooLarge { rows, cols, block });
            }
            _ => {}
        }
        let is_line = matches!(self.shape, Shape::Line(_));
        if self.groups.is_some() && !matches!(algorithm, Algorithm::Auto | Algorithm::Grouped) {
            return Err(Refusal::NoGroups { algorithm });
        }
        if self.groups.is_some() && is_line {
            return Err(Refusal::GroupsOfLine);
        }
        match algorithm {
            Algorithm::Grouped if is_line => return Err(Refusal::NeedsMatrix { algorithm }),
            Algorithm::Auto | Algorithm::Grouped => return Ok(()),
            _ if !is_line => return Err(Refusal::NeedsLine { algorithm }),
            _ if !n.is_power_of_two() => return Err(Refusal::NotAPowerOfTwo { algorithm, n }),
            _ => {}
        }
        match (algorithm, block) {
            (Algorithm::Sender, Some(block)) if !block.is_power_of_two() => {
                Err(Refusal::BlockNotAPowerOfTwo { algorithm, block })
            }
            (Algorithm::Sender, _) => Ok(()),
            (_, Some(_)) => Err(Refusal::NoBlocks { algorithm }),
            (_, None) => match self.nodes.map(NonZeroUsize::get) {
                Some(nodes) if !nodes.is_power_of_two() || nodes > n => {
                    Err(Refusal::NodesNotAPowerOfTwo { algorithm, nodes, n })
                }
                _ => Ok(()),
            },
        }
    }
}

/// Why a request cannot be met; each says what could be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A program for powers of two was given another size.
    #[error(
        "the algorithm '{algorithm}' takes a power of two of samples and there are {n}; 'auto' takes any number"
    )]
    NotAPowerOfTwo {
        /// The program.
        algorithm: Algorithm,
        /// The number of samples.
        n: usize,
    },
    /// A program for powers of two was given another block size.
    #[error("the algorithm '{algorithm}' takes a power of two as block size, not {block}")]
    BlockNotAPowerOfTwo {
        /// The program.
        algorithm: Algorithm,
        /// The block size asked for.
        block: usize,
    },
    /// A program for powers of two was given another number of nodes, or more nodes than samples.
    #[error(
        "the algorithm '{algorithm}' runs on a power of two of nodes, at most one for each of the {n} samples, not on {nodes}"
    )]
    NodesNotAPowerOfTwo {
        /// The program.
        algorithm: Algorithm,
        /// The number of nodes asked for.
        nodes: usize,
        /// The number of samples.
        n: usize,
    },
    /// A program without blocks was given a block size.
    #[error("the algorithm '{algorithm}' has no blocks; '--block' is for 'sender' and 'grouped'")]
    NoBlocks {
        /// The program.
        algorithm: Algorithm,
    },
    /// A program without groups was given some.
    #[error(
        "the algorithm '{algorithm}' knows no groups of nodes and nothing that is done for them; 'grouped' does"
    )]
    NoGroups {
        /// The program.
        algorithm: Algorithm,
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
        /// What was asked for.
        what: &'static str,
    },
    /// Speed functions for rows to which something else was done.
    #[error(
        "no speed functions were given for rows with the padding '{pad}'; 'earth-fft profile --pad {pad}' measures them"
    )]
    NoSpeeds {
        /// What is to be done to them.
        pad: Pad,
    },
    /// Speed functions of other groups.
    #[error(
        "the speed functions are of {} groups of {} nodes, and {} groups of {} were asked for", measured[0], measured[1], asked[0], asked[1]
    )]
    OtherGroups {
        /// Groups and nodes of each, of the functions.
        measured: [usize; 2],
        /// The same, as asked for.
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
    /// Speed functions that do not tell what was asked of them.
    #[error("the speed functions do not tell: {0}")]
    Unmeasured(String),
    /// A program for two dimensions was given one.
    #[error("the algorithm '{algorithm}' transforms matrices and images; 'auto' takes both")]
    NeedsMatrix {
        /// The program.
        algorithm: Algorithm,
    },
    /// A program for one dimension was given two.
    #[error("the algorithm '{algorithm}' transforms one series; 'grouped' and 'auto' take matrices")]
    NeedsLine {
        /// The program.
        algorithm: Algorithm,
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
        /// Those of its transpose.
        cols: usize,
        /// The block size asked for.
        block: usize,
    },
    /// The work's counters could not be counted.
    #[error("{n} samples on {nodes} nodes are more than this machine can count")]
    TooManyNodes {
        /// The number of samples.
        n: usize,
        /// The number of nodes asked for.
        nodes: usize,
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

/// What a run cost, by the runtime's own counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Fibers run.
    pub fibers: u64,
    /// Tokens made.
    pub tokens: u64,
    /// Functions invoked on a named node.
    pub invokes: u64,
    /// Signals delivered to slots.
    pub signals: u64,
    /// Bytes of blocks moved.
    pub bytes_moved: u64,
}

/// The seconds that each part of a transform took, by the clock of its main function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Parts {
    /// Until all nodes have their points.
    pub setup: f64,
    /// Stages that need no other node, where they come first.
    pub local: f64,
    /// What the paper calls the multithreaded phase.
    pub multithreaded: f64,
    /// Until the result is in natural order.
    pub reordering: f64,
}

/// The seconds that units were at work and had nothing to do, summed over the units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Use {
    /// Execution units, and both where one thread is both.
    pub eu_busy: f64,
    /// The same, idle.
    pub eu_idle: f64,
    /// Synchronization units with a thread of their own.
    pub su_busy: f64,
    /// The same, idle.
    pub su_idle: f64,
}

/// A finished transform.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// All N values, in natural order.
    pub spectrum: Vec<Complex<T>>,
    /// The program that ran, for people: what `auto` became.
    pub algorithm_used: String,
    /// The number of nodes that took part.
    pub nodes: usize,
    /// The number of points a thread, where there are threads; of a matrix the rows of a row block.
    pub block: Option<usize>,
    /// The time of the whole transform, reordering included.
    pub seconds: f64,
    /// Where that went.
    pub parts: Parts,
    /// What the units did in that time.
    pub units: Use,
    /// What it cost.
    pub counters: Counters,
    /// Asks for operands: what the paper calls tokens. 0 where nobody asks.
    pub paper_tokens: u64,
    /// Half butterflies, one output each, that the multithreaded phase computed.
    pub half_butterflies: u64,
    /// Whether a matrix was transformed in its own memory, and not through a second one.
    pub in_place: Option<bool>,
    /// How groups of nodes shared a matrix, if they did.
    pub groups: Option<Shared>,
    /// What should be known about it, as sentences for people.
    pub notes: Vec<String>,
}

impl<T> Outcome<T> {
    /// The customary [rate](gflops()).
    pub fn gflops(&self) -> f64 {
        gflops(self.spectrum.len(), self.seconds)
    }
}

/// The customary rate, 5 N log2 N operations for `n` points in the time taken; 0 for N of 1, which takes none.
pub fn gflops(n: usize, seconds: f64) -> f64 {
    let operations = 5.0 * n as f64 * (n as f64).log2();
    if operations == 0.0 { 0.0 } else { operations / seconds / 1e9 }
}

/// Why a program gave no spectrum.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It cannot do what was asked.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// It was told to stop.
    #[error("the transform was interrupted")]
    Interrupted,
    /// The machine that it ran on ended with an error.
    #[error("the transform failed: {0}")]
    Machine(#[source] Box<dyn Error + Send + Sync>),
}

/// The FFT programs, as the command line sees them.
pub trait Programs {
    /// Whether there is memory for what `request` asks, with samples of `sample` bytes that are in hand, and
    /// for `beside` bytes of the caller's own. Nothing is allocated. [`Request::check`] has already passed.
    ///
    /// # Errors
    ///
    /// [`Refusal::TooLittleMemory`], or another reason why there is no such transform.
    fn admit(&self, request: &Request, sample: usize, beside: u64) -> Result<(), Refusal>;

    /// Transforms `samples` (at least one, and as many as the shape has) as `request` says.
    /// [`Request::check`] has already passed.
    ///
    /// # Errors
    ///
    /// A refusal, or whatever the machine ended with.
    fn transform<T: Precision>(
        &self,
        request: &Request,
        samples: Vec<Complex<T>>,
    ) -> Result<Outcome<T>, ProgramError>;

    /// The same, and what the run looked like.
    ///
    /// # Errors
    ///
    /// Those of [`transform`](Programs::transform).
    fn traced<T: Precision>(
        &self,
        request: &Request,
        samples: Vec<Complex<T>>,
    ) -> Result<(Outcome<T>, Trace), ProgramError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(algorithm: Algorithm, nodes: usize, block: usize, n: usize) -> Result<(), Refusal> {
        of(Shape::Line(n), algorithm, nodes, block)
    }

    fn of(shape: Shape, algorithm: Algorithm, nodes: usize, block: usize) -> Result<(), Refusal> {
        let (nodes, block) = (NonZeroUsize::new(nodes), NonZeroUsize::new(block));
        Request { shape, algorithm, config: Config::Spn, nodes, block, groups: None, inverse: false }.check()
    }

    #[test]
    fn the_sender_takes_powers_of_two_and_auto_takes_all() {
        assert_eq!(check(Algorithm::Auto, 3, 5, 309), Ok(()));
        assert_eq!(check(Algorithm::Sender, 3, 16, 256), Ok(()));
        assert_eq!(check(Algorithm::Sender, 2, 1, 1), Ok(()));
        let algorithm = Algorithm::Sender;
        assert_eq!(check(algorithm, 2, 16, 309), Err(Refusal::NotAPowerOfTwo { algorithm, n: 309 }));
        assert_eq!(check(algorithm, 2, 12, 256), Err(Refusal::BlockNotAPowerOfTwo { algorithm, block: 12 }));
    }

    #[test]
    fn receivers_take_powers_of_two_and_no_blocks() {
        for algorithm in [Algorithm::Receiver, Algorithm::ReceiverShared] {
            assert_eq!(check(algorithm, 0, 0, 256), Ok(()));
            assert_eq!(check(algorithm, 64, 0, 64), Ok(()));
            assert_eq!(check(algorithm, 2, 0, 309), Err(Refusal::NotAPowerOfTwo { algorithm, n: 309 }));
            assert_eq!(check(algorithm, 2, 4, 256), Err(Refusal::NoBlocks { algorithm }));
            for nodes in [3, 128] {
                let refusal = Refusal::NodesNotAPowerOfTwo { algorithm, nodes, n: 64 };
                assert_eq!(check(algorithm, nodes, 0, 64), Err(refusal));
            }
        }
    }

    #[test]
    fn matrices_are_for_grouped_and_auto() {
        let matrix = Shape::Matrix { rows: 3, cols: 5 };
        for algorithm in [Algorithm::Auto, Algorithm::Grouped] {
            assert_eq!(of(matrix, algorithm, 2, 0), Ok(()));
        }
        let algorithm = Algorithm::Sender;
        assert_eq!(of(matrix, algorithm, 2, 0), Err(Refusal::NeedsLine { algorithm }));
        let algorithm = Algorithm::Grouped;
        assert_eq!(check(algorithm, 2, 0, 16), Err(Refusal::NeedsMatrix { algorithm }));
        assert_eq!(of(matrix, algorithm, 2, 5), Ok(()), "the transpose has five rows");
        assert_eq!(
            of(matrix, algorithm, 2, 6),
            Err(Refusal::RowBlockTooLarge { rows: 3, cols: 5, block: 6 })
        );
        let endless = Shape::Matrix { rows: usize::MAX, cols: 2 };
        assert_eq!(of(endless, Algorithm::Auto, 0, 0), Err(Refusal::TooManySamples));
    }

    #[test]
    fn sizes_that_no_program_could_use_are_refused_for_all() {
        for algorithm in [Algorithm::Auto, Algorithm::Sender] {
            assert_eq!(check(algorithm, 1, 257, 256), Err(Refusal::BlockTooLarge { n: 256, block: 257 }));
            assert_eq!(check(algorithm, 1, 256, 256), Ok(()));
            let nodes = usize::MAX / 256 + 1;
            assert_eq!(check(algorithm, nodes, 0, 256), Err(Refusal::TooManyNodes { n: 256, nodes }));
            assert_eq!(check(algorithm, nodes - 1, 0, 256), Ok(()));
        }
    }

    #[test]
    fn the_rate_is_five_n_log_n_over_the_time() {
        let mut outcome = Outcome {
            spectrum: vec![Complex::new(0.0, 0.0); 1024],
            algorithm_used: String::new(),
            nodes: 1,
            block: None,
            seconds: 2e-6,
            parts: Parts::default(),
            units: Use::default(),
            counters: Counters::default(),
            paper_tokens: 0,
            half_butterflies: 0,
            in_place: None,
            groups: None,
            notes: Vec::new(),
        };
        assert!((outcome.gflops() - 25.6).abs() < 1e-9);
        outcome.spectrum.truncate(1);
        outcome.seconds = 0.0;
        assert!(outcome.gflops().abs() < f64::EPSILON);
    }
}
