//! The plan that all strips and row blocks of a transform share: its form, the cut of the matrix, and its two
//! passes.

use std::fmt;
use std::ops::Range;

use earth::Work;
use earth_codelets::{Isa, mirror};
use earth_kernels::{Direction, Real, near_cube, near_square};
use earth_memory::{NoMemory, try_collected};
use earth_serial::{CallError, ColumnPlan, PassFacts, TransposingPlan};
use num_complex::Complex;
use parking_lot::Mutex;

use super::PointRoom;
use crate::dataflow::cut::Side;
use crate::dataflow::pairs::Pairs;
use crate::dataflow::points::{LINE, Points, or_unwind, scratch};
use crate::dataflow::tables::Tables;
use crate::dataflow::{MatrixError, work};
use crate::kernel::{Planned, RowOptions};
use crate::planner::PlanError;
use crate::problem::UntypedProblem;

/// Sides are preferably multiples of this number of lanes.
const LANES: usize = 8;

/// Matrix of a series, and how its rows are transformed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Form {
    /// Rows and columns of the matrix.
    pub sides: [usize; 2],
    /// Whether each row is transformed as a matrix of its own.
    pub nested: bool,
}

impl Form {
    /// Returns the matrix of two nearly equal factors. `None` if there are no such factors.
    pub fn near_square(points: usize) -> Option<Self> {
        near_square(points, LANES, 2).map(Self::from)
    }

    /// Returns the matrix of the FFTE variant: a factor near the cube root, with nested rows. `None` if there
    /// are no such factors.
    pub fn near_cube(points: usize) -> Option<Self> {
        near_cube(points, LANES, 2).map(|sides| Self { sides, nested: true })
    }

    fn algorithm(&self) -> &'static str {
        if self.nested { "ffte" } else { "transpose" }
    }
}

/// Makes a matrix of these rows and columns, whose rows are not nested.
impl From<[usize; 2]> for Form {
    fn from(sides: [usize; 2]) -> Self {
        Self { sides, nested: false }
    }
}

/// Plan of the transform of a series in two passes.
#[derive(Debug)]
pub struct TransposePlan<T: Real> {
    form: Form,
    /// Number of transforms side by side: each point of the series is a tuple of `width` points.
    width: usize,
    /// Cut of the rows, and cut of the columns.
    cuts: [Side; 2],
    /// Which array has real numbers: 0 the input, 1 the output, or `None`.
    numbers: Option<usize>,
    direction: Direction,
    /// Factor that multiplies the result.
    factor: T,
    passes: Tables<Passes<T>>,
    /// The second matrix, unless a run has it.
    second: Mutex<Option<Points<T>>>,
}

#[derive(Debug)]
struct Passes<T: Real> {
    columns: ColumnPlan<T>,
    rows: TransposingPlan<T>,
    pairs: Option<Pairs<T>>,
}

impl<T: Real> TransposePlan<T> {
    /// Plans the transform of one series without gaps as a matrix of points, in row blocks of `blocks[0]`
    /// rows and strips of `blocks[1]` columns. Two real numbers are one point. Without `options` the plan is
    /// for phantoms.
    ///
    /// # Errors
    ///
    /// [`PlanError::NeedsOneArray`] for a batch, an array with gaps, or an array with another number of
    /// points than the matrix, [`PlanError::NotPairs`] for an odd number of real numbers,
    /// [`PlanError::Matrix`] for blocks of no rows or columns, [`PlanError::Problem`] and
    /// [`PlanError::Kernel`].
    pub fn new(
        problem: &UntypedProblem,
        form: impl Into<Form>,
        blocks: [usize; 2],
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        let form = form.into();
        let [rows, cols] = form.sides;
        let (numbers, algorithm) = (problem.numbers(), form.algorithm());
        let Some(points) = problem.points().filter(|_| problem.is_dense() && problem.shape().batch == 1)
        else {
            return Err(PlanError::NeedsOneArray { algorithm, what: "series" });
        };
        if numbers.is_some() && !points.is_multiple_of(2) {
            return Err(PlanError::NotPairs { algorithm, n: points });
        }
        let points = if numbers.is_some() { points / 2 } else { points };
        if rows.checked_mul(cols) != Some(points) || problem.lengths().len() != 1 {
            return Err(PlanError::NeedsOneArray { algorithm, what: "series" });
        }
        if points == 0 {
            return Err(MatrixError::NoPoints { rows, cols }.into());
        }
        let plan = Self::cut_up(problem.to(), T::of(problem.factor()), form, 1, blocks, numbers)?;
        // The pairs are columns of the result, or columns of the matrix.
        let pairs = |array: usize| {
            let kernel = mirror(Isa::best(), 2 * points);
            let kernel =
                kernel.unwrap_or_else(|| unreachable!("two numbers a point of fewer than 2^53 points"));
            Pairs::new(kernel, if array == 0 { [cols, rows] } else { [rows, cols] }, array == 0)
        };
        let passes = Tables::planned(options, |options| {
            let (kernels, turned) =
                (Planned(options), if form.nested { TransposingPlan::nested } else { TransposingPlan::new });
            let (columns, rows) = (ColumnPlan::new(rows, &kernels)?, turned(cols, rows, &kernels)?);
            Ok::<_, PlanError>(Passes { columns, rows, pairs: numbers.map(pairs) })
        })?;
        Ok(Self { passes, ..plan })
    }

    /// Plans the transform of the `width` columns of a matrix, each as a matrix of `sides`. These matrices
    /// are cut into row blocks of `blocks[0]` rows and strips of `blocks[1]` columns. Without `options` the
    /// plan is for phantoms.
    ///
    /// # Errors
    ///
    /// [`PlanError::Matrix`] for blocks of no rows or columns, [`PlanError::Problem`] and
    /// [`PlanError::Kernel`].
    pub(crate) fn of_columns(
        direction: Direction,
        sides: [usize; 2],
        width: usize,
        blocks: [usize; 2],
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        let plan = Self::cut_up(direction, T::one(), sides.into(), width, blocks, None)?;
        let [rows, cols] = sides;
        let passes = Tables::planned(options, |options| {
            let kernels = Planned(options);
            let columns = ColumnPlan::new(rows, &kernels)?;
            let rows = TransposingPlan::tuples(cols, rows, width, &kernels)?;
            Ok::<_, PlanError>(Passes { columns, rows, pairs: None })
        })?;
        Ok(Self { passes, ..plan })
    }

    fn cut_up(
        direction: Direction,
        factor: T,
        form: Form,
        width: usize,
        blocks: [usize; 2],
        numbers: Option<usize>,
    ) -> Result<Self, PlanError> {
        let cut = |side: usize| Side::new(form.sides[side], width, blocks[side], numbers == Some(side));
        let (cuts, passes, second) = ([cut(0)?, cut(1)?], Tables::none(), Mutex::default());
        Ok(Self { form, width, cuts, numbers, direction, factor, passes, second })
    }

    /// Returns how the rows (0) or the columns (1) are cut.
    ///
    /// # Panics
    ///
    /// If `pass` is neither.
    pub fn cut(&self, pass: usize) -> &Side {
        &self.cuts[pass]
    }

    /// Returns the rows and columns of the matrix.
    pub fn sides(&self) -> [usize; 2] {
        self.form.sides
    }

    /// Returns the rows and columns of the matrix in points, and the rows and columns of the result.
    pub(crate) fn arrays(&self) -> [[usize; 2]; 2] {
        let ([rows, cols], width) = (self.form.sides, self.width);
        [[rows, cols * width], [cols, rows * width]]
    }

    /// Returns the form.
    pub fn form(&self) -> Form {
        self.form
    }

    /// Returns which array has real numbers, two a point: 0 the input, 1 the output, or `None`. The other
    /// array has one point more than the matrix.
    pub fn numbers(&self) -> Option<usize> {
        self.numbers
    }

    /// Returns the number of rows of a row block. The last one may have fewer.
    pub(crate) fn block(&self) -> usize {
        self.cuts[0].lines_of(0)
    }

    /// Returns the points of scratch that a strip and a row block need while they are transformed.
    pub(crate) fn scratch_lens(&self) -> [usize; 2] {
        if self.passes.is_none() {
            return [0; 2];
        }
        let Passes { columns, rows, pairs } = self.passes.get();
        let of = |array| pairs.as_ref().filter(|_| self.numbers == Some(array)).map_or(0, Pairs::scratch_len);
        [columns.scratch_len_of(self.arrays()[0][1]) + of(1), rows.scratch_len() + of(0)]
    }

    /// Returns the facts of the passes in their order, each with the side that it goes along. `None` in a
    /// plan for phantoms.
    pub(crate) fn passes(&self) -> Option<Vec<(usize, PassFacts)>> {
        let Passes { columns, rows, .. } = self.passes.found()?;
        let (columns, rows) = (columns.facts(self.arrays()[0][1]), rows.facts());
        let of = |side, facts| (side, PassFacts { real: self.numbers == Some(side), ..facts });
        // Columns go into the second matrix.
        Some(vec![of(1, PassFacts { footprint: columns.bytes, ..columns }), of(0, rows)])
    }

    /// Takes the second matrix out of the plan, or allocates it if a run has it. It is aligned to a cache
    /// line. It is a phantom if the plan is for phantoms.
    ///
    /// # Errors
    ///
    /// [`NoMemory`].
    pub(crate) fn second(&self) -> Result<Points<T>, NoMemory> {
        if let Some(kept) = self.second.try_lock().and_then(|mut second| second.take()) {
            return Ok(kept);
        }
        let [[rows, cols], _] = self.arrays();
        let (points, line) = (rows * cols, LINE / size_of::<Complex<T>>());
        if self.passes.is_none() || u32::try_from(points + line).is_err() {
            return self.passes.zeroed(rows, cols);
        }
        let whole: Points<T> = self.passes.zeroed(1, points + line)?;
        let before = whole.row(0).as_ptr().align_offset(LINE).min(line);
        let (second, _) = whole.split_cols(before).1.split_cols(points);
        Ok(second.reshape(rows, cols).unwrap_or_else(|(_, error)| panic!("{error}")))
    }

    /// Keeps the second matrix for the next run.
    pub(crate) fn keep(&self, second: Option<PointRoom<T>>) {
        if let (Some(second), Some(mut kept)) = (second, self.second.try_lock()) {
            *kept = Some(second.into_block());
        }
    }

    /// Checks that points are a phantom if the plan is for phantoms.
    ///
    /// # Panics
    ///
    /// If the plan is for phantoms and `points` are not a phantom.
    #[track_caller]
    pub(super) fn check(&self, points: &Points<T>) {
        self.passes.check(points);
    }

    /// Returns the work of transforming the columns of a strip (1), or the rows of a row block (0).
    pub(super) fn work(&self, pass: usize, worker: usize) -> Work {
        let lines = self.width * self.cuts[pass].lines_of(worker);
        let len = self.sides()[1 - pass];
        if self.numbers == Some(pass) { work::paired_rows(lines, len) } else { work::row_fft(lines, len) }
    }

    /// Transforms the columns of a strip into the second matrix, or in place without that matrix. If the
    /// columns are first merged in pairs, the first strip has the last point of the spectrum in `last`.
    pub(super) fn transform_columns(
        &self,
        strip: usize,
        mut series: Vec<&mut Points<T>>,
        second: &mut [Points<T>],
        last: Option<Complex<T>>,
    ) {
        let Passes { columns: plan, pairs, .. } = self.passes.get();
        let mut scratch = scratch(self.scratch_lens()[0]);
        let parts: Vec<_> = self.cuts[1].parts_of(strip).map(|part| self.cuts[1].lines(part)).collect();
        let Some(pairs) = pairs.as_ref().filter(|_| self.numbers == Some(1)) else {
            match second {
                [] => {
                    let mut rows = or_unwind(try_collected(series[0].iter_rows_mut(), "a list of rows"));
                    done(plan.process(self.direction, &mut rows, &mut scratch));
                }
                [second, ..] => {
                    let from = or_unwind(try_collected(series[0].iter_rows(), "a list of rows"));
                    let mut to = or_unwind(try_collected(second.iter_rows_mut(), "a list of rows"));
                    done(plan.process_into(self.direction, &from, &mut to, &mut scratch));
                }
            }
            return;
        };
        let (room, scratch) = scratch.split_at_mut(pairs.scratch_len());
        for batch in pairs.batches(parts[0].clone()) {
            let mut merged = pairs.rows(room, &batch);
            let [low, high] = &mut merged;
            let from = [0, 1].map(|part| match parts.get(part) {
                Some(lines) if !batch[part].is_empty() => columns_of(series[part], lines, &batch[part]),
                _ => Vec::new(),
            });
            pairs.step(T::one(), &batch[0], [&from[0], &from[1]], [low, high]);
            if let Some(last) = last.filter(|_| batch[0].start == 0) {
                let first = from[0][0][0].re;
                low[0][0] = Complex::new(first + last.re, first - last.re);
            }
            for (part, merged) in merged.iter().enumerate().filter(|(part, _)| !batch[*part].is_empty()) {
                let merged: Vec<_> = merged.iter().map(|row| &**row).collect();
                let to = if let Some(second) = second.get_mut(part) { second } else { &mut *series[part] };
                let mut to = columns_of_mut(to, &parts[part], &batch[part]);
                done(plan.process_into(self.direction, &merged, &mut to, scratch));
            }
        }
    }

    /// Transforms the rows of a row block into columns of the result. If these are then split in pairs, the
    /// row block with column 0 returns the last point of the spectrum.
    pub(super) fn transform_rows(
        &self,
        block: usize,
        rows: &[Points<T>],
        result: &mut [Points<T>],
    ) -> Option<Complex<T>> {
        let Passes { rows: plan, pairs, .. } = self.passes.get();
        let mut scratch = scratch(self.scratch_lens()[1]);
        let parts: Vec<_> = self.cuts[0].parts_of(block).map(|part| self.cuts[0].lines(part)).collect();
        let from: Vec<Vec<_>> = rows.iter().map(|part| part.iter_rows().collect()).collect();
        let Some(pairs) = pairs.as_ref().filter(|_| self.numbers == Some(0)) else {
            let (part, mut to) =
                (&parts[0], or_unwind(try_collected(result[0].iter_rows_mut(), "a list of rows")));
            done(plan.process(self.direction, self.factor, part.start, &from[0], &mut to, &mut scratch));
            return None;
        };
        let (room, scratch) = scratch.split_at_mut(pairs.scratch_len());
        let mut last = None;
        for batch in pairs.batches(parts[0].clone()) {
            let mut turned = pairs.rows(room, &batch);
            for (part, turned) in turned.iter_mut().enumerate().filter(|(part, _)| !batch[*part].is_empty()) {
                let begin = batch[part].start - parts[part].start;
                let from = &from[part][begin..begin + batch[part].len()];
                done(plan.process(self.direction, T::one(), batch[part].start, from, turned, scratch));
            }
            let turned = turned.each_ref().map(|rows| rows.iter().map(|row| &**row).collect::<Vec<_>>());
            let (low, high) = result.split_at_mut(1);
            let mut low = columns_of_mut(&mut low[0], &parts[0], &batch[0]);
            let mut high = match high {
                [high] if !batch[1].is_empty() => columns_of_mut(high, &parts[1], &batch[1]),
                _ => Vec::new(),
            };
            pairs.step(self.factor, &batch[0], [&turned[0], &turned[1]], [&mut low, &mut high]);
            if batch[0].start == 0 {
                let Complex { re, im } = turned[0][0][0];
                low[0][0] = Complex::new(self.factor * (re + im), T::zero());
                last = Some(Complex::new(self.factor * (re - im), T::zero()));
            }
        }
        last
    }
}

/// Returns some columns of a part, row by row.
fn columns_of<'a, T: Real>(
    block: &'a Points<T>,
    part: &Range<usize>,
    columns: &Range<usize>,
) -> Vec<&'a [Complex<T>]> {
    let columns = columns.start - part.start..columns.end - part.start;
    or_unwind(try_collected(block.iter_rows().map(|row| &row[columns.clone()]), "a list of rows"))
}

fn columns_of_mut<'a, T: Real>(
    block: &'a mut Points<T>,
    part: &Range<usize>,
    columns: &Range<usize>,
) -> Vec<&'a mut [Complex<T>]> {
    let columns = columns.start - part.start..columns.end - part.start;
    or_unwind(try_collected(block.iter_rows_mut().map(|row| &mut row[columns.clone()]), "a list of rows"))
}

/// Unwraps the result of a pass, whose blocks have the plan's sizes.
#[track_caller]
fn done(done: Result<(), CallError>) {
    done.unwrap_or_else(|error| panic!("{error}"));
}

/// Writes both passes: `columns of 512 by earth-avx2, then rows of 512 into columns by earth-avx2`.
impl<T: Real> fmt::Display for TransposePlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Passes { columns, rows, .. }) = self.passes.found() else {
            return f.write_str("columns, then rows into columns");
        };
        match self.numbers {
            None => write!(f, "{columns}, then {rows}"),
            Some(0) => write!(f, "{columns}, then {rows}, in pairs"),
            Some(_) => write!(f, "{columns}, in pairs, then {rows}"),
        }
    }
}
