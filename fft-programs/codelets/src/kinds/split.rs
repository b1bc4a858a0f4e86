//! Kernel for a row of a composite length (four-step FFT): columns, roots, and rows that become columns.
//!
//! A row of `n = a b` points is a matrix of `a` rows of `b` points. Its columns are transformed into an
//! intermediate matrix, by [strips](crate::lanes::Strips). Each point of this matrix is multiplied by
//! `exp(-2 pi i k j / n)`. Then its rows are transformed and written as columns of the result ([`Turned`]),
//! which has `b` rows of `a` points. So the row is read once, the intermediate matrix is written and read
//! once, and the result is written once, for any length.
//!
//! *Cost.* Besides the row, a matrix of the same size, lists of row addresses, and factors for as many
//! columns as there are lanes. *When it loses.* The kernel within a row needs no intermediate matrix and is
//! better where a row fits into the L2 cache. Rows of a few points would leave most lanes empty.

use earth_kernels::Direction;

use crate::counting::operations::Operations;
use crate::isa::{Isa, Lane};
use crate::lanes::{Strips, Turned, TurnedJob};
use crate::scratch::list_numbers;

/// Plan of a row.
pub(crate) struct Split<T> {
    /// Number of points in a column of the first matrix.
    a: usize,
    /// Number of points in a row of the first matrix.
    b: usize,
    columns: Strips<T>,
    rows: Turned<T>,
}

impl<T: Lane> Split<T> {
    /// Plans rows whose length is the product of all radices: `columns` for the columns, `rows` for the rows.
    pub(crate) fn new(isa: Isa, columns: &[usize], rows: &[usize]) -> Self {
        let (a, b) = (columns.iter().product::<usize>(), rows.iter().product::<usize>());
        Self { a, b, columns: Strips::new(isa, columns), rows: Turned::new(isa, rows, a) }
    }

    /// Computes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.columns.prepare(direction);
        self.rows.prepare(direction);
    }

    /// Counts the operations for a row.
    pub(crate) fn operations(&self) -> Operations {
        self.columns.operations(self.b) + self.rows.operations(self.a)
    }

    /// Returns the number of groups in a strip of columns.
    fn groups(&self) -> usize {
        self.columns.groups(self.a * self.b * 2 * size_of::<T>())
    }

    /// Returns the working memory of a pass, in numbers.
    fn work(&self) -> usize {
        self.columns.scratch(self.groups()).max(self.rows.scratch())
    }

    /// Returns the size of a list of row addresses, in numbers.
    fn list(&self) -> usize {
        list_numbers::<T>(self.a.max(self.b))
    }

    /// Returns the distance between rows of the intermediate matrix, in points. It is not a power of two,
    /// which would map all rows to few sets of the caches.
    fn apart(&self) -> usize {
        self.b + 8
    }

    /// Returns the minimum scratch, in numbers.
    pub(crate) fn scratch(&self) -> usize {
        self.work() + 2 * self.list() + 2 * self.a * self.apart()
    }

    /// Transforms a row, in place or out of place.
    ///
    /// # Safety
    ///
    /// `a b` points may be read and written, and the scratch has [`scratch`](Self::scratch) numbers.
    pub(crate) unsafe fn run(&self, from: *const T, to: *mut T, scratch: *mut T, direction: Direction) {
        let (a, b) = (self.a, self.b);
        // SAFETY: the caller guarantees this; all of the row is read before any of it is written. The lists
        // and the intermediate matrix are in the scratch, which has at least the alignment of pointers.
        unsafe {
            let (near, far) = (scratch.add(self.work()), scratch.add(self.work() + self.list()));
            let (near, far) = (near.cast::<*mut T>(), far.cast::<*mut T>());
            let intermediate = scratch.add(self.work() + 2 * self.list());
            for row in 0..a {
                near.add(row).write(from.add(row * 2 * b).cast_mut());
                far.add(row).write(intermediate.add(row * 2 * self.apart()));
            }
            self.columns.run(near, far, b, scratch, self.groups(), direction);
            for row in 0..b {
                near.add(row).write(to.add(row * 2 * a));
            }
            let (from, to) = (far.cast::<*const T>().cast_const(), near.cast_const());
            let job = TurnedJob { direction, factor: T::one(), first: 0, count: a, from, to };
            self.rows.run(&job, scratch);
        }
    }
}
