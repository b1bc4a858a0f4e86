//! The FFT of a matrix by tiles as a program of a plan: in its own memory, or through a second matrix.

use std::fmt;

use earth::{Machine, Reply, Run, Shared};
use earth_kernels::Real;
use num_complex::Complex;

use super::MatrixPlan;
use super::pass::Pass as RowsOfPass;
use crate::advisor::passes::{lines, steps, uneven_cut};
use crate::advisor::{Pass, Pattern, Work};
use crate::dataflow::Done;
use crate::dataflow::points::Points;
use crate::dataflow::rectangle::{Across, Along, RectangleFft, RectangleJob};
use crate::dataflow::square::{RowBlock, SquareFft, SquareJob};
use crate::groups::Shares;
use crate::plan::TransformError;
use crate::planner::Algorithm;
use crate::precision::Precision;
use crate::problem::UntypedProblem;
use crate::solver::{ArrayProgram, Input, Memory, Program, Runs};

/// The FFT of a matrix by tiles.
#[derive(Debug)]
pub(crate) struct MatrixProgram<T: Real> {
    pub(crate) plan: Shared<MatrixPlan<T>>,
    pub(crate) sides: [usize; 2],
    /// The rows of each group of nodes, if groups share the matrix.
    pub(crate) shares: Option<Box<Shares>>,
    /// Remarks on the shares, each a sentence for people.
    pub(crate) notes: Vec<String>,
}

impl<T: Precision> ArrayProgram<T> for MatrixProgram<T> {
    fn sides(&self) -> [usize; 2] {
        self.sides
    }

    fn run_blocks(
        &self,
        machine: &mut Machine,
        points: Points<T>,
        _: Input<T>,
    ) -> Result<Run<Done<T>>, TransformError> {
        Ok(if self.plan.is_in_place() {
            let job = SquareJob::new(points, self.plan.clone());
            machine.run_with(job.shared(), |out| SquareFft::<T>::call(job, out))?
        } else {
            let job = RectangleJob::new(points, self.plan.clone());
            machine.run_with(job.shared(), |out| RectangleFft::<T>::call(job, out))?
        })
    }
}

impl<T: Precision> Program<T> for MatrixProgram<T> {
    fn algorithm(&self) -> Algorithm {
        Algorithm::Grouped
    }

    fn block(&self) -> Option<usize> {
        Some(self.plan.pass(0).block())
    }

    fn is_in_place(&self) -> Option<bool> {
        Some(self.plan.is_in_place())
    }

    fn shares(&self) -> Option<&Shares> {
        self.shares.as_deref()
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn memory(&self, nodes: usize) -> Memory {
        let in_place = self.plan.is_in_place();
        let (handle, address) = (size_of::<Points<T>>() as u64, size_of::<Reply<Points<T>>>() as u64);
        let passes = [self.plan.pass(0), self.plan.pass(1)];
        let [along, across] = passes.map(|pass| pass.cut().count() as u64);
        let scratch = passes.map(|pass| (pass.cut().count().min(nodes) * pass.scratch_len()) as u64);
        let second = if in_place { 0 } else { area(passes[1], |_| true) };
        // Rows of the second matrix are made after those of the first were transformed.
        let working = scratch[0].max(second + scratch[1]);
        let copies = area(passes[0], |leading| leading > passes[0].len());
        // A tile has a handle, an inlet with its address at both ends.
        let (frames, handles) = if in_place {
            (along * size_of::<RowBlock<T>>() as u64, 1)
        } else {
            (along * size_of::<Along<T>>() as u64 + across * size_of::<Across<T>>() as u64, 2)
        };
        let tiles = along.saturating_mul(across);
        Memory::of::<T>(working + copies, frames + tiles * handles * (handle + 2 * address))
    }

    fn passes(&self, _: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let point = size_of::<Complex<T>>();
        let tiles = self.plan.pass(0).cut().count() * self.plan.pass(1).cut().count();
        let mut passes = Vec::new();
        for pass in [0, 1].map(|pass| self.plan.pass(pass)) {
            let (cut, len) = (pass.cut(), pass.transformed());
            let (count, shared) = (cut.distribution().iter().sum::<usize>(), uneven_cut(cut, nodes));
            // Rows of all groups by the first group's kernel: groups differ in padding.
            let kernel = pass.kernel_name()?;
            let rows = lines::<T>(kernel, [count, len], nodes).shared(nodes, shared, [cut.count(), 0]);
            let bytes = 2 * count * pass.len() * point;
            let footprint = if self.plan.is_in_place() { bytes / 2 } else { bytes };
            let (what, work) = ("tiles transposed".to_owned(), Work::Moves(Pattern::Columns));
            let moves =
                Pass { what, work, bytes, footprint, uneven: shared, parts: 0, tiles, ..steps::<T>(nodes) };
            passes.extend([rows, moves]);
        }
        Some(passes)
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::Array(self)
    }
}

/// The points of the rows at work whose leading dimension is one `of` these, with their padding.
fn area<T: Real>(pass: &RowsOfPass<T>, of: impl Fn(usize) -> bool) -> u64 {
    let rows = pass.cut().rows().enumerate().map(|(block, rows)| (rows, pass.leading(block)));
    rows.filter(|&(_, leading)| of(leading)).map(|(rows, leading)| (rows * leading) as u64).sum()
}

impl<T: Real> fmt::Display for MatrixProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [along, across] = [0, 1].map(|pass| self.plan.pass(pass).cut());
        let in_place = self.plan.is_in_place();
        let points = self.sides[0] * self.sides[1];
        let twice = if in_place { "in place" } else { "through a second matrix" };
        let kept: usize = if in_place { along.rows().map(|rows| rows * rows).sum() } else { 0 };
        let moved = (5 * points - 2 * kept) * size_of::<Complex<T>>();
        write!(
            f,
            "{} row blocks of the matrix and {} of its transpose exchange tiles {twice}, {moved} bytes moved",
            along.count(),
            across.count()
        )
    }
}
