//! Runs of the plan of one thread on arrays of their own: in the caller's thread, or in a fiber of a machine.

use std::time::{Duration, Instant};

use earth::{Block, Machine, Run, Shared};
use num_complex::Complex;

use super::TransformError;
use crate::dataflow::alone::{AloneJob, AlonePlan};
use crate::dataflow::{Done, Phases};
use crate::precision::Precision;
use crate::problem::{Data, UntypedProblem};

/// Runs the plan in a fiber, on the input of a problem, or on a phantom of one.
pub(super) fn run<T: Precision>(
    machine: &mut Machine,
    problem: &UntypedProblem,
    plan: &Shared<AlonePlan<T>>,
    input: Option<Data<T>>,
) -> Result<Run<Done<T>>, TransformError> {
    let (points, numbers) = arrays(problem, input)?;
    Ok(T::run_alone(machine, AloneJob::new(points, numbers, plan.clone()))?)
}

/// Runs the plan in this thread, on the input of a problem.
pub(super) fn run_here<T: Precision>(
    problem: &UntypedProblem,
    plan: &AlonePlan<T>,
    input: Data<T>,
    scratch: &mut [Complex<T>],
) -> Result<Done<T>, TransformError> {
    let (mut points, mut numbers) = arrays(problem, Some(input))?;
    let start = Instant::now();
    plan.process(plan.slices(&mut points, numbers.as_mut()), scratch)?;
    let time = start.elapsed();
    Ok(plan.done(points, numbers, Phases::between([Duration::ZERO, Duration::ZERO, time, time])))
}

/// The arrays of a problem without gaps, or of one whose rows are padded: of its input, or of a phantom.
fn arrays<T: Precision>(
    problem: &UntypedProblem,
    input: Option<Data<T>>,
) -> Result<(Block<Complex<T>>, Option<Block<T>>), TransformError> {
    let [points, numbers] = problem.counts().map(|count| {
        // A phantom has as many rows as its elements allow, since those of a row are counted in 32 bits.
        let rows = if input.is_some() { 1 } else { 1 << count.trailing_zeros().min(24) };
        [rows, count / rows]
    });
    problem.elements().arrays(input, points, Some(numbers).filter(|_| !problem.is_padded()))
}
