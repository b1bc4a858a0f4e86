//! The columns of a matrix as a [`ColumnKernel`]: the checks before memory is touched.

use std::fmt;

use earth_kernels::{ColumnKernel, Direction, Spaced};
use num_complex::Complex;

use crate::columns::{Columns, Matrix};
use crate::isa::{Isa, Lane};
use crate::radices::radices;
use crate::scratch::{aligned, aligned_points};

/// The plan of columns of one length.
pub(crate) struct MatrixColumns<T> {
    len: usize,
    isa: Isa,
    columns: Columns<T>,
}

impl<T: Lane> MatrixColumns<T> {
    /// Plans columns of `len` points; `None` if a prime factor of them has no butterfly.
    pub(crate) fn plan(isa: Isa, len: usize) -> Option<Self> {
        Some(Self { len, isa, columns: Columns::new(isa, &radices(len)?) })
    }

    /// Checks that the columns are in a slice of `points` points.
    fn check(&self, points: usize, distance: usize, columns: usize) {
        assert!(
            distance >= columns,
            "rows of {columns} points overlap when they begin {distance} points apart"
        );
        let last = (self.len - 1).checked_mul(distance).and_then(|before| before.checked_add(columns));
        assert!(
            columns == 0 || last.is_some_and(|last| last <= points),
            "{points} points are no {} rows of {columns} that begin {distance} points apart",
            self.len
        );
    }
}

impl<T: Lane> ColumnKernel<T> for MatrixColumns<T> {
    fn name(&self) -> &'static str {
        self.isa.kernel()
    }

    fn len(&self) -> usize {
        self.len
    }

    fn scratch_len(&self) -> usize {
        aligned_points::<T>(self.columns.scratch())
    }

    fn transform(
        &self,
        direction: Direction,
        matrix: &mut [Complex<T>],
        leading: usize,
        columns: usize,
        scratch: &mut [Complex<T>],
    ) {
        self.check(matrix.len(), leading, columns);
        let scratch = aligned(scratch, self.columns.scratch());
        let (begin, row) = (matrix.as_mut_ptr().cast::<T>(), 2 * leading);
        let (from, to) = (Matrix { begin: begin.cast_const(), row }, Matrix { begin, row });
        // SAFETY: so many columns of the matrix are in the slice, a point is two numbers, and the scratch is as long as
        // the plan says.
        unsafe { self.columns.run(from, to, columns, scratch, direction) }
    }

    fn transform_into(
        &self,
        direction: Direction,
        from: Spaced<&[Complex<T>]>,
        to: Spaced<&mut [Complex<T>]>,
        columns: usize,
        scratch: &mut [Complex<T>],
    ) {
        self.check(from.points.len(), from.distance, columns);
        self.check(to.points.len(), to.distance, columns);
        let scratch = aligned(scratch, self.columns.scratch());
        let from = Matrix { begin: from.points.as_ptr().cast(), row: 2 * from.distance };
        let to = Matrix { begin: to.points.as_mut_ptr().cast(), row: 2 * to.distance };
        // SAFETY: so many columns of both matrices are in their slices, a point is two numbers, and the scratch is as
        // long as the plan says.
        unsafe { self.columns.run(from, to, columns, scratch, direction) }
    }
}

impl<T: Lane> fmt::Debug for MatrixColumns<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatrixColumns")
            .field("real", &T::NAME)
            .field("len", &self.len)
            .field("isa", &self.isa.name())
            .finish_non_exhaustive()
    }
}
