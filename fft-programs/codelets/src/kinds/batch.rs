//! The kernel for many short rows: as many rows at once as there are lanes, one a lane.
//!
//! Rows are turned into lanes, transformed as columns ([`Columns`]), and turned back. Rows that are left over at the
//! end are masked.
//!
//! *Cost.* The two turns, which are half the time of rows of a few points; nothing depends on the length's factors.
//! *When it loses.* For one row, which takes as long as there are lanes; and for rows that a multiple of the lanes
//! divides, which need no turns.

use earth_kernels::Direction;

use crate::counting::operations::Operations;
use crate::isa::{Entry, Isa, Lane};
use crate::kinds::columns::{Columns, Matrix};
use crate::pieces::turn::{Turn, TurnJob};

/// The plan of a batch of rows.
pub(crate) struct Batch<T> {
    lanes: usize,
    points: usize,
    turn: Entry<TurnJob<T>>,
    columns: Columns<T>,
}

impl<T: Lane> Batch<T> {
    /// Plans rows of as many points as the product of `radices`.
    pub(crate) fn new(isa: Isa, radices: &[usize]) -> Self {
        let (lanes, points) = (isa.lanes::<T>(), radices.iter().product());
        Self { lanes, points, turn: isa.entry::<Turn<T>>(), columns: Columns::new(isa, radices) }
    }

    /// Makes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.columns.prepare(direction);
    }

    /// What it does for so many rows.
    pub(crate) fn operations(&self, rows: usize) -> Operations {
        let points = self.points.next_multiple_of(self.lanes);
        let turn = Operations::moved(2 * points)
            + Operations::regrouped(2 * points)
            + Operations::transposed(points, self.lanes);
        (self.columns.operations() + turn * (2 * self.lanes)) * rows.div_ceil(self.lanes)
    }

    /// The numbers of scratch.
    pub(crate) fn scratch(&self) -> usize {
        self.columns.scratch() + self.points * 2 * self.lanes
    }

    /// Transforms rows, which may be put where they are.
    ///
    /// # Safety
    ///
    /// The rows may be read and written, and the scratch has as many numbers as [`scratch`](Self::scratch) says.
    pub(crate) unsafe fn run(
        &self,
        from: Matrix<*const T>,
        to: Matrix<*mut T>,
        rows: usize,
        scratch: *mut T,
        direction: Direction,
    ) {
        for first in (0..rows).step_by(self.lanes) {
            let (count, row) = (self.lanes.min(rows - first), 2 * self.lanes);
            // SAFETY: the caller's; of these rows all is read before any of it is written.
            unsafe {
                let turned = scratch.add(self.columns.scratch());
                self.turn.run(&TurnJob {
                    from: from.begin.add(first * from.row),
                    from_row: from.row,
                    rows: count,
                    columns: self.points,
                    to: turned,
                    to_row: row,
                });
                let (input, output) =
                    (Matrix { begin: turned.cast_const(), row }, Matrix { begin: turned, row });
                self.columns.run(input, output, count, scratch, direction);
                let mut done = 0;
                while done < self.points {
                    self.turn.run(&TurnJob {
                        from: turned.add(done * row),
                        from_row: row,
                        rows: self.lanes.min(self.points - done),
                        columns: count,
                        to: to.begin.add(first * to.row + 2 * done),
                        to_row: to.row,
                    });
                    done += self.lanes;
                }
            }
        }
    }
}
