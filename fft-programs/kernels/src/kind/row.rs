//! Trait of row kernels: a fast transform of many rows of one length.
//!
//! All programs do their local work through this trait, so that kernels can be exchanged and compared. A
//! kernel is planned once for a length and holds the tables it needs. It is then used from many threads at
//! the same time, each with its own scratch. Transforms allocate no memory, except inside foreign libraries.

use std::fmt;

use num_complex::Complex;

use crate::kind::row_shape::count_rows;
use crate::real::Real;
use crate::unity::twiddle::Direction;

/// Transform of rows of [`len`](Self::len) points, in natural order in and out, without scaling in either
/// direction.
///
/// The rows of a call are contiguous in one slice or have a larger stride
/// ([`transform_spaced`](Self::transform_spaced)). They are transformed in place or from one slice to another
/// ([`transform_into`](Self::transform_into)), which some kernels do without copying first.
pub trait RowKernel<T: Real>: Send + Sync {
    /// Returns the name for tables and messages, in lower case.
    fn name(&self) -> &'static str;

    /// Returns the number of points in a row.
    fn len(&self) -> usize;

    /// Returns false: a row has at least one point.
    fn is_empty(&self) -> bool {
        false
    }

    /// Returns whether several rows in one call take less time than one row per call.
    ///
    /// A kernel whose rounding depends on the number of rows has to return false, because programs do not
    /// choose that number.
    fn wants_many(&self) -> bool {
        false
    }

    /// Returns the minimum scratch of a call, in points. It does not depend on the number of rows.
    fn scratch_len(&self) -> usize;

    /// Transforms each row, unscaled: `exp(-2 pi i j k / n)` forward, `exp(+2 pi i j k / n)` inverse.
    ///
    /// Both together multiply by [`len`](Self::len); [`scale`] undoes that. The contents of the scratch are
    /// unspecified afterwards.
    ///
    /// # Panics
    ///
    /// If the length of `rows` is not a multiple of [`len`](Self::len), or if `scratch` is shorter than
    /// [`scratch_len`](Self::scratch_len).
    fn transform(&self, direction: Direction, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]);

    /// Calls [`transform`](Self::transform) forward.
    fn forward(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.transform(Direction::Forward, rows, scratch);
    }

    /// Calls [`transform`](Self::transform) inverse.
    fn inverse(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.transform(Direction::Inverse, rows, scratch);
    }

    /// Transforms rows as [`transform`](Self::transform) does, with consecutive rows `distance` points apart
    /// (FFTW's `idist`).
    ///
    /// The points between rows stay unchanged. The slice may end with the last point of the last row.
    ///
    /// # Panics
    ///
    /// If rows would overlap, if the last row is incomplete, or if `scratch` is shorter than
    /// [`scratch_len`](Self::scratch_len).
    fn transform_spaced(
        &self,
        direction: Direction,
        rows: &mut [Complex<T>],
        distance: usize,
        scratch: &mut [Complex<T>],
    ) {
        let len = self.len();
        count_rows(rows.len(), len, distance);
        if distance == len {
            return self.transform(direction, rows, scratch);
        }
        for row in rows.chunks_mut(distance) {
            self.transform(direction, &mut row[..len], scratch);
        }
    }

    /// Transforms contiguous rows as [`transform`](Self::transform) does, out of place.
    ///
    /// # Panics
    ///
    /// As [`transform`](Self::transform), or if the slices have different lengths.
    fn transform_into(
        &self,
        direction: Direction,
        from: &[Complex<T>],
        to: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        to.copy_from_slice(from);
        self.transform(direction, to, scratch);
    }

    /// Computes the tables for a direction, unless they exist. Without this call, the first transform in the
    /// direction computes them. Kernels without tables, or with tables for both directions, ignore the call.
    fn prepare(&self, direction: Direction) {
        let _ = direction;
    }

    /// Allocates a scratch of [`scratch_len`](Self::scratch_len) points.
    fn scratch(&self) -> Vec<Complex<T>> {
        vec![Complex::new(T::zero(), T::zero()); self.scratch_len()]
    }
}

impl<T: Real> fmt::Debug for dyn RowKernel<T> + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows of {} {} by {}", self.len(), T::NAME, self.name())
    }
}

/// Multiplies every point by `factor`, which is `1/n` to finish an inverse transform of `n` points.
pub fn scale<T: Real>(data: &mut [Complex<T>], factor: T) {
    for x in data {
        *x = x.scale(factor);
    }
}
