//! Trait of column kernels: a fast transform of adjacent columns of a matrix, without a transposition.
//!
//! A transform in two dimensions needs rows and columns. With a row kernel alone, the matrix is transposed
//! between the two. A column kernel computes adjacent columns side by side and reads and writes them where
//! they are stored. Like a row kernel, it is planned once for a length and used from many threads, each with
//! its own scratch.

use std::fmt;

use num_complex::Complex;

use crate::real::Real;
use crate::unity::twiddle::Direction;

/// Transform of columns of [`len`](Self::len) points, in natural order from the first row to the last,
/// without scaling in either direction.
///
/// The result of a column is bitwise independent of the storage of the rows and of the other columns of the
/// call.
pub trait ColumnKernel<T: Real>: Send + Sync {
    /// Returns the name for tables and messages, in lower case.
    fn name(&self) -> &'static str;

    /// Returns the number of points in a column, which is the number of rows of the matrix.
    fn len(&self) -> usize;

    /// Returns false: a column has at least one point.
    fn is_empty(&self) -> bool {
        false
    }

    /// Returns the minimum scratch of a call, in points. It does not depend on the number of columns.
    fn scratch_len(&self) -> usize;

    /// Returns the scratch length for the shortest time, in points, for columns of a matrix of `matrix`
    /// bytes. It is at least [`scratch_len`](Self::scratch_len).
    fn scratch_len_of(&self, matrix: usize) -> usize {
        let _ = matrix;
        self.scratch_len()
    }

    /// Transforms the first `columns` columns of `from` into the columns of `to`, or the columns of `to` in
    /// place if `from` is `None`.
    ///
    /// The factor is `exp(-2 pi i j k / n)` forward and `exp(+2 pi i j k / n)` inverse; results are unscaled.
    /// The other points of the rows stay unchanged. The contents of the scratch are unspecified afterwards.
    ///
    /// # Panics
    ///
    /// If a matrix does not have [`len`](Self::len) rows, if its rows have fewer than `columns` columns, or
    /// if `scratch` is shorter than [`scratch_len`](Self::scratch_len).
    fn transform(
        &self,
        direction: Direction,
        from: Option<Matrix<'_, T>>,
        to: MatrixMut<'_, '_, T>,
        columns: usize,
        scratch: &mut [Complex<T>],
    );

    /// Computes the tables for a direction, as [`RowKernel::prepare`](crate::RowKernel::prepare) does.
    fn prepare(&self, direction: Direction);

    /// Allocates a scratch of [`scratch_len`](Self::scratch_len) points.
    fn scratch(&self) -> Vec<Complex<T>> {
        vec![Complex::new(T::zero(), T::zero()); self.scratch_len()]
    }
}

impl<T: Real> fmt::Debug for dyn ColumnKernel<T> + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "columns of {} {} by {}", self.len(), T::NAME, self.name())
    }
}

/// Rows of a matrix that is read.
#[derive(Clone, Copy, Debug)]
pub enum Matrix<'a, T> {
    /// Rows at a constant stride in one slice. The slice may end with the last column of the last row.
    Spaced {
        /// Points from the first row on.
        points: &'a [Complex<T>],
        /// Stride: distance between the starts of consecutive rows, in points.
        distance: usize,
    },
    /// Separately stored rows, each with exactly the columns of the call.
    Rows(&'a [&'a [Complex<T>]]),
}

/// Rows of a matrix that is written.
#[derive(Debug)]
pub enum MatrixMut<'a, 'r, T> {
    /// Rows at a constant stride in one slice. The slice may end with the last column of the last row.
    Spaced {
        /// Points from the first row on.
        points: &'a mut [Complex<T>],
        /// Stride: distance between the starts of consecutive rows, in points.
        distance: usize,
    },
    /// Separately stored rows, each with exactly the columns of the call.
    Rows(&'a mut [&'r mut [Complex<T>]]),
}
