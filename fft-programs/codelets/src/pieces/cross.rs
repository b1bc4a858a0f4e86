//! Stage across the lanes: each vector has one point per lane.
//!
//! A row of `n = m L` points is `m` rows of `L` contiguous points, and a transform in lanes has transformed
//! its `L` columns. The transforms of the `L` points of each vector remain. The stage loads `L` vectors,
//! transposes them in registers, multiplies by the factors `exp(-2 pi i l k / n)`, and computes a butterfly
//! of radix `L`. Each output of the butterfly is `L` adjacent points of the transform.
//!
//! *Cost.* For each vector of points, two shuffles per level of the transposition, and two to interleave real
//! and imaginary parts. A factor from memory for all except one in `L` points.

use std::marker::PhantomData;

use crate::butterfly::{Butterfly, Dft};
use crate::isa::{Lane, Piece};
use crate::pieces::stage::Outputs;
use crate::vector::{Points, PointsMask, Vector};

/// Stage across the lanes.
pub(crate) struct Cross<T>(PhantomData<T>);

/// Job of [`Cross`].
///
/// The job is valid if the first `vectors` vectors may be read, and the points `l * apart + k` written, for
/// each `k < vectors` and each column `l`. Let the number of vectors be rounded up to a multiple of `L`:
/// there are factors of `L - 1` points for each of these vectors, and the lane buffer has their length.
pub(crate) struct CrossJob<T> {
    /// Lane buffer.
    pub(crate) from: *const T,
    /// Number of vectors: columns `k` of the row.
    pub(crate) vectors: usize,
    /// Factors of columns 1 on for `L` vectors at a time, each a vector of points in lane order.
    pub(crate) factors: *const T,
    /// Result row.
    pub(crate) to: *mut T,
    /// Distance between the outputs of a butterfly, in points.
    pub(crate) apart: usize,
    pub(crate) inverse: bool,
}

impl<T: Lane> Piece for Cross<T> {
    type Real = T;
    type Job = CrossJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &CrossJob<T>) {
        // SAFETY: the job is valid. The compiler keeps only one of these arms.
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

/// Loads `L` vectors of `L` lanes and transposes them: column `l` goes to vector `l`.
///
/// # Safety
///
/// The vectors may be read.
#[inline(always)]
unsafe fn transposed<V: Vector, const L: usize>(from: *const V::Real) -> [Points<V>; L] {
    // SAFETY: the caller guarantees this.
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
