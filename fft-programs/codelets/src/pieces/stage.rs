//! Stages of a transform in lanes: the first stage, and the stages after it.
//!
//! Every point of such a transform is a vector of points, one point of each of the transforms in the lanes.
//! The transform uses a *lane buffer*, in which the real parts of a vector precede its imaginary parts. The
//! first stage reads the points from their original memory, at any distance, so that no copy or transposition
//! comes before it. The other stages work in place. The [strips](crate::lanes::Strips) have a last stage that
//! writes points to their final places.
//!
//! The algorithm is decimation in time. A stage combines R blocks of `m` outputs: it multiplies them by
//! factors and makes a block of `R m` outputs, all in natural order. The first stage has no factors. It reads
//! its points in digit-reversed order. This costs no time, because each point is about two whole cache lines.
//!
//! *The inverse* has conjugate factors, and the outputs `k` and `R - k` of a butterfly exchanged: they are
//! stored in reverse order.

use std::marker::PhantomData;

use crate::butterfly::{Butterfly, Dft};
use crate::isa::{Lane, Piece};
use crate::vector::{Points, PointsMask, Vector};

/// Offsets of a butterfly's outputs, in numbers: the first at 0, output `k` at `rest + k * step`.
#[derive(Clone, Copy)]
pub(crate) struct Outputs {
    rest: isize,
    step: isize,
}

impl Outputs {
    /// Returns the offsets of a butterfly of radix `radix` with a distance of `step`.
    #[inline(always)]
    pub(crate) fn new(inverse: bool, radix: usize, step: usize) -> Self {
        let step = step.cast_signed();
        if inverse { Self { rest: radix.cast_signed() * step, step: -step } } else { Self { rest: 0, step } }
    }

    #[inline(always)]
    pub(crate) fn at(self, k: usize) -> isize {
        if k == 0 { 0 } else { self.rest + k.cast_signed() * self.step }
    }
}

/// Returns the forward index of output `k` of a butterfly of radix `radix`.
#[inline(always)]
pub(crate) fn output(k: usize, radix: usize, inverse: bool) -> usize {
    if inverse && k > 0 { radix - k } else { k }
}

/// Source and destination of a block of the first stage.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// Row of its first point.
    pub(crate) row: u32,
    /// Vector of the lane buffer where its outputs begin.
    pub(crate) vector: u32,
}

/// First stage. It reads contiguous points in rows, or vectors of points in the layout of a lane buffer, each
/// vector a row.
pub(crate) struct First<T, const R: usize, const OF_VECTORS: bool>(PhantomData<T>);

/// Job of [`First`].
///
/// The job is valid if for each start and each `k < R`, `lanes` points may be read in row
/// `start.row + k * apart`, and the `R` vectors from `start.vector` on may be written. For vectors of points,
/// `lanes` must be the number of lanes.
pub(crate) struct FirstJob<T> {
    /// Row 0.
    pub(crate) from: *const T,
    /// Distance between the starts of consecutive rows, in numbers.
    pub(crate) row: usize,
    /// Distance between the points of a butterfly, in rows.
    pub(crate) apart: usize,
    /// Number of points in a row. If there are more points than lanes, the others are ignored.
    pub(crate) lanes: usize,
    /// Lane buffer.
    pub(crate) to: *mut T,
    /// One start for each butterfly.
    pub(crate) starts: *const [Start],
    pub(crate) inverse: bool,
}

impl<T: Lane, const R: usize, const OF_VECTORS: bool> Piece for First<T, R, OF_VECTORS>
where
    Dft: Butterfly<R>,
{
    type Real = T;
    type Job = FirstJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &FirstJob<T>) {
        let vector = 2 * V::LANES;
        let (apart, outputs) = (job.apart * job.row, Outputs::new(job.inverse, R, vector));
        // SAFETY: the job is valid.
        unsafe {
            let mask = PointsMask::<V>::new(job.lanes);
            for start in &*job.starts {
                let from = job.from.add(start.row as usize * job.row);
                let read =
                    |from| if OF_VECTORS { Points::<V>::load(from) } else { Points::gather(from, mask) };
                let mut x = [read(from); R];
                let mut k = 1;
                while k < R {
                    x[k] = read(from.add(k * apart));
                    k += 1;
                }
                let y = <Dft as Butterfly<R>>::dft(x);
                let to = job.to.add(start.vector as usize * vector);
                let mut k = 0;
                while k < R {
                    y[k].store(to.offset(outputs.at(k)));
                    k += 1;
                }
            }
        }
    }
}

/// Stage after the first, in place.
pub(crate) struct Inner<T, const R: usize>(PhantomData<T>);

/// Job of [`Inner`].
///
/// The job is valid if the vectors `block * distance + k * apart + p` may be read and written, for each
/// block, each `k < R` and each `p < points`, and if there are `R - 1` factors for each `p`.
pub(crate) struct InnerJob<T> {
    /// Lane buffer, from the first vector of the first block on.
    pub(crate) data: *mut T,
    /// Number of blocks.
    pub(crate) blocks: usize,
    /// Distance between blocks, in vectors.
    pub(crate) distance: usize,
    /// Number of butterflies in a block.
    pub(crate) points: usize,
    /// Distance between the points of a butterfly, in vectors.
    pub(crate) apart: usize,
    /// Factors of the points from 1 on, butterfly by butterfly.
    pub(crate) factors: *const T,
    pub(crate) inverse: bool,
}

/// Loads the points of a butterfly, `apart` numbers apart, and multiplies each except the first by its
/// factor.
///
/// # Safety
///
/// The points may be read, and so may a factor for each point except the first.
#[inline(always)]
pub(crate) unsafe fn load_turned<V: Vector, const R: usize>(
    from: *const V::Real,
    apart: usize,
    factors: *const V::Real,
) -> [Points<V>; R] {
    // SAFETY: the caller guarantees this.
    unsafe {
        let mut x = [Points::<V>::load(from); R];
        let mut k = 1;
        while k < R {
            x[k] = Points::load(from.add(k * apart)).mul(Points::broadcast(factors.add(2 * (k - 1))));
            k += 1;
        }
        x
    }
}

impl<T: Lane, const R: usize> Piece for Inner<T, R>
where
    Dft: Butterfly<R>,
{
    type Real = T;
    type Job = InnerJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &InnerJob<T>) {
        let vector = 2 * V::LANES;
        let apart = job.apart * vector;
        let outputs = Outputs::new(job.inverse, R, apart);
        // SAFETY: the job is valid.
        unsafe {
            for block in 0..job.blocks {
                let mut at = job.data.add(block * job.distance * vector);
                let mut factors = job.factors;
                for _ in 0..job.points {
                    let y = <Dft as Butterfly<R>>::dft(load_turned::<V, R>(at, apart, factors));
                    let mut k = 0;
                    while k < R {
                        y[k].store(at.offset(outputs.at(k)));
                        k += 1;
                    }
                    at = at.add(vector);
                    factors = factors.add(2 * (R - 1));
                }
            }
        }
    }
}
