//! Rows that become columns, as a [`TransposingKernel`]: the checks before memory is accessed.

use earth_kernels::{Direction, TransposingKernel};
use num_complex::Complex;

use crate::counting::operations::Operations;
use crate::isa::{Isa, Lane};
use crate::lanes::{Turned, TurnedJob};
use crate::scratch::{aligned, aligned_points, list_numbers};
use crate::tables::radices::radices;

/// Plan of the rows of a matrix.
pub(crate) struct TransposingRows<T> {
    len: usize,
    rows: usize,
    isa: Isa,
    turned: Turned<T>,
}

impl<T: Lane> TransposingRows<T> {
    /// Plans rows of `len` points of a matrix of `rows` rows. Returns `None` if a prime factor of `len` has
    /// no butterfly, if the matrix has no rows, or if it has 2^53 points or more.
    pub(crate) fn plan(isa: Isa, len: usize, rows: usize) -> Option<Self> {
        let radices = radices(len)?;
        len.checked_mul(rows).filter(|points| (1..1 << 53).contains(points))?;
        Some(Self { len, rows, isa, turned: Turned::new(isa, &radices, rows) })
    }

    /// Counts the operations for all rows.
    pub(crate) fn operations(&self) -> Operations {
        self.turned.operations(self.rows)
    }

    /// Returns the size of a list of row addresses, in numbers. It has room for the rows of the result and of
    /// the matrix.
    fn list(&self) -> usize {
        list_numbers::<T>(self.len.max(self.rows))
    }

    /// Returns the minimum scratch, in numbers. Two lists come first.
    fn numbers(&self) -> usize {
        2 * self.list() + self.turned.scratch()
    }
}

impl<T: Lane> TransposingKernel<T> for TransposingRows<T> {
    fn name(&self) -> &'static str {
        self.isa.kernel()
    }

    fn len(&self) -> usize {
        self.len
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn scratch_len(&self) -> usize {
        aligned_points::<T>(self.numbers())
    }

    fn prepare(&self, direction: Direction) {
        self.turned.prepare(direction);
    }

    fn transform(
        &self,
        direction: Direction,
        factor: T,
        first: usize,
        from: &[&[Complex<T>]],
        to: &mut [&mut [Complex<T>]],
        scratch: &mut [Complex<T>],
    ) {
        let count = from.len();
        let there = self.rows.checked_sub(first).is_some_and(|rest| count <= rest);
        assert!(there, "{count} rows from row {first} on of a matrix of {}", self.rows);
        assert!(from.iter().all(|row| row.len() == self.len), "rows of another length than {}", self.len);
        assert_eq!(to.len(), self.len, "the result does not have a row for each point of an input row");
        assert!(
            to.iter().all(|row| row.len() == count),
            "the result does not have a column for each input row"
        );
        let scratch = aligned(scratch, self.numbers());
        let (input, output) =
            (scratch.cast::<*const T>(), scratch.wrapping_add(self.list()).cast::<*mut T>());
        // SAFETY: the lists and the memory after them are in the scratch, which has at least the alignment of
        // pointers. Rows and columns have been checked, and a point is two numbers.
        unsafe {
            for (index, row) in from.iter().enumerate() {
                input.add(index).write(row.as_ptr().cast());
            }
            for (index, row) in to.iter_mut().enumerate() {
                output.add(index).write(row.as_mut_ptr().cast());
            }
            let job = TurnedJob {
                direction,
                factor,
                first,
                count,
                from: input.cast_const(),
                to: output.cast_const(),
            };
            self.turned.run(&job, scratch.add(2 * self.list()));
        }
    }
}
