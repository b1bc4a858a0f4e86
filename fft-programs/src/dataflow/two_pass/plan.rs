//! The parts that one transform shares: how the array is cut, which pass comes first, and both of them.

use std::fmt;

use earth_kernels::Real;
use earth_memory::try_collected;
use earth_serial::{ColumnPlan, PassFacts};

use crate::dataflow::MatrixError;
use crate::dataflow::cut::Cut;
use crate::dataflow::points::{Points, had, scratch};
use crate::dataflow::row_pass::RowPass;
use crate::dataflow::tables::Tables;
use crate::kernel::{Planned, RowOptions};
use crate::planner::PlanError;
use crate::problem::UntypedProblem;

/// The plan of a transform in two passes.
#[derive(Debug)]
pub struct TwoPassPlan<T: Real> {
    rows: RowPass<T>,
    strips: Cut,
    columns: Tables<ColumnPlan<T>>,
}

impl<T: Real> TwoPassPlan<T> {
    /// Plans the transform of one array, whose first dimension is that of its rows, in row blocks of `blocks[0]` rows and
    /// strips of `blocks[1]` columns of points; a series of points is one column. There may be gaps between rows, and
    /// between the lines of planes; then strips are of whole lines, which may be more columns.
    ///
    /// # Errors
    ///
    /// [`PlanError::NeedsOneArray`] for a batch, or an array whose elements lie in another order than the problem's
    /// dimensions, [`PlanError::NeedsMatrix`] for a series of real
    /// numbers, [`PlanError::Matrix`] for blocks of no rows or columns, [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub fn new(
        problem: &UntypedProblem,
        blocks: [usize; 2],
        options: &RowOptions,
    ) -> Result<Self, PlanError> {
        let kernels = Planned(options);
        let [block, columns] = blocks;
        let rows = RowPass::new(problem, block, &kernels)?;
        let strips = strips(&rows, columns)?;
        Ok(Self { rows, strips, columns: Tables::of(ColumnPlan::new(problem.lengths()[0], &kernels)?) })
    }

    /// Plans transforms of phantoms as [`new`](Self::new) does, but for the kernels: the plan computes nothing.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new), but for the kernels.
    pub fn phantom(problem: &UntypedProblem, blocks: [usize; 2]) -> Result<Self, PlanError> {
        let [block, columns] = blocks;
        let rows = RowPass::phantom(problem, block)?;
        Ok(Self { strips: strips(&rows, columns)?, rows, columns: Tables::none() })
    }

    /// How the rows are cut, 0, or the columns of points, 1.
    ///
    /// # Panics
    ///
    /// If it is neither.
    pub fn cut(&self, pass: usize) -> &Cut {
        [self.rows.cut(), &self.strips][pass]
    }

    /// The pass over rows.
    pub(crate) fn rows(&self) -> &RowPass<T> {
        &self.rows
    }

    /// Whether columns are transformed before rows.
    pub fn columns_first(&self) -> bool {
        self.rows.columns_first()
    }

    /// How the array is cut for the pass that comes first, and for the other one.
    pub(crate) fn order(&self) -> [&Cut; 2] {
        let [rows, columns] = [self.rows.cut(), &self.strips];
        if self.columns_first() { [columns, rows] } else { [rows, columns] }
    }

    /// The rows and the columns of the array of points.
    pub fn sides(&self) -> [usize; 2] {
        self.rows.sides()
    }

    /// The rows and the columns of the array of real numbers, if there is one.
    pub fn number_sides(&self) -> Option<[usize; 2]> {
        self.rows.number_sides()
    }

    /// Whether a job of this plan is one array that is replaced: of points, or of real numbers whose rows are filled up to
    /// the length of their spectra.
    pub fn is_in_place(&self) -> bool {
        self.rows.is_in_place()
    }

    /// The points of scratch that a row block at work needs, and a strip.
    pub(crate) fn scratch_lens(&self) -> [usize; 2] {
        let columns = self.columns.found().map_or(0, |columns| columns.scratch_len_of(self.sides()[1]));
        [self.rows.scratch_len(), columns]
    }

    /// What the passes do, each with the side that it goes along, in their order; nothing of a plan for phantoms.
    pub(crate) fn passes(&self, in_place: bool) -> Option<Vec<(usize, PassFacts)>> {
        let mut passes: Vec<_> = self.rows.facts(in_place)?.into_iter().map(|facts| (0, facts)).collect();
        let columns = (1, self.columns.found()?.facts(self.sides()[1]));
        passes.insert(if self.columns_first() { 0 } else { passes.len() }, columns);
        Some(passes)
    }

    /// Transforms the columns of a strip, which has all rows.
    pub(super) fn transform_columns(&self, strip: &mut Points<T>) {
        let plan = self.columns.get();
        let mut scratch = scratch(self.scratch_lens()[1]);
        let [points, _] = self.rows.rows();
        let [len, distance] = points.line.unwrap_or([strip.cols(); 2]);
        for at in (0..strip.cols()).step_by(distance) {
            let rows = strip.iter_rows_mut().map(|row| &mut row[at..][..len]);
            let mut rows = had(try_collected(rows, "a list of rows"));
            let done = plan.process(self.rows.direction(), &mut rows, &mut scratch);
            done.unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// The passes in their order: `4 row blocks, then 3 strips of columns of 512 by earth-avx2`.
impl<T: Real> fmt::Display for TwoPassPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, strips] = [0, 1].map(|pass| self.cut(pass).count());
        let Some(columns) = self.columns.found() else {
            return if self.columns_first() {
                write!(f, "{strips} strips of columns, then {rows} row blocks")
            } else {
                write!(f, "{rows} row blocks, then {strips} strips of columns")
            };
        };
        if self.columns_first() {
            write!(f, "{strips} strips of {columns}, then {rows} row blocks")
        } else {
            write!(f, "{rows} row blocks, then {strips} strips of {columns}")
        }
    }
}

/// The columns of an array cut into strips of so many, or of whole lines, which may be more.
fn strips<T: Real>(rows: &RowPass<T>, columns: usize) -> Result<Cut, MatrixError> {
    let ([points, _], [_, across]) = (rows.rows(), rows.sides());
    let whole = points.line.map_or(1, |[_, distance]| distance);
    Cut::round(across, columns.next_multiple_of(whole))
}
