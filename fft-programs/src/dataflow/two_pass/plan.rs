//! What all parts of one transform share: how the array is cut, which pass comes first, and both of them.

use std::fmt;

use earth::{Block, Work};
use earth_fftw::Effort;
use earth_kernels::{Direction, Real};
use earth_memory::try_collected;
use earth_serial::{ColumnPlan, Layout, PassFacts, Shape, fetch};
use num_complex::Complex;

use crate::dataflow::matrix::MatrixError;
use crate::dataflow::matrix::dealing::{Cut, Dealing};
use crate::dataflow::points::{Points, had, scratch};
use crate::dataflow::tables::Tables;
use crate::dataflow::work;
use crate::kernel::Kernel;
use crate::kernel::Planned;
use crate::planner::{Algorithm, PlanError};
use crate::problem::{Kind, Problem, ProblemError, Rows};
use crate::problem::{Slices, Steps};

/// The plan of a transform in two passes.
#[derive(Debug)]
pub struct TwoPassPlan<T: Real> {
    /// The rows, and the columns of points.
    cuts: [Cut; 2],
    /// How the rows of points lie, and those of real numbers if the transform has any.
    points: Rows,
    numbers: Option<Rows>,
    in_place: bool,
    /// The points of a row that is transformed, or its real numbers without those that fill it up.
    row_len: usize,
    /// Whether columns are transformed before rows, as the inverse real transform has it.
    columns_first: bool,
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
    /// Plans the transform of one array, whose first dimension is that of its rows, in row blocks of `blocks[0]` rows and
    /// strips of `blocks[1]` columns of points; a series of points is one column. There may be gaps between rows, and
    /// between the lines of planes; then strips are of whole lines, which may be more columns.
    ///
    /// # Errors
    ///
    /// [`PlanError::NeedsOneArray`] for a batch, or an array whose elements lie in another order than the problem's
    /// dimensions, [`PlanError::NeedsMatrix`] for a series of real
    /// numbers, [`PlanError::Matrix`] for blocks of no rows or columns, [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub fn new<K: Kind>(
        problem: &Problem<K>,
        blocks: [usize; 2],
        kernel: &Kernel,
        effort: Effort,
    ) -> Result<Self, PlanError> {
        let plan = Self::phantom(problem, blocks)?;
        let lengths = problem.lengths();
        // A series is one column, so its rows have one point.
        let (row, inner) = if lengths.len() > 1 { (&lengths[1..], 1) } else { (&[1][..], 0) };
        let [input, output] = problem
            .layouts()
            .map(|layout| Layout { strides: layout.strides[inner..].to_vec(), distance: layout.strides[0] });
        let kernels = Planned(kernel, effort);
        let passes = Passes {
            columns: ColumnPlan::new(lengths[0], &kernels)?,
            row: K::steps(&Shape::new(row), [&input, &output], &kernels)?,
        };
        Ok(Self { passes: Tables::of(passes), ..plan })
    }

    /// Plans transforms of phantoms as [`new`](Self::new) does, but for the kernels: the plan computes nothing.
    ///
    /// # Errors
    ///
    /// Those of [`new`](Self::new), but for the kernels.
    pub fn phantom<K: Kind>(problem: &Problem<K>, blocks: [usize; 2]) -> Result<Self, PlanError> {
        let algorithm = Algorithm::TwoPass;
        let lengths = problem.lengths();
        if let Some(dimension) = lengths.iter().position(|&length| length == 0) {
            return Err(ProblemError::NoPoints(dimension).into());
        }
        match lengths.len() {
            1 if K::NUMBERS.is_some() => return Err(PlanError::NeedsMatrix { algorithm }),
            1..=3 => {}
            dimensions => return Err(ProblemError::Dimensions(dimensions).into()),
        }
        let points = problem.rows_of_points().filter(|_| problem.is_one_array());
        let points = points.ok_or(PlanError::NeedsOneArray { algorithm })?;
        let [block, columns] = blocks;
        let whole = points.line.map_or(1, |[_, distance]| distance);
        Ok(Self {
            cuts: cuts(points.sides(), [block, columns.next_multiple_of(whole)])?,
            points,
            numbers: problem.rows_of_numbers(),
            in_place: problem.is_in_place(),
            row_len: lengths[1..].iter().fold(1, |row: usize, length| row.saturating_mul(*length)),
            columns_first: K::NUMBERS == Some(1),
            direction: problem.to(),
            factor: T::of(problem.factor()),
            passes: Tables::none(),
        })
    }

    /// How the rows are cut, 0, or the columns of points, 1.
    ///
    /// # Panics
    ///
    /// If it is neither.
    pub fn cut(&self, pass: usize) -> &Cut {
        &self.cuts[pass]
    }

    /// Whether columns are transformed before rows.
    pub fn columns_first(&self) -> bool {
        self.columns_first
    }

    /// How the array is cut for the pass that comes first, and for the other one.
    pub(crate) fn order(&self) -> [&Cut; 2] {
        let [rows, columns] = &self.cuts;
        if self.columns_first { [columns, rows] } else { [rows, columns] }
    }

    /// The rows and the columns of the array of points.
    pub fn sides(&self) -> [usize; 2] {
        self.points.sides()
    }

    /// The rows and the columns of the array of real numbers, if there is one.
    pub fn number_sides(&self) -> Option<[usize; 2]> {
        self.numbers.map(|numbers| numbers.sides())
    }

    /// How the rows of points lie, and those of real numbers.
    pub(crate) fn rows(&self) -> [Rows; 2] {
        [self.points, self.numbers.unwrap_or_default()]
    }

    /// Whether a job of this plan is one array that is replaced: of points, or of real numbers whose rows are filled up to
    /// the length of their spectra.
    pub fn is_in_place(&self) -> bool {
        self.in_place
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
        [row.scratch_len(), columns.scratch_len_of(self.sides()[1])]
    }

    /// What the passes do, each with the side that it goes along, in their order; nothing of a plan for phantoms.
    pub(crate) fn passes(&self, in_place: bool) -> Option<Vec<(usize, PassFacts)>> {
        let (Passes { row, columns }, [rows, cols]) = (self.passes.found()?, self.sides());
        let of_rows = |(pass, facts): (usize, PassFacts)| {
            let whole = if pass == 0 { rows } else { 1 };
            let (lines, bytes) = (rows * facts.lines, rows * facts.bytes);
            (0, PassFacts { lines, bytes, footprint: whole * facts.footprint, ..facts })
        };
        let mut passes: Vec<_> =
            row.passes(in_place || self.numbers.is_none()).into_iter().enumerate().map(of_rows).collect();
        passes.insert(if self.columns_first { 0 } else { passes.len() }, (1, columns.facts(cols)));
        Some(passes)
    }

    /// Checks that this is the plan of such arrays.
    ///
    /// # Panics
    ///
    /// If it is not.
    #[track_caller]
    pub(super) fn check(&self, points: &Points<T>, numbers: Option<&Block<T>>) {
        let found = [points.rows(), points.cols()];
        assert_eq!(found, self.sides(), "an array of other rows and columns than the plan's");
        self.passes.check(points);
        match numbers {
            None => assert!(self.is_in_place(), "a plan of an array of real numbers, and there is none"),
            Some(numbers) => {
                let found = Some([numbers.rows(), numbers.cols()]);
                assert_eq!(
                    found,
                    self.number_sides(),
                    "real numbers in other rows and columns than the plan's"
                );
            }
        }
    }

    /// What it takes to transform so many rows.
    pub(super) fn row_work(&self, rows: usize) -> Work {
        if self.numbers.is_some() {
            work::real_row_fft(rows, self.row_len)
        } else {
            work::row_fft(rows, self.row_len)
        }
    }

    /// Transforms rows, in all dimensions but the first, and multiplies them by the factor: points where they are, or
    /// between these and real numbers.
    pub(super) fn transform_rows(&self, points: &mut Points<T>, numbers: Option<&mut Block<T>>) {
        let plan = &self.passes.get().row;
        let mut scratch = scratch(plan.scratch_len());
        let mut process = |slices: Slices<'_, T>| {
            let done = plan.process(self.direction, self.factor, slices, &mut scratch);
            done.unwrap_or_else(|error| panic!("{error}"));
        };
        let array = self.sides().iter().product::<usize>() * size_of::<Complex<T>>();
        let points = points.iter_rows_mut();
        match numbers {
            None => points.for_each(|row| {
                fetch(row, array);
                process(match self.numbers {
                    None => Slices::InPlace(row),
                    Some(_) => Slices::Padded(bytemuck::cast_slice_mut(row)),
                });
            }),
            Some(numbers) if self.columns_first => {
                points.zip(numbers.iter_rows_mut()).for_each(|(row, numbers)| {
                    fetch(row, array);
                    process(Slices::ComplexToReal(row, numbers));
                });
            }
            Some(numbers) => points.zip(numbers.iter_rows()).for_each(|(row, numbers)| {
                fetch(numbers, array);
                process(Slices::RealToComplex(numbers, row));
            }),
        }
    }

    /// Transforms the columns of a strip, which has all rows.
    pub(super) fn transform_columns(&self, strip: &mut Points<T>) {
        let plan = &self.passes.get().columns;
        let mut scratch = scratch(self.scratch_lens()[1]);
        let [len, distance] = self.points.line.unwrap_or([strip.cols(); 2]);
        for at in (0..strip.cols()).step_by(distance) {
            let rows = strip.iter_rows_mut().map(|row| &mut row[at..][..len]);
            let mut rows = had(try_collected(rows, "a list of rows"));
            let done = plan.process(self.direction, &mut rows, &mut scratch);
            done.unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// The passes in their order: `4 row blocks, then 3 strips of columns of 512 by earth-avx2`.
impl<T: Real> fmt::Display for TwoPassPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, strips] = [0, 1].map(|pass| self.cuts[pass].count());
        let Some(Passes { columns, .. }) = self.passes.found() else {
            return if self.columns_first {
                write!(f, "{strips} strips of columns, then {rows} row blocks")
            } else {
                write!(f, "{rows} row blocks, then {strips} strips of columns")
            };
        };
        if self.columns_first {
            write!(f, "{strips} strips of {columns}, then {rows} row blocks")
        } else {
            write!(f, "{rows} row blocks, then {strips} strips of {columns}")
        }
    }
}

/// The row blocks and the strips of an array.
fn cuts(sides: [usize; 2], blocks: [usize; 2]) -> Result<[Cut; 2], MatrixError> {
    let cut = |side: usize| Dealing::round(sides[side], sides[1 - side], blocks[side]).cut();
    Ok([cut(0)?, cut(1)?])
}
