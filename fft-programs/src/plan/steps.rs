//! The passes of one thread, of any kind of problem, and the slices that a call brings.

use std::fmt;
use std::sync::Arc;

use earth_codelets::Isa;
use earth_fftw::Effort;
use earth_kernels::{ColumnKernel, Direction, Real, RealKernel, RowKernel, RowShape, TurnedKernel};
use earth_serial::{CallError, ComplexPlan, Kernels, RealForwardPlan, RealInversePlan};
use num_complex::Complex;

use crate::kernel::{Kernel, KernelError};

/// The passes of one thread, by the kind of the problem.
#[derive(Debug)]
pub enum Steps<T: Real> {
    /// Complex points to complex points, in either direction.
    Complex(ComplexPlan<T>),
    /// Real numbers to complex points.
    Forward(RealForwardPlan<T>),
    /// Complex points to real numbers.
    Inverse(RealInversePlan<T>),
}

/// What a caller gave: the input and the output of one call.
#[derive(Debug)]
pub(crate) enum Slices<'a, T: Real> {
    /// Complex points that are replaced.
    InPlace(&'a mut [Complex<T>]),
    /// Complex points, and where their transform goes.
    OutOfPlace(&'a [Complex<T>], &'a mut [Complex<T>]),
    /// Real numbers, and where their spectrum goes.
    RealToComplex(&'a [T], &'a mut [Complex<T>]),
    /// A spectrum, which is scratch, and where its real numbers go.
    ComplexToReal(&'a mut [Complex<T>], &'a mut [T]),
    /// Rows of real numbers, filled up to the length of their spectra, that are replaced by them or replace them.
    Padded(&'a mut [T]),
}

impl<T: Real> Steps<T> {
    /// The points of scratch that a call needs.
    pub(crate) fn scratch_len(&self) -> usize {
        match self {
            Self::Complex(plan) => plan.scratch_len(),
            Self::Forward(plan) => plan.scratch_len(),
            Self::Inverse(plan) => plan.scratch_len(),
        }
    }

    /// Transforms what a call brings, every element times `factor`. Real transforms have a direction of their own.
    ///
    /// # Errors
    ///
    /// [`CallError`] if a slice is too short, or there is no such transform in place; nothing has been written then.
    ///
    /// # Panics
    ///
    /// If the call is one of another kind of problem.
    #[inline]
    pub(crate) fn process(
        &self,
        direction: Direction,
        factor: T,
        slices: Slices<'_, T>,
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        match (self, slices) {
            (Self::Complex(plan), Slices::InPlace(points)) => {
                plan.process(direction, factor, points, scratch)
            }
            (Self::Complex(plan), Slices::OutOfPlace(input, output)) => {
                plan.process_into(direction, factor, input, output, scratch)
            }
            (Self::Forward(plan), Slices::RealToComplex(input, output)) => {
                plan.process(factor, input, output, scratch)
            }
            (Self::Forward(plan), Slices::Padded(data)) => plan.process_padded(factor, data, scratch),
            (Self::Inverse(plan), Slices::ComplexToReal(input, output)) => {
                plan.process(factor, input, output, scratch)
            }
            (Self::Inverse(plan), Slices::Padded(data)) => plan.process_padded(factor, data, scratch),
            _ => unreachable!("the calls of a plan are of the kind of its problem"),
        }
    }
}

/// The shape, and a line for each pass.
impl<T: Real> fmt::Display for Steps<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complex(plan) => plan.fmt(f),
            Self::Forward(plan) => plan.fmt(f),
            Self::Inverse(plan) => plan.fmt(f),
        }
    }
}

/// Kernels of one name, planned as hard as told.
pub struct Planned<'a>(pub(crate) &'a Kernel, pub(crate) Effort);

impl<T: Real> Kernels<T> for Planned<'_> {
    type Error = KernelError;

    fn rows(&self, len: usize) -> Result<Arc<dyn RowKernel<T>>, KernelError> {
        self.0.plan(RowShape::contiguous(len, 1), self.1)
    }

    fn nested(&self, len: usize) -> Option<Arc<dyn RowKernel<T>>> {
        (*self.0 == Kernel::Earth).then(|| earth_codelets::split_rows(Isa::best(), len)).flatten()
    }

    fn columns(&self, len: usize) -> Option<Arc<dyn ColumnKernel<T>>> {
        (*self.0 == Kernel::Earth).then(|| earth_codelets::columns(Isa::best(), len)).flatten()
    }

    fn real(&self, len: usize) -> Option<Arc<dyn RealKernel<T>>> {
        earth_codelets::real(Isa::best(), len)
    }

    fn turned(&self, len: usize, rows: usize) -> Option<Arc<dyn TurnedKernel<T>>> {
        (*self.0 == Kernel::Earth).then(|| earth_codelets::turned(Isa::best(), len, rows)).flatten()
    }
}
