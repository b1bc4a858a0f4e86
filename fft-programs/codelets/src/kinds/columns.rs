//! The columns of a matrix within a row or of a batch of short rows, one a lane.
//!
//! As many neighbouring columns as there are lanes are transformed at once ([`Lanes`]). The first stage reads them
//! where they are and the last one writes them where they belong, so that nothing is transposed and the matrix is read
//! and written once. The columns that are left over at the end are masked.
//!
//! *Cost.* A lane buffer, which fits into the first cache up to some hundred points and into the second up to some ten
//! thousand. *When it loses.* For fewer columns than half the lanes; for matrices past the second cache, whose columns
//! go by [strips](crate::lanes::Strips).

use earth_kernels::Direction;

use crate::counting::operations::Operations;
use crate::isa::{Isa, Lane};
use crate::lanes::{Lanes, Source, Target};
use crate::tables::roots::circle;

/// The plan of columns.
pub(crate) struct Columns<T> {
    lanes: usize,
    transform: Lanes<T>,
}

/// Where a matrix begins, and the numbers from the beginning of a row to that of the next.
#[derive(Clone, Copy)]
pub(crate) struct Matrix<P> {
    pub(crate) begin: P,
    pub(crate) row: usize,
}

impl<T> Matrix<*const T> {
    /// The beginning of a row.
    ///
    /// # Safety
    ///
    /// The matrix has this row.
    pub(crate) unsafe fn row(self, row: usize) -> *const T {
        // SAFETY: the caller's.
        unsafe { self.begin.add(row * self.row) }
    }
}

impl<T> Matrix<*mut T> {
    /// The beginning of a row.
    ///
    /// # Safety
    ///
    /// The matrix has this row.
    pub(crate) unsafe fn row(self, row: usize) -> *mut T {
        // SAFETY: the caller's.
        unsafe { self.begin.add(row * self.row) }
    }
}

impl<T: Lane> Columns<T> {
    /// Plans columns of as many points as the product of `radices`.
    pub(crate) fn new(isa: Isa, radices: &[usize]) -> Self {
        // The last stage writes the matrix and the first one reads it, so there are two.
        let radices = if radices.len() < 2 { [radices, &[1]].concat() } else { radices.to_vec() };
        let points = radices.iter().product();
        let transform = Lanes::new(isa, &radices, 1, &circle(isa, points));
        Self { lanes: isa.lanes::<T>(), transform }
    }

    /// Makes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.transform.prepare(direction);
    }

    /// What it does for as many columns as there are lanes.
    pub(crate) fn operations(&self) -> Operations {
        self.transform.operations_into()
    }

    /// The numbers of scratch.
    pub(crate) fn scratch(&self) -> usize {
        self.transform.buffer()
    }

    /// Transforms the first `columns` columns of a matrix into those of another, or of the same.
    ///
    /// # Safety
    ///
    /// The points of one may be read and of the other written, and the scratch has as many numbers as
    /// [`scratch`](Self::scratch) says.
    pub(crate) unsafe fn run(
        &self,
        from: Matrix<*const T>,
        to: Matrix<*mut T>,
        columns: usize,
        scratch: *mut T,
        direction: Direction,
    ) {
        for column in (0..columns).step_by(self.lanes) {
            let lanes = columns - column;
            // SAFETY: the caller's; of these columns all is read before any of it is written.
            unsafe {
                let source = Source { from: from.begin.add(2 * column), row: from.row, lanes };
                self.transform.begin(source, scratch, direction);
                let target = Target { to: to.begin.add(2 * column), row: to.row, lanes };
                self.transform.end_into(scratch, target, direction);
            }
        }
    }
}
