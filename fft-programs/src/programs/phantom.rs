//! The FFT programs without data: the times of transforms larger than memory on a simulated machine.
//!
//! [`sender`], [`matrix`] and [`row`] run the programs of the functions of the same names on
//! [phantoms](earth::Block::phantom): every fiber runs, every block moves and is counted, all work is charged for,
//! and no point is there. Times, to the cycle, and counters are those of a run with data, which tests hold
//! them to. What is simulated is bounded by the fibers and messages alone: memory and time grow with
//! the number of threads and tiles, not of points, up to 2^48 bytes.
//!
//! *Not here.* The receiver-initiated FFT: its values are single points that travel as words, so
//! there is nothing that could be left out.
//!
//! Either direction takes the same time, as the inverse's division is not charged for.

use std::time::Duration;

use earth::records::Records;
use earth::{Block, Machine, Run, Shared};
use earth_kernels::{Direction, Real};
use num_complex::Complex;

use super::compiled;
use super::error::{NoPoints, NotSimulated, TransformError};
use super::line::half_butterflies;
use super::matrix::cut;
use crate::dataflow::alone::{AloneJob, AlonePlan};
use crate::dataflow::matrix::{MatrixPlan, MatrixRecipe};
use crate::dataflow::rectangle::RectangleJob;
use crate::dataflow::sender::{SenderJob, SenderPlan};
use crate::dataflow::square::SquareJob;
use crate::dataflow::{Done, Phases};

/// The time and the counters of a transform without data.
#[derive(Clone, Debug)]
pub struct Simulated {
    /// The time of each part.
    pub phases: Phases,
    /// The virtual time from the start of the run until the machine was quiet.
    pub elapsed: Duration,
    /// That time in cycles.
    pub cycles: u64,
    /// The machine's counters.
    pub counters: earth::Counters,
    /// Half butterflies, one point each, that threads would have computed; row kernels are not counted.
    pub half_butterflies: u64,
    /// What was written down of the run, on a machine that [traces](earth::Machine::trace).
    pub records: Option<Records>,
}

/// The sender-initiated FFT of `points` points in blocks of `block` on all nodes of `machine`; see
/// [`programs::sender`](super::sender).
///
/// # Errors
///
/// Sizes that are no powers of two, a block longer than the signal or of more than 2^32 - 1 points, more than
/// 2^48 bytes, a machine that is not simulated, or the machine's.
pub fn sender<T: Real>(
    machine: &mut Machine,
    points: usize,
    block: usize,
) -> Result<Simulated, TransformError> {
    check(machine)?;
    let plan = Shared::new(SenderPlan::<T>::phantom(points, block)?);
    let signal = Block::phantom(plan.order().threads(), block)?;
    let threads = plan.order().threads();
    let done = simulated(compiled::sender(machine, SenderJob::new(signal, plan))?);
    Ok(Simulated { half_butterflies: half_butterflies(&done.counters, threads, block), ..done })
}

/// The row kernel on `points` points, on node 0 of `machine`; see [`programs::row`](super::row).
///
/// # Errors
///
/// No points, more than 2^48 bytes, an odd number of points past 2^32 - 1, a machine that is not simulated, or the machine's.
pub fn row<T: Real>(machine: &mut Machine, points: usize) -> Result<Simulated, TransformError> {
    check(machine)?;
    if points == 0 {
        return Err(NoPoints.into());
    }
    let plan = Shared::new(AlonePlan::<T>::phantom(points));
    // The points of a row are counted in 32 bits, so the signal has as many rows as its points allow.
    let rows = 1 << points.trailing_zeros().min(24);
    let signal = Block::<Complex<T>>::phantom(rows, points / rows)?;
    Ok(simulated(compiled::alone(machine, AloneJob::new(signal, plan))?))
}

/// The 2-D FFT of `rows` x `cols` points on all nodes of `machine`; see
/// [`matrix::matrix`](super::matrix::matrix).
///
/// # Errors
///
/// A matrix of no points, with a side of more than 2^32 - 1 or more than 2^48 bytes, row blocks of no rows, a
/// machine that is not simulated, or the machine's.
pub fn matrix<T: Real>(
    machine: &mut Machine,
    rows: usize,
    cols: usize,
    block: Option<usize>,
) -> Result<Simulated, TransformError> {
    check(machine)?;
    let blocks = cut(rows, cols, block, machine.node_count());
    let recipe = MatrixRecipe::new(rows, cols, blocks, Direction::Forward).phantom();
    let plan = Shared::new(MatrixPlan::<T>::new(recipe)?);
    let matrix = Block::phantom(rows, cols)?;
    let run = if rows == cols {
        compiled::square(machine, SquareJob::new(matrix, plan))?
    } else {
        compiled::rectangle(machine, RectangleJob::new(matrix, plan))?
    };
    Ok(simulated(run))
}

fn check(machine: &Machine) -> Result<(), NotSimulated> {
    if machine.is_simulated() { Ok(()) } else { Err(NotSimulated) }
}

fn simulated<T: Real>(run: Run<Done<T>>) -> Simulated {
    let Run { value: Done { phases, .. }, counters, elapsed, cycles, records, .. } = run;
    Simulated { phases, elapsed, cycles: cycles.unwrap_or_default(), counters, half_butterflies: 0, records }
}
