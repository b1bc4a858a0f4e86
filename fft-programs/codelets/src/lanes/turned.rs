//! Rows, each point times a root of unity, transformed in lanes and written as columns.
//!
//! As many rows as there are lanes are a group, one row a lane. The first stage wants points that lie a part of a row
//! from one another, so it goes along the rows by tiles: of each of these parts a [tile](crate::pieces::tile) is turned into a
//! small buffer, and the butterflies of their columns put what they make into the lane buffer. The stages in between
//! are those of any [transform in lanes](super). A [strip](super::strip) has several groups, so that the last stage
//! writes long pieces of the rows of the result.
//!
//! *Cost.* Every row is read once, every column written once. *When it loses.* For fewer rows than half the lanes.

use std::ops::Range;

use earth_kernels::{Direction, Roots};
use num_complex::Complex;

use super::ahead::{FAR, extent};
use super::strip::{LastJob, Strip, WIDE, groups, last, past_line, strips};
use super::{Ahead, Factors, Lanes, first_of_vectors, write_piece};
use crate::counting::operations::Operations;
use crate::isa::{Entry, Isa, Lane};
use crate::pieces::stage::{FirstJob, Start};
use crate::pieces::tile::{MOST_LANES, Tile, TileJob};
use crate::tables::roots::{arc, circle};

/// The plan of rows that become columns.
pub(crate) struct Turned<T> {
    lanes: Lanes<T>,
    tile: Entry<TileJob<T>>,
    first: Entry<FirstJob<T>>,
    last: Entry<LastJob<T>>,
    /// The butterflies of the first stage by the first of their points; the rows are those of a tile.
    starts: Vec<Start>,
    /// The bytes of the matrix.
    bytes: usize,
    /// The groups of a strip.
    groups: usize,
    /// The rows of a group.
    group: usize,
    /// For each row of the matrix the roots of as many columns as there are lanes.
    near: Factors<T>,
    roots: Roots<T>,
}

/// Rows to transform.
#[derive(Clone, Copy)]
pub(crate) struct TurnedJob<T> {
    pub(crate) direction: Direction,
    /// By what every point is multiplied.
    pub(crate) factor: T,
    /// The first row's number in the matrix.
    pub(crate) first: usize,
    pub(crate) count: usize,
    /// Where each row begins.
    pub(crate) from: *const *const T,
    /// Where each row of the result begins.
    pub(crate) to: *const *mut T,
}

impl<T: Lane> Turned<T> {
    /// Plans rows of as many points as the product of `radices`, in a matrix of `rows`.
    pub(crate) fn new(isa: Isa, radices: &[usize], rows: usize) -> Self {
        // The last stage writes columns and the first one reads rows, so there are two.
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
        // Exponents are less than the rows times the lanes.
        let roots: Vec<Complex<T>> = arc(isa, order, order.min(rows * group));
        let near = Factors::new(rows * 2 * group, group, |forward| {
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
            near,
            roots: Roots::new(order),
            lanes,
        }
    }

    /// Makes the tables of a direction.
    pub(crate) fn prepare(&self, direction: Direction) {
        self.lanes.prepare(direction);
        self.near.toward(direction);
    }

    /// What it does for so many rows.
    pub(crate) fn operations(&self, rows: usize) -> Operations {
        let points = self.lanes.points();
        // Two factors make the one of a point: the first is multiplied by the second, and the point by both.
        let tiles = Operations::moved(2 * points)
            + Operations::transposed(points, self.group)
            + Operations::multiplied(2 * points);
        (self.lanes.operations_into() + tiles * self.group) * rows.div_ceil(self.group)
    }

    /// The numbers of scratch.
    pub(crate) fn scratch(&self) -> usize {
        self.groups * self.lanes.apart() + self.lanes.radix * self.group * 2 * self.group
    }

    /// Transforms rows into the columns of the rows of another list.
    ///
    /// # Safety
    ///
    /// The matrix has these rows; all points of the rows of `from` may be read; the rows of `to` are as many as these
    /// have points, and `count` points of each may be written; and the scratch has as many numbers as
    /// [`scratch`](Self::scratch) says.
    pub(crate) unsafe fn run(&self, job: &TurnedJob<T>, scratch: *mut T) {
        let (points, apart) = (self.lanes.points(), self.lanes.apart());
        let top = self.lanes.levels.last().expect("a stage after the first");
        // Rows that a call has are few, but all of the matrix was written before.
        let far_from = self.bytes > FAR;
        // SAFETY: the caller's.
        let far_to = unsafe { extent(job.to.cast::<*const T>(), points) > FAR };
        let wide = self.groups * self.group;
        // Strips end with a cache line of the result, if its rows begin alike.
        // SAFETY: the caller's; a result that is far has rows.
        let past = if far_to { past_line(unsafe { job.to.read() }) } else { 0 };
        for Range { start: row, end } in strips(job.count, wide, past) {
            let columns = end - row;
            let strip = Strip { rows: job.to, at: 2 * row, columns, buffer: scratch, apart };
            // SAFETY: the caller's, and there are factors for each butterfly.
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
                    factors: top.factors.toward(job.direction).as_ptr(),
                    past_caches: far_to,
                    inverse: job.direction == Direction::Inverse,
                });
            }
        }
    }

    /// The first stage of a group: of `rows` rows of the job from number `row` on.
    ///
    /// # Safety
    ///
    /// That of [`run`](Self::run).
    unsafe fn begin(&self, job: &TurnedJob<T>, row: usize, rows: usize, buffer: *mut T, scratch: *mut T) {
        let (group, vector, of_matrix) = (self.group, 2 * self.group, job.first + row);
        let near = self.near.toward(job.direction)[of_matrix * vector..].as_ptr();
        // SAFETY: the caller's; the tiles of all parts are behind the lane buffers.
        unsafe {
            let tiles = scratch.add(self.groups * self.lanes.apart());
            for (tile, starts) in self.starts.chunks(group).enumerate() {
                for part in 0..self.lanes.radix {
                    let column = tile * group + part * self.starts.len();
                    let mut far = [Complex::new(T::zero(), T::zero()); MOST_LANES];
                    for (row, far) in (of_matrix..of_matrix + rows).zip(&mut far) {
                        *far = self.roots.get(job.direction, row * column).scale(job.factor);
                    }
                    self.tile.run(&TileJob {
                        rows: job.from.add(row),
                        count: rows,
                        at: 2 * column,
                        columns: starts.len(),
                        near,
                        far,
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
