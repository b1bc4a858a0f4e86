//! Transposition of rows into lanes, or back: complex points, in square tiles with one row per lane.
//!
//! Each tile is transposed in registers, so that it is read and written once. Rows and columns at the edges
//! are masked.
//!
//! *Cost.* For each vector of points, two shuffles per level of the transposition, and two to deinterleave or
//! interleave points. *When it loses.* A stage that reads or writes columns directly needs no shuffles.

use std::marker::PhantomData;

use crate::isa::{Lane, Piece};
use crate::vector::{Points, PointsMask, Vector};

/// Transposition of at most one row per lane into lanes, or out of lanes if `BACK`.
pub(crate) struct Turn<T, const BACK: bool>(PhantomData<T>);

/// Job of [`Turn`].
///
/// The job is valid if for each row and column the points `row * apart + 2 * column` may be read and a vector
/// may be written for each column. If `BACK`, the vectors may be read and the points written.
pub(crate) struct TurnJob<T> {
    /// Row 0.
    pub(crate) rows: *mut T,
    /// Distance between the starts of consecutive rows, in numbers.
    pub(crate) apart: usize,
    /// Number of rows, at most one per lane.
    pub(crate) count: usize,
    pub(crate) columns: usize,
    /// Vectors of a lane buffer, one for each column.
    pub(crate) vectors: *mut T,
}

impl<T: Lane, const BACK: bool> Piece for Turn<T, BACK> {
    type Real = T;
    type Job = TurnJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &TurnJob<T>) {
        // SAFETY: the job is valid. The compiler keeps only one of these arms.
        unsafe {
            match V::LANES {
                2 => turn::<V, 2, BACK>(job),
                4 => turn::<V, 4, BACK>(job),
                8 => turn::<V, 8, BACK>(job),
                16 => turn::<V, 16, BACK>(job),
                _ => unreachable!("vectors of {} lanes", V::LANES),
            }
        }
    }
}

/// # Safety
///
/// The job is valid, and vectors have `L` lanes.
#[inline(always)]
unsafe fn turn<V: Vector, const L: usize, const BACK: bool>(job: &TurnJob<V::Real>) {
    // SAFETY: the job is valid; rows and columns past its counts are neither read nor written.
    unsafe {
        let mut column = 0;
        while column < job.columns {
            let (rows, left) = (job.rows.add(2 * column), job.columns - column);
            let (vectors, mask) = (job.vectors.add(2 * L * column), PointsMask::<V>::new(left));
            let (from, to) = if BACK { (left, job.count) } else { (job.count, left) };
            let none = Points::<V>::gather(rows, PointsMask::new(0));
            let (mut re, mut im) = ([none.re; L], [none.im; L]);
            let mut lane = 0;
            while lane < L {
                let at = V::order(lane);
                if at < from {
                    let x = if BACK {
                        Points::<V>::load(vectors.add(2 * L * at))
                    } else {
                        Points::gather(rows.add(at * job.apart), mask)
                    };
                    (re[lane], im[lane]) = (x.re, x.im);
                }
                lane += 1;
            }
            let (re, im) = (V::transpose(re), V::transpose(im));
            let mut lane = 0;
            while lane < L {
                let (at, x) = (V::order(lane), Points { re: re[lane], im: im[lane] });
                if at < to && BACK {
                    x.scatter_masked(rows.add(at * job.apart), mask);
                } else if at < to {
                    x.store(vectors.add(2 * L * at));
                }
                lane += 1;
            }
            column += L;
        }
    }
}
