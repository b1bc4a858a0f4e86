//! A problem and the requested settings of its plan, for solvers.

use std::num::NonZeroUsize;
use std::sync::Arc;

use earth::Config;
use earth_kernels::{Real, RowKernel};
use earth_serial::Kernels as _;

use super::bytes;
use crate::kernel::{Kernel, Planned, RowOptions};
use crate::memory;
use crate::memory::{LARGE, fits};
use crate::planner::{PlanError, default_nodes};
use crate::problem::{Norm, UntypedProblem};

/// Checked problem, and the requested settings of its plan.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Problem to plan.
    pub problem: &'a UntypedProblem,
    /// Kernel, effort and direction of its rows.
    pub options: &'a RowOptions,
    /// Whether the plan is for phantoms, without tables.
    pub phantom: bool,
    /// Requested number of nodes.
    pub nodes: Option<NonZeroUsize>,
    /// How the units of a node are placed.
    pub config: Config,
}

impl Request<'_> {
    /// Returns the requested number of nodes, or the default for the usable cores.
    pub fn node_count(&self) -> usize {
        self.nodes.map_or_else(|| default_nodes(self.config), NonZeroUsize::get)
    }

    /// Returns the number of points of a problem that is one series of complex points.
    ///
    /// # Errors
    ///
    /// Any other problem, or a block of more points than the series.
    pub fn series(&self, algorithm: &'static str, block: Option<NonZeroUsize>) -> Result<usize, PlanError> {
        let problem = self.problem;
        if problem.is_real() {
            return Err(PlanError::NeedsComplex { algorithm });
        }
        match *problem.lengths() {
            [n] if problem.is_one_array() => check_block(n, block).map(|()| n),
            [_, _] if problem.is_one_array() && problem.is_dense() => Err(PlanError::NeedsLine { algorithm }),
            _ => Err(PlanError::NeedsOneArray { algorithm, what: "series" }),
        }
    }

    /// Returns the rows and columns of a problem that is one array of 2 or 3 dimensions, with or without gaps
    /// between rows.
    ///
    /// # Errors
    ///
    /// Any other problem, or a block of more rows than a side.
    pub fn array(
        &self,
        algorithm: &'static str,
        block: Option<NonZeroUsize>,
    ) -> Result<[usize; 2], PlanError> {
        self.sides(algorithm, "array of 2 or 3 dimensions", true, block)
    }

    /// Returns the sides of a problem that is one matrix of complex points without gaps.
    ///
    /// # Errors
    ///
    /// Any other problem, or a block of more rows than a side.
    pub fn matrix(
        &self,
        algorithm: &'static str,
        block: Option<NonZeroUsize>,
    ) -> Result<[usize; 2], PlanError> {
        let problem = self.problem;
        if problem.is_real() {
            return Err(PlanError::NeedsComplex { algorithm });
        }
        let is_matrix = problem.lengths().len() == 2 && problem.is_dense();
        self.sides(algorithm, "matrix", is_matrix, block)
    }

    /// Returns the rows and columns of a problem that is one array, if it `fits`. `what` describes the arrays
    /// that the algorithm takes.
    fn sides(
        &self,
        algorithm: &'static str,
        what: &'static str,
        fits: bool,
        block: Option<NonZeroUsize>,
    ) -> Result<[usize; 2], PlanError> {
        match *self.problem.lengths() {
            [_] if self.problem.is_one_array() => Err(PlanError::NeedsMatrix { algorithm }),
            [rows, ref inner @ ..] if fits && self.problem.is_one_array() && !inner.is_empty() => {
                let cols = inner.iter().fold(1_usize, |cols, length| cols.saturating_mul(*length));
                check_sides([rows, cols], block).map(|()| [rows, cols])
            }
            _ => Err(PlanError::NeedsOneArray { algorithm, what }),
        }
    }

    /// Returns how rows are transformed, or `None` if the plan is for phantoms, without tables.
    pub fn tables(&self) -> Option<&RowOptions> {
        if self.phantom { None } else { Some(self.options) }
    }

    /// Checks that there is memory for a second matrix of this number of points. Phantoms need no memory.
    pub fn has_room_for<T: Real>(&self, points: usize) -> Result<(), PlanError> {
        let needed = bytes::<T>(points as u64);
        if self.phantom || needed < LARGE { Ok(()) } else { memory::is_there(needed) }
    }

    /// Checks that there is memory for the tables of lines of these lengths. Phantoms need no memory.
    ///
    /// # Errors
    ///
    /// [`PlanError::TooLittleMemory`] or [`PlanError::NoMemory`].
    pub fn fits<T: Real>(&self, lengths: &[usize]) -> Result<(), PlanError> {
        if self.phantom { Ok(()) } else { fits::<T>(lengths) }
    }

    /// Returns the factor that remains for a program that divides its inverse by the number of points.
    pub fn factor<T: Real>(&self) -> T {
        let points = self.problem.points().unwrap_or(usize::MAX) as f64;
        T::of(self.problem.factor() / Norm::Backward.factor(self.problem.to(), points))
    }

    /// Returns the kernel for rows of `len` points, or `None` for the project's own kernel, which programs
    /// have.
    ///
    /// # Errors
    ///
    /// [`PlanError::Kernel`].
    pub fn other_kernel<T: Real>(&self, len: usize) -> Result<Option<Arc<dyn RowKernel<T>>>, PlanError> {
        match self.options.kernel {
            Kernel::Earth => Ok(None),
            _ => Ok(Some(Planned(self.options).rows(len)?)),
        }
    }
}

/// Checks that a block is no longer than a series.
pub fn check_block(n: usize, block: Option<NonZeroUsize>) -> Result<(), PlanError> {
    match block.map(NonZeroUsize::get) {
        Some(block) if block > n => Err(PlanError::BlockTooLarge { n, block }),
        _ => Ok(()),
    }
}

/// Checks that the number of points of an array fits in a `usize`, and that a block has no more rows than a
/// side.
fn check_sides([rows, cols]: [usize; 2], block: Option<NonZeroUsize>) -> Result<(), PlanError> {
    rows.checked_mul(cols).ok_or(PlanError::TooManySamples)?;
    check_row_block([rows, cols], block)
}

/// Checks that a block has no more rows than a side of an array.
///
/// # Errors
///
/// [`PlanError::RowBlockTooLarge`].
pub fn check_row_block([rows, cols]: [usize; 2], block: Option<NonZeroUsize>) -> Result<(), PlanError> {
    match block.map(NonZeroUsize::get) {
        Some(block) if block > rows.max(cols) => Err(PlanError::RowBlockTooLarge { rows, cols, block }),
        _ => Ok(()),
    }
}
