//! Rows into lanes and back: a transposition of complex points, in tiles of as many rows and columns as there are lanes.
//!
//! Each tile is transposed in registers, so that it is read and written once. Rows and columns at the edges are masked.
//!
//! *Cost.* Two shuffles for each level of the transposition and four to take points apart and put them together, a
//! vector of points. *When it loses.* Against a stage that reads or writes columns where they are, which needs none.

use std::marker::PhantomData;

use crate::isa::{Lane, Piece};
use crate::vector::{Points, PointsMask, Vector};

/// A transposition of up to as many rows as there are lanes.
pub(crate) struct Turn<T>(PhantomData<T>);

/// What [`Turn`] does.
///
/// Valid if the points `row * from_row + 2 * column` may be read and `column * to_row + 2 * row` written, for each row
/// and column.
pub(crate) struct TurnJob<T> {
    pub(crate) from: *const T,
    /// The numbers from the beginning of a row to that of the next.
    pub(crate) from_row: usize,
    /// At most as many as there are lanes.
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) to: *mut T,
    /// The numbers from the beginning of a row of the result to that of the next.
    pub(crate) to_row: usize,
}

impl<T: Lane> Piece for Turn<T> {
    type Real = T;
    type Job = TurnJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &TurnJob<T>) {
        // SAFETY: the job is valid. Only one of these is compiled.
        unsafe {
            match V::LANES {
                2 => turn::<V, 2>(job),
                4 => turn::<V, 4>(job),
                8 => turn::<V, 8>(job),
                16 => turn::<V, 16>(job),
                _ => unreachable!("vectors of {} lanes", V::LANES),
            }
        }
    }
}

/// # Safety
///
/// The job is valid, and vectors have `L` lanes.
#[inline(always)]
unsafe fn turn<V: Vector, const L: usize>(job: &TurnJob<V::Real>) {
    // SAFETY: the job is valid; nothing is read of rows and columns that there are not.
    unsafe {
        let (nothing, rows) = (PointsMask::<V>::new(0), PointsMask::<V>::new(job.rows));
        let mut column = 0;
        while column < job.columns {
            let left = job.columns - column;
            let mask = PointsMask::<V>::new(left);
            let from = job.from.add(2 * column);
            let none = Points::<V>::gather(from, nothing);
            let (mut re, mut im) = ([none.re; L], [none.im; L]);
            let mut lane = 0;
            while lane < L {
                let row = V::order(lane);
                if row < job.rows {
                    let x = Points::<V>::gather(from.add(row * job.from_row), mask);
                    (re[lane], im[lane]) = (x.re, x.im);
                }
                lane += 1;
            }
            let (re, im) = (V::transpose(re), V::transpose(im));
            let mut lane = 0;
            while lane < L {
                let at = V::order(lane);
                if at < left {
                    let x = Points { re: re[lane], im: im[lane] };
                    x.scatter_masked(job.to.add((column + at) * job.to_row), rows);
                }
                lane += 1;
            }
            column += L;
        }
    }
}
