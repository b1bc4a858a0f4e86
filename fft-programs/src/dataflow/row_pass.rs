//! The pass over the rows of an array of 2 or 3 dimensions, cut into row blocks. A row is a line of a matrix,
//! or a plane, of points or of real numbers.

use std::ops::Range;

use earth::{Block, Element, Reply, Work};
use earth_kernels::{Direction, Real};
use earth_serial::{Layout, PassFacts, Shape, fetch};
use num_complex::Complex;

use crate::advisor::Pass;
use crate::advisor::passes::{replaces, uneven_neighbours};
use crate::dataflow::cut::Cut;
use crate::dataflow::points::{Points, scratch};
use crate::dataflow::tables::Tables;
use crate::dataflow::work;
use crate::kernel::{Planned, RowOptions};
use crate::plan::steps::Steps;
use crate::planner::PlanError;
use crate::problem::{ProblemError, Rows, Slices, UntypedProblem};

/// Bytes of the rows shorter than [`SHORT`] that one call transforms: half of the first-level cache.
const TOGETHER: usize = 16 << 10;

/// A row of at least this number of bytes is transformed by a call of its own.
const SHORT: usize = 4 << 10;

/// Plan of the pass.
#[derive(Debug)]
pub struct RowPass<T: Real> {
    pub(crate) cut: Cut,
    /// Layout of the rows of points, and of the rows of real numbers if the transform has any.
    points: Rows,
    numbers: Option<Rows>,
    /// Whether real numbers, if there are any, are padded and transformed in place.
    pub(crate) in_place: bool,
    /// Points of a transformed row, or its real numbers without padding.
    row_len: usize,
    /// Whether columns are transformed before rows, as in the inverse real transform.
    pub(crate) columns_first: bool,
    pub(super) direction: Direction,
    /// Factor that multiplies the result.
    factor: T,
    steps: Tables<RowSteps<T>>,
}

#[derive(Debug)]
struct RowSteps<T: Real> {
    row: Steps<T>,
    /// A number of contiguous short rows, and the steps for all of them in one call. A call for each row
    /// would take longer than its transform.
    together: Option<(usize, Steps<T>)>,
}

impl<T: Real> RowPass<T> {
    /// Plans the pass over the rows of a problem in blocks of `block` rows. A row of a series has one point.
    /// Without `options` it is a pass for phantoms, without kernels.
    ///
    /// # Errors
    ///
    /// * [`PlanError::NeedsOneArray`] for a batch, or an array whose strides have another order than the
    ///   problem's dimensions;
    /// * [`PlanError::NeedsMatrix`] for a series of real numbers;
    /// * [`PlanError::Matrix`] for blocks of no rows;
    /// * [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub(crate) fn new(
        problem: &UntypedProblem,
        block: usize,
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        let algorithm = "two-pass";
        check_lengths(problem.lengths())?;
        if problem.lengths().len() == 1 && problem.is_real() {
            return Err(PlanError::NeedsMatrix { algorithm });
        }
        let none = PlanError::NeedsOneArray { algorithm, what: "array of 2 or 3 dimensions" };
        Self::planned_rows(problem, none, block, options)
    }

    /// Plans a pass over the arrays of a batch in blocks of `block` arrays. Each array is a row, which the
    /// pass transforms in all of its dimensions.
    ///
    /// # Errors
    ///
    /// [`PlanError::NeedsArrays`] for arrays that interleave, and the errors of [`new`](Self::new).
    pub(crate) fn of_batch(
        problem: &UntypedProblem,
        block: usize,
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        check_lengths(problem.lengths())?;
        let mut rows = Self::planned_rows(&problem.stacked(), PlanError::NeedsArrays, block, options)?;
        if problem.shape().batch == 0 {
            // A program waits for a block.
            rows.cut = Cut::of(&[0]);
        }
        Ok(rows.with_factor(problem.factor()))
    }

    /// Plans the pass, or returns the error `none` if the problem is not one array of rows.
    fn planned_rows(
        problem: &UntypedProblem,
        none: PlanError,
        block: usize,
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        let lengths = problem.lengths();
        let points = problem.rows_of_points().filter(|_| problem.is_one_array());
        let points = points.ok_or(none)?;
        let pass = Self {
            cut: Cut::round(points.sides()[0], block)?,
            points,
            numbers: problem.rows_of_numbers(),
            in_place: problem.is_in_place(),
            row_len: lengths[1..].iter().fold(1, |row: usize, length| row.saturating_mul(*length)),
            columns_first: problem.numbers() == Some(1),
            direction: problem.to(),
            factor: T::of(problem.factor()),
            steps: Tables::none(),
        };
        let steps = Tables::planned(options, |options| pass.planned(problem, &Planned(options)))?;
        Ok(Self { steps, ..pass })
    }

    /// Returns the pass with another factor.
    pub(crate) fn with_factor(self, factor: f64) -> Self {
        Self { factor: T::of(factor), ..self }
    }

    fn planned(&self, problem: &UntypedProblem, kernels: &Planned<'_>) -> Result<RowSteps<T>, PlanError> {
        let lengths = problem.lengths();
        let (row, inner) = if lengths.len() > 1 { (&lengths[1..], 1) } else { (&[1][..], 0) };
        let [input, output] = problem
            .layouts()
            .map(|layout| Layout { strides: layout.strides[inner..].to_vec(), distance: layout.strides[0] });
        let steps = |rows: usize| {
            Steps::new(problem.elements(), &Shape::new(row).batch(rows), [&input, &output], kernels)
        };
        let bytes = self.points.cols * size_of::<Complex<T>>();
        let rows = (TOGETHER / bytes).min(self.block());
        let dense = self.points.is_dense() && (self.in_place || self.numbers.is_none_or(Rows::is_dense));
        let together = if dense && bytes < SHORT && rows > 1 { Some((rows, steps(rows)?)) } else { None };
        Ok(RowSteps { row: steps(1)?, together })
    }

    /// Returns the number of rows of a row block. The last block may have fewer.
    pub(crate) fn block(&self) -> usize {
        self.cut.rows().max().unwrap_or(0)
    }

    /// Returns the layout of the rows of points, and of the rows of real numbers.
    pub(crate) fn rows(&self) -> [Rows; 2] {
        [self.points, self.numbers.unwrap_or_default()]
    }

    /// Returns the number of points of a row, without the gap behind it.
    pub(crate) fn row_points(&self) -> usize {
        self.points.cols
    }

    pub(crate) fn sides(&self) -> [usize; 2] {
        self.points.sides()
    }

    /// Returns the rows and columns of the array of real numbers, if there is one.
    pub(crate) fn number_sides(&self) -> Option<[usize; 2]> {
        self.numbers.map(|numbers| numbers.sides())
    }

    /// Returns the number of points of scratch that a row block needs while it is transformed.
    pub(crate) fn scratch_len(&self) -> usize {
        self.steps.found().map_or(0, |RowSteps { row, together }| {
            row.scratch_len().max(together.as_ref().map_or(0, |(_, steps)| steps.scratch_len()))
        })
    }

    /// Returns the facts of the pass, in place or out of place. `None` if it is for phantoms.
    pub(crate) fn facts(&self, in_place: bool) -> Option<Vec<PassFacts>> {
        let (RowSteps { row, .. }, [rows, _]) = (self.steps.found()?, self.sides());
        let of_rows = |(pass, facts): (usize, PassFacts)| {
            let whole = if pass == 0 { rows } else { 1 };
            let (lines, bytes) = (rows * facts.lines, rows * facts.bytes);
            PassFacts { lines, bytes, footprint: whole * facts.footprint, ..facts }
        };
        Some(row.passes(in_place).into_iter().enumerate().map(of_rows).collect())
    }

    /// Returns the number of row blocks that return points, and the number that return real numbers, if the
    /// array of real numbers is separate or not.
    pub(super) fn home(&self, separate_numbers: bool) -> [usize; 2] {
        let blocks = self.cut.count();
        if separate_numbers && self.columns_first { [0, blocks] } else { [blocks, 0] }
    }

    /// Returns the pass on nodes that get neighboring blocks and send them home, without tiles. `None` if it
    /// is for phantoms.
    pub(super) fn passes_home(&self, problem: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let (uneven, parts) = (uneven_neighbours(self.cut.rows(), nodes), [self.cut.count(), 0]);
        let of_rows = |facts| Pass::alone(facts, size_of::<Complex<T>>()).shared(nodes, uneven, parts);
        Some(self.facts(replaces(problem))?.into_iter().map(of_rows).collect())
    }

    /// Returns the points of scratch, and the bytes of addresses, of blocks that nodes send home.
    pub(super) fn memory_home(&self, nodes: usize) -> (u64, u64) {
        let blocks = self.cut.count();
        let addresses = blocks as u64 * 2 * size_of::<Reply<Points<T>>>() as u64;
        ((blocks.min(nodes) * self.scratch_len()) as u64, addresses)
    }

    /// Returns how a transform of these rows and of columns uses its arrays, the bytes of its points, and the
    /// bytes that it moves.
    pub(crate) fn moves(&self) -> (&'static str, usize, usize) {
        let [points, numbers] = [Some(self.sides()), self.number_sides()]
            .map(|sides| sides.map_or(0, |[rows, cols]| rows * cols));
        let (points, numbers) = (points * size_of::<Complex<T>>(), numbers * size_of::<T>());
        let (way, moved) = match (self.in_place, self.columns_first) {
            (true, _) => ("in place", 4 * points),
            (false, false) => ("from real numbers to points", 4 * points + numbers),
            (false, true) => ("from points to real numbers", 2 * points + 3 * numbers),
        };
        (way, points, moved)
    }

    /// Checks that the arrays fit this pass.
    ///
    /// # Panics
    ///
    /// If they do not.
    #[track_caller]
    pub(super) fn check(&self, points: &Points<T>, numbers: Option<&Block<T>>, from: Option<&Points<T>>) {
        for points in [points].into_iter().chain(from) {
            let found = [points.rows(), points.cols()];
            assert_eq!(found, self.sides(), "the rows and columns of the array differ from the plan's");
            self.steps.check(points);
        }
        assert!(numbers.is_none() || from.is_none(), "the input is either numbers or points");
        match numbers {
            None => assert!(self.in_place, "the plan needs an array of real numbers"),
            Some(numbers) => {
                let found = Some([numbers.rows(), numbers.cols()]);
                assert_eq!(
                    found,
                    self.number_sides(),
                    "the rows and columns of the real numbers differ from the plan's"
                );
            }
        }
    }

    pub(crate) fn work(&self, rows: usize) -> Work {
        if self.numbers.is_some() {
            work::real_row_fft(rows, self.row_len)
        } else {
            work::row_fft(rows, self.row_len)
        }
    }

    /// Transforms rows, in all dimensions except the first, and multiplies them by the factor. The points are
    /// transformed in place, from the points in `from`, or from or to real numbers.
    pub(super) fn transform(
        &self,
        points: &mut Points<T>,
        numbers: Option<&mut Block<T>>,
        from: Option<&Points<T>>,
    ) {
        let dense = points.as_slice().is_some()
            && numbers.as_deref().is_none_or(|of| of.as_slice().is_some())
            && from.is_none_or(|of| of.as_slice().is_some());
        let turn = if dense { self.together() } else { 1 };
        let operand = match (numbers, from) {
            (None, None) => Operand::InPlace,
            (None, Some(from)) => Operand::From(pieces(from, turn)),
            (Some(numbers), _) if self.columns_first => Operand::ToNumbers(pieces_mut(numbers, turn)),
            (Some(numbers), _) => Operand::FromNumbers(pieces(numbers, turn)),
        };
        self.run(points.cols(), pieces_mut(points, turn), operand);
    }

    /// Transforms consecutive rows without gaps, as [`transform`](Self::transform) does.
    pub(crate) fn transform_dense(&self, points: &mut [Complex<T>], operand: DenseOperand<'_, T>) {
        let (turn, cols) = (self.together(), self.points.cols);
        let width = self.numbers.map_or(0, |numbers| numbers.cols);
        let operand = match operand {
            DenseOperand::InPlace => Operand::InPlace,
            DenseOperand::FromNumbers(numbers) => Operand::FromNumbers(Box::new(turns(numbers, turn, width))),
            DenseOperand::ToNumbers(numbers) => Operand::ToNumbers(Box::new(turns_mut(numbers, turn, width))),
        };
        self.run(cols, turns_mut(points, turn, cols), operand);
    }

    /// Returns the second array of some consecutive rows, given the second array of all rows and the range of
    /// the points of these rows.
    pub(crate) fn rows_of<'a>(
        &self,
        operand: DenseOperand<'a, T>,
        points: Range<usize>,
    ) -> DenseOperand<'a, T> {
        let (cols, width) = (self.points.cols, self.numbers.map_or(0, |numbers| numbers.cols));
        let numbers = points.start / cols * width..points.end / cols * width;
        match operand {
            DenseOperand::InPlace => DenseOperand::InPlace,
            DenseOperand::FromNumbers(from) => DenseOperand::FromNumbers(&from[numbers]),
            DenseOperand::ToNumbers(to) => DenseOperand::ToNumbers(&mut to[numbers]),
        }
    }

    /// Returns the number of short rows that one call transforms, if rows have no gaps.
    fn together(&self) -> usize {
        self.steps.get().together.as_ref().map_or(1, |(rows, _)| *rows)
    }

    /// Transforms pieces: single rows of `cols` points, or the rows that one call transforms.
    fn run<'a>(
        &self,
        cols: usize,
        points: impl Iterator<Item = &'a mut [Complex<T>]>,
        operand: Operand<'a, T>,
    ) {
        let RowSteps { row, together } = self.steps.get();
        let mut scratch = scratch(self.scratch_len());
        let bytes = self.sides().iter().product::<usize>() * size_of::<Complex<T>>();
        let width = self.numbers.map_or(0, |numbers| numbers.cols);
        let mut process = |points: usize, mut slices: Slices<'_, T>| {
            let steps = together.as_ref().filter(|_| points > cols).map_or(row, |(_, steps)| steps);
            let done = steps.process(self.direction, self.factor, &mut slices, &mut scratch);
            done.unwrap_or_else(|error| panic!("{error}"));
        };
        match operand {
            Operand::InPlace => points.for_each(|points| {
                fetch(points, cols, bytes);
                process(
                    points.len(),
                    match self.numbers {
                        None => Slices::InPlace(points),
                        Some(_) => Slices::Padded(bytemuck::cast_slice_mut(points)),
                    },
                );
            }),
            Operand::From(from) => points.zip(from).for_each(|(points, from)| {
                fetch(from, cols, bytes);
                process(points.len(), Slices::OutOfPlace(from, points));
            }),
            Operand::FromNumbers(numbers) => points.zip(numbers).for_each(|(points, numbers)| {
                fetch(numbers, width, bytes);
                process(points.len(), Slices::RealToComplex(numbers, points));
            }),
            Operand::ToNumbers(numbers) => points.zip(numbers).for_each(|(points, numbers)| {
                fetch(points, cols, bytes);
                process(points.len(), Slices::ComplexToReal(points, numbers));
            }),
        }
    }
}

/// Checks the number of dimensions, and that each has points. Phantoms may have any number of points.
fn check_lengths(lengths: &[usize]) -> Result<(), ProblemError> {
    match lengths.iter().position(|&length| length == 0) {
        _ if !(1..=3).contains(&lengths.len()) => Err(ProblemError::Dimensions(lengths.len())),
        Some(dimension) => Err(ProblemError::NoPoints(dimension)),
        None => Ok(()),
    }
}

/// Second array of a transform of rows, in the pieces that calls transform.
enum Operand<'a, T> {
    InPlace,
    From(Box<dyn Iterator<Item = &'a [Complex<T>]> + 'a>),
    FromNumbers(Box<dyn Iterator<Item = &'a [T]> + 'a>),
    ToNumbers(Box<dyn Iterator<Item = &'a mut [T]> + 'a>),
}

/// Second array of a transform of consecutive rows without gaps.
#[derive(Debug)]
pub(crate) enum DenseOperand<'a, T> {
    /// The points are transformed in place.
    InPlace,
    /// Real numbers of the input, which are only read.
    FromNumbers(&'a [T]),
    /// Memory of the real numbers of the output.
    ToNumbers(&'a mut [T]),
}

/// Yields the rows of a block: `turn` rows at a time, and the remaining rows one by one.
fn pieces<E: Element>(block: &Block<E>, turn: usize) -> Box<dyn Iterator<Item = &[E]> + '_> {
    match block.as_slice().filter(|_| turn > 1) {
        Some(whole) => Box::new(turns(whole, turn, block.cols())),
        None => Box::new(block.iter_rows()),
    }
}

fn pieces_mut<E: Element>(block: &mut Block<E>, turn: usize) -> Box<dyn Iterator<Item = &mut [E]> + '_> {
    if turn == 1 {
        return Box::new(block.iter_rows_mut());
    }
    let cols = block.cols();
    Box::new(turns_mut(block.as_mut_slice().unwrap_or_default(), turn, cols))
}

/// Yields rows of `cols` elements: `turn` rows at a time, and the remaining rows one by one.
fn turns<E>(whole: &[E], turn: usize, cols: usize) -> impl Iterator<Item = &[E]> {
    let (turns, rest) = whole.split_at(whole.len() / (turn * cols).max(1) * turn * cols);
    turns.chunks((turn * cols).max(1)).chain(rest.chunks(cols.max(1)))
}

fn turns_mut<E>(whole: &mut [E], turn: usize, cols: usize) -> impl Iterator<Item = &mut [E]> {
    let (turns, rest) = whole.split_at_mut(whole.len() / (turn * cols).max(1) * turn * cols);
    turns.chunks_mut((turn * cols).max(1)).chain(rest.chunks_mut(cols.max(1)))
}
