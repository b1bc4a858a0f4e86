//! The columns of a matrix as a [`ColumnKernel`]: the checks before memory is touched.

use std::fmt;
use std::iter::Empty;

use earth_kernels::{ColumnKernel, Direction, Spaced};
use num_complex::Complex;

use crate::counting::operations::Operations;
use crate::isa::{Isa, Lane};
use crate::lanes::Strips;
use crate::scratch::{LINE, aligned, aligned_points, list_numbers};
use crate::tables::radices::radices;

/// The plan of columns of one length.
pub(crate) struct MatrixColumns<T> {
    len: usize,
    isa: Isa,
    strips: Strips<T>,
}

impl<T: Lane> MatrixColumns<T> {
    /// Plans columns of `len` points; `None` if a prime factor of them has no butterfly.
    pub(crate) fn plan(isa: Isa, len: usize) -> Option<Self> {
        Some(Self { len, isa, strips: Strips::new(isa, &radices(len)?) })
    }

    /// What it does for so many columns.
    pub(crate) fn operations(&self, columns: usize) -> Operations {
        self.strips.operations(columns)
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

    /// Checks the lengths of rows that lie anywhere. Returns the columns.
    fn check_rows(&self, mut lengths: impl ExactSizeIterator<Item = usize>) -> usize {
        assert_eq!(lengths.len(), self.len, "rows are given of columns of another length");
        let columns = lengths.next().unwrap_or(0);
        assert!(lengths.all(|length| length == columns), "rows of one matrix have one length");
        columns
    }
}

impl<T: Lane> MatrixColumns<T> {
    /// The numbers of a list of where rows begin.
    fn list(&self) -> usize {
        list_numbers::<T>(self.len)
    }

    /// The numbers of scratch for strips of so many groups: two lists come first, so that both are aligned.
    fn numbers(&self, groups: usize) -> usize {
        2 * self.list() + self.strips.scratch(groups)
    }

    /// Transforms the first `columns` columns of rows, which come `from` elsewhere if they do.
    ///
    /// # Safety
    ///
    /// There are as many rows as a column has points, here and there, and so many columns of each.
    unsafe fn run(
        &self,
        rows: impl Iterator<Item = *mut Complex<T>>,
        from: Option<impl Iterator<Item = *const Complex<T>>>,
        columns: usize,
        scratch: &mut [Complex<T>],
        direction: Direction,
    ) {
        let room = (2 * scratch.len()).saturating_sub(LINE / size_of::<T>() + 2 * self.list());
        let groups = self.strips.groups_in(room);
        let scratch = aligned(scratch, self.numbers(groups));
        let list = self.list();
        let (to, elsewhere) = (scratch.cast::<*mut T>(), scratch.wrapping_add(list).cast::<*mut T>());
        // SAFETY: the lists and what is behind them are in the scratch, which is aligned to more than pointers are; the
        // rest is the caller's, as a point is two numbers.
        unsafe {
            for (index, row) in rows.take(self.len).enumerate() {
                to.add(index).write(row.cast());
            }
            let from = if let Some(from) = from {
                for (index, row) in from.take(self.len).enumerate() {
                    elsewhere.add(index).write(row.cast_mut().cast());
                }
                elsewhere
            } else {
                to
            };
            self.strips.run(from, to, columns, scratch.add(2 * list), groups, direction);
        }
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
        self.scratch_len_of(0)
    }

    fn scratch_len_of(&self, matrix: usize) -> usize {
        aligned_points::<T>(self.numbers(self.strips.groups(matrix)))
    }

    fn prepare(&self, direction: Direction) {
        self.strips.prepare(direction);
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
        let begin = matrix.as_mut_ptr();
        let rows = (0..self.len).map(|row| begin.wrapping_add(row * leading));
        // SAFETY: so many columns of each row are in the slice.
        unsafe { self.run(rows, None::<Empty<_>>, columns, scratch, direction) }
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
        let (begin, end) = (from.points.as_ptr(), to.points.as_mut_ptr());
        let rows = (0..self.len).map(|row| end.wrapping_add(row * to.distance));
        let from = (0..self.len).map(|row| begin.wrapping_add(row * from.distance));
        // SAFETY: so many columns of each row of both matrices are in their slices.
        unsafe { self.run(rows, Some(from), columns, scratch, direction) }
    }

    fn transform_rows(
        &self,
        direction: Direction,
        rows: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    ) {
        let columns = self.check_rows(rows.iter().map(|row| row.len()));
        let rows = rows.iter_mut().map(|row| row.as_mut_ptr());
        // SAFETY: these are all points of the rows.
        unsafe { self.run(rows, None::<Empty<_>>, columns, scratch, direction) }
    }

    fn transform_rows_into(
        &self,
        direction: Direction,
        from: &[&[Complex<T>]],
        to: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    ) {
        let columns = self.check_rows(to.iter().map(|row| row.len()));
        let given = self.check_rows(from.iter().map(|row| row.len()));
        assert_eq!(given, columns, "rows of some points are put into rows of others");
        let rows = to.iter_mut().map(|row| row.as_mut_ptr());
        let from = from.iter().map(|row| row.as_ptr());
        // SAFETY: these are all points of the rows.
        unsafe { self.run(rows, Some(from), columns, scratch, direction) }
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
