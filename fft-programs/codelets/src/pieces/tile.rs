//! Transposition of a tile of rows into lanes, with each point multiplied by a root of unity.
//!
//! A tile has as many rows and columns as there are lanes. The root of point `j` of row `k` is
//! `w^(k j) = w^(k at) w^(k (j - at))`, where `at` is the tile's first column. The first factor is one point
//! per row of the tile. The second factor is a vector of points per row of the matrix, equal in all of its
//! tiles. So the roots of a whole matrix need a table of as many columns as there are lanes.
//!
//! *Cost.* Two complex multiplications and eight shuffles per vector of points. The lines of the next tile of
//! these rows are prefetched meanwhile, because many rows are too many streams for hardware prefetchers.

use std::marker::PhantomData;

use num_complex::Complex;

use crate::isa::{Lane, Piece};
use crate::vector::{Points, PointsMask, Vector, prefetch};

/// Maximum number of lanes of a vector.
pub(crate) const MOST_LANES: usize = 16;

/// Tile with at most one row and one column per lane.
pub(crate) struct Tile<T>(PhantomData<T>);

/// Job of [`Tile`].
///
/// The job is valid if `columns` points may be read in each row from number `at` on, if there is a vector of
/// points for each row from `vector_roots` on, and if a vector of points may be written for each column.
pub(crate) struct TileJob<T> {
    /// Start of each row.
    pub(crate) rows: *const *const T,
    /// Number of rows, at most the number of lanes.
    pub(crate) count: usize,
    /// Start of the tile in each row, in numbers.
    pub(crate) at: usize,
    /// Number of columns, at most the number of lanes.
    pub(crate) columns: usize,
    /// Roots for each row, for one column per lane, in lane order.
    pub(crate) vector_roots: *const T,
    /// Root of the tile's first column, for each row.
    pub(crate) scalar_root: [Complex<T>; MOST_LANES],
    /// Destination: a vector of points for each column.
    pub(crate) to: *mut T,
}

impl<T: Lane> Piece for Tile<T> {
    type Real = T;
    type Job = TileJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &TileJob<T>) {
        // SAFETY: the job is valid. The compiler keeps only one of these arms.
        unsafe {
            match V::LANES {
                2 => tile::<V, 2>(job),
                4 => tile::<V, 4>(job),
                8 => tile::<V, 8>(job),
                16 => tile::<V, 16>(job),
                _ => unreachable!("vectors of {} lanes", V::LANES),
            }
        }
    }
}

/// # Safety
///
/// The job is valid, and vectors have `L` lanes.
#[inline(always)]
unsafe fn tile<V: Vector, const L: usize>(job: &TileJob<V::Real>) {
    // SAFETY: the job is valid; rows and columns past its counts are not read.
    unsafe {
        let mask = PointsMask::<V>::new(job.columns);
        let none = Points::<V>::gather(job.vector_roots, PointsMask::<V>::new(0));
        let (mut re, mut im) = ([none.re; L], [none.im; L]);
        let mut lane = 0;
        while lane < L {
            let row = V::order(lane);
            if row < job.count {
                let from = job.rows.add(row).read().add(job.at);
                let x =
                    if job.columns == L { Points::<V>::gather_all(from) } else { Points::gather(from, mask) };
                prefetch(from.wrapping_add(2 * L));
                prefetch(from.wrapping_add(3 * L));
                let scalar_root = Points::<V>::broadcast((&raw const job.scalar_root[row]).cast());
                let x = x.mul(Points::load(job.vector_roots.add(row * 2 * L)).mul(scalar_root));
                (re[lane], im[lane]) = (x.re, x.im);
            }
            lane += 1;
        }
        let (re, im) = (V::transpose(re), V::transpose(im));
        let mut lane = 0;
        while lane < L {
            let column = V::order(lane);
            if column < job.columns {
                Points { re: re[lane], im: im[lane] }.store(job.to.add(column * 2 * L));
            }
            lane += 1;
        }
    }
}
