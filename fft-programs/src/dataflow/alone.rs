//! A transform by one thread: the plan of its passes, and a program of one threaded function of one fiber on one node.
//!
//! It takes any lengths and layouts that [`earth_serial`] does, where no parallel program serves. Calls run the passes in the
//! caller's thread. Machines run the program, so that its time and its counters mean what those of the other programs mean.
//!
//! *Counts.* 1 fiber, 1 signal (the value of the run), the bytes of the output moved (the same), nothing else: no
//! invoke, no block move, no frame. *When it loses.* It uses one core.

use std::marker::PhantomData;

use earth::{Block, Element, Eu, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::{Direction, Real};
use num_complex::Complex;

use super::phases::{Done, Phases};
use super::points::scratch;
use super::tables::Tables;
use super::work;
use crate::kernel::{Planned, RowOptions};
use crate::memory::fits;
use crate::plan::TransformError;
use crate::plan::steps::Steps;
use crate::planner::PlanError;
use crate::problem::{Slices, UntypedProblem};

/// A transform by one thread, planned.
#[derive(Debug)]
pub struct AlonePlan<T: Real> {
    /// The points of all transforms, or the real numbers.
    points: usize,
    real: bool,
    steps: Tables<Steps<T>>,
    direction: Direction,
    factor: T,
}

impl<T: Real> AlonePlan<T> {
    /// Plans a problem, its rows as told.
    ///
    /// # Errors
    ///
    /// [`PlanError::Problem`] and [`PlanError::Kernel`], or too little memory for the tables.
    pub fn new(problem: &UntypedProblem, rows: &RowOptions) -> Result<Self, PlanError> {
        let mut lengths = problem.lengths().to_vec();
        if let Some(last) = lengths.last_mut().filter(|_| problem.is_real()) {
            // Two real numbers are transformed as one point where that can be, else as two.
            *last = if last.is_multiple_of(2) { *last / 2 } else { *last };
        }
        fits::<T>(&lengths)?;
        let [input, output] = problem.layouts();
        let steps = Steps::new(problem.elements(), problem.shape(), [&input, &output], &Planned(rows))?;
        Ok(Self { steps: Tables::of(steps), factor: T::of(problem.factor()), ..Self::phantom(problem) })
    }

    /// Plans transforms of phantoms: the plan computes nothing.
    pub fn phantom(problem: &UntypedProblem) -> Self {
        let points = problem.points().unwrap_or(usize::MAX).saturating_mul(problem.shape().batch);
        let real = problem.is_real();
        Self { points, real, steps: Tables::none(), direction: problem.to(), factor: T::one() }
    }

    /// Whether it is for phantoms.
    pub(crate) fn is_phantom(&self) -> bool {
        self.steps.is_none()
    }

    /// The passes of the transform; none in a plan for phantoms.
    pub(crate) fn steps(&self) -> Option<&Steps<T>> {
        self.steps.found()
    }

    /// The points of scratch that a call needs.
    #[inline]
    pub(crate) fn scratch_len(&self) -> usize {
        self.steps().map_or(0, Steps::scratch_len)
    }

    /// Transforms what a call brings.
    ///
    /// # Errors
    ///
    /// [`TransformError::Call`] if a slice is too short, or there is no such transform in place, and
    /// [`TransformError::Phantom`] if the plan is for phantoms; nothing has been written then.
    #[inline]
    pub(crate) fn process(
        &self,
        slices: Slices<'_, T>,
        scratch: &mut [Complex<T>],
    ) -> Result<(), TransformError> {
        let steps = self.steps().ok_or(TransformError::Phantom)?;
        Ok(steps.process(self.direction, self.factor, slices, scratch)?)
    }

    /// The slices of the arrays of a run, each in one piece. Without numbers those of a real transform are the parts of the
    /// points.
    pub(crate) fn slices<'a>(
        &self,
        points: &'a mut Block<Complex<T>>,
        numbers: Option<&'a mut Block<T>>,
    ) -> Slices<'a, T> {
        let points = slice(points);
        match numbers.map(slice) {
            None if self.real => Slices::Padded(bytemuck::cast_slice_mut(points)),
            None => Slices::InPlace(points),
            Some(numbers) if self.direction == Direction::Forward => Slices::RealToComplex(numbers, points),
            Some(numbers) => Slices::ComplexToReal(points, numbers),
        }
    }

    /// The result of a run, of whose arrays these were the slices.
    pub(crate) fn done(
        &self,
        points: Block<Complex<T>>,
        numbers: Option<Block<T>>,
        phases: Phases,
    ) -> Done<T> {
        match numbers {
            Some(numbers) if self.direction == Direction::Inverse => Done::of_numbers(numbers, phases),
            _ => Done::new(points, phases),
        }
    }
}

/// The input of [`Alone`].
#[derive(Debug, Wire)]
pub struct AloneJob<T: Real> {
    points: Block<Complex<T>>,
    numbers: Option<Block<T>>,
    plan: Shared<AlonePlan<T>>,
}

impl<T: Real> AloneJob<T> {
    /// The job to transform points, which are one piece, in their own memory, or between them and real numbers. Without
    /// numbers those of a real transform are the parts of the points.
    ///
    /// # Panics
    ///
    /// If there are points, and the plan is for phantoms.
    pub fn new(points: Block<Complex<T>>, numbers: Option<Block<T>>, plan: Shared<AlonePlan<T>>) -> Self {
        plan.steps.check(&points);
        Self { points, numbers, plan }
    }

    /// The values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// A transform by one thread; all of its time is of the multithreaded phase.
pub struct Alone<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Real> Alone<T> {
    /// The transform of the job's points, in their own memory, or between these and its real numbers.
    pub fn start(job: AloneJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) {
        let start = eu.now();
        let AloneJob { mut points, mut numbers, plan } = job;
        let work = if plan.real { work::real_row_fft(1, plan.points) } else { work::row_fft(1, plan.points) };
        let transform = |slices: Slices<'_, T>| {
            let mut scratch = scratch(plan.scratch_len());
            plan.process(slices, &mut scratch).unwrap_or_else(|error| panic!("{error}"));
        };
        match &mut numbers {
            None => eu.compute(&mut points, work, |points| transform(plan.slices(points, None))),
            Some(numbers) => eu.compute((&mut points, numbers), work, |(points, numbers)| {
                transform(plan.slices(points, Some(numbers)));
            }),
        };
        let end = eu.now();
        eu.put(out, plan.done(points, numbers, Phases::between([start, start, end, end])));
    }
}

/// All elements of a block in one piece.
fn slice<E: Element>(block: &mut Block<E>) -> &mut [E] {
    block.as_mut_slice().unwrap_or_else(|| panic!("elements in pieces"))
}
