//! Stages of the autosort algorithm: the first stage, and the stages after it.
//!
//! A stage takes its points as an array of `m R` blocks of `s` points. It combines the blocks `j`, `j + m`,
//! .., `j + (R - 1) m` by butterflies, multiplies output `k` by `exp(-2 pi i j k / (m R))`, and writes it to
//! block `k + R j`. So the next stage has `s R` points in a block, and the last stage writes the outputs in
//! natural order. The first stage has blocks of one point. It computes butterflies of adjacent blocks in a
//! vector and transposes their outputs in registers. In later stages, a vector has adjacent points of a
//! block.
//!
//! *Counts that no vector divides.* The last vector begins so much earlier that it ends with the last point.
//! It computes some points again, with the same result, and needs no masks. A stage is out of place, so that
//! its points are still there.
//!
//! *In place.* The last stage writes each output where its butterfly has read a point. So it may have one
//! array, if vectors divide its blocks. The other stages need two.
//!
//! *The inverse* has conjugate factors, and the outputs `k` and `R - k` of a butterfly exchanged.

use std::marker::PhantomData;
use std::mem::MaybeUninit;

use crate::butterfly::{Butterfly, Dft};
use crate::isa::{Entry, Isa, Lane, Piece};
use crate::pieces::stage::output;
use crate::scratch::Lines;
use crate::vector::{Pairs, Vector};

/// Rows of a stage, with their distances in numbers.
#[derive(Clone, Copy)]
pub(crate) struct Through<T> {
    pub(crate) from: *const T,
    pub(crate) from_apart: usize,
    pub(crate) to: *mut T,
    pub(crate) to_apart: usize,
    pub(crate) rows: usize,
}

/// First stage. It is compiled for each direction, because outputs in registers have no addresses.
pub(crate) struct FirstStage<T, const R: usize, const INVERSE: bool>(PhantomData<T>);

/// Job of [`FirstStage`].
///
/// The job is valid under these conditions:
///
/// * `R * blocks` points of each row may be read, and the same number may be written elsewhere.
/// * A vector has no more points than the radix, and no more points than there are blocks.
/// * There are the factors of `R - 1` outputs for each vector of blocks.
pub(crate) struct FirstStageJob<T> {
    pub(crate) through: Through<T>,
    /// Distance between the blocks of a butterfly.
    pub(crate) blocks: usize,
    /// Factors of the outputs from 1 on, for one vector of blocks after another.
    pub(crate) factors: *const T,
}

impl<T> Through<T> {
    /// Returns where a row is read and where it is written.
    ///
    /// # Safety
    ///
    /// There is such a row.
    #[inline(always)]
    unsafe fn row(&self, row: usize) -> (*const T, *mut T) {
        // SAFETY: the caller guarantees this.
        unsafe { (self.from.add(row * self.from_apart), self.to.add(row * self.to_apart)) }
    }
}

/// Returns the start of vector number `index` of some vectors of `width` elements that cover `count`
/// elements.
#[inline(always)]
fn start(index: usize, width: usize, count: usize) -> usize {
    if (index + 1) * width <= count { index * width } else { count - width }
}

impl<T: Lane, const R: usize, const INVERSE: bool> Piece for FirstStage<T, R, INVERSE>
where
    Dft: Butterfly<R>,
{
    type Real = T;
    type Job = FirstStageJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &FirstStageJob<T>) {
        let FirstStageJob { through, blocks, factors } = *job;
        for row in 0..through.rows {
            // SAFETY: the job is valid.
            unsafe {
                let (from, to) = through.row(row);
                first::<V, R, INVERSE, false>(from, to, blocks, factors);
            }
        }
    }
}

/// Computes the first stage of a row.
///
/// # Safety
///
/// As for [`FirstStageJob`], or with `DOUBLED` factors as for [`WholeJob`].
#[inline(always)]
unsafe fn first<V: Vector, const R: usize, const INVERSE: bool, const DOUBLED: bool>(
    from: *const V::Real,
    to: *mut V::Real,
    blocks: usize,
    factors: *const V::Real,
) where
    Dft: Butterfly<R>,
{
    // SAFETY: the caller guarantees this. The compiler keeps only one of these arms.
    unsafe {
        match V::LANES {
            4 => first_of::<V, R, 2, INVERSE, DOUBLED>(from, to, blocks, factors),
            8 => first_of::<V, R, 4, INVERSE, DOUBLED>(from, to, blocks, factors),
            _ => unreachable!("vectors of {} lanes", V::LANES),
        }
    }
}

/// # Safety
///
/// As for [`first`], and vectors have `W` points.
#[inline(always)]
unsafe fn first_of<V: Vector, const R: usize, const W: usize, const INVERSE: bool, const DOUBLED: bool>(
    from: *const V::Real,
    to: *mut V::Real,
    blocks: usize,
    factors: *const V::Real,
) where
    Dft: Butterfly<R>,
{
    if R < W {
        return;
    }
    // SAFETY: the caller guarantees this.
    unsafe {
        for vector in 0..blocks.div_ceil(W) {
            let block = start(vector, W, blocks);
            let y = <Dft as Butterfly<R>>::dft(load::<V, R>(from.add(2 * block), 2 * blocks));
            let mut turned = y;
            let size = if DOUBLED { 4 * W } else { 2 * W };
            let factors = factors.add(vector * size * (R - 1));
            let mut k = 1;
            while k < R {
                let factors = factors.add(size * (k - 1));
                let factor = V::load(factors);
                let [re, im] = if DOUBLED {
                    [factor, V::load(factors.add(2 * W))]
                } else {
                    [factor.evens(), factor.odds()]
                };
                turned[k] = y[output(k, R, INVERSE)].mul(re, im);
                k += 1;
            }
            let mut group = 0;
            while group < R.div_ceil(W) {
                let k = start(group, W, R);
                let mut outputs = [turned[k]; W];
                let mut l = 1;
                while l < W {
                    outputs[l] = turned[k + l];
                    l += 1;
                }
                let columns = Pairs::transpose(outputs);
                let mut l = 0;
                while l < W {
                    columns[l].store(to.add(2 * (R * (block + l) + k)));
                    l += 1;
                }
                group += 1;
            }
        }
    }
}

/// Stage after the first. It is compiled for each direction, as the first one is.
pub(crate) struct LaterStage<T, const R: usize, const INVERSE: bool>(PhantomData<T>);

/// Job of [`LaterStage`].
///
/// The job is valid under these conditions:
///
/// * `R * blocks * points` points of each row may be read, and the same number may be written elsewhere. They
///   may be written in place if there is one block and vectors divide it.
/// * A block has at least the points of a vector.
/// * There are the factors of `R - 1` outputs for each `j` from 1 on.
pub(crate) struct LaterStageJob<T> {
    pub(crate) through: Through<T>,
    /// Number of points in a block.
    pub(crate) points: usize,
    /// Distance between the blocks of a butterfly, in blocks.
    pub(crate) blocks: usize,
    pub(crate) factors: *const T,
}

impl<T: Lane, const R: usize, const INVERSE: bool> Piece for LaterStage<T, R, INVERSE>
where
    Dft: Butterfly<R>,
{
    type Real = T;
    type Job = LaterStageJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &LaterStageJob<T>) {
        let LaterStageJob { through, points, blocks, factors } = *job;
        for row in 0..through.rows {
            // SAFETY: the job is valid.
            unsafe {
                let (from, to) = through.row(row);
                later::<V, R, INVERSE>(from, to, points, blocks, factors);
            }
        }
    }
}

/// Computes a later stage of a row.
///
/// # Safety
///
/// As for [`LaterStageJob`].
#[inline(always)]
unsafe fn later<V: Vector, const R: usize, const INVERSE: bool>(
    from: *const V::Real,
    to: *mut V::Real,
    points: usize,
    blocks: usize,
    factors: *const V::Real,
) where
    Dft: Butterfly<R>,
{
    // SAFETY: the caller guarantees this.
    unsafe {
        block::<V, R, INVERSE, false>(from, to, points, blocks, factors);
        for j in 1..blocks {
            let (from, to) = (from.add(2 * points * j), to.add(2 * points * R * j));
            block::<V, R, INVERSE, true>(from, to, points, blocks, factors.add(2 * (R - 1) * (j - 1)));
        }
    }
}

/// Computes the butterflies of a block, with or without factors.
///
/// # Safety
///
/// As for [`LaterStageJob`], for one block.
#[inline(always)]
unsafe fn block<V: Vector, const R: usize, const INVERSE: bool, const TURNED: bool>(
    from: *const V::Real,
    to: *mut V::Real,
    points: usize,
    blocks: usize,
    factors: *const V::Real,
) where
    Dft: Butterfly<R>,
{
    let width = V::LANES / 2;
    // SAFETY: the caller guarantees this.
    unsafe {
        for vector in 0..points.div_ceil(width) {
            let at = 2 * start(vector, width, points);
            let y = <Dft as Butterfly<R>>::dft(load::<V, R>(from.add(at), 2 * points * blocks));
            y[0].store(to.add(at));
            let mut k = 1;
            while k < R {
                let y = y[output(k, R, INVERSE)];
                let y = if TURNED {
                    let factor = factors.add(2 * (k - 1));
                    y.mul(V::broadcast(factor), V::broadcast(factor.add(1)))
                } else {
                    y
                };
                y.store(to.add(at + 2 * points * k));
                k += 1;
            }
        }
    }
}

/// Loads the points of a butterfly, `apart` numbers apart.
///
/// # Safety
///
/// The points may be read.
#[inline(always)]
unsafe fn load<V: Vector, const R: usize>(from: *const V::Real, apart: usize) -> [Pairs<V>; R] {
    // SAFETY: the caller guarantees this.
    unsafe {
        let mut x = [Pairs::<V>::load(from); R];
        let mut k = 1;
        while k < R {
            x[k] = Pairs::load(from.add(k * apart));
            k += 1;
        }
        x
    }
}

/// All stages of rows of `A B C` points, with all distances known to the compiler, so that no instruction
/// computes an address. If `C` is 1, there are two stages.
struct Whole<T, const A: usize, const B: usize, const C: usize, const INVERSE: bool>(PhantomData<T>);

/// Job of all stages of rows.
///
/// The job is valid if the points of the rows may be read and written, and if there are the factors of the
/// first stage, and of the second one if there is a third.
pub(crate) struct WholeJob<T> {
    pub(crate) through: Through<T>,
    /// Factors of the first stage: for each output from 1 on a vector of real parts and a vector of imaginary
    /// parts, with each part in both lanes of its point.
    pub(crate) first: *const T,
    pub(crate) second: *const T,
}

/// Radices that have one piece for all stages.
pub(crate) const WHOLE: [[usize; 3]; 8] =
    [[4, 4, 1], [8, 4, 1], [8, 8, 1], [16, 8, 1], [16, 16, 1], [8, 8, 8], [8, 8, 16], [16, 16, 8]];

/// Returns the piece of both directions for these radices, or `None` if they are not in [`WHOLE`].
pub(crate) fn whole<T: Lane>(isa: Isa, radices: &[usize]) -> Option<[Entry<WholeJob<T>>; 2]> {
    let mut padded = radices.to_vec();
    padded.resize(radices.len().max(3), 1);
    macro_rules! pieces {
        ($($a:literal $b:literal $c:literal),+) => {
            match padded[..] {
                $([$a, $b, $c] => {
                    Some([
                        isa.entry_of_pairs::<Whole<T, $a, $b, $c, false>>(),
                        isa.entry_of_pairs::<Whole<T, $a, $b, $c, true>>(),
                    ])
                })+
                _ => None,
            }
        };
    }
    pieces!(4 4 1, 8 4 1, 8 8 1, 16 8 1, 16 16 1, 8 8 8, 8 8 16, 16 16 8)
}

impl<T: Lane, const A: usize, const B: usize, const C: usize, const INVERSE: bool> Piece
    for Whole<T, A, B, C, INVERSE>
where
    Dft: Butterfly<A> + Butterfly<B> + Butterfly<C>,
{
    type Real = T;
    type Job = WholeJob<T>;

    #[inline(always)]
    unsafe fn run<V: Vector<Real = T>>(job: &WholeJob<T>) {
        let WholeJob { through, first: factors, second } = *job;
        let mut buffer = Lines([[[[MaybeUninit::<T>::uninit(); 2]; A]; B]; C]);
        let buffer = (&raw mut buffer).cast::<T>();
        for row in 0..through.rows {
            // SAFETY: the job is valid.
            unsafe {
                let (from, to) = through.row(row);
                first::<V, A, INVERSE, true>(from, buffer, B * C, factors);
                if C == 1 {
                    later::<V, B, INVERSE>(buffer, to, A, 1, factors);
                } else {
                    later::<V, B, INVERSE>(buffer, to, A, C, second);
                    later::<V, C, INVERSE>(to, to, A * B, 1, factors);
                }
            }
        }
    }
}
