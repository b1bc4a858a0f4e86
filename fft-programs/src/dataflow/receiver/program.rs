//! The receiver-initiated FFT as a program of a plan.

use std::fmt;

use earth::{Machine, Reply, Run, Shared};
use earth_kernels::Real;
use num_complex::Complex;

use super::net::Asked;
use super::{Asking, ReceiverFft, ReceiverJob, ReceiverPlan};
use crate::advisor::passes::{ASKS, lines, steps};
use crate::advisor::{Pass, Work};
use crate::dataflow::Done;
use crate::dataflow::points::Points;
use crate::planner::Algorithm;
use crate::precision::Precision;
use crate::problem::UntypedProblem;
use crate::solver::{Counts, Memory, Program, Runs, SignalProgram};

/// A receiver-initiated FFT, and the factor of its result.
#[derive(Debug)]
pub(crate) struct ReceiverProgram<T: Real> {
    pub(crate) plan: Shared<ReceiverPlan<T>>,
    pub(crate) factor: T,
}

impl<T: Precision> SignalProgram<T> for ReceiverProgram<T> {
    fn points(&self) -> usize {
        self.plan.order().points()
    }

    fn factor(&self) -> T {
        self.factor
    }

    fn run_signal(&self, machine: &mut Machine, signal: Points<T>) -> Result<Run<Done<T>>, earth::Error> {
        let job = ReceiverJob::new(signal, self.plan.clone());
        machine.run_with(job.shared(), |out| ReceiverFft::<T>::call(job, out))
    }
}

impl<T: Precision> Program<T> for ReceiverProgram<T> {
    fn algorithm(&self) -> Algorithm {
        match self.plan.asking() {
            Asking::Tree => Algorithm::Receiver,
            Asking::Shared => Algorithm::ReceiverShared,
        }
    }

    fn counts(&self) -> Counts {
        let order = self.plan.order();
        let each = match self.plan.asking() {
            Asking::Tree => order.nodes() as u64 - 1,
            Asking::Shared => u64::from(order.levels()),
        };
        let half_butterflies = order.points() as u64 * each;
        Counts { asks: 2 * half_butterflies, half_butterflies }
    }

    fn memory(&self, _: usize) -> Memory {
        let order = self.plan.order();
        let n = order.points() as u64;
        let levels = u64::from(order.levels());
        let (cells, asks) = match self.plan.asking() {
            Asking::Tree => (n, 2 * (order.nodes() as u64 - 1)),
            Asking::Shared => (n * levels.max(1), 2 * levels),
        };
        // A cell has a value, or a list of the asks that wait for it.
        let cell = (size_of::<Complex<T>>() + size_of::<Vec<Reply<Complex<T>>>>()) as u64;
        let roots = (self.plan.window() * order.nodes()) as u64;
        let asked = (roots * (1 + asks)).saturating_mul(size_of::<Asked<T>>() as u64);
        // The samples as they are dealt, and the roots as they come.
        Memory::of::<T>(2 * n + order.share() as u64, cells.saturating_mul(cell) + asked)
    }

    fn passes(&self, _: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let (order, asks) = (self.plan.order(), self.counts().asks);
        let name = ASKS[usize::from(self.plan.asking() == Asking::Shared)];
        let rows = lines::<T>(self.plan.kernel_name(), [order.nodes(), order.share()], nodes);
        let work = Work::Steps(name, asks + order.points() as u64);
        Some(vec![rows, Pass { what: format!("{asks} asks"), work, ..steps::<T>(nodes) }])
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::Signal(self)
    }
}

impl<T: Real> fmt::Display for ReceiverProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moved = 4 * self.plan.order().points() * size_of::<Complex<T>>();
        write!(f, "points ask for their operands, {moved} bytes moved and asks beside")
    }
}
