//! Kernel for many short rows: one row per lane at once.
//!
//! Rows are [transposed](crate::pieces::turn) into lanes, transformed there ([`Lanes`]), and transposed back.
//! If too few rows are left at the end, some lanes stay empty.
//!
//! *Cost.* The two transpositions, which take half the time for rows of a few points. The factors of the
//! length do not matter. *When it loses.* One row takes as long as a full set of lanes. Rows whose length is
//! a multiple of the lanes need no transpositions in another kernel.

use earth_kernels::Direction;

use crate::counting::operations::Operations;
use crate::isa::{Entry, Isa, Lane};
use crate::lanes::{Lanes, Source, Top, first_of_vectors};
use crate::pieces::stage::FirstJob;
use crate::pieces::turn::{Turn, TurnJob};
use crate::tables::roots::circle;

/// Plan of a batch of rows.
pub(crate) struct Batch<T> {
    lanes: usize,
    turn: Entry<TurnJob<T>>,
    first: Entry<FirstJob<T>>,
    transform: Lanes<T>,
    back: Entry<TurnJob<T>>,
}

impl<T: Lane> Batch<T> {
    /// Plans rows whose length is the product of `radices`.
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

    /// Computes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.transform.prepare(direction);
    }

    /// Counts the operations for `rows` rows.
    pub(crate) fn operations(&self, rows: usize) -> Operations {
        let points = self.transform.points().next_multiple_of(self.lanes);
        let turn = Operations::moved(2 * points) + Operations::transposed(points, self.lanes);
        (self.transform.operations_into() + turn * (2 * self.lanes)) * rows.div_ceil(self.lanes)
    }

    /// Returns the minimum scratch, in numbers.
    pub(crate) fn scratch(&self) -> usize {
        self.transform.buffer() + self.transform.points() * 2 * self.lanes
    }

    /// Transforms rows that begin `apart` numbers apart, in place or out of place.
    ///
    /// # Safety
    ///
    /// The rows may be read and written, and the scratch has [`scratch`](Self::scratch) numbers.
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
            // SAFETY: the caller guarantees this; all of these rows is read before any of it is written.
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
