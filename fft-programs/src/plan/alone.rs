//! A run of the plan of one thread on a machine.

use earth::{Machine, Run, Shared};

use super::TransformError;
use crate::dataflow::Done;
use crate::dataflow::alone::{AloneJob, AlonePlan};
use crate::precision::Precision;
use crate::problem::{Data, UntypedProblem};

/// Runs the plan of one thread in a fiber, on the input of a problem without gaps, or of one whose rows are padded, or on
/// a phantom of one.
pub(super) fn run<T: Precision>(
    machine: &mut Machine,
    problem: &UntypedProblem,
    plan: &Shared<AlonePlan<T>>,
    input: Option<Data<T>>,
) -> Result<Run<Done<T>>, TransformError> {
    let [points, numbers] = problem.counts().map(|count| {
        // A phantom has as many rows as its elements allow, since those of a row are counted in 32 bits.
        let rows = if input.is_some() { 1 } else { 1 << count.trailing_zeros().min(24) };
        [rows, count / rows]
    });
    let (points, numbers) =
        problem.elements().arrays(input, points, Some(numbers).filter(|_| !problem.is_padded()))?;
    Ok(T::run_alone(machine, AloneJob::new(points, numbers, plan.clone()))?)
}
