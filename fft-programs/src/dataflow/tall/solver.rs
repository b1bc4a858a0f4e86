//! The FFT of few long columns: its solver, plan and program.

use std::fmt;
use std::num::NonZeroUsize;

use earth::Shared;
use earth_codelets::smooth_part;
use earth_kernels::Real;
use serde::{Deserialize, Serialize};

use super::{TallFft, TallJob};
use crate::advisor::Pass;
use crate::dataflow::cut::rows_of_blocks;
use crate::dataflow::row_pass::RowPass;
use crate::dataflow::transpose::{Form, TransposePlan};
use crate::dataflow::two_pass::solver::{LONG, PASS_BLOCKS, STRIP, shared_array};
use crate::kernel::{Kernel, RowOptions};
use crate::planner::PlanError;
use crate::precision::Precision;
use crate::problem::{Rows, UntypedProblem};
use crate::solver::{Draft, Memory, Pays, Program, Request, Runs, Solver, solver_methods};

/// The most strips of a node up to which nodes share the columns as matrices. On two nodes with AVX2, arrays
/// from 65,536 x 16 to 16,384 x 64 points took 0.6 of the time of one thread, and by strips 0.7 to 1.0.
const TALL: usize = 4;

/// Plan: the pass over rows, and the transform of columns. Clones share both.
#[derive(Clone, Debug)]
pub struct TallPlan<T: Real> {
    pub(crate) rows: Shared<RowPass<T>>,
    pub(crate) columns: Shared<TransposePlan<T>>,
}

/// How an array is cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TallCut {
    /// Number of rows of a row block.
    pub block: usize,
    /// Rows and columns of the matrix that a column becomes.
    pub sides: [usize; 2],
    /// Rows of this matrix's row blocks, and columns of its strips.
    pub blocks: [usize; 2],
}

impl<T: Real> TallPlan<T> {
    /// Plans the transform of one array whose rows of points have no gaps between them. Without `options` the
    /// plan is for phantoms.
    ///
    /// # Errors
    ///
    /// * [`PlanError::NeedsOneArray`] for any other array, or if the product of the sides is not the length
    ///   of a column;
    /// * [`PlanError::NeedsMatrix`] for a series of real numbers;
    /// * [`PlanError::Matrix`] for blocks of no rows or columns;
    /// * [`PlanError::Problem`] and [`PlanError::Kernel`].
    fn new(
        problem: &UntypedProblem,
        TallCut { block, sides, blocks }: TallCut,
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        let rows = RowPass::new(problem, block, options)?;
        let ([points, _], [count, width]) = (rows.rows(), rows.sides());
        if !points.is_dense() || sides[0].checked_mul(sides[1]) != Some(count) {
            return Err(PlanError::NeedsOneArray { algorithm: "tall", what: "array of 2 or 3 dimensions" });
        }
        let columns = TransposePlan::of_columns(problem.to(), sides, width, blocks, options)?;
        Ok(Self { rows: Shared::new(rows), columns: Shared::new(columns) })
    }
}

/// Solver for few long columns: `tall`. It solves arrays of 2 or 3 dimensions, of points or of real numbers,
/// without gaps between rows of points. The first length must not be prime.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tall {
    block: Option<NonZeroUsize>,
}

impl Tall {
    /// Name of the solver.
    pub const NAME: &str = "tall";

    /// Makes the solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of rows of a row block and of columns of a strip. By default each node has two of
    /// each.
    #[must_use]
    pub fn block(self, block: impl Into<Option<NonZeroUsize>>) -> Self {
        Self { block: block.into() }
    }

    /// Cuts an array: row blocks as in two passes, and each column as a matrix of two nearly equal factors,
    /// as in the transpose algorithm. Strips are whole rows of the array. `None` if there are no such
    /// factors.
    fn cut(&self, [rows, width]: [usize; 2], nodes: usize) -> Option<TallCut> {
        let sides = Form::near_square(rows)?.sides;
        // The least number of rows of the array whose points are whole strips.
        let together = (1..=STRIP).find(|rows| (rows * width).is_multiple_of(STRIP)).unwrap_or(STRIP);
        let blocks = sides.map(|side| rows_of_blocks(side, nodes, PASS_BLOCKS).next_multiple_of(together));
        let usual = TallCut { block: rows_of_blocks(rows, nodes, PASS_BLOCKS), sides, blocks };
        Some(match self.block {
            Some(block) => TallCut { block: block.get(), blocks: [block.get(); 2], ..usual },
            None => usual,
        })
    }

    fn plan<T: Precision>(&self, request: &Request<'_>) -> Result<Draft<T>, PlanError> {
        let algorithm = Self::NAME;
        let [n, cols] = request.array(algorithm, self.block)?;
        let (problem, nodes) = (request.problem, request.node_count());
        let rows = problem.rows_of_points();
        let width = rows.map_or(cols, |rows| rows.cols);
        let cut =
            self.cut([n, width], nodes).ok_or(PlanError::NotAProduct { algorithm, numbers: "two", n })?;
        request.fits::<T>(&[&cut.sides[..], &problem.lengths()[1..]].concat())?;
        request.has_room_for::<T>(rows.map_or(0, |rows| rows.count.saturating_mul(rows.cols)))?;
        let plan = TallPlan::new(problem, cut, request.tables())?;
        Ok(Draft { program: Box::new(plan), nodes })
    }
}

impl Solver for Tall {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn about(&self) -> &'static str {
        "Two dimensions of few long columns, each a matrix"
    }

    fn pays(&self, request: &Request<'_>) -> Pays {
        // The solver of two passes gives the reason.
        let Ok((sides, nodes, why)) = shared_array(request) else { return Pays::NotItsProblem };
        let few = sides[0] >= LONG && sides[1].div_ceil(STRIP) <= nodes.saturating_mul(TALL);
        let own = request.options.kernel == Kernel::Earth && smooth_part(sides[0]) == sides[0];
        let dense = request.problem.rows_of_points().is_some_and(Rows::is_dense);
        let cut = if few && own && dense { self.cut(sides, nodes) } else { None };
        if cut.is_some_and(|cut| cut.sides[0] >= nodes) { Pays::Yes(why) } else { Pays::NotItsProblem }
    }

    solver_methods!();
}

impl<T: Precision> Program<T> for TallPlan<T> {
    fn block(&self) -> Option<usize> {
        Some(self.rows.block())
    }

    fn is_in_place(&self) -> Option<bool> {
        Some(false)
    }

    fn memory(&self, nodes: usize) -> Memory {
        let (rows, columns) = (&self.rows, &self.columns);
        let ((scratch, addresses), (points, frames)) = (rows.memory_home(nodes), columns.memory(nodes));
        Memory::of::<T>(points.max(scratch), frames + addresses)
    }

    fn passes(&self, problem: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let of_rows = self.rows.passes_home(problem, nodes)?;
        let of_columns = self.columns.passes_on(nodes)?;
        Some(if self.rows.columns_first { [of_columns, of_rows] } else { [of_rows, of_columns] }.concat())
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::on_rows(&self.rows, |machine, points, input| {
            let second = self.columns.second()?;
            let job = TallJob::new(points, input, second, self);
            let run = machine.run_with(job.shared(), |out| TallFft::<T>::call(job, out))?;
            Ok(run.map(|left| {
                self.columns.keep(left.second);
                left.done
            }))
        })
    }
}

/// Writes the passes in their order:
/// `4 row blocks, then columns of 1000 x 1000 points by 4 strips and 4 row blocks: ..`.
impl<T: Real> fmt::Display for TallPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (blocks, [a, b]) = (self.rows.cut.count(), self.columns.sides());
        let [turned, strips] = [0, 1].map(|side| self.columns.cut(side).workers());
        let columns =
            format!("columns of {a} x {b} by {strips} strips and {turned} row blocks ({})", *self.columns);
        if self.rows.columns_first {
            write!(f, "{columns}, then {blocks} row blocks")?;
        } else {
            write!(f, "{blocks} row blocks, then {columns}")?;
        }
        // The transform of columns moves the points of both matrices to its nodes, between them, and back.
        let (way, points, moved) = self.rows.moves();
        write!(f, ", {way} and through a second matrix, {} bytes moved", moved + 5 * points)
    }
}
