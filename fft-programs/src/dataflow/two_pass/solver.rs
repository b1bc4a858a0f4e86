//! The FFT in two passes: its solver, plan and program.

use std::fmt;
use std::num::NonZeroUsize;

use earth::Shared;
use earth_fftw::Effort;
use earth_kernels::Real;
use earth_memory::try_collected;
use earth_serial::{ColumnPlan, PassFacts};
use num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::{First, Second, TwoPassFft, TwoPassJob};
use crate::advisor::Pass;
use crate::advisor::passes::{replaces, uneven_neighbours};
use crate::dataflow::cut::{Cut, MatrixError, rows_of_blocks};
use crate::dataflow::points::{Points, or_unwind, scratch};
use crate::dataflow::row_pass::RowPass;
use crate::dataflow::tables::Tables;
use crate::kernel::{Planned, RowOptions};
use crate::planner::{MIN_SHARED_POINTS, PlanError, Why};
use crate::precision::Precision;
use crate::problem::UntypedProblem;
use crate::solver::{Draft, Memory, Pays, Program, Request, Runs, Solver, solver_methods};

/// The number of columns of a strip is a multiple of this: two cache lines of double precision, which
/// processors fetch together, and one of single precision.
pub(crate) const STRIP: usize = 8;

/// Row blocks, and strips, of a node in two passes: one is transformed while the tiles of the other are in
/// transit. More blocks take longer, because the first lines of each block were not prefetched: with four of
/// each, a series of 2^21 points took 1.15 times as long.
pub(crate) const PASS_BLOCKS: usize = 2;

/// The least length of a column that nodes share as a matrix, if there are few columns.
pub(crate) const LONG: usize = 1 << 10;

/// Plan of a transform in two passes.
#[derive(Debug)]
pub struct TwoPassPlan<T: Real> {
    pub(super) rows: RowPass<T>,
    strips: Cut,
    columns: Tables<ColumnPlan<T>>,
}

impl<T: Real> TwoPassPlan<T> {
    /// Plans the transform of one array, whose first dimension counts its rows. Row blocks have the first
    /// number of rows, strips the second number of columns of points. A series of points is one column. There
    /// may be gaps between rows, and between the lines of planes. With gaps between lines, strips are whole
    /// lines, which may be more columns. Without `options` the plan is for phantoms.
    ///
    /// # Errors
    ///
    /// [`PlanError::NeedsOneArray`] for a batch, or an array whose strides have another order than the
    /// problem's dimensions, [`PlanError::NeedsMatrix`] for a series of real numbers, [`PlanError::Matrix`]
    /// for blocks of no rows or columns, [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub fn new(
        problem: &UntypedProblem,
        [block, columns]: [usize; 2],
        options: Option<&RowOptions>,
    ) -> Result<Self, PlanError> {
        let rows = RowPass::new(problem, block, options)?;
        let strips = strips(&rows, columns)?;
        let column = problem.lengths()[0];
        let columns = Tables::planned(options, |options| ColumnPlan::new(column, &Planned(options)))?;
        Ok(Self { rows, strips, columns })
    }

    /// Returns how the rows (0) or the columns of points (1) are cut.
    ///
    /// # Panics
    ///
    /// If `pass` is neither.
    pub fn cut(&self, pass: usize) -> &Cut {
        [&self.rows.cut, &self.strips][pass]
    }

    /// Returns how the array is cut for the first pass, and for the second.
    pub(crate) fn order(&self) -> [&Cut; 2] {
        let [rows, columns] = [&self.rows.cut, &self.strips];
        if self.rows.columns_first { [columns, rows] } else { [rows, columns] }
    }

    /// Returns the rows and columns of the array of points.
    pub fn sides(&self) -> [usize; 2] {
        self.rows.sides()
    }

    /// Returns the points of scratch that a row block and a strip need while they are transformed.
    pub(crate) fn scratch_lens(&self) -> [usize; 2] {
        let columns = self.columns.found().map_or(0, |columns| columns.scratch_len_of(self.sides()[1]));
        [self.rows.scratch_len(), columns]
    }

    /// Returns the facts of the passes in their order, each with the side that it goes along. `None` in a
    /// plan for phantoms.
    pub(crate) fn passes(&self, in_place: bool) -> Option<Vec<(usize, PassFacts)>> {
        let mut passes: Vec<_> = self.rows.facts(in_place)?.into_iter().map(|facts| (0, facts)).collect();
        let columns = (1, self.columns.found()?.facts(self.sides()[1]));
        passes.insert(if self.rows.columns_first { 0 } else { passes.len() }, columns);
        Some(passes)
    }

    /// Transforms the columns of a strip, which has all rows.
    pub(super) fn transform_columns(&self, strip: &mut Points<T>) {
        let plan = self.columns.get();
        let mut scratch = scratch(self.scratch_lens()[1]);
        let [points, _] = self.rows.rows();
        let [len, distance] = points.line.unwrap_or([strip.cols(); 2]);
        for at in (0..strip.cols()).step_by(distance) {
            let rows = strip.iter_rows_mut().map(|row| &mut row[at..][..len]);
            let mut rows = or_unwind(try_collected(rows, "a list of rows"));
            let done = plan.process(self.rows.direction, &mut rows, &mut scratch);
            done.unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// Writes the passes in their order: `4 row blocks, then 3 strips of columns of 512 by earth-avx2`.
impl<T: Real> fmt::Display for TwoPassPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [rows, strips] = [0, 1].map(|pass| self.cut(pass).count());
        let Some(columns) = self.columns.found() else {
            return if self.rows.columns_first {
                write!(f, "{strips} strips of columns, then {rows} row blocks")
            } else {
                write!(f, "{rows} row blocks, then {strips} strips of columns")
            };
        };
        if self.rows.columns_first {
            write!(f, "{strips} strips of {columns}, then {rows} row blocks")
        } else {
            write!(f, "{rows} row blocks, then {strips} strips of {columns}")
        }
    }
}

/// Cuts the columns of an array into strips of this number of columns, rounded up to whole lines.
fn strips<T: Real>(rows: &RowPass<T>, columns: usize) -> Result<Cut, MatrixError> {
    let ([points, _], [_, across]) = (rows.rows(), rows.sides());
    let whole = points.line.map_or(1, |[_, distance]| distance);
    Cut::round(across, columns.next_multiple_of(whole))
}

/// Solver of the FFT in two passes: `two-pass`. It solves arrays of 2 or 3 dimensions, of points or of real
/// numbers, with or without gaps between rows.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TwoPass {
    block: Option<NonZeroUsize>,
}

impl TwoPass {
    /// Name of the solver.
    pub const NAME: &str = "two-pass";

    /// Makes the solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the number of rows of a row block and of columns of a strip. By default each node has two of
    /// each.
    #[must_use]
    pub fn block(self, block: impl Into<Option<NonZeroUsize>>) -> Self {
        Self { block: block.into() }
    }

    fn plan<T: Precision>(&self, request: &Request<'_>) -> Result<Draft<T>, PlanError> {
        let sides = request.array(Self::NAME, self.block)?;
        let (problem, nodes) = (request.problem, request.node_count());
        let [rows, cols] = problem.rows_of_points().map_or(sides, |rows| rows.sides());
        let [block, strip] = [rows, cols].map(|side| rows_of_blocks(side, nodes, PASS_BLOCKS));
        // Strips are whole pairs of cache lines.
        let usual = [block, strip.next_multiple_of(STRIP)];
        let blocks = self.block.map_or(usual, |block| [block.get(); 2]);
        request.fits::<T>(problem.lengths())?;
        let plan = TwoPassPlan::new(problem, blocks, request.tables())?;
        Ok(Draft { program: Box::new(TwoPassProgram { plan: Shared::new(plan) }), nodes })
    }
}

impl Solver for TwoPass {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn about(&self) -> &'static str {
        "Two dimensions of any sizes, in place"
    }

    fn pays(&self, request: &Request<'_>) -> Pays {
        match shared_array(request) {
            Err(pays) => pays,
            Ok((sides, nodes, _)) if sides[1] < nodes => Pays::No(Why::Narrow),
            Ok((sides, nodes, _)) if sides[0] >= LONG && sides[1].div_ceil(STRIP) < nodes => {
                Pays::No(Why::FewColumns)
            }
            Ok((_, _, why)) => Pays::Yes(why),
        }
    }

    fn is_worth_measuring(&self, problem: &UntypedProblem, _: Effort) -> bool {
        problem.lengths().len() > 1
    }

    solver_methods!();
}

/// Returns the rows and columns of points of an array that nodes share, the number of nodes, and why they
/// share it. The array is large enough, or the number of nodes was set. Otherwise returns why nodes do not
/// share it.
pub(crate) fn shared_array(request: &Request<'_>) -> Result<([usize; 2], usize, Why), Pays> {
    let problem = request.problem;
    if problem.lengths().len() == 1 && problem.is_one_array() {
        return Err(Pays::NotItsProblem);
    }
    shared_rows(request, problem, MIN_SHARED_POINTS, [Why::Small, Why::Narrow, Why::Large])
}

/// Returns the sides of `problem`, the number of nodes and the reason as [`shared_array`] does, for one array
/// of at least `least` points. The reasons are for too few points, for fewer rows than nodes, and for enough
/// points.
pub(crate) fn shared_rows(
    request: &Request<'_>,
    problem: &UntypedProblem,
    least: usize,
    [small, narrow, large]: [Why; 3],
) -> Result<([usize; 2], usize, Why), Pays> {
    let Some(rows) = problem.rows_of_points().filter(|_| problem.is_one_array()) else {
        return Err(Pays::No(Why::NoMatrix));
    };
    // A real number is half of the work of a point.
    let pays = if problem.is_real() { 2 * least } else { least };
    // Counting the cores takes longer than a plan of a small problem.
    if request.nodes.is_none() && problem.points().is_some_and(|points| points < pays) {
        return Err(Pays::No(small));
    }
    let (sides, nodes) = (rows.sides(), request.node_count());
    let numbers = problem.rows_of_numbers().map_or(0, |rows| rows.cols);
    // A block counts its rows and columns in 32 bits.
    if u32::try_from(sides[0].max(sides[1]).max(numbers)).is_err() {
        return Err(Pays::No(Why::NoMatrix));
    }
    match nodes {
        1 => Err(Pays::No(Why::OneNode)),
        _ if sides[0] < nodes => Err(Pays::No(narrow)),
        _ => Ok((sides, nodes, if request.nodes.is_some() { Why::NodesSet } else { large })),
    }
}

#[derive(Debug)]
pub(crate) struct TwoPassProgram<T: Real> {
    pub(crate) plan: Shared<TwoPassPlan<T>>,
}

impl<T: Precision> Program<T> for TwoPassProgram<T> {
    fn block(&self) -> Option<usize> {
        Some(self.plan.rows.block())
    }

    fn is_in_place(&self) -> Option<bool> {
        Some(true)
    }

    fn memory(&self, nodes: usize) -> Memory {
        let plan = &self.plan;
        let counts = [plan.cut(0), plan.cut(1)].map(Cut::count);
        let [firsts, seconds] = plan.order().map(|cut| cut.count() as u64);
        let scratch = [0, 1].map(|pass| counts[pass].min(nodes) * plan.scratch_lens()[pass]);
        // The rows of a strip are listed while its columns are transformed.
        let listed = counts[1].min(nodes) * plan.sides()[0] * size_of::<&mut [Complex<T>]>();
        let frames = firsts * size_of::<First<T>>() as u64 + seconds * size_of::<Second<T>>() as u64;
        let tiles = firsts.saturating_mul(seconds) * Memory::of_tile::<T>();
        Memory::of::<T>(scratch[0].max(scratch[1]) as u64, listed as u64 + frames + tiles)
    }

    fn passes(&self, problem: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let plan = &self.plan;
        let tiles = plan.cut(0).count() * plan.cut(1).count();
        let mut passes = Vec::new();
        for (side, facts) in plan.passes(replaces(problem))? {
            let (cut, last) = (plan.cut(side), !passes.is_empty());
            // The first pass sends tiles, and the second pass joins them.
            let parts = [cut.count(), if last { tiles } else { 0 }];
            let uneven = uneven_neighbours(cut.rows(), nodes);
            passes.push(Pass::alone(facts, size_of::<Complex<T>>()).shared(nodes, uneven, parts));
        }
        Some(passes)
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::on_rows(&self.plan.rows, |machine, points, input| {
            let job = TwoPassJob::new(points, input, self.plan.clone());
            Ok(machine.run_with(job.shared(), |out| TwoPassFft::<T>::call(job, out))?)
        })
    }
}

impl<T: Real> fmt::Display for TwoPassProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (way, _, moved) = self.plan.rows.moves();
        write!(f, "{}, {way}, {moved} bytes moved", *self.plan)
    }
}
