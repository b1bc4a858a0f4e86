//! A transform by one thread as a program: one threaded function of one fiber on one node.
//!
//! It takes all lengths and layouts of [`earth_serial`], for problems without a parallel program. Calls of a
//! plan need no program. Machines run this program, so that its time and counters compare with other
//! programs.
//!
//! *Counts.* 1 fiber and 1 signal, which is the value of the run. The output is the only data moved. There
//! are no invokes, no block moves and no frames. *When it loses.* It uses one core.

use std::marker::PhantomData;

use earth::{Block, Eu, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::Real;
use num_complex::Complex;

use super::phases::{Done, Phases};
use super::points::scratch;
pub use crate::plan::alone::AlonePlan;
use crate::problem::Slices;

/// Input of [`Alone`].
#[derive(Debug, Wire)]
pub struct AloneJob<T: Real> {
    points: Block<Complex<T>>,
    numbers: Option<Block<T>>,
    plan: Shared<AlonePlan<T>>,
}

impl<T: Real> AloneJob<T> {
    /// Makes the job that transforms contiguous points in place, or between them and real numbers. Without
    /// `numbers`, the real numbers of a real transform are stored as the parts of the points.
    ///
    /// # Panics
    ///
    /// If the points have elements and the plan is for phantoms.
    pub fn new(points: Block<Complex<T>>, numbers: Option<Block<T>>, plan: Shared<AlonePlan<T>>) -> Self {
        plan.check(&points);
        Self { points, numbers, plan }
    }

    /// Returns the shared values of the run.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// Transform by one thread. All of its time counts as the multithreaded phase.
pub struct Alone<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Real> Alone<T> {
    /// Transforms the job's points in place, or between them and its real numbers.
    pub fn start(job: AloneJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) {
        let start = eu.now();
        let AloneJob { mut points, mut numbers, plan } = job;
        let transform = |mut slices: Slices<'_, T>| {
            let mut scratch = scratch(plan.scratch_len());
            plan.process(&mut slices, &mut scratch).unwrap_or_else(|error| panic!("{error}"));
        };
        match &mut numbers {
            None => eu.compute(&mut points, plan.work(), |points| transform(plan.slices(points, None))),
            Some(numbers) => eu.compute((&mut points, numbers), plan.work(), |(points, numbers)| {
                transform(plan.slices(points, Some(numbers)));
            }),
        };
        let end = eu.now();
        eu.put(out, plan.done(points, numbers, Phases::between([start, start, end, end])));
    }
}
