//! Row that takes two butterflies: a radix in lanes and the stage across them, without a lane buffer between
//! them.
//!
//! The outputs of the first butterfly stay in registers, if there are enough. They go directly through the
//! transposition of the stage across the lanes ([`Cross`](crate::pieces::cross::Cross)). So a short row is
//! one call, without an access to memory in between. The direction is a compile-time constant, because
//! outputs in registers have no addresses.

use std::marker::PhantomData;

use crate::butterfly::{Butterfly, Dft};
use crate::isa::{Entry, Isa, Lane, Piece};
use crate::pieces::stage::output;
use crate::vector::{Points, Vector};

/// Row of `R` times the number of lanes; the lanes divide `R`.
struct Small<T, const R: usize, const INVERSE: bool>(PhantomData<T>);

/// Job of a small row.
///
/// The job is valid if the points of a row may be read and written, and if there are the factors that a
/// [`CrossJob`](crate::pieces::cross::CrossJob) needs for `R` vectors.
pub(crate) struct SmallJob<T> {
    pub(crate) from: *const T,
    pub(crate) factors: *const T,
    pub(crate) to: *mut T,
}

/// Returns forward and inverse of a radix, or `None` if the lanes do not divide the radix or the radix is not
/// supported.
pub(crate) fn small<T: Lane>(isa: Isa, radix: usize) -> Option<[Entry<SmallJob<T>>; 2]> {
    if !radix.is_multiple_of(isa.lanes::<T>()) {
        return None;
    }
    Some(match radix {
        4 => [isa.entry::<Small<T, 4, false>>(), isa.entry::<Small<T, 4, true>>()],
        8 => [isa.entry::<Small<T, 8, false>>(), isa.entry::<Small<T, 8, true>>()],
        16 => [isa.entry::<Small<T, 16, false>>(), isa.entry::<Small<T, 16, true>>()],
        _ => return None,
    })
}

impl<T: Lane, const R: usize, const INVERSE: bool> Piece for Small<T, R, INVERSE>
where
    Dft: Butterfly<R>,
{
    type Real = T;
    type Job = SmallJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &SmallJob<T>) {
        // SAFETY: the job is valid. The compiler keeps only one of these arms, and it runs only if the lanes
        // divide the radix.
        unsafe {
            match V::LANES {
                2 => row::<V, R, 2, INVERSE>(job),
                4 => row::<V, R, 4, INVERSE>(job),
                8 => row::<V, R, 8, INVERSE>(job),
                16 => row::<V, R, 16, INVERSE>(job),
                _ => unreachable!("vectors of {} lanes", V::LANES),
            }
        }
    }
}

/// # Safety
///
/// The job is valid, and vectors have `L` lanes.
#[inline(always)]
unsafe fn row<V: Vector, const R: usize, const L: usize, const INVERSE: bool>(job: &SmallJob<V::Real>)
where
    Dft: Butterfly<R> + Butterfly<L>,
{
    // SAFETY: the job is valid.
    unsafe {
        let mut x = [Points::<V>::gather_all(job.from); R];
        let mut k = 1;
        while k < R {
            x[k] = Points::gather_all(job.from.add(2 * L * k));
            k += 1;
        }
        let columns = <Dft as Butterfly<R>>::dft(x);
        let mut group = 0;
        while group + L <= R {
            let (mut re, mut im) = ([columns[0].re; L], [columns[0].im; L]);
            let mut lane = 0;
            while lane < L {
                let column = columns[output(group + V::order(lane), R, INVERSE)];
                (re[lane], im[lane]) = (column.re, column.im);
                lane += 1;
            }
            let (re, im) = (V::transpose(re), V::transpose(im));
            let mut turned = [Points { re: re[0], im: im[0] }; L];
            let mut lane = 1;
            while lane < L {
                let l = V::order(lane);
                let factor = Points::load(job.factors.add(2 * L * (group / L * (L - 1) + l - 1)));
                turned[l] = Points { re: re[lane], im: im[lane] }.mul(factor);
                lane += 1;
            }
            let y = <Dft as Butterfly<L>>::dft(turned);
            let mut k = 0;
            while k < L {
                y[k].scatter(job.to.add(2 * (group + R * output(k, L, INVERSE))));
                k += 1;
            }
            group += L;
        }
    }
}
