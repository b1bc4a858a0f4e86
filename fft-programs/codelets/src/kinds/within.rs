//! Kernel within a row: one transform of `n` contiguous points.
//!
//! With `L` lanes and `m = n / L`, the row is a matrix of `m` rows and `L` columns. Its columns are
//! transformed in lanes ([`Lanes`]), which needs no shuffles, and factors that are equal in all lanes. Then
//! one stage across the lanes ([`Cross`]) writes the transform in natural order. So there is one
//! transposition, in registers, for any length.
//!
//! *Cache.* The last stage in lanes and the stage across them process the lane buffer together, in turns of
//! as many points as the latter needs. A transform that does not fit into the L1 cache goes through the L2
//! cache twice, up to about 2^14 points.
//!
//! *Cost.* Besides the row, a lane buffer of the same size, and factors as large as the row for each prepared
//! direction. *When it loses.* For rows larger than the L2 cache, and for many short rows, which a batch
//! transforms together.

use earth_kernels::Direction;

use crate::counting::operations::Operations;
use crate::isa::{Entry, Isa, Lane};
use crate::lanes::{Factors, Lanes, Source, first, write_piece};
use crate::pieces::cross::{Cross, CrossJob};
use crate::pieces::stage::FirstJob;
use crate::tables::roots::circle;

/// Number of groups of butterflies of the last stage in lanes that are computed together. A group has one
/// butterfly per lane.
const TURN: usize = 1;

/// Plan of a row.
pub(crate) struct Within<T> {
    lanes: usize,
    first: Entry<FirstJob<T>>,
    columns: Lanes<T>,
    cross: Entry<CrossJob<T>>,
    /// Factors in the layout of [`CrossJob`].
    factors: Factors<T>,
}

impl<T: Lane> Within<T> {
    /// Plans rows whose length is the product of `radices` times the number of lanes.
    pub(crate) fn new(isa: Isa, radices: &[usize]) -> Self {
        let (lanes, order) = (isa.lanes::<T>(), isa.order::<T>());
        let n = lanes * radices.iter().product::<usize>();
        let circle = circle(isa, n);
        let columns = Lanes::new(isa, radices, lanes, &circle);
        let groups = columns.points().div_ceil(lanes);
        let of_group = (lanes - 1) * 2 * lanes;
        let factors = Factors::new(groups * of_group, lanes, |forward| {
            for (group, pieces) in forward.chunks_exact_mut(of_group).enumerate() {
                for (l, piece) in (1..).zip(pieces.chunks_exact_mut(2 * lanes)) {
                    // The last group may extend past the columns.
                    let exponents = order.iter().map(|k| l * (group * lanes + k));
                    write_piece(piece, exponents.map(|k| circle.get(if k < n { k } else { k % n })));
                }
            }
        });
        Self { lanes, first: first(isa, radices[0]), columns, cross: isa.entry::<Cross<T>>(), factors }
    }

    /// Computes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.columns.prepare(direction);
        self.factors.for_direction(direction);
    }

    /// Counts the operations for a row.
    pub(crate) fn operations(&self) -> Operations {
        let (lanes, points) = (self.lanes, self.columns.points());
        let cross = Operations::butterfly(lanes)
            + Operations::multiplied(lanes - 1)
            + Operations::regrouped(lanes)
            + Operations::transposed(lanes, lanes)
            + Operations::moved(lanes);
        let stages = self.columns.operations() + cross * (lanes * points.div_ceil(lanes));
        stages + Operations::moved(points.next_multiple_of(lanes)) * lanes
    }

    /// Returns the minimum scratch, in numbers.
    pub(crate) fn scratch(&self) -> usize {
        // The stage across the lanes processes whole groups of vectors.
        self.columns.buffer() + 2 * self.lanes * self.lanes
    }

    /// Transforms a row, in place or out of place.
    ///
    /// # Safety
    ///
    /// `n` points may be read and written, and the scratch has [`scratch`](Self::scratch) numbers.
    pub(crate) unsafe fn run(&self, from: *const T, to: *mut T, scratch: *mut T, direction: Direction) {
        let source = Source { first: &self.first, from, row: 2 * self.lanes, lanes: self.lanes };
        // SAFETY: the caller guarantees this; all of the row is read before any of it is written.
        unsafe {
            self.columns.begin(source, scratch, direction);
            match self.columns.top() {
                Some(top) if top.points.is_multiple_of(self.lanes) => {
                    let step = TURN * self.lanes;
                    let mut p = 0;
                    while p < top.points {
                        let points = step.min(top.points - p);
                        self.columns.end(scratch, Some(p..p + points), direction);
                        for block in 0..top.blocks {
                            let vector = block * top.apart + p;
                            self.across(scratch, vector, block * top.points + p, points, to, direction);
                        }
                        p += points;
                    }
                }
                _ => {
                    self.columns.end(scratch, None, direction);
                    self.across(scratch, 0, 0, self.columns.points(), to, direction);
                }
            }
        }
    }

    /// Computes the stage across the lanes for some vectors, which are the outputs from `k` on of the
    /// columns.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    unsafe fn across(
        &self,
        scratch: *const T,
        vector: usize,
        k: usize,
        vectors: usize,
        to: *mut T,
        direction: Direction,
    ) {
        // SAFETY: the caller guarantees this.
        unsafe {
            self.cross.run(&CrossJob {
                from: scratch.add(vector * 2 * self.lanes),
                vectors,
                factors: self.factors.for_direction(direction)[k * 2 * (self.lanes - 1)..].as_ptr(),
                to: to.add(2 * k),
                apart: self.columns.points(),
                inverse: direction == Direction::Inverse,
            });
        }
    }
}
