//! The contract of a real kernel: the step between a transform of real numbers and one of half as many complex points.
//!
//! `n` real numbers, `n` even, are read as `n/2` complex points, the even ones as real parts and the odd ones as
//! imaginary parts. The transform `Z` of these points has the spectra of both halves in it, `E` of the even numbers and
//! `O` of the odd ones: `Z[k] = E[k] + i O[k]`, where each is its own mirror image, `E[-k] = conj E[k]`. A kernel takes
//! them apart and puts them together to the spectrum of all, `X[k] = E[k] + exp(-2 pi i k / n) O[k]`, of which the
//! first `n/2 + 1` points tell the others; and back.

use std::fmt;

use num_complex::Complex;

use crate::real::Real;

/// Works on a row of `len/2 + 1` complex points, where it is.
pub trait RealKernel<T: Real>: Send + Sync {
    /// The name for tables and messages, in lower case.
    fn name(&self) -> &'static str;

    /// The real numbers of a row: an even number, at least 2.
    fn len(&self) -> usize;

    /// Always false: a row has at least two numbers.
    fn is_empty(&self) -> bool {
        false
    }

    /// Turns the forward transform of `len/2` points, which are the first ones of the row, into the first `len/2 + 1`
    /// points of the spectrum of `len` real numbers, each times `factor`. The last point of the row need not be set.
    ///
    /// # Panics
    ///
    /// If the row has another number of points.
    fn split(&self, factor: T, row: &mut [Complex<T>]);

    /// Turns the first points of the spectrum of `len` real numbers into points whose inverse transform, unscaled, is
    /// the real numbers' unscaled one times `factor`: the first `len/2` points of the row, whose last one is left as it
    /// is. The imaginary parts of the first and the last point of the spectrum, which are zero for real numbers, are
    /// not read.
    ///
    /// # Panics
    ///
    /// If the row has another number of points.
    fn merge(&self, factor: T, row: &mut [Complex<T>]);
}

impl<T: Real> fmt::Debug for dyn RealKernel<T> + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "real rows of {} {} by {}", self.len(), T::NAME, self.name())
    }
}
