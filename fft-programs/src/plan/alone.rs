//! The plan of one thread, for calls and for [its program](crate::dataflow::alone).

use earth::{Block, Element, Work};
use earth_kernels::{Direction, Real};
use num_complex::Complex;

use super::error::TransformError;
use super::steps::Steps;
use crate::dataflow::phases::{Done, Phases};
use crate::dataflow::tables::Tables;
use crate::dataflow::work;
use crate::kernel::{Planned, RowOptions};
use crate::memory::fits;
use crate::planner::PlanError;
use crate::problem::{Slices, UntypedProblem};

/// Planned transform by one thread.
#[derive(Debug)]
pub struct AlonePlan<T: Real> {
    /// Number of points, or of real numbers, of all transforms.
    points: usize,
    real: bool,
    steps: Tables<Steps<T>>,
    direction: Direction,
    factor: T,
}

impl<T: Real> AlonePlan<T> {
    /// Plans a problem with these row options.
    ///
    /// # Errors
    ///
    /// [`PlanError::Problem`] and [`PlanError::Kernel`], or too little memory for the tables.
    pub fn new(problem: &UntypedProblem, rows: &RowOptions) -> Result<Self, PlanError> {
        let mut lengths = problem.lengths().to_vec();
        if let Some(last) = lengths.last_mut().filter(|_| problem.is_real()) {
            // A pair of real numbers is transformed as one point if their count is even, else as two points.
            *last = if last.is_multiple_of(2) { *last / 2 } else { *last };
        }
        fits::<T>(&lengths)?;
        let [input, output] = problem.layouts();
        let steps = Steps::new(problem.elements(), problem.shape(), [&input, &output], &Planned(rows))?;
        Ok(Self { steps: Tables::of(steps), factor: T::of(problem.factor()), ..Self::phantom(problem) })
    }

    /// Makes a plan for phantoms, which computes no points.
    pub fn phantom(problem: &UntypedProblem) -> Self {
        let points = problem.points().unwrap_or(usize::MAX).saturating_mul(problem.shape().batch);
        let real = problem.is_real();
        Self { points, real, steps: Tables::none(), direction: problem.to(), factor: T::one() }
    }

    pub(crate) fn is_phantom(&self) -> bool {
        self.steps.is_none()
    }

    /// Checks that points are a phantom if the plan is for phantoms.
    ///
    /// # Panics
    ///
    /// If the plan is for phantoms and the points are not a phantom.
    pub(crate) fn check(&self, points: &Block<Complex<T>>) {
        self.steps.check(points);
    }

    /// Returns the work that a machine charges for.
    pub(crate) fn work(&self) -> Work {
        if self.real { work::real_row_fft(1, self.points) } else { work::row_fft(1, self.points) }
    }

    /// Returns the passes of the transform, or `None` in a plan for phantoms.
    pub(crate) fn steps(&self) -> Option<&Steps<T>> {
        self.steps.found()
    }

    #[inline]
    pub(crate) fn scratch_len(&self) -> usize {
        self.steps().map_or(0, Steps::scratch_len)
    }

    /// Transforms the slices of a call.
    ///
    /// # Errors
    ///
    /// [`TransformError::Call`] if a slice is too short, or there is no such transform in place, and
    /// [`TransformError::Phantom`] if the plan is for phantoms. The slices are then unchanged.
    #[inline]
    pub(crate) fn process(
        &self,
        slices: &mut Slices<'_, T>,
        scratch: &mut [Complex<T>],
    ) -> Result<(), TransformError> {
        let steps = self.steps().ok_or(TransformError::Phantom)?;
        Ok(steps.process(self.direction, self.factor, slices, scratch)?)
    }

    /// Returns the slices of the arrays of a run, each contiguous. Without `numbers`, the real numbers of a
    /// real transform are stored as the parts of the points.
    pub(crate) fn slices<'a>(
        &self,
        points: &'a mut Block<Complex<T>>,
        numbers: Option<&'a mut Block<T>>,
    ) -> Slices<'a, T> {
        let points = slice(points);
        match numbers.map(slice) {
            None if self.real => Slices::Padded(bytemuck::cast_slice_mut(points)),
            None => Slices::InPlace(points),
            Some(numbers) if self.direction == Direction::Forward => Slices::RealToComplex(numbers, points),
            Some(numbers) => Slices::ComplexToReal(points, numbers),
        }
    }

    /// Returns the result of a run from its arrays.
    pub(crate) fn done(
        &self,
        points: Block<Complex<T>>,
        numbers: Option<Block<T>>,
        phases: Phases,
    ) -> Done<T> {
        match numbers {
            Some(numbers) if self.direction == Direction::Inverse => Done::of_numbers(numbers, phases),
            _ => Done::new(points, phases),
        }
    }
}

/// Returns all elements of a block as one contiguous slice.
fn slice<E: Element>(block: &mut Block<E>) -> &mut [E] {
    block.as_mut_slice().unwrap_or_else(|| panic!("the elements of the block are not contiguous"))
}
