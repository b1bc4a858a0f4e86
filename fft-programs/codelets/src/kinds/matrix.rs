//! Columns of a matrix as a [`ColumnKernel`]: the checks before memory is accessed.

use earth_kernels::{ColumnKernel, Direction, Matrix, MatrixMut};
use num_complex::Complex;

use crate::counting::operations::Operations;
use crate::isa::{Isa, Lane};
use crate::lanes::Strips;
use crate::scratch::{LINE, aligned, aligned_points, list_numbers};
use crate::tables::radices::radices;

/// Plan of columns of one length.
pub(crate) struct MatrixColumns<T> {
    len: usize,
    isa: Isa,
    strips: Strips<T>,
}

impl<T: Lane> MatrixColumns<T> {
    /// Plans columns of `len` points. Returns `None` if a prime factor of `len` has no butterfly.
    pub(crate) fn plan(isa: Isa, len: usize) -> Option<Self> {
        Some(Self { len, isa, strips: Strips::new(isa, &radices(len)?) })
    }

    /// Counts the operations for `columns` columns.
    pub(crate) fn operations(&self, columns: usize) -> Operations {
        self.strips.operations(columns)
    }

    /// Returns the size of a list of row addresses, in numbers.
    fn list(&self) -> usize {
        list_numbers::<T>(self.len)
    }

    /// Returns the scratch for strips of `groups` groups, in numbers. Two lists come first, so that both are
    /// aligned.
    fn numbers(&self, groups: usize) -> usize {
        2 * self.list() + self.strips.scratch(groups)
    }

    /// Checks that the first columns of rows at a distance are in a slice of `points` points.
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

    /// Checks the lengths of separately stored rows.
    fn check_rows(&self, mut lengths: impl ExactSizeIterator<Item = usize>, columns: usize) {
        assert_eq!(lengths.len(), self.len, "the number of rows is not the length of a column");
        assert!(lengths.all(|length| length == columns), "rows of one matrix have one length");
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
        from: Option<Matrix<'_, T>>,
        to: MatrixMut<'_, '_, T>,
        columns: usize,
        scratch: &mut [Complex<T>],
    ) {
        let room = (2 * scratch.len()).saturating_sub(LINE / size_of::<T>() + 2 * self.list());
        let groups = self.strips.groups_in(room);
        let scratch = aligned(scratch, self.numbers(groups));
        let (here, elsewhere) =
            (scratch.cast::<*mut T>(), scratch.wrapping_add(self.list()).cast::<*mut T>());
        // SAFETY: both lists and the memory after them are in the scratch, which has at least the alignment
        // of pointers. Each list has as many rows as a column has points; the columns in them were checked. A
        // point is two numbers.
        unsafe {
            match to {
                MatrixMut::Spaced { points, distance } => {
                    self.check(points.len(), distance, columns);
                    let begin = points.as_mut_ptr();
                    (0..self.len)
                        .for_each(|row| here.add(row).write(begin.wrapping_add(row * distance).cast()));
                }
                MatrixMut::Rows(rows) => {
                    self.check_rows(rows.iter().map(|row| row.len()), columns);
                    let rows = rows.iter_mut().enumerate();
                    rows.for_each(|(index, row)| here.add(index).write(row.as_mut_ptr().cast()));
                }
            }
            let from = match from {
                None => here,
                Some(Matrix::Spaced { points, distance }) => {
                    self.check(points.len(), distance, columns);
                    let begin = points.as_ptr().cast_mut();
                    (0..self.len)
                        .for_each(|row| elsewhere.add(row).write(begin.wrapping_add(row * distance).cast()));
                    elsewhere
                }
                Some(Matrix::Rows(rows)) => {
                    self.check_rows(rows.iter().map(|row| row.len()), columns);
                    let rows = rows.iter().enumerate();
                    rows.for_each(|(index, row)| elsewhere.add(index).write(row.as_ptr().cast_mut().cast()));
                    elsewhere
                }
            };
            self.strips.run(from, here, columns, scratch.add(2 * self.list()), groups, direction);
        }
    }
}
