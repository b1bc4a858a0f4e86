//! The contract of a column kernel: a fast transform of neighbouring columns of a matrix, where they are.
//!
//! A transform in two dimensions needs rows and columns. With a row kernel alone the matrix is transposed in between;
//! a kernel that computes neighbouring columns side by side reads and writes them where they are. Like a row kernel it
//! is planned once for a length and used from many threads, each with a scratch of its own.

use std::fmt::Debug;

use num_complex::Complex;

use crate::real::Real;
use crate::unity::twiddle::Direction;

/// Transforms columns of [`len`](Self::len) points, in natural order from the first row to the last, without scaling
/// in either direction.
///
/// A matrix lies row after row. A slice of it begins with the first column that is meant, and has `len` rows, each of
/// which begins `leading` points after the one before. The points of a row after the columns that are meant are left
/// as they are, and may be absent from the last row.
pub trait ColumnKernel<T: Real>: Debug + Send + Sync {
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

    /// Transforms the first `columns` columns where they are: `exp(-2 pi i j k / n)` forward, `exp(+2 pi i j k / n)`
    /// inverse, unscaled. What is left in the scratch is unspecified.
    ///
    /// # Panics
    ///
    /// If `leading` is less than `columns`, the matrix is not all there, or `scratch` is shorter than
    /// [`scratch_len`](Self::scratch_len).
    fn transform(
        &self,
        direction: Direction,
        matrix: &mut [Complex<T>],
        leading: usize,
        columns: usize,
        scratch: &mut [Complex<T>],
    );

    /// Transforms columns as [`transform`](Self::transform) does, from one matrix to another.
    ///
    /// # Panics
    ///
    /// As [`transform`](Self::transform), of both matrices.
    fn transform_into(
        &self,
        direction: Direction,
        from: Spaced<&[Complex<T>]>,
        to: Spaced<&mut [Complex<T>]>,
        columns: usize,
        scratch: &mut [Complex<T>],
    );

    /// Transforms all columns of rows that lie anywhere, one slice a row, where they are. A column becomes the same, to
    /// the bit, as by [`transform`](Self::transform).
    ///
    /// # Panics
    ///
    /// If there are not [`len`](Self::len) rows, if they have different lengths, or `scratch` is shorter than
    /// [`scratch_len`](Self::scratch_len).
    fn transform_rows(
        &self,
        direction: Direction,
        rows: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    );

    /// Transforms all columns of rows that lie anywhere into those of other rows, one slice a row. A column becomes the
    /// same, to the bit, as by [`transform`](Self::transform).
    ///
    /// # Panics
    ///
    /// As [`transform_rows`](Self::transform_rows), of both; or if some rows have other points than the others.
    fn transform_rows_into(
        &self,
        direction: Direction,
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

/// Points of rows that begin at a distance from one another.
#[derive(Clone, Copy, Debug)]
pub struct Spaced<S> {
    /// The points, from the first row on.
    pub points: S,
    /// The points from the beginning of a row to that of the next.
    pub distance: usize,
}
