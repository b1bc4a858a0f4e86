//! The FFT in two passes as a program of a plan.

use std::fmt;

use earth::{Machine, Reply, Run, Shared};
use earth_kernels::Real;
use num_complex::Complex;

use super::{First, Second, TwoPassFft, TwoPassJob, TwoPassPlan};
use crate::advisor::Pass;
use crate::advisor::passes::{replaces, uneven_neighbours};
use crate::dataflow::Done;
use crate::dataflow::matrix::dealing::Cut;
use crate::dataflow::points::Points;
use crate::dataflow::row_pass::RowPass;
use crate::plan::TransformError;
use crate::planner::Algorithm;
use crate::precision::Precision;
use crate::problem::UntypedProblem;
use crate::solver::{ArrayProgram, Input, Memory, Program, Runs, in_two_passes};

/// The FFT of 2 or 3 dimensions in two passes.
#[derive(Debug)]
pub(crate) struct TwoPassProgram<T: Real> {
    pub(crate) plan: Shared<TwoPassPlan<T>>,
}

impl<T: Precision> ArrayProgram<T> for TwoPassProgram<T> {
    fn sides(&self) -> [usize; 2] {
        self.plan.sides()
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
        let job = match numbers {
            Some(numbers) => TwoPassJob::between(points, numbers, self.plan.clone()),
            None => TwoPassJob::new(points, self.plan.clone()),
        };
        let job = from.into_iter().fold(job, TwoPassJob::from);
        Ok(machine.run_with(job.shared(), |out| TwoPassFft::<T>::call(job, out))?)
    }
}

impl<T: Precision> Program<T> for TwoPassProgram<T> {
    fn algorithm(&self) -> Algorithm {
        Algorithm::TwoPass
    }

    fn block(&self) -> Option<usize> {
        Some(self.plan.rows().block())
    }

    fn is_in_place(&self) -> Option<bool> {
        Some(true)
    }

    fn memory(&self, nodes: usize) -> Memory {
        let plan = &self.plan;
        let (handle, address) = (size_of::<Points<T>>() as u64, size_of::<Reply<Points<T>>>() as u64);
        let counts = [plan.cut(0), plan.cut(1)].map(Cut::count);
        let [firsts, seconds] = plan.order().map(|cut| cut.count() as u64);
        let scratch = [0, 1].map(|pass| counts[pass].min(nodes) * plan.scratch_lens()[pass]);
        // The rows of a strip are listed while its columns are transformed.
        let listed = counts[1].min(nodes) * plan.sides()[0] * size_of::<&mut [Complex<T>]>();
        let frames = firsts * size_of::<First<T>>() as u64 + seconds * size_of::<Second<T>>() as u64;
        // A tile has an inlet with its address at both ends.
        let tiles = firsts.saturating_mul(seconds) * (handle + 2 * address);
        Memory::of::<T>(scratch[0].max(scratch[1]) as u64, listed as u64 + frames + tiles)
    }

    fn passes(&self, problem: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let plan = &self.plan;
        let tiles = plan.cut(0).count() * plan.cut(1).count();
        let mut passes = Vec::new();
        for (side, facts) in plan.passes(replaces(problem))? {
            let (cut, last) = (plan.cut(side), !passes.is_empty());
            // Tiles are sent by the first pass and joined by the second one.
            let parts = [cut.count(), if last { tiles } else { 0 }];
            let uneven = uneven_neighbours((0..cut.count()).map(|part| cut.rows_of(part)), nodes);
            passes.push(Pass::alone(facts, size_of::<Complex<T>>()).shared(nodes, uneven, parts));
        }
        Some(passes)
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::Array(self)
    }
}

impl<T: Real> fmt::Display for TwoPassProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (way, _, moved) = in_two_passes(self.plan.rows());
        write!(f, "{}, {way}, {moved} bytes moved", *self.plan)
    }
}
