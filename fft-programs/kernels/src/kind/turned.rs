//! The contract of a turned kernel: the second half of a long transform, from rows to columns.
//!
//! A transform of `n = a b` points is one of `b` columns and one of `a` rows. Written as a matrix of `a` rows of `b`
//! points, its columns are transformed first. Then point `j` of row `k` is multiplied by `exp(-2 pi i j k / n)`, the rows
//! are transformed, and row `k` of the result is column `k` of a matrix of `b` rows of `a` points, which is the transform
//! in natural order. A turned kernel does all that comes after the columns in one pass: it reads some rows of one
//! matrix once and writes as many columns of the other once.

use std::fmt;

use num_complex::Complex;

use crate::real::Real;
use crate::unity::twiddle::Direction;

/// Transforms rows of [`len`](Self::len) points, each times a root of unity, into columns.
pub trait TurnedKernel<T: Real>: Send + Sync {
    /// The name for tables and messages, in lower case.
    fn name(&self) -> &'static str;

    /// The points of a row.
    fn len(&self) -> usize;

    /// Always false: a row has at least one point.
    fn is_empty(&self) -> bool {
        false
    }

    /// The rows of the matrix, of which a call may have some.
    fn rows(&self) -> usize;

    /// The points of scratch that a call needs, whatever the number of rows.
    fn scratch_len(&self) -> usize;

    /// Transforms rows, the first of which is row `first` of the matrix: point `j` of row `k` times
    /// `exp(-2 pi i j k / n)`, forward, or its conjugate, inverse, where `n` is the number of the matrix's points; then
    /// the row, times `factor`. Output `m` of `from[i]` becomes `to[m][i]`. What is left in the scratch is unspecified.
    ///
    /// # Panics
    ///
    /// If the matrix has no such rows, if a row of `from` has not [`len`](Self::len) points, if there are other rows of
    /// `to` than points in a row, if one of these has other points than there are rows, or if `scratch` is shorter than
    /// [`scratch_len`](Self::scratch_len).
    fn transform(
        &self,
        direction: Direction,
        factor: T,
        first: usize,
        from: &[&[Complex<T>]],
        to: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    );

    /// Makes the tables for a direction, as [`RowKernel::prepare`](crate::RowKernel::prepare) does.
    fn prepare(&self, direction: Direction);

    /// Allocates a scratch as long as a call needs.
    fn scratch(&self) -> Vec<Complex<T>> {
        vec![Complex::new(T::zero(), T::zero()); self.scratch_len()]
    }
}

impl<T: Real> fmt::Debug for dyn TurnedKernel<T> + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows into columns of {} {} by {}", self.len(), T::NAME, self.name())
    }
}
