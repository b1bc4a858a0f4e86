//! The step between `n` real numbers and `m = n/2` complex points, as a [`RealKernel`].
//!
//! 1. Points `k` and `m - k` of the row depend on each other alone. With their sum `s = z[k] + conj z[m-k]`, their
//!    difference `d = z[k] - conj z[m-k]` and the factor `u = -i exp(-2 pi i k / n)`, a split makes them
//!    `(s + u d) / 2` and `conj (s - u d) / 2`, and a merge `s + conj(u) d` and `conj (s - conj(u) d)`. So both are one
//!    loop over one table, with other signs and constants.
//! 2. As many pairs as there are lanes are computed at once: those that descend are turned round in registers. Pairs
//!    that are left over in the middle are computed one by one.
//! 3. The first and the last point are real: their sum and difference are the parts of point 0.
//!
//! *Cost.* One read and one write of the row, where it is, 5 operations a number, and a table of half as many numbers as
//! the row has. *When it loses.* For rows past the second cache, which go through memory once more.

use std::marker::PhantomData;

use earth_kernels::RealKernel;
use num_complex::Complex;

use crate::isa::{Entry, Isa, Lane, Piece};
use crate::lanes::write_piece;
use crate::tables::roots::arc;
use crate::vector::{Array, Points, Vector};

/// The plan of a row.
pub(crate) struct RealRow<T> {
    /// Half the real numbers.
    points: usize,
    isa: Isa,
    pairs: Entry<PairsJob<T>>,
    /// `u` of the points from 1 to half of them: whole vectors of real parts and of imaginary ones by turns, in the lanes'
    /// order, then single points.
    factors: Vec<T>,
}

impl<T: Lane> RealRow<T> {
    /// Plans rows of `len` real numbers; `None` if these are no pairs.
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

    /// Computes all pairs: `sum` is the factor of sums, `difference` those of the real and the imaginary part of `u`.
    fn pairs(&self, row: &mut [Complex<T>], sum: T, difference: [T; 2]) {
        let (row, factors) = (row.as_mut_ptr().cast::<T>(), self.factors.as_ptr());
        // SAFETY: the row has one point more than there are, as was checked, of two numbers each; and there is a factor
        // for each pair.
        unsafe {
            self.pairs.run(&PairsJob { row, sum, points: self.points, difference, factors: Apart(factors) });
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

/// What [`Pairs`] does.
///
/// Valid if the points of the row may be read and written, and there are `points / 2` factors as a [`RealRow`] has them.
///
/// The factors lie apart from the number before them: read as one vector, right after both were written one by one, they would
/// be waited for, which took a fifth of the step of 64 numbers.
#[repr(C)]
struct PairsJob<T> {
    row: *mut T,
    sum: T,
    points: usize,
    difference: [T; 2],
    factors: Apart<*const T>,
}

/// A word that begins with 16 bytes of its own.
#[repr(align(16))]
struct Apart<W>(W);

impl<T: Lane> Piece for Pairs<T> {
    type Real = T;
    type Job = PairsJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &PairsJob<T>) {
        let half = job.points / 2;
        // SAFETY: the job is valid. Pairs do not overlap others; the last one may be a point and itself, of which both
        // results are the same.
        unsafe {
            let single = pairs::<V>(job, 1, half);
            pairs::<Array<T, 1>>(job, single, half);
        }
    }
}

/// The pairs of the points from `k` to `last`, as many at a time as there are lanes, and the first point that is left.
///
/// # Safety
///
/// The job is valid and has these pairs, and the machine has the instructions of `V`.
#[inline(always)]
unsafe fn pairs<V: Vector>(job: &PairsJob<V::Real>, mut k: usize, last: usize) -> usize {
    // SAFETY: the caller's.
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

/// The results of pairs `a` and `b` with the factors `u`: sums are multiplied by `sum`, the parts of the factors by `re`
/// and `im`.
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
