//! The plan of a stage: transforms of a chunk of a rank's part, in place or between two arrays.

use std::fmt;

use earth::Work;
use earth_kernels::{Direction, Real};
use earth_memory::try_collected;
use earth_serial::ColumnPlan;
use num_complex::Complex;

use super::distribution::Part;
use super::route::{Route, Transform};
use crate::dataflow::points::{or_unwind, scratch};
use crate::dataflow::row_pass::{DenseOperand, RowPass};
use crate::dataflow::tables::Tables;
use crate::dataflow::work;
use crate::kernel::{Planned, RowOptions};
use crate::planner::PlanError;
use crate::problem::{Elements, Problem, UntypedProblem};

/// Transforms of a stage, in their order.
#[derive(Debug)]
pub(super) struct StagePlan<T: Real>(Vec<TransformPlan<T>>);

#[derive(Debug)]
enum TransformPlan<T: Real> {
    /// Rows, which the factor of the whole transform multiplies.
    Rows(RowPass<T>),
    Columns {
        dimension: usize,
        direction: Direction,
        plan: Tables<ColumnPlan<T>>,
    },
}

impl<T: Real> StagePlan<T> {
    /// Plans a stage of a problem. Without `options` the plan is for phantoms.
    ///
    /// # Errors
    ///
    /// [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub(super) fn new(
        problem: &UntypedProblem,
        route: &Route,
        stage: usize,
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        let transform = |transform: &Transform| match *transform {
            Transform::Rows { first } => {
                let part = |rank| route.part(stage, rank);
                let rows = |rank| part(rank).len() / part(rank).product(first).max(1);
                let rows = (0..route.ranks()).map(rows).max().unwrap_or(0).max(1);
                // The batch is the first length of the route, and no length of the problem.
                let lengths = [&[rows], &problem.lengths()[first - 1..]].concat();
                let pass = RowPass::new(&rows_of(problem, &lengths), rows, options)?;
                Ok(TransformPlan::Rows(pass.with_factor(problem.factor())))
            }
            Transform::Columns { dimension } => {
                let length = problem.lengths()[dimension - 1];
                let plan = Tables::planned(options, |options| ColumnPlan::new(length, &Planned(options)))?;
                Ok(TransformPlan::Columns { dimension, direction: problem.to(), plan })
            }
        };
        let transforms = &route.stages()[stage].transforms;
        transforms.iter().map(transform).collect::<Result<_, _>>().map(Self)
    }

    /// Returns whether a transform of the stage takes a second array: the input, or real numbers.
    pub(super) fn has_rows(&self) -> bool {
        self.0.iter().any(|transform| matches!(transform, TransformPlan::Rows(_)))
    }

    /// Returns whether the first transform takes a second array.
    pub(super) fn starts_with_rows(&self) -> bool {
        matches!(self.0.first(), Some(TransformPlan::Rows(_)))
    }

    /// Returns the work of a chunk.
    pub(super) fn work(&self, chunk: &Part) -> Vec<Work> {
        let work = |transform: &TransformPlan<T>| match transform {
            TransformPlan::Rows(pass) => pass.work(chunk.len() / pass.row_points()),
            TransformPlan::Columns { dimension, .. } => {
                let length = chunk.length(*dimension);
                work::row_fft(chunk.len() / length.max(1), length)
            }
        };
        self.0.iter().map(work).collect()
    }

    /// Transforms a chunk of a part in place. `operand` is the second array of its rows: of all rows of the
    /// part.
    pub(super) fn transform(
        &self,
        [part, chunk]: [&Part; 2],
        points: &mut [Complex<T>],
        operand: DenseOperand<'_, T>,
    ) {
        let mut operand = Some(operand);
        for transform in &self.0 {
            match transform {
                TransformPlan::Rows(pass) => {
                    // All dimensions after the one of the chunks are whole, so the chunk is consecutive.
                    let (first, len) = (part.offset_of(chunk), chunk.len());
                    let operand = operand.take().unwrap_or(DenseOperand::InPlace);
                    pass.transform_dense(
                        &mut points[first..][..len],
                        pass.rows_of(operand, first..first + len),
                    );
                }
                TransformPlan::Columns { dimension, direction, plan } => {
                    transform_columns(plan.get(), *direction, [part, chunk], *dimension, points);
                }
            }
        }
    }
}

/// Writes the transforms after the lengths of a part, for example `: rows, then columns of 512 by earth-avx2`.
impl<T: Real> fmt::Display for StagePlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, transform) in self.0.iter().enumerate() {
            f.write_str(if number == 0 { ": " } else { ", then " })?;
            match transform {
                TransformPlan::Rows(_) => f.write_str("rows")?,
                TransformPlan::Columns { plan, .. } => match plan.found() {
                    Some(plan) => write!(f, "{plan}")?,
                    None => f.write_str("columns")?,
                },
            }
        }
        Ok(())
    }
}

/// Transforms the columns of a chunk along a dimension.
fn transform_columns<T: Real>(
    plan: &ColumnPlan<T>,
    direction: Direction,
    [part, chunk]: [&Part; 2],
    dimension: usize,
    points: &mut [Complex<T>],
) {
    let (stride, width) = (part.product(dimension + 1), chunk.product(dimension + 1));
    let matrix = part.product(dimension);
    if chunk.is_empty() {
        return;
    }
    let mut scratch = scratch(plan.scratch_len_of(width));
    let first = part.offset_of(chunk);
    // The chunk has consecutive matrices of the dimensions before, and in each of them the same columns.
    let (before, column) = (first / matrix, first % matrix);
    let matrices = chunk.len() / (chunk.length(dimension) * width);
    for matrix in points.chunks_mut(matrix).skip(before).take(matrices) {
        let rows = matrix.chunks_mut(stride).map(|row| &mut row[column..][..width]);
        let mut rows = or_unwind(try_collected(rows, "a list of rows"));
        plan.process(direction, &mut rows, &mut scratch).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Returns a problem of these lengths with the element types and the direction of another.
fn rows_of(problem: &UntypedProblem, lengths: &[usize]) -> UntypedProblem {
    match problem.elements() {
        Elements::ComplexToComplex => Problem::complex(lengths).direction(problem.to()).untyped(),
        Elements::RealToComplex => Problem::real_to_complex(lengths).untyped(),
        Elements::ComplexToReal => Problem::complex_to_real(lengths).untyped(),
    }
}
