//! The kernel for many short rows: as many rows at once as there are lanes, one a lane.
//!
//! Rows are [turned](crate::pieces::turn) into lanes, transformed there ([`Lanes`]), and turned back. Rows
//! that are left over at the end leave lanes empty.
//!
//! *Cost.* The two turns, which are half the time of rows of a few points; nothing depends on the length's factors.
//! *When it loses.* For one row, which takes as long as there are lanes; and for rows that a multiple of the lanes
//! divides, which need no turns.

use earth_kernels::Direction;

use crate::counting::operations::Operations;
use crate::isa::{Entry, Isa, Lane};
use crate::lanes::{Lanes, Source, Top, first_of_vectors};
use crate::pieces::stage::FirstJob;
use crate::pieces::turn::{Turn, TurnJob};
use crate::tables::roots::circle;

/// The plan of a batch of rows.
pub(crate) struct Batch<T> {
    lanes: usize,
    turn: Entry<TurnJob<T>>,
    first: Entry<FirstJob<T>>,
    transform: Lanes<T>,
    back: Entry<TurnJob<T>>,
}

impl<T: Lane> Batch<T> {
    /// Plans rows of as many points as the product of `radices`.
    pub(crate) fn new(isa: Isa, radices: &[usize]) -> Self {
        let points = radices.iter().product();
        Self {
            lanes: isa.lanes::<T>(),
            turn: isa.entry::<Turn<T, false>>(),
            first: first_of_vectors(isa, radices[0]),
            transform: Lanes::new(isa, radices, 1, &circle(isa, points)),
            back: isa.entry::<Turn<T, true>>(),
        }
    }

    /// Makes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.transform.prepare(direction);
    }

    /// What it does for so many rows.
    pub(crate) fn operations(&self, rows: usize) -> Operations {
        let points = self.transform.points().next_multiple_of(self.lanes);
        let turn = Operations::moved(2 * points) + Operations::transposed(points, self.lanes);
        (self.transform.operations_into() + turn * (2 * self.lanes)) * rows.div_ceil(self.lanes)
    }

    /// The numbers of scratch.
    pub(crate) fn scratch(&self) -> usize {
        self.transform.buffer() + self.transform.points() * 2 * self.lanes
    }

    /// Transforms rows that begin `apart` numbers from one another, which may be put where they are.
    ///
    /// # Safety
    ///
    /// The rows may be read and written, and the scratch has as many numbers as [`scratch`](Self::scratch) says.
    pub(crate) unsafe fn run(
        &self,
        from: *const T,
        to: *mut T,
        apart: usize,
        rows: usize,
        scratch: *mut T,
        direction: Direction,
    ) {
        let (points, vector) = (self.transform.points(), 2 * self.lanes);
        let whole = Top { blocks: 1, points, apart: points };
        let Top { blocks, points: each, apart: between } = self.transform.top().unwrap_or(whole);
        for row in (0..rows).step_by(self.lanes) {
            let count = self.lanes.min(rows - row);
            // SAFETY: the caller's; of these rows all is read before any of it is written.
            unsafe {
                let vectors = scratch.add(self.transform.buffer());
                let rows = from.add(row * apart).cast_mut();
                self.turn.run(&TurnJob { rows, apart, count, columns: points, vectors });
                let source = Source { first: &self.first, from: vectors, row: vector, lanes: self.lanes };
                self.transform.begin(source, scratch, direction);
                self.transform.end(scratch, None, direction);
                for block in 0..blocks {
                    let rows = to.add(row * apart + 2 * block * each);
                    let vectors = scratch.add(block * between * vector);
                    self.back.run(&TurnJob { rows, apart, count, columns: each, vectors });
                }
            }
        }
    }
}
