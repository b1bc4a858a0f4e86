//! FFT of a matrix by tiles as a solver, and its program: in place, or through a second matrix.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;

use earth::{Reply, Shared};
use earth_fft::advisor::passes::{lines, steps, uneven_cut};
use earth_fft::advisor::{Pass, PassWork, Pattern};
use earth_fft::dataflow::points::Points;
use earth_fft::kernel::Kernel;
use earth_fft::solver::{
    Candidate, Draft, Measuring, Memory, Program, Request, Runs, Solver, describe_block, solver_methods,
};
use earth_fft::{PlanError, Precision, UntypedProblem, default_nodes};
use earth_fftw::Effort;
use earth_kernels::Real;
use num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::{Across, MatrixFft, MatrixJob, MatrixPlan, RowBlock};
use crate::error::Error;
use crate::groups::dealing::{Dealing, default_rows};
use crate::groups::decide::{self, Decided, Rows, decide};
use crate::groups::pass::Pass as RowsOfPass;
use crate::groups::{Groups, Shares, Speeds};

/// FFT of a matrix by tiles: `grouped`.
///
/// It solves contiguous matrices of complex points. All nodes share the rows evenly, or groups of nodes share
/// them as requested and by speed functions.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct Grouped {
    groups: Option<Groups>,
    /// Speed functions for trying distributions.
    known: Speeds,
    settings: GroupedSettings,
}

#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct GroupedSettings {
    block: Option<NonZeroUsize>,
    shares: Option<Shares>,
}

impl Grouped {
    /// Name of the solver.
    pub const NAME: &str = "grouped";

    /// Returns the solver with its default settings: all nodes get equal numbers of rows.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the rows of a row block. The default follows from the number of nodes.
    #[must_use]
    pub fn block(mut self, block: impl Into<Option<NonZeroUsize>>) -> Self {
        self.settings.block = block.into();
        self
    }

    /// Lets groups of nodes share a matrix. Their rows and padding follow from `groups` and from speed
    /// functions.
    #[must_use]
    pub fn groups(mut self, groups: impl Into<Option<Groups>>) -> Self {
        self.groups = groups.into();
        self
    }

    /// Lets groups of nodes share a matrix by exactly these shares.
    #[must_use]
    pub fn shares(mut self, shares: Shares) -> Self {
        self.settings.shares = Some(shares);
        self
    }

    /// Sets speed functions for planners that measure, which try distributions by them.
    #[must_use]
    pub fn known_speeds(self, known: Speeds) -> Self {
        Self { known, ..self }
    }

    fn plan<T: Precision>(&self, request: &Request<'_>) -> Result<Draft<T>, PlanError> {
        if self.is_fixed() && request.problem.lengths().len() == 1 && !request.problem.is_real() {
            return Err(Error::GroupsOfSeries.into());
        }
        let GroupedSettings { block, shares } = &self.settings;
        let sides = request.matrix(Self::NAME, *block)?;
        if !self.is_fixed() {
            let nodes = request.node_count();
            let block = |side| block.map_or_else(|| default_rows(side, nodes), NonZeroUsize::get);
            let dealt = Dealing::of_matrix(sides, sides.map(block));
            return Ok(Draft { program: Box::new(program::<T>(request, sides, &dealt, false)?), nodes });
        }
        let asked_nodes = request.nodes.map(NonZeroUsize::get);
        let (nodes, Decided { shares, notes }) = if let Some(shares) = shares {
            (shares.check(sides, asked_nodes)?, Decided { shares: shares.clone(), notes: Vec::new() })
        } else {
            let asked = self.groups.clone().unwrap_or_default();
            let grouping = asked.processors(asked_nodes, default_nodes(request.config))?;
            let kernel = &request.options.kernel;
            let of = Rows { kernel, precision: T::NAME, point: size_of::<Complex<T>>() };
            (grouping.groups * grouping.threads, decide(&asked, grouping, sides, of)?)
        };
        let dealt = shares.dealt(sides, block.map(NonZeroUsize::get));
        let program = program::<T>(request, sides, &dealt, shares.barrier)?;
        let program = MatrixProgram { shares: Some(Box::new(shares)), notes, ..program };
        Ok(Draft { program: Box::new(program), nodes })
    }
}

fn program<T: Precision>(
    request: &Request<'_>,
    sides: [usize; 2],
    dealt: &[Dealing; 2],
    barrier: bool,
) -> Result<MatrixProgram<T>, PlanError> {
    request.fits::<T>(&sides)?;
    let plan =
        MatrixPlan::new(dealt, request.tables())?.norm(request.problem.normalisation()).barrier(barrier);
    Ok(MatrixProgram { plan: Shared::new(plan), sides, shares: None, notes: Vec::new() })
}

impl Solver for Grouped {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn about(&self) -> &'static str {
        "Two dimensions of any sizes, by tiles"
    }

    fn is_worth_measuring(&self, problem: &UntypedProblem, _: Effort) -> bool {
        problem.lengths().len() == 2
    }

    fn is_fixed(&self) -> bool {
        self.groups.is_some() || self.settings.shares.is_some()
    }

    fn rows(&self) -> Option<(&Kernel, Option<Effort>)> {
        self.groups.as_ref().and_then(Groups::measured).map(|rows| (&rows.kernel, rows.effort))
    }

    fn more_candidates(&self, request: &Request<'_>, measuring: &Measuring<'_>) -> Vec<Candidate> {
        let by = |shares| Arc::new(self.clone().shares(shares)) as Arc<dyn Solver>;
        decide::candidates(&self.known, by, request, measuring)
    }

    fn describe(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        describe_block(self.settings.block, f)?;
        self.settings.shares.as_ref().map_or(Ok(()), |shares| write!(f, ", {shares}"))
    }

    solver_methods!(settings);
}

/// FFT of a matrix by tiles.
#[derive(Debug)]
pub(crate) struct MatrixProgram<T: Real> {
    pub(crate) plan: Shared<MatrixPlan<T>>,
    pub(crate) sides: [usize; 2],
    /// Each group's rows, if groups share the matrix.
    pub(crate) shares: Option<Box<Shares>>,
    /// Remarks on the shares, each a sentence for people.
    pub(crate) notes: Vec<String>,
}

impl<T: Precision> Program<T> for MatrixProgram<T> {
    fn block(&self) -> Option<usize> {
        Some(self.plan.pass(0).block())
    }

    fn is_in_place(&self) -> Option<bool> {
        Some(self.plan.is_in_place())
    }

    fn notes(&self) -> &[String] {
        &self.notes
    }

    fn memory(&self, nodes: usize) -> Memory {
        let in_place = self.plan.is_in_place();
        let (handle, address) = (size_of::<Points<T>>() as u64, size_of::<Reply<Points<T>>>() as u64);
        let passes = [self.plan.pass(0), self.plan.pass(1)];
        let [along, across] = passes.map(|pass| pass.cut.count() as u64);
        let scratch = passes.map(|pass| (pass.cut.count().min(nodes) * pass.scratch_len()) as u64);
        let second = if in_place { 0 } else { area(passes[1], |_| true) };
        // The rows of the second matrix are allocated after the first pass.
        let working = scratch[0].max(second + scratch[1]);
        let copies = area(passes[0], |leading| leading > passes[0].dealing.len);
        // A tile has a handle, and an inlet with its address at both ends.
        let (frames, handles) = if in_place {
            (along * size_of::<RowBlock<T>>() as u64, 1)
        } else {
            (along * size_of::<RowBlock<T>>() as u64 + across * size_of::<Across<T>>() as u64, 2)
        };
        let tiles = along.saturating_mul(across);
        Memory::of::<T>(working + copies, frames + tiles * handles * (handle + 2 * address))
    }

    fn passes(&self, _: &UntypedProblem, nodes: usize) -> Option<Vec<Pass>> {
        let point = size_of::<Complex<T>>();
        let tiles = self.plan.cut(0).count() * self.plan.cut(1).count();
        let mut passes = Vec::new();
        for pass in [0, 1].map(|pass| self.plan.pass(pass)) {
            let (cut, len) = (&pass.cut, pass.dealing.transformed);
            let (count, shared) = (cut.distribution().iter().sum::<usize>(), uneven_cut(cut, nodes));
            // All groups' rows count by the first group's kernel, since groups differ only in padding.
            let kernel = pass.kernels.found()?.first()?.name();
            let rows = lines::<T>(kernel, [count, len], nodes).shared(nodes, shared, [cut.count(), 0]);
            let bytes = 2 * count * pass.dealing.len * point;
            let footprint = if self.plan.is_in_place() { bytes / 2 } else { bytes };
            let (what, work) = ("tiles transposed".to_owned(), PassWork::Moves(Pattern::Columns));
            let moves =
                Pass { what, work, bytes, footprint, uneven: shared, parts: 0, tiles, ..steps::<T>(nodes) };
            passes.extend([rows, moves]);
        }
        Some(passes)
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::in_place(self.sides, |machine, points| {
            let job = MatrixJob::new(points, self.plan.clone());
            machine.run_with(job.shared(), |out| MatrixFft::<T>::call(job, out))
        })
    }
}

/// Returns the points of the rows, with their padding, whose leading dimension while transformed satisfies
/// `of`.
fn area<T: Real>(pass: &RowsOfPass<T>, of: impl Fn(usize) -> bool) -> u64 {
    let rows = pass.cut.rows().enumerate().map(|(block, rows)| (rows, pass.leading(block)));
    rows.filter(|&(_, leading)| of(leading)).map(|(rows, leading)| (rows * leading) as u64).sum()
}

impl<T: Real> fmt::Display for MatrixProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [along, across] = [0, 1].map(|pass| self.plan.cut(pass));
        let in_place = self.plan.is_in_place();
        let points = self.sides[0] * self.sides[1];
        let twice = if in_place { "in place" } else { "through a second matrix" };
        let kept: usize = if in_place { along.rows().map(|rows| rows * rows).sum() } else { 0 };
        let moved = (5 * points - 2 * kept) * size_of::<Complex<T>>();
        write!(
            f,
            "{} row blocks of the matrix and {} of its transpose exchange tiles {twice}, {moved} bytes moved",
            along.count(),
            across.count()
        )
    }
}
