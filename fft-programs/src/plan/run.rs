//! Runs of a plan on arrays of their own, which tell what they took: on a machine, or in the caller's thread.

use std::time::{Duration, Instant};

use earth::records::Records;
use earth::{Block, Counters, Machine, Run, Shared};
use earth_kernels::Real;
use earth_memory::{SPARE, can_have};
use num_complex::Complex;

use super::alone::AlonePlan;
use super::{OnNodes, Plan, TransformError};
use crate::dataflow::alone::AloneJob;
use crate::dataflow::{Done, Phases};
use crate::precision::Precision;
use crate::problem::{Arrays, ComplexToComplex, Data, Kind, UntypedProblem};

/// The results of a run of a plan of the kind `K`.
#[derive(Debug)]
pub struct PlanRun<T: Real, K: Kind = ComplexToComplex> {
    /// The result, in natural order.
    pub output: Block<K::Output<T>>,
    /// The time of each part.
    pub phases: Phases,
    /// The time from the start of the run until the machine was quiet: virtual on a simulated machine.
    pub elapsed: Duration,
    /// That time in cycles, on a simulated machine.
    pub cycles: Option<u64>,
    /// The machine's counters.
    pub counters: Counters,
    /// The counters of each node.
    pub by_node: Vec<Counters>,
    /// The records of the run, on a machine that [traces](Machine::trace).
    pub records: Option<Records>,
}

impl<T: Real, K: Kind> From<Run<Done<T>>> for PlanRun<T, K> {
    fn from(run: Run<Done<T>>) -> Self {
        let Run { value, elapsed, cycles, counters, by_node, records } = run;
        let phases = value.phases;
        Self { output: K::output(value), phases, elapsed, cycles, counters, by_node, records }
    }
}

impl<T: Precision, K: Kind> Plan<T, K> {
    /// Transforms an input on another machine than the plan's, which tells what the run took. The input and the output are
    /// arrays without gaps; several nodes take a single one. Real numbers that the problem has padded are filled up, and
    /// the output comes where they are, or they where it is.
    ///
    /// A plan [for one thread](Self::nodes) runs in one fiber, on any machine; [`run_here`](Self::run_here) needs none.
    ///
    /// # Errors
    ///
    /// Other elements than the problem's, a problem [with other gaps](TransformError::Gaps), a machine
    /// [of other nodes](TransformError::OtherMachine), or the machine's.
    pub fn run_on(
        &self,
        machine: &mut Machine,
        input: Vec<K::Input<T>>,
    ) -> Result<PlanRun<T, K>, TransformError> {
        self.run(machine, Some(K::data(input)))
    }

    /// What [`run_on`](Self::run_on) would take, on a simulated machine: every fiber runs, every block moves and is counted,
    /// all work is charged for, and no point is there. Times, to the cycle, and counters equal the ones of a run with points. The
    /// memory and the time that this takes grow with the number of threads and tiles, not of points.
    ///
    /// Either direction takes the same time, as the inverse's division is not charged for.
    ///
    /// # Errors
    ///
    /// A plan that is not [for phantoms](crate::Planner::phantom), more points than a block can hold, and the errors of `run_on`.
    pub fn run_phantom_on(&self, machine: &mut Machine) -> Result<PlanRun<T, K>, TransformError> {
        if machine.is_simulated() { self.run(machine, None) } else { Err(TransformError::NotSimulated) }
    }

    /// Transforms an input in the caller's thread, without a machine: as [`run_on`](Self::run_on) takes and returns it. No
    /// fiber runs, so all counters are zero.
    ///
    /// # Errors
    ///
    /// The errors of `run_on`, except for the machine's.
    pub fn run_here(&self, input: Vec<K::Input<T>>) -> Result<PlanRun<T, K>, TransformError> {
        self.check_run(true)?;
        let (plan, input) = (self.alone()?, K::data(input));
        let run = |scratch: &mut [_]| in_this_thread(&self.problem, plan, input, scratch);
        let done = self.scratch.lend(plan.scratch_len(), run)??;
        let (elapsed, counters, by_node) = (done.phases.total(), Counters::default(), Vec::new());
        Ok(Run { value: done, elapsed, cycles: None, counters, by_node, records: None }.into())
    }

    /// Checks that a run may begin, with an input or without.
    fn check_run(&self, has_input: bool) -> Result<(), TransformError> {
        if has_input == self.is_phantom() {
            return Err(TransformError::Phantom);
        }
        if !(self.problem.is_dense() || self.problem.is_padded()) {
            return Err(TransformError::Gaps);
        }
        if has_input && self.needed() >= SPARE {
            can_have(self.needed(), "the transform")?;
        }
        Ok(())
    }

    fn run(&self, machine: &mut Machine, input: Option<Data<T>>) -> Result<PlanRun<T, K>, TransformError> {
        self.check_run(input.is_some())?;
        let run = match &self.on_nodes {
            Some(OnNodes { nodes, .. }) if machine.node_count() != *nodes => {
                return Err(TransformError::OtherMachine { planned: *nodes, nodes: machine.node_count() });
            }
            Some(OnNodes { program, .. }) => program.runs().run(machine, &self.problem, input)?,
            None => in_a_fiber(machine, &self.problem, self.alone()?, input)?,
        };
        Ok(run.into())
    }
}

/// Runs the plan in a fiber, on the input of a problem, or on a phantom of one.
fn in_a_fiber<T: Precision>(
    machine: &mut Machine,
    problem: &UntypedProblem,
    plan: &Shared<AlonePlan<T>>,
    input: Option<Data<T>>,
) -> Result<Run<Done<T>>, TransformError> {
    let (points, numbers) = arrays(problem, input)?;
    Ok(T::run_alone(machine, AloneJob::new(points, numbers, plan.clone()))?)
}

/// Runs the plan in this thread, on the input of a problem.
fn in_this_thread<T: Precision>(
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
) -> Result<Arrays<T>, TransformError> {
    let [points, numbers] = problem.counts().map(|count| {
        // A phantom gets the most rows that its elements allow, since the elements of a row are counted in 32 bits.
        let rows = if input.is_some() { 1 } else { 1 << count.trailing_zeros().min(24) };
        [rows, count / rows]
    });
    problem.elements().arrays(input, points, Some(numbers).filter(|_| !problem.is_padded()))
}
