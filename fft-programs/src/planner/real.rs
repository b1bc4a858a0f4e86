//! Plans of real transforms, which the caller's thread makes.

use earth_serial::{RealForwardPlan, RealInversePlan};

use super::{PlanError, Planner, fits};
use crate::dataflow::alone::Planned;
use crate::plan::{ComplexToRealPlan, RealToComplexPlan};
use crate::precision::Precision;
use crate::problem::{ComplexToReal, Kind, Problem, RealToComplex};
use crate::request::Algorithm;

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
        match self.wishes.algorithm {
            Algorithm::Auto => fits::<T>(problem).map(|()| Planned(&self.kernel, self.effort)),
            algorithm => Err(PlanError::NeedsComplex { algorithm }),
        }
    }
}
