//! The one-dimensional FFTs as functions on vectors.
//!
//! *The number of points a thread*, unless given, is [`default_block`].

use std::time::{Duration, Instant};

use earth::{Block, Machine, Run, Shared};
use earth_fftw::Effort;
use earth_kernels::{Direction, Real};
use num_complex::Complex;

use super::compiled;
use super::error::{NoPoints, TransformError};
use crate::dataflow::alone::{AloneJob, AlonePlan};
use crate::dataflow::receiver::{Asking, ReceiverJob, ReceiverPlan, Scalar};
use crate::dataflow::sender::{SenderJob, SenderPlan};
use crate::dataflow::{Done, Phases};
use crate::kernel::Kernel;
use crate::problem::Problem;

/// A finished transform, and all that is known about it.
#[derive(Clone, Debug)]
pub struct Transformed<T> {
    /// All N values, in natural order; the inverse is divided by N.
    pub spectrum: Vec<Complex<T>>,
    /// The time of each part.
    pub phases: Phases,
    /// The time that planning took. Not part of the phases.
    pub planning: Duration,
    /// The time from the start of the run until the machine was quiet.
    pub elapsed: Duration,
    /// That time in cycles, on a simulated machine.
    pub cycles: Option<u64>,
    /// The machine's counters.
    pub counters: earth::Counters,
    /// Asks for points, roots not counted: the tokens of the paper on the receiver-initiated FFT. 0 for the other
    /// programs.
    pub paper_tokens: u64,
    /// Half butterflies, one point each, that the multithreaded phase computed; row kernels are not counted.
    pub half_butterflies: u64,
    /// What was written down of the run, on a machine that [traces](earth::Machine::trace).
    pub records: Option<earth::records::Records>,
}

/// The sender-initiated FFT of `signal` in blocks of `block` points on all nodes of `machine`; see
/// [`dataflow::sender`](crate::dataflow::sender).
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
    let plan = Shared::new(SenderPlan::new(signal.len(), block, direction)?);
    let planning = start.elapsed();
    let threads = plan.order().threads();
    let job = SenderJob::new(signal, plan);
    let done = finished(compiled::sender(machine, job)?, planning);
    Ok(Transformed { half_butterflies: half_butterflies(&done.counters, threads, block), ..done })
}

/// The half butterflies that the threads of the sender-initiated FFT computed. Each thread runs `start`, `begin` and
/// `local`; its other fibers produce and consume, and each consumer computes a block.
pub(super) fn half_butterflies(counters: &earth::Counters, threads: usize, block: usize) -> u64 {
    let consumers = (counters.fibers - 3 - 3 * threads as u64) / 2;
    consumers * block as u64
}

/// The receiver-initiated FFT of `signal` on all nodes of `machine`; see
/// [`dataflow::receiver`](crate::dataflow::receiver).
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
    let plan = Shared::new(ReceiverPlan::new(points, nodes, direction, asking)?);
    let rounds = plan.order().share() / plan.window();
    let job = ReceiverJob::new(Block::from_vec(1, points, signal)?, plan);
    let planning = start.elapsed();
    let done = finished(compiled::receiver(machine, job)?, planning);
    let (points, nodes, rounds) = (points as u64, nodes as u64, rounds as u64);
    // Parts, the functions that start and connect them, and roots are invoked too; of the fibers those that
    // started an ask did not combine.
    let asks = done.counters.invokes - 2 * nodes;
    let combined = done.counters.fibers - 4 - nodes * (4 + rounds) - asks;
    Ok(Transformed { paper_tokens: asks - points + done.counters.tokens, half_butterflies: combined, ..done })
}

/// The row kernel on `signal`, on node 0 of `machine`; see [`dataflow::alone`](crate::dataflow::alone).
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
    if signal.is_empty() {
        return Err(NoPoints.into());
    }
    let signal = Block::from_vec(1, signal.len(), signal)?;
    let problem = Problem::complex(&[signal.len()]).direction(direction);
    let plan = Shared::new(AlonePlan::new(&problem, &Kernel::default(), Effort::default())?);
    let planning = start.elapsed();
    Ok(finished(compiled::alone(machine, AloneJob::new(signal, plan))?, planning))
}

fn finished<T: Real>(run: Run<Done<T>>, planning: Duration) -> Transformed<T> {
    let Run { value: Done { spectrum, phases }, counters, elapsed, cycles, records, .. } = run;
    let (spectrum, phases) = (spectrum.into_vec(), phases);
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
        records,
    }
}

/// The number of points a thread for `points` points (a power of two) on `nodes` nodes: all of them on one
/// node; else so that each node has two threads, to have one at work while the other waits. More threads mean
/// more exchange stages, each of which costs a pass over the memory.
pub fn default_block(points: usize, nodes: usize) -> usize {
    let threads = if nodes <= 1 { 1 } else { 2 * nodes.min(points).next_power_of_two() };
    (points / threads).max(1)
}
