//! The transpose algorithm: its solvers and its program.
//!
//! It runs on a series of points, on real numbers, two a point, or on their spectrum, whose last point is
//! sent separately.

use std::fmt;
use std::num::NonZeroUsize;

use earth::{Block, Element, Machine, Run, ShapeError, Shared, lend};
use earth_codelets::smooth_part;
use earth_fftw::Effort;
use earth_kernels::Real;
use earth_memory::{lend_for_reading, try_reserve, try_room};
use earth_serial::PassFacts;
use num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::{Arrays, Form, RowBlock, Side, TransposeFft, TransposeJob, TransposePlan};
use crate::advisor::Pass;
use crate::advisor::passes::uneven_neighbours;
use crate::dataflow::Done;
use crate::dataflow::cut::rows_of_blocks;
use crate::dataflow::points::Points;
use crate::dataflow::two_pass::solver::{PASS_BLOCKS, STRIP};
use crate::kernel::Kernel;
use crate::plan::TransformError;
use crate::planner::{MIN_SHARED_SERIES_POINTS, PlanError, Why};
use crate::precision::Precision;
use crate::problem::{Data, Slices, UntypedProblem, as_numbers};
use crate::solver::{
    CustomRuns, Draft, Memory, Pays, Program, Ran, Request, Runs, Solver, check_block, solver_methods,
};

/// Solvers of the transpose algorithm: `transpose`, and its FFTE variant, `ffte`, whose rows are matrices of
/// their own. They solve series without gaps of points, or of pairs of real numbers, whose number is not
/// prime.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Transpose {
    nested: bool,
    settings: TransposeSettings,
}

#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct TransposeSettings {
    block: Option<NonZeroUsize>,
}

impl Transpose {
    /// Makes the solver `transpose`: columns, then rows that become columns.
    pub fn new() -> Self {
        Self { nested: false, settings: TransposeSettings::default() }
    }

    /// Makes the solver of the FFTE variant: few long rows, each a matrix of its own.
    pub fn ffte() -> Self {
        Self { nested: true, ..Self::new() }
    }

    /// Sets the number of rows of a row block and of columns of a strip. By default each node has two of
    /// each.
    #[must_use]
    pub fn block(mut self, block: impl Into<Option<NonZeroUsize>>) -> Self {
        self.settings.block = block.into();
        self
    }

    fn form(&self, points: usize) -> Option<Form> {
        if self.nested { Form::near_cube(points) } else { Form::near_square(points) }
    }

    fn plan<T: Precision>(&self, request: &Request<'_>) -> Result<Draft<T>, PlanError> {
        let (algorithm, problem, block) = (self.name(), request.problem, self.settings.block);
        let n = match *problem.lengths() {
            [n] if problem.is_real() && !n.is_multiple_of(2) => {
                return Err(PlanError::NotPairs { algorithm, n });
            }
            // Two real numbers are one point.
            [n] if problem.is_one_array() => {
                if problem.is_real() {
                    n / 2
                } else {
                    n
                }
            }
            [_, _] if problem.is_one_array() && problem.is_dense() => {
                return Err(PlanError::NeedsLine { algorithm });
            }
            _ => return Err(PlanError::NeedsOneArray { algorithm, what: "series" }),
        };
        check_block(n, block)?;
        let numbers = if self.nested { "three" } else { "two" };
        let form = self.form(n).ok_or(PlanError::NotAProduct { algorithm, numbers, n })?;
        let nodes = request.node_count();
        let usual =
            || form.sides.map(|side| rows_of_blocks(side, nodes, PASS_BLOCKS).next_multiple_of(STRIP));
        // The rows of a row block are columns of the result.
        let blocks = block.map_or_else(usual, |block| [block.get(); 2]);
        request.fits::<T>(&form.sides)?;
        request.has_room_for::<T>(form.sides[0].saturating_mul(form.sides[1]))?;
        let plan = Shared::new(TransposePlan::new(problem, form, blocks, request.tables())?);
        Ok(Draft { program: Box::new(TransposeProgram { plan }), nodes })
    }
}

impl Default for Transpose {
    fn default() -> Self {
        Self::new()
    }
}

impl Solver for Transpose {
    fn name(&self) -> &'static str {
        if self.nested { "ffte" } else { "transpose" }
    }

    fn about(&self) -> &'static str {
        if self.nested {
            "A series as few long rows, each itself a matrix"
        } else {
            "A series of any length but a prime, as a matrix"
        }
    }

    fn pays(&self, request: &Request<'_>) -> Pays {
        let (problem, nodes) = (request.problem, request.nodes.map(NonZeroUsize::get));
        let n = match *problem.lengths() {
            [n] if problem.is_one_array() && !self.nested => n,
            _ => return Pays::NotItsProblem,
        };
        if problem.is_real() && !n.is_multiple_of(2) {
            return Pays::No(Why::Odd);
        }
        // Two real numbers are one point.
        let n = if problem.is_real() { n / 2 } else { n };
        let own = request.options.kernel == Kernel::Earth && smooth_part(n) == n;
        // Up to 13 all primes have kernels.
        if !own || n <= 13 && self.form(n).is_none() {
            return Pays::No(Why::Series);
        }
        // Searching for factors takes as long as the rest of planning a small series. Counting the cores
        // takes longer.
        if nodes.is_none() && n < MIN_SHARED_SERIES_POINTS {
            return Pays::No(Why::ShortSeries);
        }
        if nodes == Some(1) {
            return Pays::No(Why::OneNode);
        }
        let Some(Form { sides, .. }) = self.form(n) else { return Pays::No(Why::Series) };
        match request.node_count() {
            // A block counts its rows and columns in 32 bits.
            _ if u32::try_from(sides[0].max(sides[1])).is_err() => Pays::No(Why::NoMatrix),
            1 => Pays::No(Why::OneNode),
            nodes if sides[0] < nodes || sides[1] < nodes => Pays::No(Why::Narrow),
            _ => Pays::Yes(if nodes.is_some() { Why::NodesSet } else { Why::LongSeries }),
        }
    }

    fn block_of(&self, problem: &UntypedProblem, parts: usize) -> Option<NonZeroUsize> {
        let Form { sides: [_, cols], .. } =
            self.form(problem.points()?).filter(|_| self.settings.block.is_none())?;
        NonZeroUsize::new(cols.div_ceil(parts))
    }

    fn is_worth_measuring(&self, problem: &UntypedProblem, effort: Effort) -> bool {
        problem.lengths().len() == 1 && (!self.nested || effort == Effort::Patient)
    }

    solver_methods!(settings);
}

#[derive(Debug)]
pub(crate) struct TransposeProgram<T: Real> {
    pub(crate) plan: Shared<TransposePlan<T>>,
}

/// Points of a series, and the memory of the result. The result replaces the series, or the series is
/// unchanged, or the series serves as the second matrix.
enum From<'a, T: Real> {
    Replaced(&'a mut [Complex<T>]),
    Kept(&'a [Complex<T>], &'a mut [Complex<T>]),
    Used(&'a mut [Complex<T>], &'a mut [Complex<T>]),
}

/// Result, and the last point of a spectrum.
type Left<T> = (Done<T>, Option<Points<T>>);

impl<T: Precision> TransposeProgram<T> {
    fn points(&self) -> usize {
        self.plan.sides().iter().product()
    }

    fn run_blocks(&self, machine: &mut Machine, arrays: Arrays<T>) -> Result<Run<Left<T>>, TransformError> {
        let job = TransposeJob::new(arrays, self.plan.clone());
        let run = machine.run_with(job.shared(), |out| TransposeFft::<T>::call(job, out))?;
        Ok(run.map(|left| {
            self.plan.keep(left.second);
            (left.done, left.last)
        }))
    }
}

impl<T: Precision> Program<T> for TransposeProgram<T> {
    fn block(&self) -> Option<usize> {
        Some(self.plan.block())
    }

    fn memory(&self, nodes: usize) -> Memory {
        let (points, frames) = self.plan.memory(nodes);
        Memory::of::<T>(points, frames)
    }

    fn passes(&self, _: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        self.plan.passes_on(nodes)
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::itself(self)
    }
}

impl<T: Precision> CustomRuns<T> for TransposeProgram<T> {
    /// Runs the program. Padded real numbers have memory for the last point of their spectrum, which replaces
    /// the padding.
    fn run(&self, machine: &mut Machine, problem: &UntypedProblem, input: Option<Data<T>>) -> Ran<T> {
        let (elements, padded) = (problem.elements(), problem.is_padded());
        let ([rows, cols], m) = (self.plan.sides(), self.points());
        let phantom = input.is_none();
        let (series, result, last) = match elements.numbers() {
            numbers if phantom => {
                let series = Block::phantom(rows, cols)?;
                let apart = numbers == Some(0) && !padded;
                let result = apart.then(|| Block::phantom(cols, rows)).transpose()?;
                let last = numbers.map(|_| Block::phantom(1, 1)).transpose()?;
                (series, result, last)
            }
            None => (elements.arrays(input, self.plan.sides(), None)?.0, None, None),
            Some(0) if !padded => {
                let series = elements.arrays(input, [1, m], None)?.0;
                // The last point is appended when it is known.
                let mut result = try_room(m + 1, "the spectrum")?;
                result.resize(m, Complex::new(T::zero(), T::zero()));
                let last = vec![Complex::new(T::zero(), T::zero())];
                (series, Some(row(result)?), Some(row(last)?))
            }
            Some(_) => {
                let mut series = elements.arrays(input, [1, m + 1], None)?.0.into_vec();
                let last = series.split_off(m);
                (row(series)?, None, Some(row(last)?))
            }
        };
        let Run { value: (done, last), counters, by_node, elapsed, cycles, records } =
            self.run_blocks(machine, Arrays { series, result, last, second: Some(self.plan.second()?) })?;
        let value = match elements.numbers() {
            None => done,
            // Some phantoms have more points than a block may have columns.
            Some(0) if phantom => {
                Done { spectrum: Block::phantom(1, m + 1).unwrap_or(done.spectrum), ..done }
            }
            Some(0) => {
                let mut spectrum = done.spectrum.into_vec();
                spectrum.extend(last.map(Block::into_vec).into_iter().flatten());
                Done { spectrum: row(spectrum)?, ..done }
            }
            Some(_) if phantom => Done::of_numbers(Block::phantom(rows, 2 * cols)?, done.phases),
            Some(_) => {
                let mut numbers = as_numbers(done.spectrum)?.into_vec();
                let len = 2 * (m + usize::from(padded));
                try_reserve(&mut numbers, len - 2 * m, "the real numbers")?;
                numbers.resize(len, T::zero());
                Done::of_numbers(row(numbers)?, done.phases)
            }
        };
        Ok(Run { value, counters, by_node, elapsed, cycles, records })
    }

    fn run_here(&self, machine: &mut Machine, slices: &mut Slices<'_, T>) -> Result<bool, TransformError> {
        let m = self.points();
        let found = match slices {
            Slices::InPlace(points) => points.get_mut(..m).map(|points| (From::Replaced(points), None)),
            Slices::OutOfPlace(input, output) => {
                let both = input.get(..m).zip(output.get_mut(..m));
                both.map(|(input, output)| (From::Kept(input, output), None))
            }
            Slices::Padded(numbers) => numbers.get_mut(..2 * m + 2).map(|numbers| {
                let (points, last) = bytemuck::cast_slice_mut(numbers).split_at_mut(m);
                (From::Replaced(points), Some(last))
            }),
            Slices::RealToComplex(numbers, points) => {
                let both = numbers.get(..2 * m).zip(points.get_mut(..m + 1));
                both.map(|(numbers, points)| {
                    let (points, last) = points.split_at_mut(m);
                    (From::Kept(bytemuck::cast_slice(numbers), points), Some(last))
                })
            }
            Slices::ComplexToReal(points, numbers) => {
                let both = points.get_mut(..m + 1).zip(numbers.get_mut(..2 * m));
                both.map(|(points, numbers)| {
                    let (points, last) = points.split_at_mut(m);
                    (From::Used(points, bytemuck::cast_slice_mut(numbers)), Some(last))
                })
            }
        };
        let Some((from, last)) = found else { return Ok(false) };
        let second = (!matches!(from, From::Used(..))).then(|| self.plan.second()).transpose()?;
        let run = |series, result| match last {
            None => self.run_blocks(machine, Arrays { series, result, last: None, second }).map(drop),
            Some(last) => lend(last, 1, 1, |last| {
                self.run_blocks(machine, Arrays { series, result, last: Some(last), second }).map(drop)
            })?,
        };
        match from {
            From::Replaced(points) => lend(points, 1, m, |series| run(series, None))??,
            From::Kept(from, to) => {
                lend_for_reading(from, 1, m, |series| lend(to, 1, m, |result| run(series, Some(result))))???;
            }
            From::Used(from, to) => {
                lend(from, 1, m, |series| lend(to, 1, m, |result| run(series, Some(result))))???;
            }
        }
        Ok(true)
    }
}

impl<T: Real> TransposePlan<T> {
    /// Returns the points of the second matrix and of scratch, and the bytes of frames, lists and tiles, of a
    /// run on this number of nodes.
    pub(crate) fn memory(&self, nodes: usize) -> (u64, u64) {
        let counts = [self.cut(1), self.cut(0)].map(Side::workers);
        let parts = [0, 1].map(|side| self.cut(side).parts() as u64);
        let scratch = [0, 1].map(|pass| counts[pass].min(nodes) * self.scratch_lens()[pass]);
        let ([rows, cols], [matrix, _]) = (self.sides(), self.arrays());
        // The rows of both matrices are listed while columns or rows are transformed.
        let listed = 2 * counts[0].min(nodes) * rows.max(cols) * size_of::<&mut [Complex<T>]>();
        let frames = (counts[1] * size_of::<RowBlock<T>>()) as u64;
        let tiles = parts[0].saturating_mul(parts[1]) * Memory::of_tile::<T>();
        let second = matrix.into_iter().product::<usize>() as u64;
        (second + scratch[0].max(scratch[1]) as u64, listed as u64 + frames + tiles)
    }

    /// Returns the passes of a run on this number of nodes. `None` in a plan for phantoms.
    pub(crate) fn passes_on(&self, nodes: usize) -> Option<Vec<Pass>> {
        let tiles = self.cut(0).parts() * self.cut(1).parts();
        let of = |(side, facts): (usize, PassFacts)| {
            let cut = self.cut(side);
            let lines = (0..cut.workers()).map(|worker| cut.lines_of(worker));
            let counts = [cut.workers(), if side == 0 { tiles } else { 0 }];
            Pass::alone(facts, size_of::<Complex<T>>()).shared(nodes, uneven_neighbours(lines, nodes), counts)
        };
        Some(self.passes()?.into_iter().map(of).collect())
    }
}

impl<T: Real> fmt::Display for TransposeProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plan = &self.plan;
        let ([rows, cols], [along, across]) = (plan.sides(), [0, 1].map(|pass| plan.cut(pass)));
        let last = [3, 1].into_iter().nth(plan.numbers().unwrap_or(2)).unwrap_or(0);
        let moved = (4 * rows * cols + last) * size_of::<Complex<T>>();
        write!(
            f,
            "{} strips, then {} row blocks, of a matrix of {rows} x {cols}: {}, through a second matrix, {moved} bytes moved",
            across.workers(),
            along.workers(),
            **plan
        )
    }
}

fn row<E: Element>(elements: Vec<E>) -> Result<Block<E>, ShapeError> {
    Block::from_vec(1, elements.len(), elements)
}
