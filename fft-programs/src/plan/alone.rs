//! The plan of one thread, which its calls run and [its program](crate::dataflow::alone) does.

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

/// A transform by one thread, planned.
#[derive(Debug)]
pub struct AlonePlan<T: Real> {
    /// The points of all transforms, or the real numbers.
    points: usize,
    real: bool,
    steps: Tables<Steps<T>>,
    direction: Direction,
    factor: T,
}

impl<T: Real> AlonePlan<T> {
    /// Plans a problem, its rows as told.
    ///
    /// # Errors
    ///
    /// [`PlanError::Problem`] and [`PlanError::Kernel`], or too little memory for the tables.
    pub fn new(problem: &UntypedProblem, rows: &RowOptions) -> Result<Self, PlanError> {
        let mut lengths = problem.lengths().to_vec();
        if let Some(last) = lengths.last_mut().filter(|_| problem.is_real()) {
            // Two real numbers are transformed as one point where that can be, else as two.
            *last = if last.is_multiple_of(2) { *last / 2 } else { *last };
        }
        fits::<T>(&lengths)?;
        let [input, output] = problem.layouts();
        let steps = Steps::new(problem.elements(), problem.shape(), [&input, &output], &Planned(rows))?;
        Ok(Self { steps: Tables::of(steps), factor: T::of(problem.factor()), ..Self::phantom(problem) })
    }

    /// Plans transforms of phantoms: the plan computes nothing.
    pub fn phantom(problem: &UntypedProblem) -> Self {
        let points = problem.points().unwrap_or(usize::MAX).saturating_mul(problem.shape().batch);
        let real = problem.is_real();
        Self { points, real, steps: Tables::none(), direction: problem.to(), factor: T::one() }
    }

    /// Whether it is for phantoms.
    pub(crate) fn is_phantom(&self) -> bool {
        self.steps.is_none()
    }

    /// Checks that points are a phantom if the plan is for phantoms.
    ///
    /// # Panics
    ///
    /// If they are not.
    pub(crate) fn check(&self, points: &Block<Complex<T>>) {
        self.steps.check(points);
    }

    /// The work that a machine charges for.
    pub(crate) fn work(&self) -> Work {
        if self.real { work::real_row_fft(1, self.points) } else { work::row_fft(1, self.points) }
    }

    /// The passes of the transform; none in a plan for phantoms.
    pub(crate) fn steps(&self) -> Option<&Steps<T>> {
        self.steps.found()
    }

    /// The points of scratch that a call needs.
    #[inline]
    pub(crate) fn scratch_len(&self) -> usize {
        self.steps().map_or(0, Steps::scratch_len)
    }

    /// Transforms what a call brings.
    ///
    /// # Errors
    ///
    /// [`TransformError::Call`] if a slice is too short, or there is no such transform in place, and
    /// [`TransformError::Phantom`] if the plan is for phantoms; nothing has been written then.
    #[inline]
    pub(crate) fn process(
        &self,
        slices: Slices<'_, T>,
        scratch: &mut [Complex<T>],
    ) -> Result<(), TransformError> {
        let steps = self.steps().ok_or(TransformError::Phantom)?;
        Ok(steps.process(self.direction, self.factor, slices, scratch)?)
    }

    /// The slices of the arrays of a run, each in one piece. Without numbers, the points' parts are the numbers of a
    /// real transform.
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

    /// The result of a run, of whose arrays these were the slices.
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

/// All elements of a block in one piece.
fn slice<E: Element>(block: &mut Block<E>) -> &mut [E] {
    block.as_mut_slice().unwrap_or_else(|| panic!("elements in pieces"))
}
