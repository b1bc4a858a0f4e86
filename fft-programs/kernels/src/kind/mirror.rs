//! The contract of a mirror kernel: the step between real numbers and half as many complex points, some pairs at a time.
//!
//! It is the step of a [`RealKernel`](crate::RealKernel) for transforms whose points do not lie in one row: a long one
//! is a matrix, in which points `k` and `m - k` of the `m = n/2`, which depend on each other alone, lie in columns that
//! are mirror images of each other. Whoever has both columns at hand takes the step while they are in the cache.

use std::fmt;

use num_complex::Complex;

use crate::real::Real;

/// Computes pairs of points, from one place to another: of the transform of `len/2` points whose parts are `len` real
/// numbers, or of the spectrum of these.
///
/// A call has points `first`, `first + 1` and so on of the `len/2` in `from[0]`, and their mates `len/2 - first`,
/// `len/2 - first - 1` and so on in `from[1]`, the last of them first, as they lie in memory; results go to the same places
/// of `to`. Point 0, which has no mate, is the caller's: its parts are the sum and the difference of the first and the
/// last point of the spectrum.
pub trait MirrorKernel<T: Real>: Send + Sync {
    /// The name for tables and messages, in lower case.
    fn name(&self) -> &'static str;

    /// The real numbers: an even number, at least 2.
    fn len(&self) -> usize;

    /// Always false: there are at least two numbers.
    fn is_empty(&self) -> bool {
        false
    }

    /// Turns points of the forward transform into points of the spectrum, each times `factor`.
    ///
    /// # Panics
    ///
    /// If the slices have different lengths, or there are no such points.
    fn split(&self, factor: T, first: usize, from: [&[Complex<T>]; 2], to: [&mut [Complex<T>]; 2]);

    /// Turns points of the spectrum into points whose inverse transform, unscaled, is the real numbers' unscaled one times
    /// `factor`.
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
