//! The row kernel as a program: one threaded function of one fiber on one node.
//!
//! The fallback of `auto` where no parallel program serves: it takes any number of points. It is a program
//! so that its time and its counters mean what those of the others mean.
//!
//! *Counts.* 1 fiber, 1 signal (the value of the run), N points of bytes moved (the same), nothing else: no
//! invoke, no block move, no frame. *When it loses.* It uses one core.

use std::marker::PhantomData;
use std::sync::Arc;

use earth::{Block, Eu, Reply, Shared, SharedValues, Wire, threaded};
use earth_kernels::{Direction, Real, RowKernel, scale};
use num_complex::Complex;

use super::phases::{Done, Phases};
use super::tables::Tables;
use super::work;
use crate::kernel::own_rows;

/// The row kernel for one length and direction.
#[derive(Debug)]
pub struct RowPlan<T: Real> {
    points: usize,
    kernel: Tables<Arc<dyn RowKernel<T>>>,
    direction: Direction,
}

/// A transform of no points was asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("there are no points to transform")]
pub struct NoPoints;

impl<T: Real> RowPlan<T> {
    /// Plans transforms of `points` points.
    ///
    /// # Errors
    ///
    /// [`NoPoints`] if there are none.
    pub fn new(points: usize, direction: Direction) -> Result<Self, NoPoints> {
        if points == 0 {
            Err(NoPoints)
        } else {
            Ok(Self { points, kernel: Tables::of(own_rows(points)), direction })
        }
    }

    /// Plans transforms of phantom signals: the plan computes nothing.
    ///
    /// # Errors
    ///
    /// [`NoPoints`] if there are none.
    pub fn phantom(points: usize) -> Result<Self, NoPoints> {
        let (kernel, direction) = (Tables::none(), Direction::Forward);
        if points == 0 { Err(NoPoints) } else { Ok(Self { points, kernel, direction }) }
    }
}

/// The input of [`RowFft`].
#[derive(Debug, Wire)]
pub struct RowJob<T: Real> {
    signal: Block<Complex<T>>,
    plan: Shared<RowPlan<T>>,
}

impl<T: Real> RowJob<T> {
    /// The job to transform a signal in natural order, one row after another, in its own memory.
    ///
    /// # Panics
    ///
    /// If the signal has other points than the plan's, or the plan is for phantoms and the signal is none.
    pub fn new(signal: Block<Complex<T>>, plan: Shared<RowPlan<T>>) -> Self {
        assert_eq!(signal.len(), plan.points, "a signal of other points than the plan's");
        plan.kernel.check(&signal);
        Self { signal, plan }
    }

    /// The values that its run begins with.
    pub fn shared(&self) -> SharedValues {
        SharedValues::default().with(&self.plan)
    }
}

/// The transform of one row, in its own memory; all of its time is of the multithreaded phase.
pub struct RowFft<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Real> RowFft<T> {
    /// The transform of one row, in its own memory.
    pub fn start(job: RowJob<T>, out: Reply<Done<T>>, eu: &mut Eu<Self>) {
        let start = eu.now();
        let RowJob { signal: mut spectrum, plan } = job;
        eu.compute(&mut spectrum, work::row_fft(1, plan.points), |spectrum| {
            let Some(row) = spectrum.as_mut_slice() else { panic!("a signal in pieces") };
            let kernel = plan.kernel.get();
            kernel.transform(plan.direction, row, &mut kernel.scratch());
            if plan.direction == Direction::Inverse {
                scale(row, T::of(1.0 / plan.points as f64));
            }
        });
        let end = eu.now();
        let phases = Phases::between([start, start, end, end]);
        eu.put(out, Done { spectrum, phases });
    }
}
