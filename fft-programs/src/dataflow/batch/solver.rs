//! Many independent transforms: their solver, plan and program.

use std::fmt;
use std::num::NonZeroUsize;

use earth::Shared;
use earth_fftw::Effort;
use earth_kernels::Real;
use serde::{Deserialize, Serialize};

use super::{BatchFft, BatchJob};
use crate::advisor::Pass;
use crate::dataflow::cut::rows_of_blocks;
use crate::dataflow::row_pass::RowPass;
use crate::dataflow::two_pass::solver::shared_rows;
use crate::planner::{MIN_SHARED_BATCH_POINTS, PlanError, Why};
use crate::precision::Precision;
use crate::problem::UntypedProblem;
use crate::solver::{Draft, Memory, Pays, Program, Request, Runs, Solver, check_row_block, solver_methods};

/// Blocks of a node. The node that deals begins with its own blocks later than the other nodes.
const BLOCKS: usize = 1;

/// Plan: the pass over the arrays. Clones share it.
#[derive(Clone, Debug)]
pub struct BatchPlan<T: Real> {
    pub(crate) rows: Shared<RowPass<T>>,
}

/// Solver of many independent transforms: `batch`. It solves batches of points or of real numbers, with or
/// without gaps between the arrays and in them. The arrays must not interleave.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Batch {
    block: Option<NonZeroUsize>,
}

impl Batch {
    /// Name of the solver.
    pub const NAME: &str = "batch";

    /// Makes the solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of arrays of a block. By default each node has one block.
    #[must_use]
    pub fn block(self, block: impl Into<Option<NonZeroUsize>>) -> Self {
        Self { block: block.into() }
    }

    fn plan<T: Precision>(&self, request: &Request<'_>) -> Result<Draft<T>, PlanError> {
        let (problem, nodes) = (request.problem, request.node_count());
        let arrays = problem.shape().batch;
        check_row_block([arrays, 1], self.block)?;
        request.fits::<T>(problem.lengths())?;
        let block = self.block.map_or_else(|| rows_of_blocks(arrays, nodes, BLOCKS), NonZeroUsize::get);
        let rows = Shared::new(RowPass::of_batch(problem, block, request.tables())?);
        Ok(Draft { program: Box::new(BatchPlan { rows }), nodes })
    }
}

impl Solver for Batch {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn about(&self) -> &'static str {
        "Many arrays, each transformed by one node"
    }

    fn pays(&self, request: &Request<'_>) -> Pays {
        let (problem, arrays) = (request.problem, request.problem.shape().batch);
        if arrays <= 1 {
            return Pays::NotItsProblem;
        }
        let reasons = [Why::SmallBatch, Why::FewArrays, Why::LargeBatch];
        match shared_rows(request, &problem.stacked(), MIN_SHARED_BATCH_POINTS, reasons) {
            Ok((_, _, why)) => Pays::Yes(why),
            Err(pays) => pays,
        }
    }

    fn block_of(&self, problem: &UntypedProblem, parts: usize) -> Option<NonZeroUsize> {
        NonZeroUsize::new(problem.shape().batch.div_ceil(parts)).filter(|_| self.block.is_none())
    }

    fn is_worth_measuring(&self, problem: &UntypedProblem, _: Effort) -> bool {
        problem.shape().batch > 1
    }

    solver_methods!();
}

impl<T: Precision> Program<T> for BatchPlan<T> {
    fn block(&self) -> Option<usize> {
        Some(self.rows.block())
    }

    fn is_in_place(&self) -> Option<bool> {
        Some(true)
    }

    fn memory(&self, nodes: usize) -> Memory {
        let (scratch, addresses) = self.rows.memory_home(nodes);
        Memory::of::<T>(scratch, addresses)
    }

    fn passes(&self, problem: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        self.rows.passes_home(problem, nodes)
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::on_rows(&self.rows, |machine, points, input| {
            let job = BatchJob::new(points, input, self);
            Ok(machine.run_with(job.shared(), |out| BatchFft::<T>::call(job, out))?)
        })
    }
}

/// Writes the pass: `2 blocks of 500 arrays, in place, 48000 bytes moved`.
impl<T: Real> fmt::Display for BatchPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (blocks, arrays) = (self.rows.cut.count(), self.rows.block());
        // Without columns, no tiles move.
        let (way, points, moved) = self.rows.moves();
        write!(f, "{blocks} blocks of {arrays} arrays, {way}, {} bytes moved", moved - points)
    }
}
