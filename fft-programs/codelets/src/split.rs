//! The kernel for a row of any length with two factors: columns, factors, and columns again.
//!
//! A row of `n = a b` points is a matrix of `a` rows of `b` points. Its columns are transformed into a matrix aside
//! ([`Columns`]). Then as many rows of that as there are lanes are turned into lanes, times `exp(-2 pi i k j / n)`,
//! and transformed as columns once more, which end up as columns of the result: of `b` rows of `a` points.
//!
//! *Cost.* Next to the row a matrix of the same size, factors as large as the row for each direction, and a turn of
//! every point. *When it loses.* Against the kernel within a row, whose lanes need no turn, where that has one; for
//! rows of a few points, of which most lanes would be left empty.

use earth_kernels::Direction;

use crate::columns::{Columns, Matrix};
use crate::isa::{Entry, Isa, Lane};
use crate::lanes::{factor, table};
use crate::turn::{Turn, TurnJob};

/// The plan of a row.
pub(crate) struct Split<T> {
    lanes: usize,
    /// The points of the first columns.
    a: usize,
    /// The points of the second ones.
    b: usize,
    first: Columns<T>,
    turn: Entry<TurnJob<T>>,
    second: Columns<T>,
    /// Forward and inverse: for as many rows at a time as there are lanes, those of each column.
    factors: [Vec<T>; 2],
}

impl<T: Lane> Split<T> {
    /// Plans rows of as many points as the product of all radices, the first ones of which are those of the first
    /// columns.
    pub(crate) fn new(isa: Isa, first: &[usize], second: &[usize]) -> Self {
        let (lanes, order) = (isa.lanes::<T>(), isa.order::<T>());
        let (a, b) = (first.iter().product::<usize>(), second.iter().product::<usize>());
        let factors = [Direction::Forward, Direction::Inverse].map(|direction| {
            let mut table = Vec::with_capacity(a.next_multiple_of(lanes) * b * 2);
            for rows in (0..a).step_by(lanes) {
                for column in 0..b {
                    let of = |lane: &usize| factor::<T>(direction, (rows + lane) * column, a * b);
                    table.extend(order.iter().map(|lane| of(lane).re));
                    table.extend(order.iter().map(|lane| of(lane).im));
                }
            }
            table
        });
        let (first, second) = (Columns::new(isa, first), Columns::new(isa, second));
        Self { lanes, a, b, first, turn: isa.entry::<Turn<T>>(), second, factors }
    }

    /// The numbers of the lane buffer, which the columns share.
    fn buffer(&self) -> usize {
        self.first.scratch().max(self.second.scratch())
    }

    /// The numbers of scratch.
    pub(crate) fn scratch(&self) -> usize {
        self.buffer() + 2 * self.lanes * self.b + 2 * self.a * self.b
    }

    /// Transforms a row, which may be put where it is.
    ///
    /// # Safety
    ///
    /// `a b` points may be read and written, and the scratch has as many numbers as [`scratch`](Self::scratch) says.
    pub(crate) unsafe fn run(&self, from: *const T, to: *mut T, scratch: *mut T, direction: Direction) {
        let (a, b, row) = (self.a, self.b, 2 * self.lanes);
        // SAFETY: the caller's; all of the row is read before any of it is written.
        unsafe {
            let turned = scratch.add(self.buffer());
            let aside = turned.add(row * b);
            let (input, output) = (Matrix { begin: from, row: 2 * b }, Matrix { begin: aside, row: 2 * b });
            self.first.run(input, output, b, scratch, direction);
            for k in (0..a).step_by(self.lanes) {
                let rows = self.lanes.min(a - k);
                self.turn.run(&TurnJob {
                    from: aside.add(k * 2 * b),
                    from_row: 2 * b,
                    rows,
                    columns: b,
                    to: turned,
                    to_row: row,
                    factors: Some(self.factors[table(direction)][k * b * 2..].as_ptr()),
                });
                let output = Matrix { begin: to.add(2 * k), row: 2 * a };
                self.second.run(Matrix { begin: turned.cast_const(), row }, output, rows, scratch, direction);
            }
        }
    }
}
