//! What is asked of an FFT program and what it answers: plain data, so that the command line and the programs
//! need not know each other.
//!
//! A [`Request`] is checked against the size of the signal before any machine is built ([`Request::check`]);
//! what a program cannot do it refuses by a [`Refusal`], which says what it can do. Programs are called
//! through [`Programs`].

use std::error::Error;
use std::fmt;
use std::num::NonZeroUsize;

use num_complex::Complex;
use serde::Serialize;

use crate::signal::Precision;

/// Which program computes the transform.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Algorithm {
    /// Sender if --nodes or --block ask for it, else a row kernel
    #[default]
    Auto,
    /// Sender-initiated (Thulasiraman et al.); N a power of two
    Sender,
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Auto => "auto",
            Self::Sender => "sender",
        })
    }
}

/// How a node divides its work over threads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, clap::ValueEnum)]
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

/// One transform that somebody wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// The program.
    pub algorithm: Algorithm,
    /// The division of work in a node.
    pub config: Config,
    /// The number of nodes P; the machine's choice if `None`.
    pub nodes: Option<NonZeroUsize>,
    /// The number of points a thread B; the program's choice if `None`.
    pub block: Option<NonZeroUsize>,
    /// From a spectrum back to a signal, divided by N; forward is not normalised.
    pub inverse: bool,
}

impl Request {
    /// Whether `n` points can be transformed in this way.
    ///
    /// # Errors
    ///
    /// Every size that no program could use, and what the named program in particular cannot do.
    pub fn check(&self, n: usize) -> Result<(), Refusal> {
        if let Some(nodes) = self.nodes {
            n.checked_mul(nodes.get()).ok_or(Refusal::TooManyNodes { n, nodes: nodes.get() })?;
        }
        if let Some(block) = self.block.map(NonZeroUsize::get).filter(|&block| block > n) {
            return Err(Refusal::BlockTooLarge { n, block });
        }
        if self.algorithm == Algorithm::Sender {
            if !n.is_power_of_two() {
                return Err(Refusal::NotAPowerOfTwo { algorithm: self.algorithm, n });
            }
            if let Some(block) = self.block.map(NonZeroUsize::get).filter(|block| !block.is_power_of_two()) {
                return Err(Refusal::BlockNotAPowerOfTwo { algorithm: self.algorithm, block });
            }
        }
        Ok(())
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
    /// More points a thread than there are points.
    #[error("the block size is {block} and there are only {n} samples")]
    BlockTooLarge {
        /// The number of samples.
        n: usize,
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

/// A finished transform.
#[derive(Clone, Debug)]
pub struct Outcome<T> {
    /// All N values, in natural order.
    pub spectrum: Vec<Complex<T>>,
    /// The program that ran, for people: what `auto` became.
    pub algorithm_used: String,
    /// The number of nodes that took part.
    pub nodes: usize,
    /// The number of points a thread, where there are threads.
    pub block: Option<usize>,
    /// The time of the whole transform, reordering included.
    pub seconds: f64,
    /// The part of it that went into reordering the output.
    pub reorder_seconds: f64,
    /// What it cost.
    pub counters: Counters,
}

impl<T> Outcome<T> {
    /// The customary rate, 5 N log2 N operations in the time taken; 0 for N of 1, which takes none.
    pub fn gflops(&self) -> f64 {
        let n = self.spectrum.len() as f64;
        let operations = 5.0 * n * n.log2();
        if operations == 0.0 { 0.0 } else { operations / self.seconds / 1e9 }
    }
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
    /// Transforms `samples` (at least one) as `request` says. [`Request::check`] has already passed.
    ///
    /// # Errors
    ///
    /// A refusal, or whatever the machine ended with.
    fn transform<T: Precision>(
        &self,
        request: &Request,
        samples: Vec<Complex<T>>,
    ) -> Result<Outcome<T>, ProgramError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(algorithm: Algorithm, nodes: usize, block: usize) -> Request {
        Request {
            algorithm,
            config: Config::Spn,
            nodes: NonZeroUsize::new(nodes),
            block: NonZeroUsize::new(block),
            inverse: false,
        }
    }

    #[test]
    fn the_sender_takes_powers_of_two_and_auto_takes_all() {
        assert_eq!(request(Algorithm::Auto, 3, 5).check(309), Ok(()));
        assert_eq!(request(Algorithm::Sender, 3, 16).check(256), Ok(()));
        assert_eq!(request(Algorithm::Sender, 2, 1).check(1), Ok(()));
        assert_eq!(
            request(Algorithm::Sender, 2, 16).check(309),
            Err(Refusal::NotAPowerOfTwo { algorithm: Algorithm::Sender, n: 309 })
        );
        assert_eq!(
            request(Algorithm::Sender, 2, 12).check(256),
            Err(Refusal::BlockNotAPowerOfTwo { algorithm: Algorithm::Sender, block: 12 })
        );
    }

    #[test]
    fn sizes_that_no_program_could_use_are_refused_for_all() {
        for algorithm in [Algorithm::Auto, Algorithm::Sender] {
            assert_eq!(
                request(algorithm, 1, 257).check(256),
                Err(Refusal::BlockTooLarge { n: 256, block: 257 })
            );
            assert_eq!(request(algorithm, 1, 256).check(256), Ok(()));
            let nodes = usize::MAX / 256 + 1;
            assert_eq!(request(algorithm, nodes, 0).check(256), Err(Refusal::TooManyNodes { n: 256, nodes }));
            assert_eq!(request(algorithm, nodes - 1, 0).check(256), Ok(()));
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
            reorder_seconds: 0.0,
            counters: Counters::default(),
        };
        assert!((outcome.gflops() - 25.6).abs() < 1e-9);
        outcome.spectrum.truncate(1);
        outcome.seconds = 0.0;
        assert!(outcome.gflops().abs() < f64::EPSILON);
    }
}
