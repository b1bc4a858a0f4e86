//! The FFT programs as plain functions on vectors, and the one that a
//! [`Request`](crate::request::Request) means.
//!
//! [`sender`], [`receiver`], [`row`] and, for matrices, [`twod::matrix`] run one program on a machine of any
//! kind. [`Library`] answers requests: it chooses program, machine and block size, and keeps the last
//! machine for the next request. [`phantom`] runs the same programs without data, for sizes larger than memory.
//!
//! *What `auto` becomes.* The sender-initiated FFT if more than one node or a block size was asked for and it
//! can do it: N and the block size are powers of two. Else the row kernel on one node, which takes any N, and
//! which no number of nodes has beaten yet on few cores. A matrix always goes by tiles, on one node unless
//! more were asked for. *The block size*, unless given, is [`default_block`]. *The number of nodes*, unless
//! given, is [`default_nodes`].
//!
//! *Time.* [`Transformed::phases`] is by the clock of the program's main function. Planning (factors, the row
//! kernel's tables) comes before and is told apart, since a plan serves many transforms; starting the
//! machine's threads comes before too.

use std::num::NonZeroUsize;
use std::thread;
use std::time::{Duration, Instant};

use earth::{Block, Machine, Run, ShapeError};
use earth_kernels::{Direction, OrderError, Real, SharesError};
use num_complex::Complex;

use crate::oned::planned::Planned;
use crate::oned::receiver::{Asking, ReceiverFft, ReceiverJob, ReceiverPlan, ReceiverRecipe, Scalar};
use crate::oned::row::{NoPoints, RowFft, RowJob, RowPlan, RowRecipe};
use crate::oned::sender::{SenderFft, SenderJob, SenderPlan, SenderRecipe};
use crate::oned::{Done, Phases};
use crate::request::Config;
use crate::twod::MatrixError;

mod library;
pub mod memory;
pub mod pfft;
pub mod phantom;
mod row_speed;
pub mod twod;

pub use library::Library;
pub use row_speed::{RowTimes, row_speed};

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
    /// The same in cycles, on a simulated machine.
    pub cycles: Option<u64>,
    /// What the machine counted.
    pub counters: earth::Counters,
    /// Asks for points, roots not counted: what the paper of the receiver-initiated FFT calls tokens.
    /// 0 for the other programs.
    pub paper_tokens: u64,
    /// Half butterflies, one point each, that the multithreaded phase computed; row kernels are not counted.
    pub half_butterflies: u64,
    /// What the run looked like, on a machine that [traces](earth::Machine::trace).
    pub trace: Option<earth::Trace>,
}

/// Why there is no transform.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// No points, or sizes that are no powers of two.
    #[error("the sender-initiated FFT cannot be dealt: {0}")]
    Order(#[from] OrderError),
    /// No points, or more nodes than points, or sizes that are no powers of two.
    #[error("the receiver-initiated FFT cannot be dealt: {0}")]
    Shares(#[from] SharesError),
    /// No points.
    #[error(transparent)]
    NoPoints(#[from] NoPoints),
    /// A matrix that cannot be dealt.
    #[error(transparent)]
    Matrix(#[from] MatrixError),
    /// No data on a machine of real cores.
    #[error(transparent)]
    NotSimulated(#[from] phantom::NotSimulated),
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
    let threads = plan.order().threads();
    let job = SenderJob::new(signal, plan);
    let done = finished(machine.run::<SenderFft<T>>(Box::new(job))?, planning);
    Ok(Transformed { half_butterflies: half_butterflies(&done.counters, threads, block), ..done })
}

/// What the threads of the sender-initiated FFT computed. Each starts, meets and ends; the other fibers produce and
/// consume, and each consumer computes a block.
fn half_butterflies(counters: &earth::Counters, threads: usize, block: usize) -> u64 {
    let consumers = (counters.fibers - 3 - 3 * threads as u64) / 2;
    consumers * block as u64
}

/// The receiver-initiated FFT of `signal` on all nodes of `machine`; see
/// [`oned::receiver`](crate::oned::receiver).
///
/// # Errors
///
/// N and P that cannot be dealt, or the machine's.
pub fn receiver<T: Scalar>(
    machine: &mut Machine,
    signal: Vec<Complex<T>>,
    asking: Asking,
    direction: Direction,
) -> Result<Transformed<T>, TransformError> {
    let start = Instant::now();
    let (points, nodes) = (signal.len(), machine.node_count());
    let plan: Planned<ReceiverPlan<T>> = Planned::of(ReceiverRecipe::new(points, nodes, direction, asking))?;
    let rounds = plan.order().share() / plan.window();
    let job = ReceiverJob::new(Block::from_vec(1, points, signal)?, plan);
    let planning = start.elapsed();
    let done = finished(machine.run::<ReceiverFft<T>>(Box::new(job))?, planning);
    let (points, nodes, rounds) = (points as u64, nodes as u64, rounds as u64);
    // Parts, what starts and introduces them, and roots are invoked too; of the fibers those that
    // started an ask did not combine.
    let asks = done.counters.invokes - 2 * nodes;
    let combined = done.counters.fibers - 4 - nodes * (4 + rounds) - asks;
    Ok(Transformed { paper_tokens: asks - points + done.counters.tokens, half_butterflies: combined, ..done })
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
    Ok(finished(machine.run::<RowFft<T>>(Some(Box::new(RowJob::new(signal, plan))))?, planning))
}

fn finished<T: Real>(run: Run<Done<T>>, planning: Duration) -> Transformed<T> {
    let Run { value: Done { spectrum, phases }, counters, elapsed, cycles, trace, .. } = run;
    let (spectrum, phases) = (spectrum.into_vec(), *phases);
    let (paper_tokens, half_butterflies) = (0, 0);
    Transformed {
        spectrum,
        phases,
        planning,
        elapsed,
        cycles,
        counters,
        paper_tokens,
        half_butterflies,
        trace,
    }
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
