//! What all strips and row blocks of one transform share: how the matrix is cut, and its two passes.

use std::fmt;

use earth_fftw::Effort;
use earth_kernels::{Direction, Real};
use earth_serial::{ColumnPlan, TurnedPlan};

use crate::dataflow::matrix::MatrixError;
use crate::dataflow::matrix::dealing::{Cut, Dealing};
use crate::dataflow::points::Points;
use crate::dataflow::tables::Tables;
use crate::kernel::Kernel;
use crate::plan::steps::Planned;
use crate::planner::{Algorithm, PlanError};
use crate::problem::{Kind, Problem};

/// The lanes that sides are near a multiple of.
const LANES: usize = 8;

/// The sides of the matrix that a series of so many points is, rows and columns: two factors near each other, and near
/// multiples of the lanes of vectors, so that few lanes stay empty. `None` if the number is prime, or less than 4.
pub fn sides(points: usize) -> Option<[usize; 2]> {
    let filled = |side: usize| side as f64 / side.next_multiple_of(LANES) as f64;
    let factors = (2..=points.isqrt()).filter(|a| points.is_multiple_of(*a)).map(|a| [a, points / a]);
    let worth = |[a, b]: &[usize; 2]| filled(*a) * filled(*b) * (*a as f64 / *b as f64).powf(0.1);
    factors.max_by(|x, y| worth(x).total_cmp(&worth(y)))
}

/// The plan of the transform of a series in two passes.
#[derive(Debug)]
pub struct TransposePlan<T: Real> {
    /// The rows, and the columns.
    cuts: [Cut; 2],
    direction: Direction,
    /// By what the result is multiplied.
    factor: T,
    passes: Tables<Passes<T>>,
}

#[derive(Debug)]
struct Passes<T: Real> {
    columns: ColumnPlan<T>,
    rows: TurnedPlan<T>,
}

impl<T: Real> TransposePlan<T> {
    /// Plans the transform of one series without gaps as a matrix of these sides, in row blocks of `blocks[0]` rows and
    /// strips of `blocks[1]` columns.
    ///
    /// # Errors
    ///
    /// [`PlanError::NeedsComplex`] for real numbers, [`PlanError::NeedsOneArray`] for a batch, an array with gaps, or one that has other points than the matrix,
    /// [`PlanError::Matrix`] for blocks of no rows or columns, [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub fn new<K: Kind>(
        problem: &Problem<K>,
        sides: [usize; 2],
        blocks: [usize; 2],
        kernel: &Kernel,
        effort: Effort,
    ) -> Result<Self, PlanError> {
        if K::NUMBERS.is_some() {
            return Err(PlanError::NeedsComplex { algorithm: Algorithm::Transpose });
        }
        let points = sides[0].checked_mul(sides[1]);
        if !problem.is_dense() || problem.shape().batch != 1 || problem.points() != points {
            return Err(PlanError::NeedsOneArray { algorithm: Algorithm::Transpose });
        }
        let cuts = cuts(sides, blocks)?;
        let kernels = Planned(kernel, effort);
        let passes = Passes {
            columns: ColumnPlan::new(sides[0], &kernels)?,
            rows: TurnedPlan::new(sides[1], sides[0], &kernels)?,
        };
        let (direction, factor) = (problem.to(), T::of(problem.factor()));
        Ok(Self { cuts, direction, factor, passes: Tables::of(passes) })
    }

    /// Plans transforms of phantoms as a matrix of these sides: the plan computes nothing.
    ///
    /// # Errors
    ///
    /// A matrix of no points, or blocks of no rows or columns.
    pub fn phantom(sides: [usize; 2], blocks: [usize; 2]) -> Result<Self, MatrixError> {
        let cuts = cuts(sides, blocks)?;
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

    /// The rows and the columns of the matrix.
    pub fn sides(&self) -> [usize; 2] {
        [0, 1].map(|pass| self.cuts[pass].distribution().iter().sum())
    }

    /// The rows of a row block, but for the last one.
    pub(crate) fn block(&self) -> usize {
        self.cuts[0].rows().max().unwrap_or(0)
    }

    /// The points of scratch that a strip at work needs, and a row block.
    pub(crate) fn scratch_lens(&self) -> [usize; 2] {
        if self.passes.is_none() {
            return [0; 2];
        }
        let Passes { columns, rows } = self.passes.get();
        [columns.scratch_len(), rows.scratch_len()]
    }

    /// A matrix for the pass between, or a phantom if the plan is for phantoms.
    pub(crate) fn aside(&self) -> Points<T> {
        let [rows, cols] = self.sides();
        self.passes.zeroed(rows, cols)
    }

    /// Checks that points are a phantom if the plan is for phantoms.
    ///
    /// # Panics
    ///
    /// If they are not.
    #[track_caller]
    pub(super) fn check(&self, points: &Points<T>) {
        self.passes.check(points);
    }

    /// Transforms columns into those of the matrix aside.
    pub(super) fn transform_columns(&self, columns: &Points<T>, aside: &mut Points<T>) {
        let plan = &self.passes.get().columns;
        let mut scratch = vec![T::zero().into(); plan.scratch_len()];
        let from: Vec<_> = columns.iter_rows().collect();
        let mut to: Vec<_> = aside.iter_rows_mut().collect();
        let done = plan.process_into(self.direction, &from, &mut to, &mut scratch);
        done.unwrap_or_else(|error| panic!("{error}"));
    }

    /// Transforms rows, the first of which is row `first` of the matrix, into columns of the result.
    pub(super) fn transform_rows(&self, first: usize, rows: &Points<T>, result: &mut Points<T>) {
        let plan = &self.passes.get().rows;
        let mut scratch = vec![T::zero().into(); plan.scratch_len()];
        let from: Vec<_> = rows.iter_rows().collect();
        let mut to: Vec<_> = result.iter_rows_mut().collect();
        let done = plan.process(self.direction, self.factor, first, &from, &mut to, &mut scratch);
        done.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Both passes: `columns of 512 by earth-avx2, then rows of 512 into columns by earth-avx2`.
impl<T: Real> fmt::Display for TransposePlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Passes { columns, rows } = self.passes.get();
        write!(f, "{columns}, then {rows}")
    }
}

/// The row blocks and the strips of a matrix, dealt to all nodes in turn.
fn cuts(sides: [usize; 2], blocks: [usize; 2]) -> Result<[Cut; 2], MatrixError> {
    let [rows, cols] = sides;
    if rows == 0 || cols == 0 {
        return Err(MatrixError::NoPoints { rows, cols });
    }
    let cut = |side: usize| Dealing::round(sides[side], sides[1 - side], blocks[side]).cut();
    Ok([cut(0)?, cut(1)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_are_near_each_other_and_fill_the_lanes() {
        assert_eq!(sides(1 << 20), Some([1024, 1024]));
        assert_eq!(sides(1 << 21), Some([1024, 2048]));
        assert_eq!(sides(1_000_000), Some([1000, 1000]));
        assert_eq!(sides(59_049), Some([243, 243]));
        assert_eq!(sides(2 * 101), Some([2, 101]));
        assert_eq!([0, 1, 2, 3, 7, 101].map(sides), [None; 6]);
        for n in 4..3000 {
            if let Some([a, b]) = sides(n) {
                assert!(a * b == n && 1 < a && a <= b, "{n} of {a} and {b}");
            } else {
                assert!((2..n).all(|a| n % a != 0), "{n} is no prime");
            }
        }
    }
}
