//! Trait of mirror kernels: the step between the spectrum of `n` real numbers and the transform of `n/2`
//! complex points, for some pairs of points at a time.
//!
//! It is the step of a [`RealKernel`](crate::RealKernel) for transforms whose points are not stored in one
//! row. A long transform is a matrix. Its points `k` and `m - k`, with `m = n/2`, depend only on each other
//! and are in columns that mirror each other. A caller with both columns in the cache takes the step there.

use std::fmt;

use num_complex::Complex;

use crate::real::Real;

/// Conversion of pairs of points between two representations of `len` real numbers, out of place.
///
/// One representation is the transform of the `len/2` complex points whose real and imaginary parts are the
/// numbers. The other is the spectrum of the numbers.
///
/// `from[0]` has the points `first`, `first + 1` and so on of the `len/2` points. `from[1]` has their mates
/// `len/2 - first`, `len/2 - first - 1` and so on, in ascending order as in memory, so that the mate of
/// `first` is last. The results go to the same indices of `to`.
///
/// Point 0 has no mate and is left to the caller: its real and imaginary parts are the sum and the difference
/// of the first and the last point of the spectrum.
pub trait MirrorKernel<T: Real>: Send + Sync {
    /// Returns the name for tables and messages, in lower case.
    fn name(&self) -> &'static str;

    /// Returns the number of real numbers: even, at least 2.
    fn len(&self) -> usize;

    /// Returns false: there are at least two numbers.
    fn is_empty(&self) -> bool {
        false
    }

    /// Converts points of the forward transform into points of the spectrum, each multiplied by `factor`.
    ///
    /// # Panics
    ///
    /// If the slices have different lengths, or if the points or their mates are out of range.
    fn split(&self, factor: T, first: usize, from: [&[Complex<T>]; 2], to: [&mut [Complex<T>]; 2]);

    /// Converts points of the spectrum into points for the unscaled inverse transform of `len/2` points. The
    /// result of that transform is the unscaled inverse transform to real numbers, multiplied by `factor`.
    ///
    /// # Panics
    ///
    /// As [`split`](Self::split).
    fn merge(&self, factor: T, first: usize, from: [&[Complex<T>]; 2], to: [&mut [Complex<T>]; 2]);
}

impl<T: Real> fmt::Debug for dyn MirrorKernel<T> + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pairs of {} {} by {}", self.len(), T::NAME, self.name())
    }
}
