//! Where a rank's points are between the steps, and the copies from one place to the next.
//!
//! | between | order | rows |
//! |---|---|---|
//! | input | x y z | along z |
//! | transposition and packing | z x y, or x z y | along y |
//! | exchange: a block for each rank | z x y | |
//! | unpacking and output | z y x, or y z x | along x |
//!
//! The paper uses x z y where Nx = Ny, because it transposes in place. Here points are transposed from one
//! array to another, so either order is possible for any size.
//!
//! *Cost.* Each copy reads and writes each point once. Transposition and unpacking write rows of one order
//! from rows of the other, in patches of eight by eight points. Packing copies runs along y.

use std::ops::Range;

use earth_kernels::Real;
use num_complex::Complex;
use serde::{Deserialize, Serialize};

use super::parameters::Size;

/// Order of a rank's points between transposition and packing, and in its output.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Layout {
    /// z x y, and then z y x.
    PlanesFirst,
    /// x z y, and then y z x.
    RowsFirst,
}

impl Layout {
    /// Returns the paper's choice for an array.
    pub fn of_paper([nx, ny, _]: [usize; 3]) -> Self {
        if nx == ny { Self::RowsFirst } else { Self::PlanesFirst }
    }

    /// Returns the dimensions of the output in memory, the slowest first: 0 is x.
    pub fn output(self) -> [usize; 3] {
        match self {
            Self::PlanesFirst => [2, 1, 0],
            Self::RowsFirst => [1, 2, 0],
        }
    }
}

/// Side of a patch in points: a patch of double precision takes 1 KiB, and a row of it two cache lines.
const PATCH: usize = 8;

/// Rows of planes: the places of rows of equal length, by plane of z and by row of the rank.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// Number of points from one row of a plane to the next, and from one plane to the next.
    pub steps: [usize; 2],
    /// Number of points of a row.
    pub len: usize,
}

impl Rows {
    /// Returns the places of `rows` rows of `len` points in each of `planes` planes.
    pub fn new(layout: Layout, planes: usize, rows: usize, len: usize) -> Self {
        let steps = match layout {
            Layout::PlanesFirst => [len, rows * len],
            Layout::RowsFirst => [planes * len, len],
        };
        Self { steps, len }
    }

    /// Returns the place of the first point of a row.
    pub fn at(&self, plane: usize, row: usize) -> usize {
        row * self.steps[0] + plane * self.steps[1]
    }

    /// Returns the points from the first to the last one of these rows, with the points between them.
    pub fn span(&self, plane: usize, rows: &Range<usize>) -> Range<usize> {
        self.at(plane, rows.start)..self.at(plane, rows.end - 1) + self.len
    }
}

/// Moves the points of one x from z-rows to y-rows, `to[at(z, x) + y] = from[y * nz + z]`.
pub fn transpose<T: Real>(from: &[Complex<T>], to: &mut [Complex<T>], rows: &Rows, x: usize, nz: usize) {
    for z0 in (0..nz).step_by(PATCH) {
        let zs = z0..nz.min(z0 + PATCH);
        for y0 in (0..rows.len).step_by(PATCH) {
            let ys = y0..rows.len.min(y0 + PATCH);
            for z in zs.clone() {
                let to = &mut to[rows.at(z, x)..][ys.clone()];
                to.iter_mut().zip(ys.clone()).for_each(|(to, y)| *to = from[y * nz + z]);
            }
        }
    }
}

/// As [`transpose`], one point after the other in the order of the input.
pub fn transpose_singly<T: Real>(
    from: &[Complex<T>],
    to: &mut [Complex<T>],
    rows: &Rows,
    x: usize,
    nz: usize,
) {
    for (y, from) in from.chunks_exact(nz).enumerate() {
        for (z, point) in from.iter().enumerate() {
            to[rows.at(z, x) + y] = *point;
        }
    }
}

/// Copies a row along y to the blocks of all ranks. A block has the rows of its tile in the order z x, and of
/// each row the receiver's part.
pub fn pack<'a, T: Real>(
    size: &Size,
    row: &[Complex<T>],
    number: usize,
    blocks: impl Iterator<Item = &'a mut [Complex<T>]>,
) {
    for (rank, block) in blocks.enumerate() {
        let ys = size.bound(1, rank)..size.bound(1, rank + 1);
        let len = ys.len();
        block[number * len..][..len].copy_from_slice(&row[ys]);
    }
}

/// Copies the points of some rows along x from the blocks of all ranks, `to` beginning with the first of
/// these rows. `plane` is the number of their plane in the tile, and `ny` the number of rows of a plane.
pub fn unpack<'a, T: Real>(
    size: &Size,
    blocks: impl Iterator<Item = &'a [Complex<T>]>,
    to: &mut [Complex<T>],
    step: usize,
    [plane, ny]: [usize; 2],
    ys: &Range<usize>,
) {
    for (rank, block) in blocks.enumerate() {
        let xs = size.bound(0, rank)..size.bound(0, rank + 1);
        let from = &block[plane * xs.len() * ny..][..xs.len() * ny];
        for x0 in (0..xs.len()).step_by(PATCH) {
            let in_patch = x0..xs.len().min(x0 + PATCH);
            for y in ys.clone() {
                let to = &mut to[(y - ys.start) * step + xs.start..][in_patch.clone()];
                to.iter_mut().zip(in_patch.clone()).for_each(|(to, x)| *to = from[x * ny + y]);
            }
        }
    }
}

/// Copies a rank's output to the blocks of all ranks: to each its part of x, in the order x y z.
pub fn pack_output<'a, T: Real>(
    size: &Size,
    from: &[Complex<T>],
    rows: &Rows,
    ny: usize,
    blocks: impl Iterator<Item = &'a mut [Complex<T>]>,
) {
    let nz = size.lengths[2];
    for (rank, block) in blocks.enumerate() {
        let xs = size.bound(0, rank)..size.bound(0, rank + 1);
        for y in 0..ny {
            for z0 in (0..nz).step_by(PATCH) {
                let zs = z0..nz.min(z0 + PATCH);
                for x in xs.clone() {
                    let to = &mut block[((x - xs.start) * ny + y) * nz..][zs.clone()];
                    to.iter_mut().zip(zs.clone()).for_each(|(to, z)| *to = from[rows.at(z, y) + x]);
                }
            }
        }
    }
}

/// Copies the blocks of all ranks, each with the sender's part of y, to rows along z in the order x y z.
pub fn unpack_output<'a, T: Real>(
    size: &Size,
    blocks: impl Iterator<Item = &'a [Complex<T>]>,
    to: &mut [Complex<T>],
    nx: usize,
) {
    let [_, ny, nz] = size.lengths;
    for (rank, block) in blocks.enumerate() {
        let run = size.part(1, rank) * nz;
        for x in 0..nx {
            let at = (x * ny + size.bound(1, rank)) * nz;
            to[at..at + run].copy_from_slice(&block[x * run..][..run]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Point = Complex<f64>;

    /// A point that names its place.
    fn point([x, y, z]: [usize; 3]) -> Point {
        Complex::new((100 * x + 10 * y + z) as f64, 0.0)
    }

    #[test]
    fn a_transposition_moves_each_point_to_its_row() {
        let [nx, ny, nz] = [2, 9, 11];
        for layout in [Layout::PlanesFirst, Layout::RowsFirst] {
            let rows = Rows::new(layout, nz, nx, ny);
            let mut to = [(); 2].map(|()| vec![Point::default(); nx * ny * nz]);
            for x in 0..nx {
                let from: Vec<_> = (0..ny)
                    .flat_map(|y| (0..nz).map(move |z| Complex::new((x * 1000 + y * 20 + z) as f64, 0.0)))
                    .collect();
                transpose(&from, &mut to[0], &rows, x, nz);
                transpose_singly(&from, &mut to[1], &rows, x, nz);
            }
            assert_eq!(to[0], to[1]);
            for (x, y, z) in [(0, 0, 0), (1, 8, 10), (1, 3, 9), (0, 8, 2)] {
                let at = match layout {
                    Layout::PlanesFirst => (z * nx + x) * ny + y,
                    Layout::RowsFirst => (x * nz + z) * ny + y,
                };
                assert_eq!(to[0][at], Complex::from((x * 1000 + y * 20 + z) as f64), "{layout:?}");
            }
        }
    }

    /// Three ranks: two have one row of x each, and the third has no row.
    #[test]
    fn rows_along_x_come_from_the_blocks_of_all_ranks() {
        let size = Size { lengths: [2, 5, 4], ranks: 3 };
        let tile = 1..3;
        // Blocks by sender and receiver.
        let mut blocks: Vec<Vec<Vec<Point>>> = (0..3)
            .map(|from| {
                let len = |to| tile.len() * size.part(0, from) * size.part(1, to);
                (0..3).map(|to| vec![Point::default(); len(to)]).collect()
            })
            .collect();
        for (from, blocks) in blocks.iter_mut().enumerate() {
            let xs = size.bound(0, from)..size.bound(0, from + 1);
            let rows = tile.clone().flat_map(|z| xs.clone().map(move |x| (z, x)));
            for (number, (z, x)) in rows.enumerate() {
                let row: Vec<_> = (0..5).map(|y| point([x, y, z])).collect();
                pack(&size, &row, number, blocks.iter_mut().map(Vec::as_mut_slice));
            }
        }
        for to in 0..3 {
            let arrived = || blocks.iter().map(|blocks| blocks[to].as_slice());
            let ny = size.part(1, to);
            let rows = Rows::new(Layout::RowsFirst, 4, ny, 2);
            let mut output = vec![Point::default(); 4 * ny * 2];
            for (plane, z) in tile.clone().enumerate() {
                let output = &mut output[rows.span(z, &(0..ny))];
                unpack(&size, arrived(), output, rows.steps[0], [plane, ny], &(0..ny));
            }
            for (y, z) in (0..ny).flat_map(|y| [1, 2].map(|z| (y, z))) {
                let row = &output[rows.at(z, y)..][..2];
                assert_eq!(row, [0, 1].map(|x| point([x, size.bound(1, to) + y, z])), "rank {to}");
            }
        }
    }
}
