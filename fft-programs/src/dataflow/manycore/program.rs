//! The FFTs by stages as a program of a plan.

use std::fmt;

use earth::{Machine, Reply, Run, Shared};
use earth_kernels::Real;
use num_complex::Complex;

use super::{Addresses, Computed, RadixFft, RadixJob, RadixPlan, Targets, Thread};
use crate::advisor::Pass;
use crate::dataflow::Done;
use crate::dataflow::points::Points;
use crate::planner::Algorithm;
use crate::precision::Precision;
use crate::problem::UntypedProblem;
use crate::solver::{Counts, Memory, Program, Runs, SignalProgram};

/// An FFT by stages, and the factor of its result.
#[derive(Debug)]
pub(crate) struct RadixProgram<T: Real> {
    pub(crate) plan: Shared<RadixPlan<T>>,
    pub(crate) factor: T,
}

impl<T: Precision> SignalProgram<T> for RadixProgram<T> {
    fn points(&self) -> usize {
        self.plan.order().points()
    }

    fn phantom_sides(&self) -> [usize; 2] {
        self.plan.rows()
    }

    fn factor(&self) -> T {
        self.factor
    }

    fn run_signal(&self, machine: &mut Machine, signal: Points<T>) -> Result<Run<Done<T>>, earth::Error> {
        let job = RadixJob::new(signal, self.plan.clone(), machine.node_count());
        machine.run_with(job.shared(), |out| RadixFft::<T>::call(job, out))
    }
}

impl<T: Precision> Program<T> for RadixProgram<T> {
    fn algorithm(&self) -> Algorithm {
        match self.plan.order().radix() {
            2 if self.plan.has_near() => Algorithm::Radix2Local,
            2 => Algorithm::Radix2,
            4 => Algorithm::Radix4,
            _ => Algorithm::Radix8,
        }
    }

    fn block(&self) -> Option<usize> {
        Some(self.plan.order().block())
    }

    fn counts(&self) -> Counts {
        // A butterfly of R points is as good as R / 2 log2 R of two.
        let points = self.plan.order().points() as u64;
        Counts { asks: 0, half_butterflies: points * u64::from(points.trailing_zeros()) }
    }

    fn memory(&self, _: usize) -> Memory {
        let order = self.plan.order();
        let (handle, address) = (size_of::<Points<T>>() as u64, size_of::<Reply<Points<T>>>() as u64);
        let part = size_of::<Addresses<T>>() + size_of::<Computed<T>>();
        let frame = (size_of::<Thread<T>>() + size_of::<Targets<T>>() + part) as u64;
        // A block of each round has a place, an inlet, an address with `RadixFft`, and a target.
        let block = 2 * handle + 2 * address;
        let blocks = (order.radix() as u64).saturating_mul(u64::from(order.rounds()) * block + handle);
        // The signal in the order of reversed digits.
        let points = order.points() as u64;
        Memory::of::<T>(points, (order.threads() as u64).saturating_mul(2 * frame + blocks))
    }

    /// The rate of a stage is not measured.
    fn passes(&self, _: &UntypedProblem, _: usize) -> Option<Vec<Pass>> {
        None
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::Signal(self)
    }
}

impl<T: Real> fmt::Display for RadixProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.plan.order();
        let moved = order.points() * size_of::<Complex<T>>() * (order.rounds() as usize + 5);
        let near = if self.plan.has_near() { ", the first factors near" } else { "" };
        let waiting = if self.plan.barriers() > 0 { "with barriers" } else { "without barriers" };
        write!(
            f,
            "{} threads, {} stages of radix {} {waiting}{near}, {moved} bytes moved",
            order.threads(),
            order.stages(),
            order.radix()
        )
    }
}
