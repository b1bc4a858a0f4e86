//! The plan of a stage: the transform of a chunk of a rank's part, from some pieces of it to others.
//!
//! The pieces are the rank's arrays, tiles that have arrived, or tiles that will be sent. Columns are read
//! from where they are and written to where they will be, without a copy. Rows are gathered from tiles before
//! their transform, and copied to tiles after it, while a chunk is in the cache.

use std::fmt;

use earth::Work;
use earth_kernels::{Direction, Real};
use earth_memory::try_room;
use earth_serial::ColumnPlan;
use num_complex::Complex;

use super::distribution::Part;
use super::pieces::{Piece, PieceMut, copy, list_rows, list_rows_mut};
use super::route::{Route, Transform};
use crate::dataflow::points::{Points, or_unwind, scratch};
use crate::dataflow::row_pass::{DenseOperand, RowPass};
use crate::dataflow::tables::Tables;
use crate::dataflow::work;
use crate::kernel::{Planned, RowOptions};
use crate::planner::PlanError;
use crate::problem::{Elements, Problem, UntypedProblem};

/// Plan of the transform of a stage, if it has one.
#[derive(Debug)]
pub(super) enum StagePlan<T: Real> {
    /// The points are only copied.
    Copy,
    /// Rows, which the factor of the whole transform multiplies.
    Rows(RowPass<T>),
    Columns {
        dimension: usize,
        direction: Direction,
        plan: Tables<ColumnPlan<T>>,
    },
}

/// Copies of a chunk's points besides its transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Copies {
    /// Whether the points are gathered from several pieces before the transform.
    gathered: bool,
    /// Whether they are copied to several pieces after it.
    scattered: bool,
}

/// Real numbers of a stage: all numbers of the rank's part.
#[derive(Debug)]
pub(super) enum Numbers<'a, T> {
    /// The stage transforms no real numbers.
    None,
    /// The stage begins with real numbers.
    From(&'a [T]),
    /// The stage ends with real numbers.
    To(&'a mut [T]),
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
        Ok(match route.stages()[stage].transform {
            Transform::None => Self::Copy,
            Transform::Rows { first } => {
                let chunk =
                    |rank| route.chunks(stage, rank).into_iter().map(|chunk| chunk.matrices(first)).max();
                let rows = (0..route.ranks()).filter_map(chunk).max().unwrap_or(0).max(1);
                // The batch is the first length of the route, and no length of the problem.
                let lengths = [&[rows], &problem.lengths()[first - 1..]].concat();
                let pass = RowPass::new(&rows_of(problem, &lengths), rows, options)?;
                Self::Rows(pass.with_factor(problem.factor()))
            }
            Transform::Columns { dimension } => {
                let length = problem.lengths()[dimension - 1];
                let plan = Tables::planned(options, |options| ColumnPlan::new(length, &Planned(options)))?;
                Self::Columns { dimension, direction: problem.to(), plan }
            }
        })
    }

    /// Returns whether the stage transforms real numbers, if the problem has any.
    pub(super) fn has_rows(&self) -> bool {
        matches!(self, Self::Rows(_))
    }

    /// Returns the copies of a chunk's points from pieces with the parts `from` to pieces with the parts `to`.
    pub(super) fn copies<'a>(
        &self,
        chunk: &Part,
        elements: Elements,
        from: impl IntoIterator<Item = &'a Part>,
        to: impl IntoIterator<Item = &'a Part>,
    ) -> Copies {
        match self {
            Self::Copy => Copies { gathered: false, scattered: true },
            Self::Rows(_) => {
                let is_one =
                    |part: &Part| part.common(chunk).as_ref() == Some(chunk) && part.has_consecutive(chunk);
                Copies {
                    gathered: match elements {
                        Elements::ComplexToComplex => !from.into_iter().any(is_one),
                        Elements::RealToComplex => false,
                        // The transform overwrites its points.
                        Elements::ComplexToReal => true,
                    },
                    scattered: elements != Elements::ComplexToReal && !to.into_iter().any(is_one),
                }
            }
            Self::Columns { dimension, .. } => {
                let is_cut = |part: &Part| {
                    part.common(chunk).is_some_and(|common| !common.has_lines_of(chunk, *dimension))
                };
                Copies { gathered: from.into_iter().any(is_cut), scattered: to.into_iter().any(is_cut) }
            }
        }
    }

    /// Returns the work of a chunk's transform and copies.
    pub(super) fn work(&self, chunk: &Part, copies: Copies) -> [Work; 2] {
        let copied = chunk.len() * (usize::from(copies.gathered) + usize::from(copies.scattered));
        let transform = match self {
            Self::Copy => work::row_fft(0, 1),
            Self::Rows(pass) => pass.work(chunk.len() / pass.row_points()),
            Self::Columns { dimension, .. } => {
                let length = chunk.length(*dimension);
                work::row_fft(chunk.len() / length.max(1), length)
            }
        };
        [transform, work::copy(copied)]
    }

    /// Transforms a chunk of a part, from pieces to pieces. `temporary` returns memory for a number of points.
    pub(super) fn transform(
        &self,
        [part, chunk]: [&Part; 2],
        copies: Copies,
        mut from: Vec<Piece<'_, T>>,
        mut to: Vec<PieceMut<'_, T>>,
        numbers: Numbers<'_, T>,
        temporary: impl Fn(usize) -> Points<T>,
    ) {
        if chunk.is_empty() {
            return;
        }
        let (mut before, mut after);
        if copies.gathered {
            before = temporary(chunk.len());
            copy(chunk, &from, &mut [whole_mut(chunk, &mut before)]);
            from = Vec::new();
        } else {
            before = Points::zeroed(0, 0);
        }
        match self {
            Self::Copy => copy(chunk, &from, &mut to),
            Self::Rows(pass) => {
                // All dimensions after the one of the chunks are whole, so the chunk is consecutive in its part.
                let first = part.offset_of(chunk);
                let of_chunk = |operand| pass.rows_of(operand, first..first + chunk.len());
                let scattered = copies.scattered;
                match numbers {
                    Numbers::To(numbers) => {
                        let points = whole_mut(chunk, &mut before).points;
                        pass.transform_dense(points, of_chunk(DenseOperand::ToNumbers(numbers)));
                    }
                    Numbers::None if copies.gathered && scattered => {
                        pass.transform_dense(whole_mut(chunk, &mut before).points, DenseOperand::InPlace);
                        copy(chunk, &[whole(chunk, &before)], &mut to);
                    }
                    numbers => {
                        let read = if copies.gathered { vec![whole(chunk, &before)] } else { from };
                        let operand = match numbers {
                            Numbers::From(numbers) => of_chunk(DenseOperand::FromNumbers(numbers)),
                            _ => DenseOperand::From(consecutive(chunk, &read)),
                        };
                        if scattered {
                            after = temporary(chunk.len());
                            pass.transform_dense(whole_mut(chunk, &mut after).points, operand);
                            copy(chunk, &[whole(chunk, &after)], &mut to);
                        } else {
                            pass.transform_dense(consecutive_mut(chunk, &mut to), operand);
                        }
                    }
                }
            }
            Self::Columns { dimension, direction, plan } => {
                let read = if copies.gathered { vec![whole(chunk, &before)] } else { from };
                let columns = |read, written: &mut [PieceMut<'_, T>]| {
                    transform_columns(plan.get(), *direction, chunk, *dimension, read, written);
                };
                if copies.scattered {
                    after = temporary(chunk.len());
                    columns(read, &mut [whole_mut(chunk, &mut after)]);
                    copy(chunk, &[whole(chunk, &after)], &mut to);
                } else {
                    columns(read, &mut to);
                }
            }
        }
    }
}

/// Returns the points of a chunk in memory of its own as a piece.
fn whole<'a, T: Real>(chunk: &Part, memory: &'a Points<T>) -> Piece<'a, T> {
    Piece { part: chunk.clone(), points: memory.as_slice().unwrap_or_default() }
}

fn whole_mut<'a, T: Real>(chunk: &Part, memory: &'a mut Points<T>) -> PieceMut<'a, T> {
    PieceMut { part: chunk.clone(), points: memory.as_mut_slice().unwrap_or_default() }
}

/// Returns the points of a chunk in the piece that has all of them.
fn consecutive<'a, T: Real>(chunk: &Part, pieces: &[Piece<'a, T>]) -> &'a [Complex<T>] {
    let piece = pieces.iter().find(|piece| piece.part.common(chunk).as_ref() == Some(chunk));
    let piece = piece.unwrap_or_else(|| unreachable!("a chunk that is in several pieces is gathered"));
    &piece.points[piece.part.offset_of(chunk)..][..chunk.len()]
}

fn consecutive_mut<'a, T: Real>(chunk: &Part, pieces: &'a mut [PieceMut<'_, T>]) -> &'a mut [Complex<T>] {
    let piece = pieces.iter_mut().find(|piece| piece.part.common(chunk).as_ref() == Some(chunk));
    let piece = piece.unwrap_or_else(|| unreachable!("a chunk that is in several pieces is scattered"));
    &mut piece.points[piece.part.offset_of(chunk)..][..chunk.len()]
}

/// Transforms the columns of a chunk along a dimension.
fn transform_columns<T: Real>(
    plan: &ColumnPlan<T>,
    direction: Direction,
    chunk: &Part,
    dimension: usize,
    mut from: Vec<Piece<'_, T>>,
    to: &mut [PieceMut<'_, T>],
) {
    from.sort_by_key(|piece| piece.part.start(dimension));
    to.sort_by_key(|piece| piece.part.start(dimension));
    let length = chunk.length(dimension);
    let (mut read, mut scratch) = (
        or_unwind(try_room(length, "a list of rows")),
        scratch(plan.scratch_len_of(chunk.product(dimension + 1))),
    );
    for index in 0..chunk.matrices(dimension) {
        let matrix = chunk.matrix(dimension, index);
        read.clear();
        list_rows(&matrix, dimension, &from, &mut read);
        let mut written = or_unwind(try_room(length, "a list of rows"));
        list_rows_mut(&matrix, dimension, to, &mut written);
        let done = plan.process_into(direction, &read, &mut written, &mut scratch);
        done.unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Writes the transform after the lengths of a part, for example `: columns of 512 by earth-avx2`.
impl<T: Real> fmt::Display for StagePlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Copy => Ok(()),
            Self::Rows(_) => f.write_str(": rows"),
            Self::Columns { plan, .. } => match plan.found() {
                Some(plan) => write!(f, ": {plan}"),
                None => f.write_str(": columns"),
            },
        }
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
