//! Requests to the FFT programs and their answers: plain data, so that the command line and the programs
//! need not know each other.
//!
//! A [`Request`] is checked against the size of the signal before any machine is built ([`Request::check`]);
//! what a program cannot do it refuses by a [`Refusal`], which says what it can do. Programs are called
//! through [`Programs`].

use std::error::Error;
use std::num::NonZeroUsize;

use earth::Policy;
use earth::records::Records;
use num_complex::Complex;

use crate::precision::Precision;
use crate::shape::Shape;

pub mod groups;
mod options;
mod outcome;
mod refusal;

pub use options::{Algorithm, Config};
pub use outcome::{Counters, Outcome, Parts, Use, gflops};
pub use refusal::Refusal;

use groups::Groups;

/// One transform that somebody wants.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// How the samples are arranged.
    pub shape: Shape,
    /// The program.
    pub algorithm: Algorithm,
    /// The division of work in a node.
    pub config: Config,
    /// The order in which nodes take up what waits for them.
    pub policy: Policy,
    /// The number of nodes P; the machine's choice if `None`.
    pub nodes: Option<NonZeroUsize>,
    /// The number of points a thread B, or of a matrix the rows of a row block; the
    /// program's choice if `None`.
    pub block: Option<NonZeroUsize>,
    /// Groups of nodes that share a matrix, if they were asked for.
    pub groups: Option<Groups>,
    /// Whether the transform is the inverse one, from a spectrum to a signal, divided by N; forward is not
    /// normalised.
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
        self.samples()?;
        if self.groups.is_some() && !matches!(algorithm, Algorithm::Auto | Algorithm::Grouped) {
            return Err(Refusal::NoGroups { algorithm });
        }
        if self.groups.is_some() && matches!(self.shape, Shape::Line(_)) {
            return Err(Refusal::GroupsOfLine);
        }
        check(self.shape, algorithm, self.nodes, self.block)
    }
}

/// Whether a program transforms samples of a shape on so many nodes in such blocks.
pub(crate) fn check(
    shape: Shape,
    algorithm: Algorithm,
    nodes: Option<NonZeroUsize>,
    block: Option<NonZeroUsize>,
) -> Result<(), Refusal> {
    let [nodes, block] = [nodes, block].map(|number| number.map(NonZeroUsize::get));
    let n = shape.samples().ok_or(Refusal::TooManySamples)?;
    if let Some(nodes) = nodes {
        n.checked_mul(nodes).ok_or(Refusal::TooManyNodes { n, nodes })?;
    }
    match (shape, block) {
        (Shape::Line(n), Some(block)) if block > n => return Err(Refusal::BlockTooLarge { n, block }),
        (Shape::Matrix { rows, cols }, Some(block)) if block > rows.max(cols) => {
            return Err(Refusal::RowBlockTooLarge { rows, cols, block });
        }
        _ => {}
    }
    let is_line = matches!(shape, Shape::Line(_));
    match algorithm {
        Algorithm::Grouped | Algorithm::TwoPass if is_line => {
            return Err(Refusal::NeedsMatrix { algorithm });
        }
        Algorithm::Auto | Algorithm::Grouped | Algorithm::TwoPass => return Ok(()),
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
        (_, None) => match nodes {
            Some(nodes) if !nodes.is_power_of_two() || nodes > n => {
                Err(Refusal::NodesNotAPowerOfTwo { algorithm, nodes, n })
            }
            _ => Ok(()),
        },
    }
}

/// Why a program gave no spectrum.
#[derive(Debug, thiserror::Error)]
pub enum ProgramError {
    /// It cannot do what was asked.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The run was cancelled.
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

    /// Transforms as [`transform`](Programs::transform) does, on a machine that [traces](earth::Machine::trace).
    ///
    /// # Errors
    ///
    /// The errors of [`transform`](Programs::transform).
    fn traced<T: Precision>(
        &self,
        request: &Request,
        samples: Vec<Complex<T>>,
    ) -> Result<(Outcome<T>, Records), ProgramError>;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(algorithm: Algorithm, nodes: usize, block: usize, n: usize) -> Result<(), Refusal> {
        of(Shape::Line(n), algorithm, nodes, block)
    }

    fn of(shape: Shape, algorithm: Algorithm, nodes: usize, block: usize) -> Result<(), Refusal> {
        let (nodes, block) = (NonZeroUsize::new(nodes), NonZeroUsize::new(block));
        let (config, policy) = (Config::Spn, Policy::default());
        Request { shape, algorithm, config, policy, nodes, block, groups: None, inverse: false }.check()
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
}
