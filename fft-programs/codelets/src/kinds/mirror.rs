//! Step between `n` real numbers and `m = n/2` complex points for pairs stored anywhere, as a
//! [`MirrorKernel`].
//!
//! It computes the same step as for a [row](crate::kinds::real). The factors of a long transform are too many
//! for a table. The factors of one vector of adjacent pairs are `u^(k + j) = u^j w^k`: a vector of points,
//! equal for all vectors, and one root per vector. The remaining pairs are computed one by one, each with its
//! own root, whose last bit may differ. So the last bit of a pair may depend on the range of the call.
//!
//! *Cost.* 7 operations per number, and a root per vector. *When it loses.* For a whole row, which has a
//! table.

use std::marker::PhantomData;

use earth_kernels::{Direction, MirrorKernel, Roots, twiddle};
use num_complex::Complex;

use crate::isa::{Entry, Isa, Lane, Piece};
use crate::kinds::real::pair;
use crate::vector::{Array, Points, Vector};

/// Maximum number of vectors of pairs in a job.
const VECTORS: usize = 8;

/// Plan of all pairs of a transform.
pub(crate) struct Mirror<T> {
    /// Half the number of real numbers.
    points: usize,
    isa: Isa,
    run: Entry<PairsJob<T>>,
    /// `-i w^j` for the `j` of a job's vectors. Each vector has real parts, then imaginary parts, in lane
    /// order.
    vector_roots: Vec<T>,
    /// `-i w^j` for the `j` of a job's single points.
    singles: Vec<T>,
    roots: Roots<T>,
}

/// Factors of a pair's sum, and of the parts of the factor of its difference. The struct is never copied: a
/// vector copy right after scalar writes would wait for all earlier stores (a failed store-to-load
/// forwarding).
struct Scales<T> {
    sum: T,
    difference: [T; 2],
}

impl<T: Lane> Mirror<T> {
    /// Plans pairs for `len` real numbers. Returns `None` if `len` is 0, odd, or past 2^53.
    pub(crate) fn plan(isa: Isa, len: usize) -> Option<Self> {
        if len == 0 || !len.is_multiple_of(2) || len as u64 > 1 << 53 {
            return None;
        }
        let vector_roots = |order: &[usize]| -> Vec<T> {
            let factor = |j: usize| twiddle::<T>(j % len, len);
            let vector = |begin: usize| {
                let re = order.iter().map(move |j| factor(begin + j).im);
                re.chain(order.iter().map(move |j| -factor(begin + j).re))
            };
            (0..VECTORS).flat_map(|number| vector(number * order.len())).collect()
        };
        let (vector_roots, singles) = (vector_roots(&isa.order::<T>()), vector_roots(&[0]));
        Some(Self {
            points: len / 2,
            isa,
            run: isa.entry::<Pairs<T>>(),
            vector_roots,
            singles,
            roots: Roots::new(len),
        })
    }

    /// Computes the pairs of a call.
    fn pairs(&self, scales: &Scales<T>, first: usize, from: [&[Complex<T>]; 2], to: [&mut [Complex<T>]; 2]) {
        let (count, lanes) = (from[0].len(), self.isa.lanes::<T>());
        assert!(
            from[1].len() == count && to.iter().all(|to| to.len() == count),
            "the slices of pairs have different lengths"
        );
        let there = first > 0 && first.checked_add(count).is_some_and(|end| end <= self.points);
        assert!(there || count == 0, "{count} pairs from point {first} on of {}", self.points);
        let [low, high] = from.map(|from| from.as_ptr().cast::<T>());
        let [to_low, to_high] = to.map(|to| to.as_mut_ptr().cast::<T>());
        let mut done = 0;
        while done < count {
            let lanes = if count - done >= lanes { lanes } else { 1 };
            let vectors = ((count - done) / lanes).min(VECTORS);
            let scalar_root = self.roots.get(Direction::Forward, first + done);
            let mates = 2 * (count - done - vectors * lanes);
            // SAFETY: the slices have `count` points of two numbers each. This job has the next points of the
            // first slice, and the same number of points of the second slice before those of the earlier
            // jobs. There is a factor for each point.
            unsafe {
                self.run.run(&PairsJob {
                    low: low.add(2 * done),
                    high: high.add(mates),
                    to_low: to_low.add(2 * done),
                    to_high: to_high.add(mates),
                    vectors,
                    is_single: lanes == 1,
                    vector_roots: if lanes == 1 { self.singles.as_ptr() } else { self.vector_roots.as_ptr() },
                    scalar_root,
                    scales: &raw const *scales,
                });
            }
            done += vectors * lanes;
        }
    }
}

impl<T: Lane> MirrorKernel<T> for Mirror<T> {
    fn name(&self) -> &'static str {
        self.isa.kernel()
    }

    fn len(&self) -> usize {
        2 * self.points
    }

    fn split(&self, factor: T, first: usize, from: [&[Complex<T>]; 2], to: [&mut [Complex<T>]; 2]) {
        let half = factor * T::of(0.5);
        self.pairs(&Scales { sum: half, difference: [half; 2] }, first, from, to);
    }

    fn merge(&self, factor: T, first: usize, from: [&[Complex<T>]; 2], to: [&mut [Complex<T>]; 2]) {
        self.pairs(&Scales { sum: factor, difference: [factor, -factor] }, first, from, to);
    }
}

/// Some vectors of pairs.
struct Pairs<T>(PhantomData<T>);

/// Job of [`Pairs`].
///
/// The job is valid if the points of its vectors may be read from `low` and `high` on, and written from
/// `to_low` and `to_high` on. `vector_roots` has a vector of points for each vector, and the scales may be
/// read. A vector is one point if `is_single`.
struct PairsJob<T> {
    low: *const T,
    high: *const T,
    to_low: *mut T,
    to_high: *mut T,
    vectors: usize,
    is_single: bool,
    vector_roots: *const T,
    /// `w^k` for the first point.
    scalar_root: Complex<T>,
    scales: *const Scales<T>,
}

impl<T: Lane> Piece for Pairs<T> {
    type Real = T;
    type Job = PairsJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &PairsJob<T>) {
        // SAFETY: the job is valid.
        unsafe {
            if job.is_single {
                pairs::<Array<T, 1>>(job);
            } else {
                pairs::<V>(job);
            }
        }
    }
}

/// # Safety
///
/// The job is valid for vectors `V`, and the machine has their instructions.
#[inline(always)]
unsafe fn pairs<V: Vector>(job: &PairsJob<V::Real>) {
    // SAFETY: the job is valid.
    unsafe {
        let scales = &*job.scales;
        let sum = V::broadcast(&raw const scales.sum);
        let [re, im] = [0, 1].map(|part| V::broadcast(&raw const scales.difference[part]));
        let scalar_root = Points::<V>::broadcast((&raw const job.scalar_root).cast());
        for vector in 0..job.vectors {
            let (at, mate) = (2 * V::LANES * vector, 2 * V::LANES * (job.vectors - 1 - vector));
            let a = Points::<V>::gather_all(job.low.add(at));
            let b = Points::<V>::gather_all(job.high.add(mate)).reverse();
            let u = Points::load(job.vector_roots.add(at)).mul(scalar_root);
            let (a, b) = pair(a, b, u, sum, [re, im]);
            a.scatter(job.to_low.add(at));
            b.reverse().scatter(job.to_high.add(mate));
        }
    }
}
