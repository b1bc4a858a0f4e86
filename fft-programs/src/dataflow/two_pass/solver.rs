//! The FFT in two passes as a solver, and its program.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use earth::{Machine, Reply, Run, Shared};
use earth_fftw::Effort;
use earth_kernels::Real;
use num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::{First, Second, TwoPassFft, TwoPassJob, TwoPassPlan};
use crate::advisor::Pass;
use crate::advisor::passes::{replaces, uneven_neighbours};
use crate::dataflow::Done;
use crate::dataflow::cut::{Cut, rows_of_blocks};
use crate::dataflow::points::Points;
use crate::dataflow::row_pass::RowPass;
use crate::plan::TransformError;
use crate::planner::{PAYS, PlanError, Why};
use crate::precision::Precision;
use crate::problem::UntypedProblem;
use crate::solver::{
    ArrayProgram, Draft, Input, Memory, Pays, Program, Request, Runs, Solver, describe_block, in_two_passes,
    solver_methods,
};

/// The columns that strips are a multiple of: two cache lines of double precision, which processors fetch
/// together, and one of single precision.
pub(crate) const STRIP: usize = 8;

/// The row blocks and the strips of a node in two passes: one is transformed while the tiles of the other travel. Every
/// block begins with lines that nobody has asked memory for, so more of them take longer: with four of each a series of 2^21
/// points took 1.15 times as long.
pub(crate) const PASS_BLOCKS: usize = 2;

/// The least points of a column that nodes share as a matrix if there are few columns.
pub(crate) const LONG: usize = 1 << 10;

/// The FFT in two passes: `two-pass`. It solves arrays of 2 or 3 dimensions, of points or of real numbers, with gaps
/// between rows or without.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TwoPass {
    block: Option<NonZeroUsize>,
}

impl TwoPass {
    /// Its name.
    pub const NAME: &str = "two-pass";

    /// The solver with its usual settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the rows of a row block and the columns of a strip. By default each node has two of each.
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
        let plan = if request.phantom {
            TwoPassPlan::phantom(problem, blocks)?
        } else {
            TwoPassPlan::new(problem, blocks, request.options)?
        };
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

    fn in_blocks(&self, block: NonZeroUsize) -> Option<Arc<dyn Solver>> {
        Some(Arc::new(self.clone().block(block)))
    }

    fn block_of(&self, problem: &UntypedProblem, parts: usize) -> Option<NonZeroUsize> {
        NonZeroUsize::new(problem.longest_side()?.div_ceil(parts)).filter(|_| self.block.is_none())
    }

    fn is_worth_measuring(&self, problem: &UntypedProblem, _: Effort) -> bool {
        problem.lengths().len() > 1
    }

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe_block(self.block, f)
    }

    solver_methods!();
}

/// The rows and columns of points of an array that is large enough for nodes, or that nodes were asked for, the nodes, and
/// why they share it; else why not.
pub(crate) fn shared_array(request: &Request<'_>) -> Result<([usize; 2], usize, Why), Pays> {
    let problem = request.problem;
    let one_array = problem.is_one_array();
    if problem.lengths().len() == 1 && one_array {
        return Err(Pays::NotItsProblem);
    }
    let Some(rows) = problem.rows_of_points().filter(|_| one_array) else {
        return Err(Pays::No(Why::NoMatrix));
    };
    // A real number is half of the work of a point.
    let pays = if problem.is_real() { 2 * PAYS } else { PAYS };
    // To count the cores takes longer than a plan of a small problem.
    if request.nodes.is_none() && problem.points().is_some_and(|points| points < pays) {
        return Err(Pays::No(Why::Small));
    }
    let (sides, nodes) = (rows.sides(), request.node_count());
    let numbers = problem.rows_of_numbers().map_or(0, |rows| rows.cols);
    // A block counts its rows and columns in 32 bits.
    if u32::try_from(sides[0].max(sides[1]).max(numbers)).is_err() {
        return Err(Pays::No(Why::NoMatrix));
    }
    match nodes {
        1 => Err(Pays::No(Why::OneNode)),
        _ if sides[0] < nodes => Err(Pays::No(Why::Narrow)),
        _ => Ok((sides, nodes, if request.nodes.is_some() { Why::NodesAsked } else { Why::Large })),
    }
}

/// The FFT of 2 or 3 dimensions in two passes.
#[derive(Debug)]
pub(crate) struct TwoPassProgram<T: Real> {
    pub(crate) plan: Shared<TwoPassPlan<T>>,
}

impl<T: Precision> ArrayProgram<T> for TwoPassProgram<T> {
    fn sides(&self) -> [usize; 2] {
        self.plan.sides()
    }

    fn row_pass(&self) -> Option<&RowPass<T>> {
        Some(self.plan.rows())
    }

    fn run_blocks(
        &self,
        machine: &mut Machine,
        points: Points<T>,
        (numbers, from): Input<T>,
    ) -> Result<Run<Done<T>>, TransformError> {
        let job = match numbers {
            Some(numbers) => TwoPassJob::between(points, numbers, self.plan.clone()),
            None => TwoPassJob::new(points, self.plan.clone()),
        };
        let job = from.into_iter().fold(job, TwoPassJob::from);
        Ok(machine.run_with(job.shared(), |out| TwoPassFft::<T>::call(job, out))?)
    }
}

impl<T: Precision> Program<T> for TwoPassProgram<T> {
    fn block(&self) -> Option<usize> {
        Some(self.plan.rows().block())
    }

    fn is_in_place(&self) -> Option<bool> {
        Some(true)
    }

    fn memory(&self, nodes: usize) -> Memory {
        let plan = &self.plan;
        let (handle, address) = (size_of::<Points<T>>() as u64, size_of::<Reply<Points<T>>>() as u64);
        let counts = [plan.cut(0), plan.cut(1)].map(Cut::count);
        let [firsts, seconds] = plan.order().map(|cut| cut.count() as u64);
        let scratch = [0, 1].map(|pass| counts[pass].min(nodes) * plan.scratch_lens()[pass]);
        // The rows of a strip are listed while its columns are transformed.
        let listed = counts[1].min(nodes) * plan.sides()[0] * size_of::<&mut [Complex<T>]>();
        let frames = firsts * size_of::<First<T>>() as u64 + seconds * size_of::<Second<T>>() as u64;
        // A tile has an inlet with its address at both ends.
        let tiles = firsts.saturating_mul(seconds) * (handle + 2 * address);
        Memory::of::<T>(scratch[0].max(scratch[1]) as u64, listed as u64 + frames + tiles)
    }

    fn passes(&self, problem: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let plan = &self.plan;
        let tiles = plan.cut(0).count() * plan.cut(1).count();
        let mut passes = Vec::new();
        for (side, facts) in plan.passes(replaces(problem))? {
            let (cut, last) = (plan.cut(side), !passes.is_empty());
            // Tiles are sent by the first pass and joined by the second one.
            let parts = [cut.count(), if last { tiles } else { 0 }];
            let uneven = uneven_neighbours((0..cut.count()).map(|part| cut.rows_of(part)), nodes);
            passes.push(Pass::alone(facts, size_of::<Complex<T>>()).shared(nodes, uneven, parts));
        }
        Some(passes)
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::Array(self)
    }
}

impl<T: Real> fmt::Display for TwoPassProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (way, _, moved) = in_two_passes(self.plan.rows());
        write!(f, "{}, {way}, {moved} bytes moved", *self.plan)
    }
}
