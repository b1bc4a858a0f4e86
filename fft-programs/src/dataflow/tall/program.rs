//! The FFT of few long columns as a program of a plan, and the matrix that it keeps between runs.

use std::fmt;

use earth::{Machine, Reply, Run};
use earth_kernels::Real;
use num_complex::Complex;
use parking_lot::Mutex;

use super::{TallFft, TallJob, TallPlan};
use crate::advisor::Pass;
use crate::advisor::passes::{replaces, uneven_neighbours};
use crate::dataflow::Done;
use crate::dataflow::points::Points;
use crate::dataflow::room::Room;
use crate::dataflow::row_pass::RowPass;
use crate::plan::TransformError;
use crate::planner::Algorithm;
use crate::precision::Precision;
use crate::problem::UntypedProblem;
use crate::solver::{ArrayProgram, Input, Memory, Program, Runs, in_two_passes};

/// The FFT of few long columns, and its second matrix, unless a run has it.
#[derive(Debug)]
pub(crate) struct TallProgram<T: Real> {
    plan: TallPlan<T>,
    aside: Mutex<Option<Points<T>>>,
}

impl<T: Real> TallProgram<T> {
    pub(crate) fn new(plan: TallPlan<T>) -> Self {
        Self { plan, aside: Mutex::default() }
    }

    #[cfg(test)]
    pub(crate) fn plan(&self) -> &TallPlan<T> {
        &self.plan
    }
}

impl<T: Precision> ArrayProgram<T> for TallProgram<T> {
    fn sides(&self) -> [usize; 2] {
        self.plan.rows().sides()
    }

    fn row_pass(&self) -> Option<&RowPass<T>> {
        Some(self.plan.rows())
    }

    fn run_blocks(
        &self,
        machine: &mut Machine,
        points: Points<T>,
        (numbers, from): Input<T>,
    ) -> Result<Run<Done<T>>, TransformError> {
        let aside = self.aside.lock().take();
        let aside = aside.map_or_else(|| self.plan.columns().aside(), Ok)?;
        let job = TallJob::new(points, numbers, aside, &self.plan);
        let job = from.into_iter().fold(job, TallJob::from);
        let run = machine.run_with(job.shared(), |out| TallFft::<T>::call(job, out))?;
        Ok(run.map(|left| {
            *self.aside.lock() = left.aside.map(Room::into_block);
            left.done
        }))
    }
}

impl<T: Precision> Program<T> for TallProgram<T> {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Tall
    }

    fn block(&self) -> Option<usize> {
        Some(self.plan.rows().block())
    }

    fn is_in_place(&self) -> Option<bool> {
        Some(false)
    }

    fn memory(&self, nodes: usize) -> Memory {
        let (rows, columns) = (self.plan.rows(), self.plan.columns());
        let blocks = rows.cut().count();
        let scratch = (blocks.min(nodes) * rows.scratch_len()) as u64;
        let (points, frames) = columns.memory(nodes);
        let address = size_of::<Reply<Points<T>>>() as u64;
        Memory::of::<T>(points.max(scratch), frames + blocks as u64 * 2 * address)
    }

    fn passes(&self, problem: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let (rows, cut) = (self.plan.rows(), self.plan.rows().cut());
        let uneven = uneven_neighbours((0..cut.count()).map(|part| cut.rows_of(part)), nodes);
        let of_rows =
            |facts| Pass::alone(facts, size_of::<Complex<T>>()).shared(nodes, uneven, [cut.count(), 0]);
        let of_rows = rows.facts(replaces(problem))?.into_iter().map(of_rows);
        let of_columns = self.plan.columns().passes_on(nodes)?;
        Some(if rows.columns_first() {
            of_columns.into_iter().chain(of_rows).collect()
        } else {
            of_rows.chain(of_columns).collect()
        })
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::Array(self)
    }
}

impl<T: Real> fmt::Display for TallProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The transform of columns moves their points, and those of the second matrix, between its nodes and home.
        let (way, points, moved) = in_two_passes(self.plan.rows());
        let moved = moved + 5 * points;
        write!(f, "{}, {way} and through a second matrix, {moved} bytes moved", self.plan)
    }
}
