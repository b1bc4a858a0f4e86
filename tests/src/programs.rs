//! The FFT programs as functions of a machine and points. Each function makes a plan and runs it on the
//! machine.

use std::num::NonZeroUsize;
use std::time::Duration;

use earth::{Counters, Machine};
use earth_fft::dataflow::Phases;
use earth_fft::{Counts, Plan, PlanRun, Planner, Precision, Problem, TransformError};
use earth_kernels::Direction;
use earth_papers::receiver::RequestMode;
use earth_papers::{Grouped, Receiver, Sender, Shares, Stages};
use num_complex::Complex;

/// Result of one run of a plan.
#[derive(Debug)]
pub struct Ran<T: Precision> {
    /// The points of the spectrum.
    pub spectrum: Vec<Complex<T>>,
    /// Counts of the plan.
    pub counts: Counts,
    /// Whether the plan works in place, if it says so.
    pub in_place: Option<bool>,
    /// Rows of a row block, or points of a thread.
    pub block: Option<usize>,
    /// The time of each part.
    pub phases: Phases,
    /// Time until the machine was quiescent.
    pub elapsed: Duration,
    /// The same time in cycles, on a simulated machine.
    pub cycles: Option<u64>,
    /// The machine's counters.
    pub counters: Counters,
}

/// Runs the sender-initiated FFT of `signal` in blocks of `block` points.
///
/// # Errors
///
/// If there is no such plan, or if the machine reports an error.
pub fn sender<T: Precision>(
    machine: &mut Machine,
    signal: Vec<Complex<T>>,
    block: usize,
    direction: Direction,
) -> Result<Ran<T>, TransformError> {
    let solver = Sender::new().block(NonZeroUsize::new(block));
    run(machine, &on(machine, Planner::new().with(solver)), &[signal.len()], signal, direction)
}

/// Runs the FFT of `signal` by stages, with or without barriers, in blocks of `block` butterflies.
///
/// # Errors
///
/// If there is no such plan, or if the machine reports an error.
pub fn by_stages<T: Precision>(
    machine: &mut Machine,
    solver: Stages,
    signal: Vec<Complex<T>>,
    block: usize,
    direction: Direction,
) -> Result<Ran<T>, TransformError> {
    let solver = solver.block(NonZeroUsize::new(block));
    run(machine, &on(machine, Planner::new().with(solver)), &[signal.len()], signal, direction)
}

/// Runs the receiver-initiated FFT of `signal`.
///
/// # Errors
///
/// If there is no such plan, or if the machine reports an error.
pub fn receiver<T: Precision>(
    machine: &mut Machine,
    signal: Vec<Complex<T>>,
    asking: RequestMode,
    direction: Direction,
) -> Result<Ran<T>, TransformError> {
    receiver_by(machine, signal, asking, None, direction)
}

/// Runs the receiver-initiated FFT of `signal`, with `roots` roots of each node under way at a time.
///
/// # Errors
///
/// If there is no such plan, or if the machine reports an error.
pub fn receiver_by<T: Precision>(
    machine: &mut Machine,
    signal: Vec<Complex<T>>,
    asking: RequestMode,
    roots: Option<usize>,
    direction: Direction,
) -> Result<Ran<T>, TransformError> {
    let solver = match asking {
        RequestMode::Tree => Receiver::tree(),
        RequestMode::Tokens => Receiver::tokens(),
        RequestMode::Shared => Receiver::shared(),
    };
    let solver = solver.roots(roots.and_then(NonZeroUsize::new));
    run(machine, &on(machine, Planner::new().with(solver)), &[signal.len()], signal, direction)
}

/// Runs the row kernel on `signal`, on node 0.
///
/// # Errors
///
/// If there is no such plan, or if the machine reports an error.
pub fn row<T: Precision>(
    machine: &mut Machine,
    signal: Vec<Complex<T>>,
    direction: Direction,
) -> Result<Ran<T>, TransformError> {
    run(machine, &Planner::new().nodes(NonZeroUsize::MIN), &[signal.len()], signal, direction)
}

/// Runs the 2-D FFT of `rows` x `cols` points in row blocks of `block` rows, or of the default size.
///
/// # Errors
///
/// If there is no such plan, or if the machine reports an error.
pub fn matrix<T: Precision>(
    machine: &mut Machine,
    rows: usize,
    cols: usize,
    points: Vec<Complex<T>>,
    block: Option<usize>,
    direction: Direction,
) -> Result<Ran<T>, TransformError> {
    // A planner refuses more rows than there are.
    let block = block.map(|block| block.min(rows.max(cols)));
    let solver = Grouped::new().block(block.and_then(NonZeroUsize::new));
    run(machine, &on(machine, Planner::new().with(solver)), &[rows, cols], points, direction)
}

/// Transforms a matrix by groups of nodes.
///
/// # Errors
///
/// If there is no such plan, or if the machine reports an error.
pub fn grouped<T: Precision>(
    machine: &mut Machine,
    sides: [usize; 2],
    points: Vec<Complex<T>>,
    shares: &Shares,
    block: Option<usize>,
    direction: Direction,
) -> Result<Ran<T>, TransformError> {
    let block = block.map(|block| block.min(sides[0].max(sides[1])));
    let solver = Grouped::new().shares(shares.clone()).block(block.and_then(NonZeroUsize::new));
    run(machine, &on(machine, Planner::new().with(solver)), &sides, points, direction)
}

/// Transforms an array by an algorithm of two passes, in row blocks and strips of `block` rows and columns.
///
/// # Errors
///
/// If there is no such plan, or if the machine reports an error.
pub fn in_passes<T: Precision>(
    machine: &mut Machine,
    algorithm: &'static str,
    lengths: &[usize],
    points: Vec<Complex<T>>,
    block: usize,
    direction: Direction,
) -> Result<Ran<T>, TransformError> {
    let planner = earth_papers::by_name(algorithm, NonZeroUsize::new(block))?;
    run(machine, &on(machine, planner), lengths, points, direction)
}

/// Plans the transform and runs the plan on the machine.
fn run<T: Precision>(
    machine: &mut Machine,
    planner: &Planner,
    lengths: &[usize],
    points: Vec<Complex<T>>,
    direction: Direction,
) -> Result<Ran<T>, TransformError> {
    let plan: Plan<T> = planner.plan(&Problem::complex(lengths).direction(direction))?;
    let PlanRun { output, phases, elapsed, cycles, counters, .. } = plan.run_on(machine, points)?;
    Ok(Ran {
        spectrum: output.into_vec(),
        counts: plan.counts(),
        in_place: plan.is_in_place(),
        block: plan.block(),
        phases,
        elapsed,
        cycles,
        counters,
    })
}

/// Returns the planner, set to the machine's number of nodes.
pub fn on(machine: &Machine, planner: Planner) -> Planner {
    planner.nodes(NonZeroUsize::new(machine.node_count()))
}
