//! Trait of real kernels: the step between the spectrum of `n` real numbers and the transform of `n/2`
//! complex points.
//!
//! The `n` real numbers (`n` even) are read as `n/2` complex points: even-indexed numbers are real parts,
//! odd-indexed numbers are imaginary parts. The transform `Z` of these points is `Z[k] = E[k] + i O[k]`. Here
//! `E` is the spectrum of the even-indexed numbers and `O` that of the odd-indexed ones. Each is conjugate
//! symmetric: `E[-k] = conj E[k]`. A kernel separates the two and combines them into the whole spectrum
//! `X[k] = E[k] + exp(-2 pi i k / n) O[k]`, or goes the other way. The first `n/2 + 1` points of `X`
//! determine the others.

use std::fmt;

use num_complex::Complex;

use crate::real::Real;

/// Conversion of a row of `len/2 + 1` complex points, in place.
pub trait RealKernel<T: Real>: Send + Sync {
    /// Returns the name for tables and messages, in lower case.
    fn name(&self) -> &'static str;

    /// Returns the number of real numbers in a row: even, at least 2.
    fn len(&self) -> usize;

    /// Returns false: a row has at least two numbers.
    fn is_empty(&self) -> bool {
        false
    }

    /// Converts the forward transform of `len/2` points into the first `len/2 + 1` points of the spectrum of
    /// `len` real numbers, each multiplied by `factor`.
    ///
    /// The transform is read from the first `len/2` points of the row. The last point of the row need not be
    /// set.
    ///
    /// # Panics
    ///
    /// If the row does not have `len/2 + 1` points.
    fn split(&self, factor: T, row: &mut [Complex<T>]);

    /// Converts the first `len/2 + 1` points of the spectrum of `len` real numbers into points for the
    /// unscaled inverse transform of `len/2` points.
    ///
    /// The result of that transform is the unscaled inverse transform to real numbers, multiplied by
    /// `factor`. The points are written to the first `len/2` points of the row; the last one stays unchanged.
    /// The imaginary parts of the first and the last point of the spectrum are zero for real numbers and are
    /// not read.
    ///
    /// # Panics
    ///
    /// If the row does not have `len/2 + 1` points.
    fn merge(&self, factor: T, row: &mut [Complex<T>]);
}

impl<T: Real> fmt::Debug for dyn RealKernel<T> + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "real rows of {} {} by {}", self.len(), T::NAME, self.name())
    }
}
