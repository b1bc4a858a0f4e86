//! A tile of rows into lanes, each point times a root of unity.
//!
//! A tile has as many rows and columns as there are lanes. The roots of point `j` of row `k` are
//! `w^(k j) = w^(k at) w^(k (j - at))`, where `at` is the tile's first column: one point for a row of the tile, and a
//! vector of points for a row of the matrix, the same in all of its tiles. So the roots of a whole matrix need a table
//! of as many columns as there are lanes.
//!
//! *Cost.* Two multiplications of points and eight shuffles a vector of points. The lines of the next tile of these rows
//! are asked for while this one is turned, since rows of many lengths are too many streams for a processor to foresee.

use std::marker::PhantomData;

use num_complex::Complex;

use crate::isa::{Lane, Piece};
use crate::vector::{Points, PointsMask, Vector, prefetch};

/// The most lanes of any vector.
pub(crate) const MOST_LANES: usize = 16;

/// A tile of up to as many rows and columns as there are lanes.
pub(crate) struct Tile<T>(PhantomData<T>);

/// What [`Tile`] does.
///
/// Valid if `columns` points may be read of each row from number `at` on, if there is a vector of points for each row
/// from `near` on, and if as many vectors of points as there are columns may be written.
pub(crate) struct TileJob<T> {
    /// Where each row begins.
    pub(crate) rows: *const *const T,
    /// At most as many as there are lanes.
    pub(crate) count: usize,
    /// The number at which the tile begins in each row.
    pub(crate) at: usize,
    /// At most as many as there are lanes.
    pub(crate) columns: usize,
    /// For each row the roots of as many columns as there are lanes, in the order of lanes.
    pub(crate) near: *const T,
    /// For each row the root of the tile's first column.
    pub(crate) far: [Complex<T>; MOST_LANES],
    /// A vector of points for each column.
    pub(crate) to: *mut T,
}

impl<T: Lane> Piece for Tile<T> {
    type Real = T;
    type Job = TileJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &TileJob<T>) {
        // SAFETY: the job is valid. Only one of these is compiled.
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
    // SAFETY: the job is valid; nothing is read of rows and columns that there are not.
    unsafe {
        let mask = PointsMask::<V>::new(job.columns);
        let none = Points::<V>::gather(job.near, PointsMask::<V>::new(0));
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
                let far = Points::<V>::broadcast((&raw const job.far[row]).cast());
                let x = x.mul(Points::load(job.near.add(row * 2 * L)).mul(far));
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
