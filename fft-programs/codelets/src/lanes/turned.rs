//! Rows with each point multiplied by a root of unity, transformed in lanes and written as columns.
//!
//! A group has one row per lane. The first stage needs points at a distance of a part of a row, so it
//! processes the rows by tiles. A [tile](crate::pieces::tile) of each of these parts is transposed into a
//! small buffer. The butterflies of its columns write their results to the lane buffer. The middle stages are
//! as in any [transform in lanes](super). A [strip](super::strip) has several groups, so that the last stage
//! writes long pieces of the rows of the result.
//!
//! *Cost.* Every row is read once, and every column is written once. *When it loses.* For fewer rows than
//! half the lanes.

use std::ops::Range;

use earth_kernels::{Caches, Direction, Roots};
use num_complex::Complex;

use super::ahead::extent;
use super::strip::{LastJob, Strip, WIDE, groups, last, past_line, strips};
use super::{Ahead, Factors, Lanes, first_of_vectors, write_piece};
use crate::counting::operations::Operations;
use crate::isa::{Entry, Isa, Lane};
use crate::pieces::stage::{FirstJob, Start};
use crate::pieces::tile::{MOST_LANES, Tile, TileJob};
use crate::tables::roots::{arc, circle};

/// Plan of rows that become columns.
pub(crate) struct Turned<T> {
    lanes: Lanes<T>,
    tile: Entry<TileJob<T>>,
    first: Entry<FirstJob<T>>,
    last: Entry<LastJob<T>>,
    /// Butterflies of the first stage, sorted by their first point. The rows are rows of a tile.
    starts: Vec<Start>,
    /// Size of the matrix, in bytes.
    bytes: usize,
    /// Number of groups in a strip.
    groups: usize,
    /// Number of rows in a group.
    group: usize,
    /// Roots for each row of the matrix, for one column per lane.
    vector_roots: Factors<T>,
    roots: Roots<T>,
}

/// Rows to transform.
#[derive(Clone, Copy)]
pub(crate) struct TurnedJob<T> {
    pub(crate) direction: Direction,
    /// Factor of every point.
    pub(crate) factor: T,
    /// Index of the first row in the matrix.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// Start of each row.
    pub(crate) from: *const *const T,
    /// Start of each row of the result.
    pub(crate) to: *const *mut T,
}

impl<T: Lane> Turned<T> {
    /// Plans rows whose length is the product of `radices`, in a matrix of `rows` rows.
    pub(crate) fn new(isa: Isa, radices: &[usize], rows: usize) -> Self {
        // The first stage reads rows and the last one writes columns, so there have to be two.
        let radices = if radices.len() < 2 { [radices, &[1]].concat() } else { radices.to_vec() };
        let points = radices.iter().product();
        let (lanes, group) = (Lanes::new(isa, &radices, 1, &circle(isa, points)), isa.lanes::<T>());
        let order = rows * lanes.points();
        let mut starts = lanes.starts.clone();
        starts.sort_by_key(|start| start.row);
        for start in &mut starts {
            start.row %= group as u32;
        }
        let columns = isa.order::<T>();
        // Exponents are less than the number of rows times the number of lanes.
        let roots: Vec<Complex<T>> = arc(isa, order, order.min(rows * group));
        let vector_roots = Factors::new(rows * 2 * group, group, |forward| {
            for (row, piece) in forward.chunks_exact_mut(2 * group).enumerate() {
                write_piece(piece, columns.iter().map(|column| roots[row * column % order]));
            }
        });
        Self {
            tile: isa.entry::<Tile<T>>(),
            first: first_of_vectors(isa, radices[0]),
            last: last(isa, radices[radices.len() - 1]),
            starts,
            bytes: order * 2 * size_of::<T>(),
            groups: groups(&lanes, WIDE),
            group,
            vector_roots,
            roots: Roots::new(order),
            lanes,
        }
    }

    /// Computes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.lanes.prepare(direction);
        self.vector_roots.for_direction(direction);
    }

    /// Counts the operations for `rows` rows.
    pub(crate) fn operations(&self, rows: usize) -> Operations {
        let points = self.lanes.points();
        // The factor of a point is the product of two factors, and the point is multiplied by this product.
        let tiles = Operations::moved(2 * points)
            + Operations::transposed(points, self.group)
            + Operations::multiplied(2 * points);
        (self.lanes.operations_into() + tiles * self.group) * rows.div_ceil(self.group)
    }

    /// Returns the minimum scratch, in numbers.
    pub(crate) fn scratch(&self) -> usize {
        self.groups * self.lanes.apart() + self.lanes.radix * self.group * 2 * self.group
    }

    /// Transforms rows into the columns of the rows `to`.
    ///
    /// # Safety
    ///
    /// * The rows are in range of the matrix, and all points of the rows of `from` may be read.
    /// * `to` has a row for each point of a row of `from`, and `count` points of each may be written.
    /// * The scratch has [`scratch`](Self::scratch) numbers.
    pub(crate) unsafe fn run(&self, job: &TurnedJob<T>, scratch: *mut T) {
        let (points, apart) = (self.lanes.points(), self.lanes.apart());
        let top = self.lanes.levels.last().expect("a stage after the first");
        // A call may have few rows, but the whole matrix was written before, a part of it by other cores.
        let far_from = Caches::is_past_second(self.bytes);
        // SAFETY: the caller guarantees this.
        let far_to = Caches::is_past_second(unsafe { extent(job.to.cast::<*const T>(), points) });
        let wide = self.groups * self.group;
        // Strips end at a cache line of the result, if all its rows have the same alignment.
        // SAFETY: the caller guarantees this; `far_to` implies that the result has rows.
        let past = if far_to { past_line(unsafe { job.to.read() }) } else { 0 };
        for Range { start: row, end } in strips(job.count, wide, past) {
            let columns = end - row;
            let strip = Strip { rows: job.to, at: 2 * row, columns, buffer: scratch, apart };
            // SAFETY: the caller guarantees this, and there are factors for each butterfly.
            unsafe {
                for (group, within) in (0..columns).step_by(self.group).enumerate() {
                    let (buffer, row) = (scratch.add(group * apart), row + within);
                    let rows = self.group.min(columns - within);
                    self.begin(job, row, rows, buffer, scratch);
                    let next = row + rows;
                    let mut ahead = if far_from && next < job.count {
                        let count = self.group.min(job.count - next);
                        Ahead::new(&self.lanes, job.from.add(next), 1, count, 0..2 * points)
                    } else {
                        Ahead::nothing()
                    };
                    for part in 0..self.lanes.parts() {
                        self.lanes.go_on(part, buffer, job.direction, &mut ahead);
                    }
                }
                self.last.run(&LastJob {
                    strip,
                    points: top.points,
                    between: top.apart,
                    factors: top.factors.for_direction(job.direction).as_ptr(),
                    past_caches: far_to,
                    inverse: job.direction == Direction::Inverse,
                });
            }
        }
    }

    /// Computes the first stage of a group: of `rows` rows of the job from index `row` on.
    ///
    /// # Safety
    ///
    /// As for [`run`](Self::run).
    unsafe fn begin(&self, job: &TurnedJob<T>, row: usize, rows: usize, buffer: *mut T, scratch: *mut T) {
        let (group, vector, of_matrix) = (self.group, 2 * self.group, job.first + row);
        let vector_roots = self.vector_roots.for_direction(job.direction)[of_matrix * vector..].as_ptr();
        // SAFETY: the caller guarantees this; the tiles of all parts are after the lane buffers.
        unsafe {
            let tiles = scratch.add(self.groups * self.lanes.apart());
            for (tile, starts) in self.starts.chunks(group).enumerate() {
                for part in 0..self.lanes.radix {
                    let column = tile * group + part * self.starts.len();
                    let mut scalar_root = [Complex::new(T::zero(), T::zero()); MOST_LANES];
                    for (row, scalar_root) in (of_matrix..of_matrix + rows).zip(&mut scalar_root) {
                        *scalar_root = self.roots.get(job.direction, row * column).scale(job.factor);
                    }
                    self.tile.run(&TileJob {
                        rows: job.from.add(row),
                        count: rows,
                        at: 2 * column,
                        columns: starts.len(),
                        vector_roots,
                        scalar_root,
                        to: tiles.add(part * group * vector),
                    });
                }
                self.first.run(&FirstJob {
                    from: tiles,
                    row: vector,
                    apart: group,
                    lanes: group,
                    to: buffer,
                    starts: &raw const *starts,
                    inverse: job.direction == Direction::Inverse,
                });
            }
        }
    }
}
