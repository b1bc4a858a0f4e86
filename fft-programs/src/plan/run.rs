//! Runs of a plan on arrays of their own, with their times and counters, on a machine or on the calling
//! thread.

use std::time::{Duration, Instant};

use earth::records::Records;
use earth::{Block, Counters, Machine, Run, Shared};
use earth_kernels::Real;
use earth_memory::{SPARE, check_available};
use num_complex::Complex;

use super::alone::AlonePlan;
use super::{OnNodes, Plan, TransformError};
use crate::dataflow::alone::AloneJob;
use crate::dataflow::{Done, Phases};
use crate::precision::Precision;
use crate::problem::{Arrays, ComplexToComplex, Data, Kind, UntypedProblem};

/// Results of a run of a plan of the kind `K`.
#[derive(Debug)]
pub struct PlanRun<T: Real, K: Kind = ComplexToComplex> {
    /// Result, in natural order.
    pub output: Block<K::Output<T>>,
    /// Time of each part.
    pub phases: Phases,
    /// Time from the start of the run until the machine was quiescent; virtual on a simulated machine.
    pub elapsed: Duration,
    /// The elapsed time in cycles, on a simulated machine.
    pub cycles: Option<u64>,
    /// Counters of the machine.
    pub counters: Counters,
    /// Counters of each node.
    pub by_node: Vec<Counters>,
    /// Records of the run, on a machine that [traces](Machine::trace).
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
    /// Transforms an input on a given machine, and returns the result with its times and counters. The input
    /// and the output are arrays without gaps. Several nodes take only a single array. Real numbers of a
    /// padded problem are padded; the output replaces them, or they replace it.
    ///
    /// A plan [for one thread](Self::nodes) runs in one fiber, on any machine. [`run_here`](Self::run_here)
    /// needs no machine.
    ///
    /// # Errors
    ///
    /// Another number of elements than the problem's, a problem [with other gaps](TransformError::Gaps), a
    /// machine [with another number of nodes](TransformError::OtherMachine), or an error of the machine.
    pub fn run_on(
        &self,
        machine: &mut Machine,
        input: Vec<K::Input<T>>,
    ) -> Result<PlanRun<T, K>, TransformError> {
        self.run(machine, Some(K::data(input)))
    }

    /// Predicts the times and counters of [`run_on`](Self::run_on) on a simulated machine, without points.
    /// Every fiber runs, every block moves and is counted, and all work is charged for. Times, to the cycle,
    /// and counters equal those of a run with points. The memory and the time of the prediction grow with the
    /// number of threads and tiles, not of points.
    ///
    /// Both directions take the same time, because the inverse's division is not charged for.
    ///
    /// # Errors
    ///
    /// A plan that is not [for phantoms](crate::Planner::phantom), more points than a block can hold, and the
    /// errors of `run_on`.
    pub fn run_phantom_on(&self, machine: &mut Machine) -> Result<PlanRun<T, K>, TransformError> {
        if machine.is_simulated() { self.run(machine, None) } else { Err(TransformError::NotSimulated) }
    }

    /// Transforms an input on the calling thread, without a machine. The input and the result are those of
    /// [`run_on`](Self::run_on). No fiber runs, so all counters are zero.
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

    fn check_run(&self, has_input: bool) -> Result<(), TransformError> {
        if has_input == self.is_phantom() {
            return Err(TransformError::Phantom);
        }
        if !(self.problem.is_dense() || self.problem.is_padded()) {
            return Err(TransformError::Gaps);
        }
        if has_input && self.needed() >= SPARE {
            check_available(self.needed(), "the transform")?;
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

fn in_a_fiber<T: Precision>(
    machine: &mut Machine,
    problem: &UntypedProblem,
    plan: &Shared<AlonePlan<T>>,
    input: Option<Data<T>>,
) -> Result<Run<Done<T>>, TransformError> {
    let (points, numbers) = arrays(problem, input)?;
    Ok(T::run_alone(machine, AloneJob::new(points, numbers, plan.clone()))?)
}

fn in_this_thread<T: Precision>(
    problem: &UntypedProblem,
    plan: &AlonePlan<T>,
    input: Data<T>,
    scratch: &mut [Complex<T>],
) -> Result<Done<T>, TransformError> {
    let (mut points, mut numbers) = arrays(problem, Some(input))?;
    let start = Instant::now();
    plan.process(&mut plan.slices(&mut points, numbers.as_mut()), scratch)?;
    let time = start.elapsed();
    Ok(plan.done(points, numbers, Phases::between([Duration::ZERO, Duration::ZERO, time, time])))
}

/// Returns the arrays of a problem that has no gaps or padded rows, with the input, or as phantoms.
fn arrays<T: Precision>(
    problem: &UntypedProblem,
    input: Option<Data<T>>,
) -> Result<Arrays<T>, TransformError> {
    let [points, numbers] = problem.counts().map(|count| {
        // A phantom gets as many rows as its number of elements allows, because the elements of a row are
        // counted in 32 bits.
        let rows = if input.is_some() { 1 } else { 1 << count.trailing_zeros().min(24) };
        [rows, count / rows]
    });
    problem.elements().arrays(input, points, Some(numbers).filter(|_| !problem.is_padded()))
}
