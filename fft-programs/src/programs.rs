//! The FFT programs as plain functions on vectors, and the one that a [`Request`] means.
//!
//! [`sender`] and [`row`] run one program on a machine of any kind. [`Library`] answers requests: it chooses
//! program, machine and block size, and keeps the last machine for the next request.
//!
//! *What `auto` becomes.* The sender-initiated FFT if more than one node or a block size was asked for and it can
//! do it: N and the block size are powers of two. Else the row kernel on one node, which takes any N, and which
//! no number of nodes has beaten yet on few cores. *The block size*, unless given, is [`default_block`]. *The number
//! of nodes*, unless given, is [`default_nodes`].
//!
//! *Time.* [`Transformed::phases`] is by the clock of the program's main function. Planning (factors, the row
//! kernel's tables) comes before and is told apart, since a plan serves many transforms; starting the
//! machine's threads comes before too.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use earth::{Block, CancelToken, Machine, Run, ShapeError};
use earth_kernels::{Direction, OrderError, Real};
use num_complex::Complex;

use crate::oned::planned::Planned;
use crate::oned::row::{NoPoints, RowFft, RowJob, RowPlan, RowRecipe};
use crate::oned::sender::{SenderFft, SenderJob, SenderPlan, SenderRecipe};
use crate::oned::{Done, Phases};
use crate::request::{
    Algorithm, Config, Counters, Outcome, Parts, ProgramError, Programs, Refusal, Request, Use,
};
use crate::signal::Precision;
use crate::twod::MatrixError;

pub mod twod;

/// The largest number of nodes of a machine.
pub const MOST_NODES: usize = 64;

/// A finished transform, and all that is known about it.
#[derive(Clone, Debug)]
pub struct Transformed<T> {
    /// All N values, in natural order; the inverse is divided by N.
    pub spectrum: Vec<Complex<T>>,
    /// Where the time went.
    pub phases: Phases,
    /// The time that planning took, if nobody held a plan. Not part of the phases.
    pub planning: Duration,
    /// The time from the start of the run until the machine was quiet.
    pub elapsed: Duration,
    /// What the machine counted.
    pub counters: earth::Counters,
}

/// Why there is no transform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// No points, or sizes that are no powers of two.
    #[error("the sender-initiated FFT cannot be dealt: {0}")]
    Order(#[from] OrderError),
    /// No points.
    #[error(transparent)]
    NoPoints(#[from] NoPoints),
    /// A matrix that cannot be dealt.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// More points than a block can hold.
    #[error("too many points: {0}")]
    Shape(#[from] ShapeError),
    /// The machine ended the run.
    #[error(transparent)]
    Machine(#[from] earth::Error),
}

/// The sender-initiated FFT of `signal` in blocks of `block` points on all nodes of `machine`; see
/// [`oned::sender`](crate::oned::sender).
///
/// # Errors
///
/// Sizes that are no powers of two, a block longer than the signal, or the machine's.
pub fn sender<T: Real>(
    machine: &mut Machine,
    signal: Vec<Complex<T>>,
    block: usize,
    direction: Direction,
) -> Result<Transformed<T>, TransformError> {
    let start = Instant::now();
    let signal = Block::from_vec(1, signal.len(), signal)?;
    let plan: Planned<SenderPlan<T>> = Planned::of(SenderRecipe::new(signal.len(), block, direction))?;
    let planning = start.elapsed();
    let job = SenderJob::new(signal, plan);
    Ok(finished(machine.run::<SenderFft<T>>(Box::new(job))?, planning))
}

/// The row kernel on `signal`, on node 0 of `machine`; see [`oned::row`](crate::oned::row).
///
/// # Errors
///
/// A signal of no points, or the machine's.
pub fn row<T: Real>(
    machine: &mut Machine,
    signal: Vec<Complex<T>>,
    direction: Direction,
) -> Result<Transformed<T>, TransformError> {
    let start = Instant::now();
    let signal = Block::from_vec(1, signal.len(), signal)?;
    let plan: Planned<RowPlan<T>> = Planned::of(RowRecipe::new(signal.len(), direction))?;
    let planning = start.elapsed();
    Ok(finished(machine.run::<RowFft<T>>(Some(Box::new(RowJob { signal, plan })))?, planning))
}

fn finished<T: Real>(run: Run<Done<T>>, planning: Duration) -> Transformed<T> {
    let Run { value: Done { spectrum, phases }, counters, elapsed } = run;
    Transformed { spectrum: spectrum.into_vec(), phases, planning, elapsed, counters }
}

/// The number of points a thread for `points` points (a power of two) on `nodes` nodes: all of them on one
/// node; else so that each node has two threads, to have one at work while the other waits. More threads mean
/// more exchange stages, each of which costs a pass over the memory.
pub fn default_block(points: usize, nodes: usize) -> usize {
    let threads = if nodes <= 1 { 1 } else { 2 * nodes.min(points).next_power_of_two() };
    (points / threads).max(1)
}

/// The number of nodes whose units there are usable cores for: affinity mask and CPU quota respected.
pub fn default_nodes(config: Config) -> usize {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    match config {
        Config::Spn => cores.min(MOST_NODES),
        Config::Dual => (cores / 2).clamp(1, MOST_NODES),
    }
}

/// The programs of this crate, on machines of real cores.
#[derive(Debug, Default)]
pub struct Library {
    cancel: CancelToken,
    /// That of the last request. Never two, because the threads of each spin for a while after a run, on cores
    /// that the other one may need.
    machine: RefCell<Option<(Config, usize, Machine)>>,
}

impl Library {
    /// Programs that end when `cancel` is cancelled.
    pub fn new(cancel: CancelToken) -> Self {
        Self { cancel, machine: RefCell::default() }
    }

    /// Does `work` on a machine like this, which is kept.
    fn with_machine<R>(&self, config: Config, nodes: usize, work: impl FnOnce(&mut Machine) -> R) -> R {
        let mut kept = self.machine.borrow_mut();
        if kept.as_ref().is_some_and(|&(c, n, _)| (c, n) != (config, nodes)) {
            *kept = None;
        }
        let (_, _, machine) = kept.get_or_insert_with(|| (config, nodes, self.build(config, nodes)));
        work(machine)
    }

    fn build(&self, config: Config, nodes: usize) -> Machine {
        let config = match config {
            Config::Spn => earth::Config::Spn,
            Config::Dual => earth::Config::Dual,
        };
        Machine::threads(nodes).config(config).cancel_token(self.cancel.clone())
    }
}

impl Programs for Library {
    fn transform<T: Precision>(
        &self,
        request: &Request,
        samples: Vec<Complex<T>>,
    ) -> Result<Outcome<T>, ProgramError> {
        request.check()?;
        if let Some(nodes) = request.nodes.map(NonZeroUsize::get).filter(|&nodes| nodes > MOST_NODES) {
            return Err(Refusal::NoSuchMachine { nodes, most: MOST_NODES }.into());
        }
        let direction = if request.inverse { Direction::Inverse } else { Direction::Forward };
        let (algorithm_used, nodes, block, done) = match choose(request, samples.len()) {
            Choice::Sender { nodes, block } => {
                let run = |machine: &mut Machine| sender(machine, samples, block, direction);
                ("sender", nodes, Some(block), self.with_machine(request.config, nodes, run))
            }
            Choice::Row => {
                let run = |machine: &mut Machine| row(machine, samples, direction);
                ("row kernel", 1, None, self.with_machine(request.config, 1, run))
            }
        };
        let Transformed { spectrum, phases, counters, .. } = done.map_err(|error| match error {
            TransformError::Machine(earth::Error::Cancelled) => ProgramError::Interrupted,
            error => ProgramError::Machine(Box::new(error)),
        })?;
        Ok(Outcome {
            spectrum,
            algorithm_used: algorithm_used.to_owned(),
            nodes,
            block,
            seconds: phases.total().as_secs_f64(),
            parts: parts(&phases),
            units: units(&counters),
            paper_tokens: 0,
            half_butterflies: 0,
            in_place: None,
            counters: Counters {
                fibers: counters.fibers,
                tokens: counters.tokens,
                invokes: counters.invokes,
                signals: counters.signals,
                bytes_moved: counters.bytes_moved,
            },
        })
    }
}

fn parts(phases: &Phases) -> Parts {
    Parts {
        setup: phases.setup().as_secs_f64(),
        local: 0.0,
        multithreaded: phases.multithreaded().as_secs_f64(),
        reordering: phases.reordering().as_secs_f64(),
    }
}

fn units(counters: &earth::Counters) -> Use {
    Use {
        eu_busy: counters.eu_busy.as_secs_f64(),
        eu_idle: counters.eu_idle.as_secs_f64(),
        su_busy: counters.su_busy.as_secs_f64(),
        su_idle: counters.su_idle.as_secs_f64(),
    }
}

/// The program that a request means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choice {
    Sender { nodes: usize, block: usize },
    Row,
}

/// Chooses for a request that has been checked against `points`.
fn choose(request: &Request, points: usize) -> Choice {
    let given = request.nodes.map(NonZeroUsize::get);
    let block = request.block.map(NonZeroUsize::get);
    let shared = (given.is_some_and(|nodes| nodes > 1) || block.is_some())
        && points.is_power_of_two()
        && block.is_none_or(usize::is_power_of_two);
    match request.algorithm {
        Algorithm::Auto if !shared => Choice::Row,
        _ => {
            let nodes = given.unwrap_or_else(|| default_nodes(request.config));
            Choice::Sender { nodes, block: block.unwrap_or_else(|| default_block(points, nodes)) }
        }
    }
}

#[cfg(test)]
#[path = "programs_tests.rs"]
mod tests;
