//! The FFTs in two passes, of 2 and 3 dimensions and of series, on every machine and in every schedule.
//! Results are compared with the definition, and counters with the protocol.

mod counts;
mod everywhere;
mod laws;
mod memory;
mod phantoms;
mod real;
mod series;
pub(crate) mod tall;

use earth::{Block, Error, Machine, Run, Shared};
use earth_fft::dataflow::Done;
use earth_fft::dataflow::two_pass::{TwoPassFft, TwoPassJob, TwoPassPlan};
use earth_fft::{Direction, Precision, Problem};
use num_complex::Complex;

/// Returns the rows of an array, and the points of each.
fn sides(lengths: &[usize]) -> [usize; 2] {
    [lengths[0], lengths[1..].iter().product()]
}

/// Plans arrays of these lengths, in row blocks of `blocks[0]` rows and strips of `blocks[1]` columns.
fn plan<T: Precision>(lengths: &[usize], blocks: [usize; 2], direction: Direction) -> Shared<TwoPassPlan<T>> {
    let problem = Problem::complex(lengths).direction(direction);
    Shared::new(TwoPassPlan::new(&problem, blocks, Some(&direction.into())).unwrap())
}

/// Runs the plan on an array or a phantom.
fn run<T: Precision>(
    machine: &mut Machine,
    array: Block<Complex<T>>,
    plan: &Shared<TwoPassPlan<T>>,
) -> Result<Run<Done<T>>, Error> {
    let job = TwoPassJob::new(array, (None, None), plan.clone());
    machine.run_with(job.shared(), |out| TwoPassFft::call(job, out))
}

/// Runs the transform on an array of these points.
fn transformed<T: Precision>(
    machine: &mut Machine,
    lengths: &[usize],
    points: &[Complex<T>],
    blocks: [usize; 2],
    direction: Direction,
) -> Run<Done<T>> {
    let [rows, cols] = sides(lengths);
    let array = Block::from_vec(rows, cols, points.to_vec()).unwrap();
    run(machine, array, &plan(lengths, blocks, direction)).unwrap()
}
