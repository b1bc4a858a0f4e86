//! Plans of real transforms, which the caller's thread makes.

use earth_serial::{RealForwardPlan, RealInversePlan};

use super::{Algorithm, PlanError, Planner, fits};
use crate::dataflow::alone::Planned;
use crate::kernel::Kernel;
use crate::plan::{ComplexToRealPlan, RealToComplexPlan};
use crate::precision::Precision;
use crate::problem::{ComplexToReal, Kind, Problem, RealToComplex};

impl Planner {
    /// Plans a transform of real numbers into their spectrum, which the caller's thread makes. Nothing is run.
    ///
    /// # Errors
    ///
    /// [`PlanError`] tells what is wrong with the problem; a named [algorithm](Self::algorithm) takes complex points.
    pub fn plan_real_to_complex<T: Precision>(
        &self,
        problem: &Problem<RealToComplex>,
    ) -> Result<RealToComplexPlan<T>, PlanError> {
        let kernels = self.kernels_of_real::<T>(problem)?;
        let [input, output] = problem.layouts();
        let steps = RealForwardPlan::new(problem.shape(), &input, &output, &kernels)?;
        Ok(RealToComplexPlan::new(problem.clone(), steps))
    }

    /// Plans a transform of spectra into real numbers, which the caller's thread makes. Nothing is run.
    ///
    /// # Errors
    ///
    /// [`PlanError`] tells what is wrong with the problem; a named [algorithm](Self::algorithm) takes complex points.
    pub fn plan_complex_to_real<T: Precision>(
        &self,
        problem: &Problem<ComplexToReal>,
    ) -> Result<ComplexToRealPlan<T>, PlanError> {
        let kernels = self.kernels_of_real::<T>(problem)?;
        let [input, output] = problem.layouts();
        let steps = RealInversePlan::new(problem.shape(), &input, &output, &kernels)?;
        Ok(ComplexToRealPlan::new(problem.clone(), steps))
    }

    /// The kernels of a real problem, if there is memory for their tables and no program was named.
    fn kernels_of_real<T: Precision>(&self, problem: &Problem<impl Kind>) -> Result<Planned<'_>, PlanError> {
        static USUAL: Kernel = Kernel::Earth;
        let kernels = Planned(self.kernel.as_ref().unwrap_or(&USUAL), self.effort.unwrap_or_default());
        match self.wishes.algorithm {
            Algorithm::Auto => fits::<T>(problem).map(|()| kernels),
            algorithm => Err(PlanError::NeedsComplex { algorithm }),
        }
    }
}
