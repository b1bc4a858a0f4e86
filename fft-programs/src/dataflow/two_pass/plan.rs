//! What all row blocks and strips of one transform share: how the array is cut, and its two passes.

use std::fmt;

use earth_fftw::Effort;
use earth_kernels::{Direction, Real};
use earth_serial::{ColumnPlan, Shape};

use crate::dataflow::matrix::MatrixError;
use crate::dataflow::matrix::dealing::{Cut, Dealing};
use crate::dataflow::points::Points;
use crate::dataflow::tables::Tables;
use crate::kernel::Kernel;
use crate::plan::steps::{Planned, Slices, Steps};
use crate::planner::{Algorithm, PlanError};
use crate::problem::{Kind, Problem, ProblemError};

/// The plan of a transform in two passes.
#[derive(Debug)]
pub struct TwoPassPlan<T: Real> {
    /// The rows, and the columns.
    cuts: [Cut; 2],
    direction: Direction,
    /// By what the result is multiplied.
    factor: T,
    passes: Tables<Passes<T>>,
}

#[derive(Debug)]
struct Passes<T: Real> {
    row: Steps<T>,
    columns: ColumnPlan<T>,
}

impl<T: Real> TwoPassPlan<T> {
    /// Plans the transform of one array without gaps, whose first dimension is that of its rows, in row blocks of
    /// `blocks[0]` rows and strips of `blocks[1]` columns; a series is one column.
    ///
    /// # Errors
    ///
    /// [`PlanError::NeedsComplex`] for real numbers, [`PlanError::NeedsOneArray`] for a batch or an array with gaps,
    /// [`PlanError::Matrix`] for blocks of no rows or columns, [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub fn new<K: Kind>(
        problem: &Problem<K>,
        blocks: [usize; 2],
        kernel: &Kernel,
        effort: Effort,
    ) -> Result<Self, PlanError> {
        if !K::COMPLEX {
            return Err(PlanError::NeedsComplex { algorithm: Algorithm::TwoPass });
        }
        if !problem.is_dense() || problem.shape().batch != 1 {
            return Err(PlanError::NeedsOneArray { algorithm: Algorithm::TwoPass });
        }
        let lengths = problem.lengths();
        if let Some(dimension) = lengths.iter().position(|&length| length == 0) {
            return Err(ProblemError::NoPoints(dimension).into());
        }
        let (rows, row) = match lengths {
            &[rows] => (rows, Shape::new(&[1])),
            [rows, row @ ..] if row.len() <= 2 => (*rows, Shape::new(row)),
            _ => return Err(ProblemError::Dimensions(lengths.len()).into()),
        };
        let (layout, kernels) = (row.contiguous(), Planned(kernel, effort));
        let passes = Passes {
            columns: ColumnPlan::new(rows, &kernels)?,
            row: K::steps(&row, [&layout, &layout], &kernels)?,
        };
        let (direction, factor) = (problem.to(), T::of(problem.factor()));
        let sides = [rows, row.lengths.iter().product()];
        Ok(Self { cuts: cuts(sides, blocks)?, direction, factor, passes: Tables::of(passes) })
    }

    /// Plans transforms of phantoms of so many rows and columns: the plan computes nothing.
    ///
    /// # Errors
    ///
    /// An array of no points, or blocks of no rows or columns.
    pub fn phantom([rows, cols]: [usize; 2], blocks: [usize; 2]) -> Result<Self, MatrixError> {
        if rows == 0 || cols == 0 {
            return Err(MatrixError::NoPoints { rows, cols });
        }
        let cuts = cuts([rows, cols], blocks)?;
        Ok(Self { cuts, direction: Direction::Forward, factor: T::one(), passes: Tables::none() })
    }

    /// How the rows are cut, 0, or the columns, 1.
    ///
    /// # Panics
    ///
    /// If it is neither.
    pub fn cut(&self, pass: usize) -> &Cut {
        &self.cuts[pass]
    }

    /// The rows and the columns of the array.
    pub fn sides(&self) -> [usize; 2] {
        [0, 1].map(|pass| self.cuts[pass].distribution().iter().sum())
    }

    /// The rows of a row block, but for the last one.
    pub(crate) fn block(&self) -> usize {
        self.cuts[0].rows().max().unwrap_or(0)
    }

    /// The points of scratch that a row block at work needs, and a strip.
    pub(crate) fn scratch_lens(&self) -> [usize; 2] {
        if self.passes.is_none() {
            return [0; 2];
        }
        let Passes { row, columns } = self.passes.get();
        [row.scratch_len(), columns.scratch_len()]
    }

    /// Checks that this is the plan of an array of that many rows and columns.
    ///
    /// # Panics
    ///
    /// If it is not.
    #[track_caller]
    pub(super) fn check(&self, array: &Points<T>) {
        let found = [array.rows(), array.cols()];
        assert_eq!(found, self.sides(), "an array of other rows and columns than the plan's");
        self.passes.check(array);
    }

    /// Transforms rows, in all dimensions but the first, and multiplies them by the factor.
    pub(super) fn transform_rows(&self, rows: &mut Points<T>) {
        let plan = &self.passes.get().row;
        let mut scratch = vec![T::zero().into(); plan.scratch_len()];
        for row in rows.iter_rows_mut() {
            let done = plan.process(self.direction, self.factor, Slices::InPlace(row), &mut scratch);
            done.unwrap_or_else(|error| panic!("{error}"));
        }
    }

    /// Transforms the columns of a strip, which has all rows.
    pub(super) fn transform_columns(&self, strip: &mut Points<T>) {
        let plan = &self.passes.get().columns;
        let mut scratch = vec![T::zero().into(); plan.scratch_len()];
        let mut rows: Vec<_> = strip.iter_rows_mut().collect();
        let done = plan.process(self.direction, &mut rows, &mut scratch);
        done.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The pass over columns: `columns of 512 by earth-avx2`.
impl<T: Real> fmt::Display for TwoPassPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.passes.get().columns.fmt(f)
    }
}

/// The row blocks and the strips of an array, dealt to all nodes in turn.
fn cuts(sides: [usize; 2], blocks: [usize; 2]) -> Result<[Cut; 2], MatrixError> {
    let cut = |side: usize| Dealing::round(sides[side], sides[1 - side], blocks[side]).cut();
    Ok([cut(0)?, cut(1)?])
}
