//! The contract of a row kernel: a fast transform of many rows of one length.
//!
//! All programs do their local work through this trait, so that one kernel can be put for another and
//! compared. A kernel is planned once for a length, holds whatever tables it needs, and is then used from
//! many threads at the same time, each with a scratch of its own: no allocation happens while transforming, but
//! what a foreign library may do inside.

use std::fmt;

use num_complex::Complex;

use crate::kind::row_shape::count_rows;
use crate::real::Real;
use crate::unity::twiddle::Direction;

/// Transforms rows of [`len`](Self::len) points, in natural order in and out, without scaling in either direction.
///
/// The rows of a call are contiguous in one slice, or begin at a greater distance
/// ([`transform_spaced`](Self::transform_spaced)). They are transformed in place, or from one slice to another
/// ([`transform_into`](Self::transform_into)), which a kernel may do without copying first.
pub trait RowKernel<T: Real>: Send + Sync {
    /// The name for tables and messages, in lower case.
    fn name(&self) -> &'static str;

    /// The points of a row.
    fn len(&self) -> usize;

    /// Always false: a row has at least one point.
    fn is_empty(&self) -> bool {
        false
    }

    /// Whether a program should give it several rows in a call: they take less time together than one by one. A
    /// kernel that may round otherwise then has to say no, since how many rows there are is nobody's choice.
    fn wants_many(&self) -> bool {
        false
    }

    /// The points of scratch that a call needs, whatever the number of rows.
    fn scratch_len(&self) -> usize;

    /// Transforms each row, unscaled: `exp(-2 pi i j k / n)` forward, `exp(+2 pi i j k / n)` inverse, so that
    /// both together multiply by [`len`](Self::len) ([`scale`] undoes that). What is left in the scratch is
    /// unspecified.
    ///
    /// # Panics
    ///
    /// If `rows` is no multiple of [`len`](Self::len), or `scratch` shorter than
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

    /// Transforms rows as [`transform`](Self::transform) does, each of which begins `distance` points after the
    /// one before (FFTW's `idist`). The points between rows are left as they are; the slice may end with the last
    /// row's own points.
    ///
    /// # Panics
    ///
    /// If rows would overlap, if the last row is not all there, or `scratch` is shorter than
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

    /// Transforms contiguous rows as [`transform`](Self::transform) does, from one slice to another.
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

    /// Makes the tables for a direction, unless they are there. The first call in the direction would make them otherwise.
    /// Kernels without tables, or with tables for both directions, ignore the call.
    fn prepare(&self, direction: Direction) {
        let _ = direction;
    }

    /// Allocates a scratch as long as a call needs.
    fn scratch(&self) -> Vec<Complex<T>> {
        vec![Complex::new(T::zero(), T::zero()); self.scratch_len()]
    }
}

impl<T: Real> fmt::Debug for dyn RowKernel<T> + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rows of {} {} by {}", self.len(), T::NAME, self.name())
    }
}

/// Multiplies every point by `factor`: by `1/n` to finish an inverse transform of `n` points.
pub fn scale<T: Real>(data: &mut [Complex<T>], factor: T) {
    for x in data {
        *x = x.scale(factor);
    }
}
