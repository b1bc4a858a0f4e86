//! The passes of one thread, by the kind of the problem.

use std::fmt;

use earth_kernels::{Direction, Real};
use earth_serial::{CallError, ComplexPlan, Layout, PassFacts, RealPlan, Shape};
use num_complex::Complex;

use crate::kernel::Planned;
use crate::planner::PlanError;
use crate::problem::{Elements, Slices};

#[derive(Debug)]
pub(crate) enum Steps<T: Real> {
    /// Complex points to complex points, in either direction.
    Complex(ComplexPlan<T>),
    /// Real numbers to complex points, or back.
    Real(RealPlan<T>),
}

impl<T: Real> Steps<T> {
    /// Plans passes over an input and an output of these layouts.
    ///
    /// # Errors
    ///
    /// [`PlanError::Problem`] and [`PlanError::Kernel`].
    pub(crate) fn new(
        elements: Elements,
        shape: &Shape,
        [input, output]: [&Layout; 2],
        kernels: &Planned<'_>,
    ) -> Result<Self, PlanError> {
        Ok(match elements {
            Elements::ComplexToComplex => Self::Complex(ComplexPlan::new(shape, input, output, kernels)?),
            Elements::RealToComplex => {
                Self::Real(RealPlan::new(Direction::Forward, shape, input, output, kernels)?)
            }
            Elements::ComplexToReal => {
                Self::Real(RealPlan::new(Direction::Inverse, shape, input, output, kernels)?)
            }
        })
    }

    /// Returns the facts of the passes in their order, in place or out of place.
    pub(crate) fn passes(&self, in_place: bool) -> Vec<PassFacts> {
        match self {
            Self::Complex(plan) => plan.passes(in_place),
            Self::Real(plan) => plan.passes(in_place),
        }
    }

    pub(crate) fn scratch_len(&self) -> usize {
        match self {
            Self::Complex(plan) => plan.scratch_len(),
            Self::Real(plan) => plan.scratch_len(),
        }
    }

    /// Transforms the slices of a call and multiplies every element by `factor`. Real transforms have a
    /// direction of their own.
    ///
    /// # Errors
    ///
    /// [`CallError`], with the slices unchanged, if a slice is too short, or there is no such transform in
    /// place.
    ///
    /// # Panics
    ///
    /// If the slices are of another kind of problem.
    #[inline]
    pub(crate) fn process(
        &self,
        direction: Direction,
        factor: T,
        slices: &mut Slices<'_, T>,
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        match (self, slices) {
            (Self::Complex(plan), Slices::InPlace(points)) => {
                plan.process(direction, factor, points, scratch)
            }
            (Self::Complex(plan), Slices::OutOfPlace(input, output)) => {
                plan.process_into(direction, factor, input, output, scratch)
            }
            (Self::Real(plan), Slices::RealToComplex(input, output)) => {
                plan.forward(factor, input, output, scratch)
            }
            (Self::Real(plan), Slices::ComplexToReal(input, output)) => {
                plan.inverse(factor, input, output, scratch)
            }
            (Self::Real(plan), Slices::Padded(data)) => plan.process_padded(factor, data, scratch),
            _ => unreachable!("the calls of a plan are of the kind of its problem"),
        }
    }
}

/// Writes the shape, and a line for each pass.
impl<T: Real> fmt::Display for Steps<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complex(plan) => fmt::Display::fmt(plan, f),
            Self::Real(plan) => fmt::Display::fmt(plan, f),
        }
    }
}
