//! The stage across the lanes: as many points as there are lanes, one in each.
//!
//! A row of `n = m L` points is `m` rows of `L` points one after another, and a transform in lanes has transformed
//! its `L` columns. What is left are transforms of the `L` points of each vector. The stage takes `L` vectors,
//! transposes them in registers, multiplies by the factors `exp(-2 pi i l k / n)`, and computes a butterfly of radix
//! `L`, each output of which is `L` neighbouring points of the transform.
//!
//! *Cost.* Two shuffles for each level of the transposition and two to put real and imaginary parts side by side, a
//! vector of points; and a factor from memory for all but one in `L` points.

use std::marker::PhantomData;

use crate::butterfly::{Butterfly, Dft};
use crate::isa::{Lane, Piece};
use crate::pieces::stage::Outputs;
use crate::vector::{Points, PointsMask, Vector};

/// The stage across the lanes.
pub(crate) struct Cross<T>(PhantomData<T>);

/// What [`Cross`] does.
///
/// Valid if the first `vectors` vectors may be read and the points `l * apart + k` written, for each `k < vectors`
/// and each column `l`; if there are factors of `L - 1` points for each vector, of as many vectors as there are rounded
/// up to a multiple of `L`; and if the lane buffer is as long as that.
pub(crate) struct CrossJob<T> {
    /// The lane buffer.
    pub(crate) from: *const T,
    /// The vectors, whole columns of the row.
    pub(crate) vectors: usize,
    /// For `L` vectors at a time the factors of columns 1 on, each a vector of points in the lanes' order.
    pub(crate) factors: *const T,
    /// The row.
    pub(crate) to: *mut T,
    /// The points from an output of a butterfly to the next.
    pub(crate) apart: usize,
    pub(crate) inverse: bool,
}

impl<T: Lane> Piece for Cross<T> {
    type Real = T;
    type Job = CrossJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &CrossJob<T>) {
        // SAFETY: the job is valid. Only one of these is compiled.
        unsafe {
            match V::LANES {
                2 => cross::<V, 2>(job),
                4 => cross::<V, 4>(job),
                8 => cross::<V, 8>(job),
                16 => cross::<V, 16>(job),
                _ => unreachable!("vectors of {} lanes", V::LANES),
            }
        }
    }
}

/// The points of `L` vectors of `L` lanes, column `l` of each in vector `l`.
///
/// # Safety
///
/// The vectors may be read.
#[inline(always)]
unsafe fn transposed<V: Vector, const L: usize>(from: *const V::Real) -> [Points<V>; L] {
    // SAFETY: the caller's.
    unsafe {
        let (mut re, mut im) = ([V::load(from); L], [V::load(from.add(L)); L]);
        let mut lane = 1;
        while lane < L {
            let from = from.add(2 * L * V::order(lane));
            (re[lane], im[lane]) = (V::load(from), V::load(from.add(L)));
            lane += 1;
        }
        let (re, im) = (V::transpose(re), V::transpose(im));
        let mut x = [Points { re: re[0], im: im[0] }; L];
        let mut lane = 1;
        while lane < L {
            x[V::order(lane)] = Points { re: re[lane], im: im[lane] };
            lane += 1;
        }
        x
    }
}

/// # Safety
///
/// The job is valid, and vectors have `L` lanes.
#[inline(always)]
unsafe fn cross<V: Vector, const L: usize>(job: &CrossJob<V::Real>)
where
    Dft: Butterfly<L>,
{
    let outputs = Outputs::new(job.inverse, L, 2 * job.apart);
    // SAFETY: the job is valid.
    unsafe {
        let mut at = 0;
        while at < job.vectors {
            let from = job.from.add(at * 2 * L);
            let mut x = transposed::<V, L>(from);
            let factors = job.factors.add(at * 2 * (L - 1));
            let mut l = 1;
            while l < L {
                x[l] = x[l].mul(Points::load(factors.add(2 * L * (l - 1))));
                l += 1;
            }
            let y = <Dft as Butterfly<L>>::dft(x);
            let (to, left) = (job.to.add(2 * at), job.vectors - at);
            let mut k = 0;
            while k < L {
                let to = to.offset(outputs.at(k));
                if left >= L {
                    y[k].scatter(to);
                } else {
                    y[k].scatter_masked(to, PointsMask::new(left));
                }
                k += 1;
            }
            at += L;
        }
    }
}
