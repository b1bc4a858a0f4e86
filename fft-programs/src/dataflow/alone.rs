//! A transform by one thread as a program: one threaded function of one fiber on one node.
//!
//! It takes any lengths and layouts that [`earth_serial`] does, where no parallel program serves. Calls of a plan need no
//! program. Machines run this one, so that its time and its counters compare with the times and counters of other programs.
//!
//! *Counts.* 1 fiber, 1 signal (the value of the run), the bytes of the output moved (the same), nothing else: no
//! invoke, no block move, no frame. *When it loses.* It uses one core.

use std::marker::PhantomData;

use earth::{Block, Eu, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::Real;
use num_complex::Complex;

use super::phases::{Done, Phases};
use super::points::scratch;
pub use crate::plan::alone::AlonePlan;
use crate::problem::Slices;

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
        plan.check(&points);
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
        let transform = |slices: Slices<'_, T>| {
            let mut scratch = scratch(plan.scratch_len());
            plan.process(slices, &mut scratch).unwrap_or_else(|error| panic!("{error}"));
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
