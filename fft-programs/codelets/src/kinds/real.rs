//! Step between `n` real numbers and `m = n/2` complex points, as a [`RealKernel`] (Cooley, Lewis and Welch,
//! 1970).
//!
//! 1. Points `k` and `m - k` of the row depend only on each other. Let `s = z[k] + conj z[m-k]` be their sum,
//!    `d = z[k] - conj z[m-k]` their difference, and `u = -i exp(-2 pi i k / n)`. A split replaces them by
//!    `(s + u d) / 2` and `conj (s - u d) / 2`. A merge replaces them by `s + conj(u) d` and
//!    `conj (s - conj(u) d)`. So both are one loop over one table, with different signs and constants.
//! 2. One pair per lane is computed at once; the descending points are reversed in registers. The remaining
//!    pairs in the middle are computed one by one.
//! 3. The first and the last point are real: their sum and difference are the parts of point 0.
//!
//! *Cost.* One read and one write of the row, in place, 5 operations per number, and a table of half as many
//! numbers as the row has. *When it loses.* For rows larger than the L2 cache, which go through memory once
//! more.

use std::marker::PhantomData;

use earth_kernels::RealKernel;
use num_complex::Complex;

use crate::isa::{Entry, Isa, Lane, Piece};
use crate::lanes::write_piece;
use crate::tables::roots::arc;
use crate::vector::{Array, Points, Vector};

/// Plan of a row.
pub(crate) struct RealRow<T> {
    /// Half the number of real numbers.
    points: usize,
    isa: Isa,
    pairs: Entry<PairsJob<T>>,
    /// `u` for the points from 1 to half of them. Whole vectors of real parts alternate with vectors of
    /// imaginary parts, in lane order. Single points follow.
    factors: Vec<T>,
}

impl<T: Lane> RealRow<T> {
    /// Plans rows of `len` real numbers. Returns `None` if `len` is 0 or odd.
    pub(crate) fn plan(isa: Isa, len: usize) -> Option<Self> {
        if len == 0 || !len.is_multiple_of(2) {
            return None;
        }
        let (points, order) = (len / 2, isa.order::<T>());
        let (lanes, half) = (order.len(), points / 2);
        let roots: Vec<Complex<T>> = arc(isa, len, half + 1);
        let u = |k: usize| Complex::new(roots[k].im, -roots[k].re);
        let whole = half / lanes * lanes;
        let mut factors = vec![T::zero(); 2 * half];
        let (vectors, singles) = factors.split_at_mut(2 * whole);
        for (vector, piece) in vectors.chunks_exact_mut(2 * lanes).enumerate() {
            write_piece(piece, order.iter().map(|at| u(1 + vector * lanes + at)));
        }
        for (single, piece) in singles.chunks_exact_mut(2).enumerate() {
            write_piece(piece, std::iter::once(u(1 + whole + single)));
        }
        Some(Self { points, isa, pairs: isa.entry::<Pairs<T>>(), factors })
    }

    /// Computes all pairs: `sum` is the factor of the sums, `difference` has the factors of the real and
    /// imaginary parts of `u`.
    fn pairs(&self, row: &mut [Complex<T>], sum: T, difference: [T; 2]) {
        let (row, factors) = (row.as_mut_ptr().cast::<T>(), self.factors.as_ptr());
        // SAFETY: the check ensures that the row has `self.points + 1` points of two numbers each. There is a
        // factor for each pair.
        unsafe {
            self.pairs.run(&PairsJob {
                row,
                sum,
                points: self.points,
                difference,
                factors: Aligned16(factors),
            });
        }
    }

    fn check(&self, row: &[Complex<T>]) {
        let (len, points, found) = (2 * self.points, self.points + 1, row.len());
        assert!(found == points, "a row of {found} points where {len} real numbers have {points}");
    }
}

impl<T: Lane> RealKernel<T> for RealRow<T> {
    fn name(&self) -> &'static str {
        self.isa.kernel()
    }

    fn len(&self) -> usize {
        2 * self.points
    }

    fn split(&self, factor: T, row: &mut [Complex<T>]) {
        self.check(row);
        let half = factor * T::of(0.5);
        self.pairs(row, half, [half, half]);
        let Complex { re, im } = row[0];
        row[0] = Complex::new(factor * (re + im), T::zero());
        row[self.points] = Complex::new(factor * (re - im), T::zero());
    }

    fn merge(&self, factor: T, row: &mut [Complex<T>]) {
        self.check(row);
        self.pairs(row, factor, [factor, -factor]);
        let (first, last) = (row[0].re, row[self.points].re);
        row[0] = Complex::new(factor * (first + last), factor * (first - last));
    }
}

/// All pairs of points `k` and `points - k`, for `0 < k <= points / 2`.
struct Pairs<T>(PhantomData<T>);

/// Job of [`Pairs`].
///
/// The job is valid if the points of the row may be read and written, and if there are `points / 2` factors
/// as in a [`RealRow`].
///
/// The factors are not adjacent to the number before them. Otherwise they are read as one vector right after
/// they were written separately, and the load waits (a failed store-to-load forwarding). That took a fifth of
/// the step of 64 numbers.
#[repr(C)]
struct PairsJob<T> {
    row: *mut T,
    sum: T,
    points: usize,
    difference: [T; 2],
    factors: Aligned16<*const T>,
}

/// Word with an alignment of 16 bytes.
#[repr(align(16))]
struct Aligned16<W>(W);

impl<T: Lane> Piece for Pairs<T> {
    type Real = T;
    type Job = PairsJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &PairsJob<T>) {
        let half = job.points / 2;
        // SAFETY: the job is valid. Pairs do not overlap. The last pair may be a point and itself; then both
        // results are equal.
        unsafe {
            let single = pairs::<V>(job, 1, half);
            pairs::<Array<T, 1>>(job, single, half);
        }
    }
}

/// Computes the pairs of the points from `k` to `last`, one pair per lane at a time. Returns the first
/// remaining point.
///
/// # Safety
///
/// The job is valid and has these pairs, and the machine has the instructions of `V`.
#[inline(always)]
unsafe fn pairs<V: Vector>(job: &PairsJob<V::Real>, mut k: usize, last: usize) -> usize {
    // SAFETY: the caller guarantees this.
    unsafe {
        let sum = V::broadcast(&raw const job.sum);
        let [re, im] = [0, 1].map(|part| V::broadcast(&raw const job.difference[part]));
        let (row, points, factors) = (job.row, job.points, job.factors.0);
        while k + V::LANES <= last + 1 {
            let ascending = row.add(2 * k);
            let descending = row.add(2 * (points + 1 - k - V::LANES));
            let a = Points::<V>::gather_all(ascending);
            let b = Points::<V>::gather_all(descending).reverse();
            let u = Points::<V>::load(factors.add(2 * (k - 1)));
            let (a, b) = pair(a, b, u, sum, [re, im]);
            a.scatter(ascending);
            b.reverse().scatter(descending);
            k += V::LANES;
        }
        k
    }
}

/// Returns the results of pairs `a` and `b` with the factors `u`. Sums are multiplied by `sum`, the parts of
/// the factors by `re` and `im`.
#[inline(always)]
pub(crate) fn pair<V: Vector>(
    a: Points<V>,
    b: Points<V>,
    u: Points<V>,
    sum: V,
    [re, im]: [V; 2],
) -> (Points<V>, Points<V>) {
    let u = Points { re: u.re.mul(re), im: u.im.mul(im) };
    let s = Points { re: a.re.add(b.re), im: a.im.sub(b.im) };
    let d = Points { re: a.re.sub(b.re), im: a.im.add(b.im) }.mul(u);
    (
        Points { re: sum.mul_add(s.re, d.re), im: sum.mul_add(s.im, d.im) },
        Points { re: sum.mul_sub(s.re, d.re), im: sum.neg_mul_add(s.im, d.im) },
    )
}
