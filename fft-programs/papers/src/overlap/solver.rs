//! The overlapping transform as a solver, and its program.

use std::fmt;
use std::num::NonZeroUsize;

use earth_fft::solver::{Draft, Memory, Program, Request, Runs, Solver, solver_methods};
use earth_fft::kernel::RowOptions;
use earth_fft::{PlanError, Precision, Problem, UntypedProblem};
use earth_fftw::Effort;
use earth_kernels::Real;
use serde::{Deserialize, Serialize};

use super::plan::{OverlapPlan, OverlapSettings};
use crate::error::Error;

/// The overlapping transform: `overlap3d`. It solves arrays of three dimensions of complex points. Node 0 deals
/// the array, and the output returns to it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Overlap3d {
    settings: OverlapSettings,
}

impl Overlap3d {
    /// Name of the solver.
    pub const NAME: &str = "overlap3d";

    /// Returns the solver with its default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the variant, the parameters, the rounds and the layout. The output returns in any case.
    #[must_use]
    pub fn settings(self, settings: OverlapSettings) -> Self {
        Self { settings }
    }

    fn plan<T: Precision>(&self, request: &Request<'_>) -> Result<Draft<T>, PlanError> {
        let nodes = request.node_count();
        todo!()
    }
}
