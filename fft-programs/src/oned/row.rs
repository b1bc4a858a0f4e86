//! The row kernel as a program: one threaded function of one fiber on one node.
//!
//! What `auto` falls back to where no parallel program serves: it takes any number of points. It is a program
//! so that its time and its counters mean what those of the others mean.
//!
//! *Counts.* 1 fiber, 1 signal (the value of the run), N points of bytes moved (the same), nothing else: no
//! invoke, no block move, no frame. *When it loses.* It uses one core.

use earth::{Block, Reply, Then, threaded, wire};
use earth_kernels::{Direction, Real, RowKernel as _, RustFft, scale};
use num_complex::Complex;

use super::planned::{Plan, Planned};
use super::{Done, Phases};
use crate::work;

wire! {
    /// What a plan of the row kernel is made of.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    pub struct RowRecipe {
        points: usize,
        inverse: bool,
    }
}

impl RowRecipe {
    /// Transforms of `points` points.
    pub fn new(points: usize, direction: Direction) -> Self {
        Self { points, inverse: direction == Direction::Inverse }
    }
}

/// The row kernel for one length and direction.
#[derive(Debug)]
pub struct RowPlan<T: Real> {
    kernel: RustFft<T>,
    direction: Direction,
}

/// A transform of no points was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there are no points to transform")]
pub struct NoPoints;

impl<T: Real> Plan for RowPlan<T> {
    type Recipe = RowRecipe;
    type Error = NoPoints;

    fn make(RowRecipe { points, inverse }: RowRecipe) -> Result<Self, NoPoints> {
        if points == 0 {
            return Err(NoPoints);
        }
        let direction = if inverse { Direction::Inverse } else { Direction::Forward };
        Ok(Self { kernel: RustFft::new(points), direction })
    }
}

wire! {
    /// What [`RowFft`] is given.
    #[derive(Debug)]
    pub struct RowJob<T: Real> {
        /// The points, in natural order: one row as long as the plan's.
        pub signal: Block<Complex<T>>,
        /// The plan.
        pub plan: Planned<RowPlan<T>>,
    }
}

threaded! {
    /// The transform of one row, in its own memory; all of its time is of the multithreaded phase.
    pub fn RowFft<T: Real>(job: Option<Box<RowJob<T>>>, out: Reply<Done<T>>)
    fiber start(this, eu) {
        let start = eu.now();
        let Some(job) = this.job.take() else { panic!("a run without a job") };
        let RowJob { signal: mut spectrum, plan } = *job;
        let points = spectrum.len();
        let Some(row) = spectrum.as_mut_slice() else { panic!("a signal in pieces") };
        plan.kernel.transform(plan.direction, row, &mut plan.kernel.scratch());
        eu.work(work::row_fft(1, points));
        if plan.direction == Direction::Inverse {
            scale(row, T::of(1.0 / points as f64));
        }
        let end = eu.now();
        let phases = Box::new(Phases::between([start, start, end, end]));
        eu.put(this.out, Done { spectrum, phases });
        Then::End
    }
}
