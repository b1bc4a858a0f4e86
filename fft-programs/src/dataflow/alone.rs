//! A transform by one thread as a program: one threaded function of one fiber on one node.
//!
//! What runs where no parallel program serves: it takes any lengths and layouts that
//! [`earth_serial`] does. It is a program so that its time and its counters mean what those of the others mean.
//!
//! *Counts.* 1 fiber, 1 signal (the value of the run), N points of bytes moved (the same), nothing else: no
//! invoke, no block move, no frame. *When it loses.* It uses one core.

use std::marker::PhantomData;

use earth::{Block, Eu, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::{Direction, Real};
use num_complex::Complex;

use super::matrix::RowOptions;
use super::phases::{Done, Phases};
use super::tables::Tables;
use super::work;
use crate::plan::TransformError;
use crate::plan::steps::{Planned, Slices, Steps};
use crate::planner::PlanError;
use crate::problem::{Kind, Problem};

/// A transform by one thread, planned.
#[derive(Debug)]
pub struct AlonePlan<T: Real> {
    points: usize,
    steps: Tables<Steps<T>>,
    direction: Direction,
    factor: T,
}

impl<T: Real> AlonePlan<T> {
    /// Plans a problem, its rows as told.
    ///
    /// # Errors
    ///
    /// [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub fn new<K: Kind>(problem: &Problem<K>, rows: &RowOptions) -> Result<Self, PlanError> {
        let [input, output] = problem.layouts();
        let steps = K::steps(problem.shape(), [&input, &output], &Planned(&rows.kernel, rows.effort))?;
        let (direction, factor) = (problem.to(), T::of(problem.factor()));
        let points = problem.points().unwrap_or(usize::MAX).saturating_mul(problem.shape().batch);
        Ok(Self { points, steps: Tables::of(steps), direction, factor })
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
            let mut scratch = vec![T::zero().into(); plan.scratch_len()];
            let done = plan.process(Slices::InPlace(points), &mut scratch);
            done.unwrap_or_else(|error| panic!("{error}"));
        });
        let end = eu.now();
        let phases = Phases::between([start, start, end, end]);
        eu.put(out, Done { spectrum, phases });
    }
}
