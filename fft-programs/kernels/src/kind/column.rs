//! The contract of a column kernel: a fast transform of neighbouring columns of a matrix, where they are.
//!
//! A transform in two dimensions needs rows and columns. With a row kernel alone the matrix is transposed in between;
//! a kernel that computes neighbouring columns side by side reads and writes them where they are. Like a row kernel it
//! is planned once for a length and used from many threads, each with a scratch of its own.

use std::fmt;

use num_complex::Complex;

use crate::real::Real;
use crate::unity::twiddle::Direction;

/// Transforms columns of [`len`](Self::len) points, in natural order from the first row to the last, without
/// scaling in either direction. A column becomes the same, to the bit, wherever the rows are and whatever
/// columns are transformed with it.
pub trait ColumnKernel<T: Real>: Send + Sync {
    /// The name for tables and messages, in lower case.
    fn name(&self) -> &'static str;

    /// The points of a column: the rows of the matrix.
    fn len(&self) -> usize;

    /// Always false: a column has at least one point.
    fn is_empty(&self) -> bool {
        false
    }

    /// The points of scratch that a call needs, whatever the number of columns.
    fn scratch_len(&self) -> usize;

    /// The points of scratch with which a call takes the least time, if the columns are of a matrix of so many bytes: at least
    /// as many as it needs.
    fn scratch_len_of(&self, matrix: usize) -> usize {
        let _ = matrix;
        self.scratch_len()
    }

    /// Transforms the first `columns` columns of a matrix into the columns of another one. Without the first
    /// matrix it transforms the columns of the second one where they are: `exp(-2 pi i j k / n)` forward,
    /// `exp(+2 pi i j k / n)` inverse, unscaled. The other points of rows are left as they are. What is left
    /// in the scratch is unspecified.
    ///
    /// # Panics
    ///
    /// If a matrix has other than [`len`](Self::len) rows, or rows of fewer columns, or if `scratch` is
    /// shorter than [`scratch_len`](Self::scratch_len).
    fn transform(
        &self,
        direction: Direction,
        from: Option<Matrix<'_, T>>,
        to: MatrixMut<'_, '_, T>,
        columns: usize,
        scratch: &mut [Complex<T>],
    );

    /// Makes the tables for a direction, as [`RowKernel::prepare`](crate::RowKernel::prepare) does.
    fn prepare(&self, direction: Direction);

    /// Allocates a scratch as long as a call needs.
    fn scratch(&self) -> Vec<Complex<T>> {
        vec![Complex::new(T::zero(), T::zero()); self.scratch_len()]
    }
}

impl<T: Real> fmt::Debug for dyn ColumnKernel<T> + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "columns of {} {} by {}", self.len(), T::NAME, self.name())
    }
}

/// The rows of a matrix.
#[derive(Clone, Copy, Debug)]
pub enum Matrix<'a, T> {
    /// Rows that begin at a distance from one another. The last one may end with its last column.
    Spaced {
        /// The points, from the first row on.
        points: &'a [Complex<T>],
        /// The points from the beginning of a row to that of the next.
        distance: usize,
    },
    /// Rows at any places, each with exactly the columns of the call.
    Rows(&'a [&'a [Complex<T>]]),
}

/// The rows of a matrix that is written.
#[derive(Debug)]
pub enum MatrixMut<'a, 'r, T> {
    /// Rows that begin at a distance from one another. The last one may end with its last column.
    Spaced {
        /// The points, from the first row on.
        points: &'a mut [Complex<T>],
        /// The points from the beginning of a row to that of the next.
        distance: usize,
    },
    /// Rows at any places, each with exactly the columns of the call.
    Rows(&'a mut [&'r mut [Complex<T>]]),
}
