//! The kernel for a row of any length with two factors: columns, roots, and rows that become columns.
//!
//! A row of `n = a b` points is a matrix of `a` rows of `b` points. Its columns are transformed into a matrix aside, by
//! [strips](crate::lanes::Strips). The rows of that, each point times `exp(-2 pi i k j / n)`, are transformed and end up
//! as columns of the result ([`Turned`]): of `b` rows of `a` points. So the row is read once, the matrix aside written
//! and read once, and the result written once, however long the row.
//!
//! *Cost.* Next to the row a matrix of the same size and lists of where rows begin; factors of as many columns as there
//! are lanes. *When it loses.* Against the kernel within a row, which needs no matrix aside, where a row fits into the
//! second cache; for rows of a few points, of which most lanes would be left empty.

use earth_kernels::Direction;

use crate::counting::operations::Operations;
use crate::isa::{Isa, Lane};
use crate::lanes::{Strips, Turned, TurnedJob};
use crate::scratch::list_numbers;

/// The plan of a row.
pub(crate) struct Split<T> {
    /// The points of the first columns.
    a: usize,
    /// The points of the rows.
    b: usize,
    columns: Strips<T>,
    rows: Turned<T>,
}

impl<T: Lane> Split<T> {
    /// Plans rows of as many points as the product of all radices, the first ones of which are those of the columns.
    pub(crate) fn new(isa: Isa, columns: &[usize], rows: &[usize]) -> Self {
        let (a, b) = (columns.iter().product::<usize>(), rows.iter().product::<usize>());
        Self { a, b, columns: Strips::new(isa, columns), rows: Turned::new(isa, rows, a) }
    }

    /// Makes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.columns.prepare(direction);
        self.rows.prepare(direction);
    }

    /// What it does for a row.
    pub(crate) fn operations(&self) -> Operations {
        self.columns.operations(self.b) + self.rows.operations(self.a)
    }

    /// The groups of a strip of columns.
    fn groups(&self) -> usize {
        self.columns.groups(self.a * self.b * 2 * size_of::<T>())
    }

    /// The numbers of what is at work in a pass.
    fn work(&self) -> usize {
        self.columns.scratch(self.groups()).max(self.rows.scratch())
    }

    /// The numbers of a list of where rows begin.
    fn list(&self) -> usize {
        list_numbers::<T>(self.a.max(self.b))
    }

    /// The points from a row aside to the next: not a power of two, at which all of them would fall into few sets of
    /// the caches.
    fn apart(&self) -> usize {
        self.b + 8
    }

    /// The numbers of scratch.
    pub(crate) fn scratch(&self) -> usize {
        self.work() + 2 * self.list() + 2 * self.a * self.apart()
    }

    /// Transforms a row, which may be put where it is.
    ///
    /// # Safety
    ///
    /// `a b` points may be read and written, and the scratch has as many numbers as [`scratch`](Self::scratch) says.
    pub(crate) unsafe fn run(&self, from: *const T, to: *mut T, scratch: *mut T, direction: Direction) {
        let (a, b) = (self.a, self.b);
        // SAFETY: the caller's; all of the row is read before any of it is written. The lists and the matrix aside are
        // in the scratch, which is aligned to more than pointers are.
        unsafe {
            let (near, far) = (scratch.add(self.work()), scratch.add(self.work() + self.list()));
            let (near, far) = (near.cast::<*mut T>(), far.cast::<*mut T>());
            let aside = scratch.add(self.work() + 2 * self.list());
            for row in 0..a {
                near.add(row).write(from.add(row * 2 * b).cast_mut());
                far.add(row).write(aside.add(row * 2 * self.apart()));
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
