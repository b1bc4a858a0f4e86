//! The stages of a transform in lanes: the first, and those after it.
//!
//! Every point of such a transform is a vector of points, one of each of as many transforms as there are
//! lanes. It goes through a *lane buffer*, in which the real parts of a vector lie before its imaginary
//! parts. The first stage reads the transforms' points where they are, at any distance, so that nothing is
//! copied or transposed before. The others work in place; the [strips](crate::lanes::Strips) have a last
//! stage that writes points where they belong.
//!
//! The decimation is in time: a stage takes blocks of `m` outputs, R of them, multiplies by factors, and makes a
//! block of `R m` outputs of them, all in natural order. The first stage has no factors; it is the one that picks
//! its points in the order of reversed digits, which costs nothing since each is two cache lines or so by itself.
//!
//! *The inverse* has conjugate factors, and the outputs `k` and `R - k` of a butterfly exchanged: these are stored
//! backwards from the end.

use std::marker::PhantomData;

use crate::butterfly::{Butterfly, Dft};
use crate::isa::{Lane, Piece};
use crate::vector::{Points, PointsMask, Vector};

/// Where a butterfly stores its outputs: the first at 0, output `k` at `rest + k * step`, counted in numbers.
#[derive(Clone, Copy)]
pub(crate) struct Outputs {
    rest: isize,
    step: isize,
}

impl Outputs {
    /// Those of a butterfly of radix `radix` that lie `step` apart.
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

/// The place of output `k` of a butterfly of radix `radix`: that of the forward one.
#[inline(always)]
pub(crate) fn output(k: usize, radix: usize, inverse: bool) -> usize {
    if inverse && k > 0 { radix - k } else { k }
}

/// Where a block of the first stage comes from and goes to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// The row of its first point.
    pub(crate) row: u32,
    /// The vector of the lane buffer at which its outputs begin.
    pub(crate) vector: u32,
}

/// The first stage: of points that lie one after another in rows, or of vectors of points, each a row, as a lane buffer has
/// them.
pub(crate) struct First<T, const R: usize, const OF_VECTORS: bool>(PhantomData<T>);

/// What [`First`] does.
///
/// Valid if the points in rows `start.row + k * apart` may be read, `lanes` of them each, which are all lanes of vectors, and
/// the `R` vectors from `start.vector` on may be written, for each start and each `k < R`.
pub(crate) struct FirstJob<T> {
    /// Row 0.
    pub(crate) from: *const T,
    /// The numbers from the beginning of a row to that of the next.
    pub(crate) row: usize,
    /// The rows from a point of a butterfly to the next.
    pub(crate) apart: usize,
    /// The points of a row, which may be more than there are lanes: the others are left alone.
    pub(crate) lanes: usize,
    /// The lane buffer.
    pub(crate) to: *mut T,
    /// One for each butterfly.
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

/// A stage after the first, in place.
pub(crate) struct Inner<T, const R: usize>(PhantomData<T>);

/// What [`Inner`] does.
///
/// Valid if the vectors `block * distance + k * apart + p` may be read and written, for each block, each `k < R` and
/// each `p < points`, and there are `R - 1` factors for each `p`.
pub(crate) struct InnerJob<T> {
    /// The lane buffer, from the first vector of the first block on.
    pub(crate) data: *mut T,
    /// The number of blocks.
    pub(crate) blocks: usize,
    /// The vectors from a block to the next.
    pub(crate) distance: usize,
    /// The butterflies of a block.
    pub(crate) points: usize,
    /// The vectors from a point of a butterfly to the next.
    pub(crate) apart: usize,
    /// The factors of the points from 1 on, of a butterfly after the other.
    pub(crate) factors: *const T,
    pub(crate) inverse: bool,
}

/// Loads the points of a butterfly, `apart` numbers from one to the next, each times its factor.
///
/// # Safety
///
/// The points may be read, and so may a factor for each but the first.
#[inline(always)]
pub(crate) unsafe fn load_turned<V: Vector, const R: usize>(
    from: *const V::Real,
    apart: usize,
    factors: *const V::Real,
) -> [Points<V>; R] {
    // SAFETY: the caller's.
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
