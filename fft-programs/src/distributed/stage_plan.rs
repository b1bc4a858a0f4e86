//! The plan of a stage: the transform of a chunk of a rank's part, from some pieces of it to others.
//!
//! The pieces are the rank's arrays, tiles that have arrived, or tiles that will be sent. Columns are read
//! from where they are and written to where they will be, without a copy. Rows are gathered from tiles before
//! their transform, and copied to tiles after it, while a chunk is in the cache.

use std::fmt;

use earth::Work;
use earth_kernels::{Direction, Real};
use earth_memory::{try_collected, try_room};
use earth_serial::{ColumnPlan, TransposingPlan};
use num_complex::Complex;

use super::distribution::Part;
use super::pieces::{Piece, PieceMut, copy, copy_out, list_rows, list_rows_mut};
use super::real_series::SpectrumStep;
use super::route::{Route, Transform};
use crate::dataflow::points::{Points, elements, elements_mut, or_unwind, scratch};
use crate::dataflow::row_pass::{DenseOperand, RowPass};
use crate::dataflow::tables::Tables;
use crate::dataflow::work;
use crate::kernel::{Planned, RowOptions};
use crate::planner::PlanError;
use crate::problem::{Elements, Problem, UntypedProblem};

/// Points of the rows that are gathered, transformed and copied to tiles at a time, while they are in the
/// second-level cache. Reading rows from memory by their transform takes half as long again as copying them
/// first, because the transform's strides defeat the prefetcher.
const BLOCK: usize = 1 << 13;

/// Points of the rows that are gathered and become columns at a time. Fewer rows leave columns in many short
/// pieces.
const TURNED: usize = 1 << 16;

/// Plan of the transform of a stage, if it has one.
#[derive(Debug)]
pub(super) enum StagePlan<T: Real> {
    /// The points are only copied.
    Copy,
    /// Rows of all dimensions from `first`, which the factor of the whole transform multiplies.
    Rows { first: usize, pass: Box<RowPass<T>> },
    /// Columns along a dimension. Tiles may cut the lines of later dimensions if `cuts_lines`. With `merge`
    /// they are computed from columns of a spectrum first.
    Columns {
        dimension: usize,
        cuts_lines: bool,
        direction: Direction,
        plan: Tables<ColumnPlan<T>>,
        merge: Option<Tables<SpectrumStep<T>>>,
    },
    /// Rows of `row` points that become columns, which the factor multiplies. Tiles may cut the columns, and
    /// several tiles may have the same points, if `scatters`.
    Turned { row: usize, direction: Direction, factor: T, plan: Tables<TransposingPlan<T>>, scatters: bool },
    /// The spectrum of a series of real numbers.
    Spectrum { step: Tables<SpectrumStep<T>> },
}

/// Points of a chunk that are copied besides its transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Copies {
    /// Number of points gathered from several pieces before the transform: all or none.
    gathered: usize,
    /// Number of points copied to several pieces after it.
    scattered: usize,
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
        let lengths = route.stages()[stage].distribution.lengths();
        let step = |series| match options {
            Some(_) => Tables::of(SpectrumStep::new(series)),
            None => Tables::none(),
        };
        Ok(match route.stages()[stage].transform {
            Transform::None => Self::Copy,
            Transform::Rows { first } => {
                let chunk =
                    |rank| route.chunks(stage, rank).into_iter().map(|chunk| chunk.matrices(first)).max();
                let rows = (0..route.ranks()).filter_map(chunk).max().unwrap_or(0).max(1);
                // The batch is the first length of the route, and no length of the problem.
                let lengths = [&[rows], &problem.lengths()[first - 1..]].concat();
                let pass = RowPass::new(&rows_of(problem, &lengths), rows, options)?;
                Self::Rows { first, pass: Box::new(pass.with_factor(problem.factor())) }
            }
            Transform::Columns { dimension } => {
                let new = |options| ColumnPlan::new(lengths[dimension], &Planned(options));
                let plan = Tables::planned(options, new)?;
                let cuts_lines = route.cuts_lines(stage);
                let merge = route.merged_in(stage).map(step);
                Self::Columns { dimension, cuts_lines, direction: problem.to(), plan, merge }
            }
            Transform::Turned => {
                let new = |options| TransposingPlan::new(lengths[2], lengths[1], &Planned(options));
                let plan = Tables::planned(options, new)?;
                Self::Turned {
                    row: lengths[2],
                    direction: problem.to(),
                    factor: T::of(problem.factor()),
                    plan,
                    scatters: stage < route.exchanges() && route.needs_mates(stage + 1),
                }
            }
            Transform::Spectrum => {
                let series = route.real_series();
                Self::Spectrum { step: series.map_or_else(Tables::none, step) }
            }
        })
    }

    /// Returns whether the stage transforms real numbers, if the problem has any.
    pub(super) fn has_rows(&self) -> bool {
        matches!(self, Self::Rows { .. })
    }

    /// Returns the copies of a chunk's points from pieces with the parts `from` to pieces with the parts
    /// `to`.
    pub(super) fn copies<'a>(
        &self,
        chunk: &Part,
        elements: Elements,
        from: impl IntoIterator<Item = &'a Part>,
        to: impl IntoIterator<Item = &'a Part>,
    ) -> Copies {
        let if_so = |copies: bool| if copies { chunk.len() } else { 0 };
        let [gathered, scattered] = match self {
            // Points that stay in the rank's array are in no piece of one of the lists.
            Self::Copy => {
                let from: Vec<_> = from.into_iter().filter_map(|part| part.common(chunk)).collect();
                let copied = |to: &Part| -> usize {
                    from.iter().filter_map(|from| from.common(to)).map(|part| part.len()).sum()
                };
                [0, to.into_iter().map(copied).sum()]
            }
            Self::Turned { scatters, .. } => [chunk.len(), if_so(*scatters)],
            Self::Spectrum { .. } | Self::Columns { merge: Some(_), .. } => [chunk.len(), 0],
            Self::Rows { .. } => {
                let is_one =
                    |part: &Part| part.common(chunk).as_ref() == Some(chunk) && part.has_consecutive(chunk);
                let (reads, writes) = (Elements::RealToComplex, Elements::ComplexToReal);
                let scatters = elements != writes && !to.into_iter().any(is_one);
                [elements != reads, scatters].map(if_so)
            }
            Self::Columns { dimension, .. } => {
                let is_cut = |part: &Part| {
                    part.common(chunk).is_some_and(|common| !common.has_lines_of(chunk, *dimension))
                };
                [from.into_iter().any(is_cut), to.into_iter().any(is_cut)].map(if_so)
            }
        };
        Copies { gathered, scattered }
    }

    /// Returns the greatest number of points of the memory that the transform of a chunk of `points` points
    /// takes.
    pub(super) fn temporary(&self, points: usize) -> usize {
        match self {
            Self::Copy => 0,
            Self::Rows { pass, .. } => points.min(BLOCK.max(pass.row_points())),
            Self::Columns { merge: Some(_), .. } => SpectrumStep::<T>::merge_memory(points),
            Self::Columns { cuts_lines, .. } => 2 * points * usize::from(*cuts_lines),
            Self::Spectrum { .. } => SpectrumStep::<T>::split_memory(points),
            Self::Turned { row, scatters, .. } => (1 + usize::from(*scatters)) * points.min(TURNED.max(*row)),
        }
    }

    /// Returns the work of a chunk's transform and copies.
    pub(super) fn work(&self, chunk: &Part, copies: Copies) -> [Work; 2] {
        let transform = match self {
            Self::Copy => work::row_fft(0, 1),
            Self::Rows { pass, .. } => pass.work(chunk.len() / pass.row_points()),
            Self::Columns { dimension, merge, .. } => {
                let length = chunk.length(*dimension);
                let fft = if merge.is_some() { work::paired_rows } else { work::row_fft };
                fft(chunk.len() / length.max(1), length)
            }
            Self::Spectrum { .. } => work::paired_rows(chunk.len(), 1),
            Self::Turned { .. } => work::row_fft(chunk.matrices(2), chunk.length(2)),
        };
        [transform, work::copy(copies.gathered + copies.scattered)]
    }

    /// Transforms a chunk of a part, from pieces to pieces. `temporary` returns memory for a number of
    /// points.
    pub(super) fn transform(
        &self,
        [part, chunk]: [&Part; 2],
        copies: Copies,
        from: Vec<Piece<'_, Complex<T>>>,
        mut to: Vec<PieceMut<'_, Complex<T>>>,
        mut numbers: Numbers<'_, T>,
        temporary: impl Fn(usize) -> Points<T>,
    ) {
        if chunk.is_empty() {
            return;
        }
        let bytes = part.len() * size_of::<Complex<T>>();
        match self {
            Self::Copy => copy_out(chunk, bytes, &from, &mut to),
            Self::Rows { first, pass } => {
                let blocks = chunk.blocks(*first, BLOCK);
                let largest = blocks.iter().map(Part::len).max().unwrap_or(0);
                let needs_memory = copies.scattered > 0 || matches!(numbers, Numbers::To(_));
                let mut memory = needs_memory.then(|| temporary(largest));
                let mut transform = |block: &Part, points: &mut [Complex<T>]| {
                    if copies.gathered > 0 {
                        copy(block, &from, &mut [PieceMut { part: block.clone(), elements: points }]);
                    }
                    let operand = match &mut numbers {
                        Numbers::None => DenseOperand::InPlace,
                        Numbers::From(numbers) => DenseOperand::FromNumbers(numbers),
                        Numbers::To(numbers) => DenseOperand::ToNumbers(numbers),
                    };
                    // The block is consecutive in its part.
                    let at = part.offset_of(block);
                    pass.transform_dense(points, pass.rows_of(operand, at..at + block.len()));
                };
                for block in &blocks {
                    let Some(memory) = &mut memory else {
                        transform(block, consecutive(block, &mut to));
                        continue;
                    };
                    let points = &mut elements_mut(memory)[..block.len()];
                    transform(block, points);
                    if copies.scattered > 0 {
                        copy_out(block, bytes, &[Piece { part: block.clone(), elements: points }], &mut to);
                    }
                }
            }
            Self::Turned { direction, factor, plan, .. } => {
                let by = (*direction, *factor, copies.scattered > 0);
                transform_turned(plan.get(), by, chunk, &from, &mut to, temporary);
            }
            Self::Spectrum { step } => {
                step.get().split(chunk, &from, consecutive(chunk, &mut to), temporary);
            }
            Self::Columns { dimension, direction, plan, merge, .. } => {
                let columns = |from, to: &mut [PieceMut<'_, Complex<T>>]| {
                    transform_columns(plan.get(), *direction, chunk, *dimension, from, to);
                };
                let (mut before, mut after);
                let from = if copies.gathered > 0 {
                    before = temporary(chunk.len());
                    copy(
                        chunk,
                        &from,
                        &mut [PieceMut { part: chunk.clone(), elements: elements_mut(&mut before) }],
                    );
                    if let Some(merge) = merge {
                        merge.get().merge(chunk, &from, elements_mut(&mut before), &temporary);
                    }
                    vec![Piece { part: chunk.clone(), elements: elements(&before) }]
                } else {
                    from
                };
                if copies.scattered > 0 {
                    after = temporary(chunk.len());
                    columns(
                        from,
                        &mut [PieceMut { part: chunk.clone(), elements: elements_mut(&mut after) }],
                    );
                    copy(chunk, &[Piece { part: chunk.clone(), elements: elements(&after) }], &mut to);
                } else {
                    columns(from, &mut to);
                }
            }
        }
    }
}

/// Transforms the rows of a chunk, in blocks of several rows, into columns of pieces of the transposed
/// matrix. If they are scattered, a block is transformed in other memory and copied to all pieces.
fn transform_turned<T: Real>(
    plan: &TransposingPlan<T>,
    (direction, factor, is_scattered): (Direction, T, bool),
    chunk: &Part,
    from: &[Piece<'_, Complex<T>>],
    to: &mut [PieceMut<'_, Complex<T>>],
    temporary: impl Fn(usize) -> Points<T>,
) {
    to.sort_by_key(|piece| piece.part.start(1));
    let matrices = (0..chunk.matrices(1)).map(|index| chunk.matrix(1, index));
    let blocks: Vec<_> = matrices.flat_map(|matrix| matrix.blocks(2, TURNED)).collect();
    let largest = blocks.iter().map(Part::len).max().unwrap_or(0);
    let (mut memory, mut scratch) = (temporary(largest), scratch(plan.scratch_len()));
    let mut turned = is_scattered.then(|| temporary(largest));
    for block in &blocks {
        let after = block.transposed();
        let rows = &mut elements_mut(&mut memory)[..block.len()];
        copy(block, from, &mut [PieceMut { part: block.clone(), elements: rows }]);
        let read = or_unwind(try_collected(rows.chunks(block.length(2)), "a list of rows"));
        let mut written = or_unwind(try_room(block.length(2), "a list of rows"));
        if let Some(turned) = &mut turned {
            written.extend(elements_mut(turned)[..block.len()].chunks_mut(block.length(1)));
        } else {
            list_rows_mut(&after, 1, to, &mut written);
        }
        let done = plan.process(direction, factor, block.start(1), &read, &mut written, &mut scratch);
        done.unwrap_or_else(|error| panic!("{error}"));
        if let Some(turned) = &turned {
            copy(&after, &[Piece { part: after.clone(), elements: elements(turned) }], to);
        }
    }
}

/// Returns the points of a chunk in the piece that has all of them, consecutively.
fn consecutive<'a, T: Real>(
    chunk: &Part,
    pieces: &'a mut [PieceMut<'_, Complex<T>>],
) -> &'a mut [Complex<T>] {
    let piece = pieces.iter_mut().find(|piece| piece.part.common(chunk).as_ref() == Some(chunk));
    let piece = piece.unwrap_or_else(|| unreachable!("a chunk that is in several pieces is scattered"));
    &mut piece.elements[piece.part.offset_of(chunk)..][..chunk.len()]
}

/// Transforms the columns of a chunk along a dimension.
fn transform_columns<T: Real>(
    plan: &ColumnPlan<T>,
    direction: Direction,
    chunk: &Part,
    dimension: usize,
    mut from: Vec<Piece<'_, Complex<T>>>,
    to: &mut [PieceMut<'_, Complex<T>>],
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
            Self::Rows { .. } => f.write_str(": rows"),
            Self::Turned { plan, .. } => match plan.found() {
                Some(plan) => write!(f, ": {plan}"),
                None => f.write_str(": rows into columns"),
            },
            Self::Columns { plan, .. } => match plan.found() {
                Some(plan) => write!(f, ": {plan}"),
                None => f.write_str(": columns"),
            },
            Self::Spectrum { step } => match step.found() {
                Some(step) => write!(f, ": {step}"),
                None => f.write_str(": spectrum of real numbers"),
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
