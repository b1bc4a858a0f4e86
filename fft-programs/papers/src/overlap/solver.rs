//! The overlapping transform as a solver, and its program.

use std::fmt;

use earth_fft::dataflow::points::Points;
use earth_fft::solver::{Draft, Memory, Program, Request, Runs, Solver, solver_methods};
use earth_fft::{PlanError, Precision, UntypedProblem};
use earth_fftw::Effort;
use serde::{Deserialize, Serialize};

use super::plan::{OverlapPlan, OverlapSettings};

/// The overlapping transform: `overlap3d`. It solves arrays of three dimensions of complex points. Node 0
/// deals the array, and the output returns to it.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(transparent)]
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
        let algorithm = Self::NAME;
        if request.problem.is_real() {
            return Err(PlanError::NeedsComplex { algorithm });
        }
        let sides = request.array(algorithm, None)?;
        request.fits::<T>(request.problem.lengths())?;
        let nodes = request.node_count();
        let settings = OverlapSettings { returns: true, ..self.settings };
        let plan = OverlapPlan::of(request.problem, nodes, &settings, request.tables(), false)?;
        Ok(Draft { program: Box::new(OverlapProgram { plan, sides }), nodes })
    }
}

impl Solver for Overlap3d {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn about(&self) -> &'static str {
        "Three dimensions; exchange and work overlap"
    }

    fn is_worth_measuring(&self, problem: &UntypedProblem, _: Effort) -> bool {
        problem.lengths().len() == 3
    }

    solver_methods!();
}

/// An overlapping transform of an array of node 0.
#[derive(Debug)]
struct OverlapProgram<T: Precision> {
    plan: OverlapPlan<T>,
    sides: [usize; 2],
}

impl<T: Precision> Program<T> for OverlapProgram<T> {
    fn is_in_place(&self) -> Option<bool> {
        Some(false)
    }

    fn memory(&self, nodes: usize) -> Memory {
        // All points between transposition and packing, of the output, and of the tiles under way.
        let points = (self.sides[0] * self.sides[1]) as u64;
        Memory::of::<T>(4 * points, (nodes * nodes * size_of::<Points<T>>()) as u64)
    }

    fn runs(&self) -> Runs<'_, T> {
        Runs::in_place(self.sides, |machine, points| self.plan.dealt_on(machine, points))
    }
}

impl<T: Precision> fmt::Display for OverlapProgram<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.plan)
    }
}
