//! A transform by one thread as a program: one threaded function of one fiber on one node.
//!
//! What runs where no parallel program serves: it takes any lengths and layouts that
//! [`earth_serial`] does. It is a program so that its time and its counters mean what those of the others mean.
//!
//! *Counts.* 1 fiber, 1 signal (the value of the run), N points of bytes moved (the same), nothing else: no
//! invoke, no block move, no frame. *When it loses.* It uses one core.

use std::marker::PhantomData;

use earth::{Block, Eu, Reply, Shared, SharedValues, Wire, threaded};
use earth_codelets::Isa;
use earth_fftw::Effort;
use earth_kernels::{ColumnKernel, Direction, Real, RealKernel, RowKernel, RowShape};
use earth_serial::{ComplexPlan, Kernels};
use num_complex::Complex;
use std::sync::Arc;

use super::phases::{Done, Phases};
use super::tables::Tables;
use super::work;
use crate::kernel::{Kernel, KernelError};
use crate::planner::PlanError;
use crate::problem::Problem;

/// A transform by one thread, planned.
#[derive(Debug)]
pub struct AlonePlan<T: Real> {
    points: usize,
    steps: Tables<ComplexPlan<T>>,
    direction: Direction,
    factor: T,
}

impl<T: Real> AlonePlan<T> {
    /// Plans a problem, its rows by this kernel.
    ///
    /// # Errors
    ///
    /// [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub fn new(problem: &Problem, kernel: &Kernel, effort: Effort) -> Result<Self, PlanError> {
        let [input, output] = problem.layouts();
        let plan = ComplexPlan::new(problem.shape(), &input, &output, &Planned(kernel, effort))?;
        let points = problem.points().unwrap_or(usize::MAX);
        let factor = problem.normalisation().factor(problem.to(), points as f64);
        let points = points.saturating_mul(problem.shape().batch);
        Ok(Self { points, steps: Tables::of(plan), direction: problem.to(), factor: T::of(factor) })
    }

    /// Plans transforms of phantoms of so many points: the plan computes nothing.
    pub fn phantom(points: usize) -> Self {
        Self { points, steps: Tables::none(), direction: Direction::Forward, factor: T::one() }
    }

    /// The points of all transforms.
    pub(crate) fn points(&self) -> usize {
        self.points
    }

    /// Whether it is for phantoms.
    pub(crate) fn is_phantom(&self) -> bool {
        self.steps.is_none()
    }

    /// The passes of the transform; none in a plan for phantoms.
    pub(crate) fn steps(&self) -> Option<&ComplexPlan<T>> {
        self.steps.found()
    }

    /// The direction, and by what the result is multiplied.
    pub(crate) fn direction_and_factor(&self) -> (Direction, T) {
        (self.direction, self.factor)
    }
}

/// Kernels of one name, planned as hard as told.
pub(crate) struct Planned<'a>(pub(crate) &'a Kernel, pub(crate) Effort);

impl<T: Real> Kernels<T> for Planned<'_> {
    type Error = KernelError;

    fn rows(&self, len: usize) -> Result<Arc<dyn RowKernel<T>>, KernelError> {
        self.0.plan(RowShape::contiguous(len, 1), self.1)
    }

    fn columns(&self, len: usize) -> Option<Arc<dyn ColumnKernel<T>>> {
        (*self.0 == Kernel::Earth).then(|| earth_codelets::columns(Isa::best(), len)).flatten()
    }

    fn real(&self, len: usize) -> Option<Arc<dyn RealKernel<T>>> {
        earth_codelets::real(Isa::best(), len)
    }
}

/// The input of [`Alone`].
#[derive(Debug, Wire)]
pub struct AloneJob<T: Real> {
    points: Block<Complex<T>>,
    plan: Shared<AlonePlan<T>>,
}

impl<T: Real> AloneJob<T> {
    /// The job to transform points in their own memory, which is one piece.
    ///
    /// # Panics
    ///
    /// If there are other points than the plan's, or the plan is for phantoms and they are none.
    pub fn new(points: Block<Complex<T>>, plan: Shared<AlonePlan<T>>) -> Self {
        assert_eq!(points.len(), plan.points, "a signal of other points than the plan's");
        plan.steps.check(&points);
        Self { points, plan }
    }

    /// The values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// A transform by one thread, in its own memory; all of its time is of the multithreaded phase.
pub struct Alone<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Real> Alone<T> {
    /// The transform of the job's points, in their own memory.
    pub fn start(job: AloneJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) {
        let start = eu.now();
        let AloneJob { points: mut spectrum, plan } = job;
        eu.compute(&mut spectrum, work::row_fft(1, plan.points), |spectrum| {
            let Some(points) = spectrum.as_mut_slice() else { panic!("points in pieces") };
            let steps = plan.steps.get();
            let mut scratch = vec![T::zero().into(); steps.scratch_len()];
            let done = steps.process(plan.direction, plan.factor, points, &mut scratch);
            done.unwrap_or_else(|error| panic!("{error}"));
        });
        let end = eu.now();
        let phases = Phases::between([start, start, end, end]);
        eu.put(out, Done { spectrum, phases });
    }
}
