//! How programs on arrays of 2 or 3 dimensions take the arrays of a call: lent to the machine where they lie.

use earth::{Block, Machine, Run};
use earth_kernels::Real;
use earth_memory::{lend_rows, lend_rows_for_reading};
use num_complex::Complex;

use crate::dataflow::Done;
use crate::dataflow::points::Points;
use crate::dataflow::row_pass::RowPass;
use crate::plan::TransformError;
use crate::problem::{Data, Rows, Slices, UntypedProblem};

/// The real numbers of a run, or its points that are kept, beside the points of its result.
pub type Input<T> = (Option<Block<T>>, Option<Block<Complex<T>>>);

/// A program that transforms an array in its own memory, or beside its real numbers.
pub trait ArrayProgram<T: Real> {
    /// The rows and columns of points.
    fn sides(&self) -> [usize; 2];

    /// The pass over rows, of programs that take gaps between rows, real numbers, and points that are kept.
    fn row_pass(&self) -> Option<&RowPass<T>> {
        None
    }

    /// Runs it on blocks.
    ///
    /// # Errors
    ///
    /// Too little memory, or the errors of the machine.
    fn run_blocks(
        &self,
        machine: &mut Machine,
        points: Points<T>,
        input: Input<T>,
    ) -> Result<Run<Done<T>>, TransformError>;

    /// Runs it on the input of a problem, or on a phantom.
    fn run_input(
        &self,
        machine: &mut Machine,
        problem: &UntypedProblem,
        input: Option<Data<T>>,
    ) -> Result<Run<Done<T>>, TransformError> {
        let numbers = self.row_pass().and_then(RowPass::number_sides).unwrap_or_default();
        let numbers = Some(numbers).filter(|_| !problem.is_padded());
        let (points, numbers) = problem.elements().arrays(input, self.sides(), numbers)?;
        self.run_blocks(machine, points, (numbers, None))
    }

    /// Runs it on the slices of a call, where they lie.
    fn run_lent(&self, machine: &mut Machine, slices: &mut Slices<'_, T>) -> Result<bool, TransformError> {
        let dense = || [Rows::dense(self.sides()), Rows::default()];
        let [of_points, of_numbers] = self.row_pass().map_or_else(dense, RowPass::rows);
        let [span, width] = [of_points, of_numbers].map(|rows| rows.span());
        let mut run = |points: &mut [Complex<T>], input| {
            let run = |points| self.run_blocks(machine, points, input).map(drop);
            lend_rows(points, of_points.sides(), of_points.distance, run)?
        };
        match slices {
            Slices::InPlace(points) => {
                let Some(points) = points.get_mut(..span) else { return Ok(false) };
                run(points, (None, None))?;
            }
            Slices::OutOfPlace(input, output) => {
                let both = input.get(..span).zip(output.get_mut(..span));
                let Some((input, output)) = both else { return Ok(false) };
                if self.row_pass().is_some() {
                    lend_rows_for_reading(input, of_points.sides(), of_points.distance, |input| {
                        run(output, (None, Some(input)))
                    })??;
                } else {
                    for (at, len) in of_points.lines() {
                        output[at..][..len].copy_from_slice(&input[at..][..len]);
                    }
                    run(output, (None, None))?;
                }
            }
            Slices::Padded(numbers) => {
                let in_place = self.row_pass().is_some_and(RowPass::is_in_place);
                let points = numbers.get_mut(..2 * span).filter(|_| in_place);
                let Some(points) = points else { return Ok(false) };
                run(bytemuck::cast_slice_mut(points), (None, None))?;
            }
            Slices::RealToComplex(numbers, points) => {
                let both = numbers.get(..width).zip(points.get_mut(..span));
                let Some((numbers, points)) = both else { return Ok(false) };
                lend_rows_for_reading(numbers, of_numbers.sides(), of_numbers.distance, |numbers| {
                    run(points, (Some(numbers), None))
                })??;
            }
            Slices::ComplexToReal(points, numbers) => {
                let both = points.get_mut(..span).zip(numbers.get_mut(..width));
                let Some((points, numbers)) = both else { return Ok(false) };
                lend_rows(numbers, of_numbers.sides(), of_numbers.distance, |numbers| {
                    run(points, (Some(numbers), None))
                })??;
            }
        }
        Ok(true)
    }
}

/// How a transform in two passes uses its arrays, the bytes of its points, and the bytes that it moves.
pub(crate) fn in_two_passes<T: Real>(rows: &RowPass<T>) -> (&'static str, usize, usize) {
    let [points, numbers] =
        [Some(rows.sides()), rows.number_sides()].map(|sides| sides.map_or(0, |[rows, cols]| rows * cols));
    let (points, numbers) = (points * size_of::<Complex<T>>(), numbers * size_of::<T>());
    let (way, moved) = match (rows.is_in_place(), rows.columns_first()) {
        (true, _) => ("in place", 4 * points),
        (false, false) => ("from real numbers to points", 4 * points + numbers),
        (false, true) => ("from points to real numbers", 2 * points + 3 * numbers),
    };
    (way, points, moved)
}
