//! Trait of turned kernels: the second half of a long transform, which turns rows into columns.
//!
//! A transform of `n = a b` points consists of transforms of columns and transforms of rows (the four-step
//! FFT, Bailey):
//!
//! 1. The points are a matrix of `a` rows of `b` points. Its columns are transformed.
//! 2. Point `j` of row `k` is multiplied by `exp(-2 pi i j k / n)`.
//! 3. The rows are transformed.
//! 4. Row `k` becomes column `k` of a matrix of `b` rows of `a` points, which is the transform in natural
//!    order.
//!
//! A turned kernel does steps 2 to 4 in one pass: it reads some rows of one matrix once and writes the
//! corresponding columns of the other matrix once.

use std::fmt;

use num_complex::Complex;

use crate::real::Real;
use crate::unity::twiddle::Direction;

/// Transform of rows of [`len`](Self::len) points, each multiplied by a root of unity, into columns.
pub trait TransposingKernel<T: Real>: Send + Sync {
    /// Returns the name for tables and messages, in lower case.
    fn name(&self) -> &'static str;

    /// Returns the number of points in a row.
    fn len(&self) -> usize;

    /// Returns false: a row has at least one point.
    fn is_empty(&self) -> bool {
        false
    }

    /// Returns the number of rows of the matrix. A call may transform some of them.
    fn rows(&self) -> usize;

    /// Returns the minimum scratch of a call, in points. It does not depend on the number of rows.
    fn scratch_len(&self) -> usize;

    /// Transforms consecutive rows of the matrix, from row `first` on, into columns.
    ///
    /// Point `j` of row `k` is multiplied by `exp(-2 pi i j k / n)` forward, or by its conjugate inverse,
    /// where `n` is the number of points in the matrix. Then the row is transformed and multiplied by
    /// `factor`. Output `m` of `from[i]` goes to `to[m][i]`. The contents of the scratch are unspecified
    /// afterwards.
    ///
    /// # Panics
    ///
    /// * If the rows are out of range of the matrix.
    /// * If a row of `from` does not have [`len`](Self::len) points.
    /// * If `to` does not have [`len`](Self::len) rows, or if one of its rows does not have as many points as
    ///   `from` has rows.
    /// * If `scratch` is shorter than [`scratch_len`](Self::scratch_len).
    fn transform(
        &self,
        direction: Direction,
        factor: T,
        first: usize,
        from: &[&[Complex<T>]],
        to: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    );

    /// Computes the tables for a direction, as [`RowKernel::prepare`](crate::RowKernel::prepare) does.
    fn prepare(&self, direction: Direction);

    /// Allocates a scratch of [`scratch_len`](Self::scratch_len) points.
    fn scratch(&self) -> Vec<Complex<T>> {
        vec![Complex::new(T::zero(), T::zero()); self.scratch_len()]
    }
}

impl<T: Real> fmt::Debug for dyn TransposingKernel<T> + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows into columns of {} {} by {}", self.len(), T::NAME, self.name())
    }
}
