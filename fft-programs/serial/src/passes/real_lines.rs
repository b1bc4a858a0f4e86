//! Pass over real lines: between the real numbers of the last dimension and the first half of their spectrum.
//!
//! 1. *Rows.* Numbers and points are contiguous, and a real kernel exists, so the length is even. Forward,
//!    two numbers are read as one point. A row kernel transforms half as many points from one array to the
//!    other, and the real kernel splits the result there. The inverse merges the spectrum in place and
//!    transforms it into numbers.
//! 2. *Gathered.* A block of lines is copied into scratch, transformed there as rows, and copied out.
//!    * With a real kernel, two numbers are read as one point.
//!    * An odd length with a small factor is a matrix, as described in `odd_line.rs`. Contiguous numbers are
//!      not copied.
//!    * In other cases numbers become points with imaginary parts of 0. Forward, the second half of the
//!      spectrum is computed and dropped. The inverse reconstructs it from the first half.
//!
//! The real numbers and the spectrum may share an array if their lines begin at the same addresses. Method 1
//! then works in place. The result of a line is bitwise independent of the other lines, so two lines are
//! never transformed as the parts of the same points.
//!
//! *Cost.* One read and one write of numbers and points, and a transform of half as many points. For odd
//! lengths there are two copies within the cache. *When it loses.* For primes and products of large primes,
//! because each number is a point there.

use std::fmt;
use std::sync::Arc;

use earth_kernels::{Direction, Real, RealKernel, RowKernel};
use num_complex::Complex;

use crate::facts::{Method, PassFacts};
use crate::kernels::{KernelCache, Kernels};
use crate::passes::blocks::{Blocks, LINE, copy};
use crate::passes::lines::{gathered_at_a_time, transform_rows};
use crate::passes::odd_line::OddLine;
use crate::steps::{At, Axis};

/// Size of the rows that are transformed together if the kernel wants many, in bytes: half of the L1 cache.
const RESIDENT: usize = 16 << 10;

/// Plan of a pass. The `from` strides of its axes belong to the real numbers, the `to` strides to the
/// spectrum.
pub(crate) struct RealLines<T: Real> {
    /// Number of real numbers in a line.
    len: usize,
    /// Axis of the points of its spectrum.
    axis: Axis,
    blocks: Blocks,
    rows: Arc<dyn RowKernel<T>>,
    packing: Packing<T>,
    /// Distance between lines in scratch, in points, if lines are gathered.
    gathered: Option<usize>,
}

/// Points of the row kernel that the numbers of a line become.
enum Packing<T: Real> {
    /// One row, with two numbers in a point.
    Pairs(Arc<dyn RealKernel<T>>),
    /// Several rows.
    Matrix(OddLine<T>),
    /// One row, with one number in a point.
    Points,
}

impl<T: Real> RealLines<T> {
    /// Plans lines of `len` real numbers. `axis` has as many points as their spectra; `loops` are the axes
    /// with lines.
    pub(crate) fn plan<K: Kernels<T>>(
        len: usize,
        axis: Axis,
        loops: &[Axis],
        shelf: &mut KernelCache<'_, T, K>,
    ) -> Result<Self, K::Error> {
        let real = shelf.real(len);
        let (packing, row) = match (real, OddLine::plan(len)) {
            (Some(real), _) => (Packing::Pairs(real), len / 2),
            (None, Some(odd)) => {
                let row = odd.columns();
                (Packing::Matrix(odd), row)
            }
            (None, None) => (Packing::Points, len),
        };
        let rows = shelf.rows(row)?;
        let blocks = Blocks::new(loops, [len, axis.count]);
        if let Packing::Matrix(odd) = &packing {
            let blocks = blocks.at_a_time(gathered_at_a_time::<T>(odd.points()));
            let gathered = Some(odd.scratch_len(axis.from));
            return Ok(Self { len, axis, blocks, rows, packing, gathered });
        }
        let points = rows.len().max(axis.count);
        let bytes = points * size_of::<Complex<T>>();
        if matches!(packing, Packing::Pairs(_)) && axis.from == 1 && axis.to == 1 {
            // An odd distance between lines of numbers is no whole number of points.
            let together = rows.wants_many() && blocks.lines.from.is_multiple_of(2);
            let blocks = blocks.at_a_time(if together { RESIDENT / bytes } else { 1 });
            return Ok(Self { len, axis, blocks, rows, packing, gathered: None });
        }
        // With a power of two as distance, the lines would map to few sets of the L1 cache.
        let gathered = Some(points + LINE / size_of::<Complex<T>>());
        let blocks = blocks.at_a_time(gathered_at_a_time::<T>(points));
        Ok(Self { len, axis, blocks, rows, packing, gathered })
    }

    /// Returns the facts of the pass with the numbers in the array of the spectrum.
    pub(crate) fn facts(&self) -> PassFacts {
        let lines = self.blocks.count();
        let [numbers, footprint] =
            [self.len * size_of::<T>(), self.axis.count * size_of::<Complex<T>>()].map(|bytes| lines * bytes);
        let (kernel, len) = (self.rows.name(), self.rows.len());
        let (lines, real) = match &self.packing {
            Packing::Pairs(_) => (lines, true),
            Packing::Matrix(odd) => (lines * (odd.points() / len), true),
            Packing::Points => (lines, false),
        };
        let way = if self.gathered.is_some() { Method::Gathered } else { Method::Rows };
        PassFacts { way, kernel, len, lines, real, bytes: numbers + footprint, footprint }
    }

    /// Returns the minimum scratch, in points.
    pub(crate) fn scratch_len(&self) -> usize {
        self.gathered.map_or(0, |apart| self.blocks.most * apart) + self.rows.scratch_len()
    }

    /// Transforms real numbers into their spectrum; `numbers` is `None` if they are in the array of the
    /// spectrum.
    pub(crate) fn forward(
        &self,
        factor: T,
        numbers: Option<&[T]>,
        spectrum: &mut [Complex<T>],
        at: At,
        scratch: &mut [Complex<T>],
    ) {
        let (rows, per_block) = (self.rows.as_ref(), self.blocks.lines);
        self.blocks.each(at, |at, lines| {
            if let Some(apart) = self.gathered {
                let (block, scratch) = scratch.split_at_mut(self.blocks.most * apart);
                let numbers = numbers.unwrap_or_else(|| bytemuck::cast_slice(spectrum));
                let numbers = &numbers[at.from..];
                let strides = [per_block.to, self.axis.to];
                if let Packing::Matrix(odd) = &self.packing {
                    odd.fold(numbers, [per_block.from, self.axis.from], block, lines);
                    self.rows_of_matrices(odd, Direction::Forward, block, lines, scratch);
                    odd.spread(factor, block, &mut spectrum[at.to..], strides, lines);
                    return;
                }
                self.gather_numbers(numbers, block, apart, lines);
                rows.transform_spaced(Direction::Forward, &mut block[..lines * apart], apart, scratch);
                self.split(factor, block, apart, lines);
                copy(block, [apart, 1], &mut spectrum[at.to..], strides, [lines, self.axis.count], |x| x);
                return;
            }
            let numbers = numbers.map(|numbers| &numbers[at.from..]);
            self.rows_forward(factor, numbers, &mut spectrum[at.to..], lines, scratch);
        });
    }

    /// Transforms adjacent rows of numbers at the start of their array.
    #[inline]
    pub(crate) fn rows_forward(
        &self,
        factor: T,
        numbers: Option<&[T]>,
        spectrum: &mut [Complex<T>],
        lines: usize,
        scratch: &mut [Complex<T>],
    ) {
        let per_block = self.blocks.lines;
        let along = Axis { count: lines, from: per_block.from / 2, to: per_block.to };
        let bytes = self.blocks.count() * self.len * size_of::<T>();
        let numbers = numbers.map(as_points);
        transform_rows(self.rows.as_ref(), Direction::Forward, numbers, spectrum, along, bytes, scratch);
        self.split(factor, spectrum, per_block.to, lines);
    }

    /// Transforms spectra into real numbers; `numbers` is `None` if they go to the array of the spectrum.
    /// Otherwise the spectrum is unspecified afterwards.
    pub(crate) fn inverse(
        &self,
        factor: T,
        spectrum: &mut [Complex<T>],
        mut numbers: Option<&mut [T]>,
        at: At,
        scratch: &mut [Complex<T>],
    ) {
        let (rows, per_block) = (self.rows.as_ref(), self.blocks.lines);
        self.blocks.each(at, |at, lines| {
            if let Some(apart) = self.gathered {
                let (block, scratch) = scratch.split_at_mut(self.blocks.most * apart);
                let (from, strides) = (&spectrum[at.to..], [per_block.to, self.axis.to]);
                if let Packing::Matrix(odd) = &self.packing {
                    odd.collect(factor, from, strides, block, lines);
                    self.rows_of_matrices(odd, Direction::Inverse, block, lines, scratch);
                } else {
                    copy(from, strides, block, [apart, 1], [lines, self.axis.count], |x| x);
                    self.merge(factor, block, apart, lines);
                    rows.transform_spaced(Direction::Inverse, &mut block[..lines * apart], apart, scratch);
                }
                let numbers = match &mut numbers {
                    Some(numbers) => &mut **numbers,
                    None => bytemuck::cast_slice_mut(spectrum),
                };
                let numbers = &mut numbers[at.from..];
                match &self.packing {
                    Packing::Matrix(odd) => {
                        odd.unfold(block, numbers, [per_block.from, self.axis.from], lines);
                    }
                    _ => self.put_numbers(block, apart, numbers, lines),
                }
                return;
            }
            let numbers = numbers.as_deref_mut().map(|numbers| &mut numbers[at.from..]);
            self.rows_inverse(factor, &mut spectrum[at.to..], numbers, lines, scratch);
        });
    }

    /// Transforms spectra into adjacent rows of numbers at the start of their array.
    #[inline]
    pub(crate) fn rows_inverse(
        &self,
        factor: T,
        spectrum: &mut [Complex<T>],
        numbers: Option<&mut [T]>,
        lines: usize,
        scratch: &mut [Complex<T>],
    ) {
        let (rows, per_block) = (self.rows.as_ref(), self.blocks.lines);
        self.merge(factor, spectrum, per_block.to, lines);
        // The rows have just been read, so no prefetch is needed.
        let bytes = 0;
        if let Some(numbers) = numbers {
            let (along, points) =
                (Axis { count: lines, from: per_block.to, to: per_block.from / 2 }, as_points_mut(numbers));
            transform_rows(rows, Direction::Inverse, Some(spectrum), points, along, bytes, scratch);
        } else {
            let along = Axis { count: lines, from: per_block.to, to: per_block.to };
            transform_rows(rows, Direction::Inverse, None, spectrum, along, bytes, scratch);
        }
    }

    /// Returns whether the pass is a single contiguous row of numbers and points.
    pub(crate) fn is_single_row(&self) -> bool {
        self.gathered.is_none() && self.blocks.count() == 1
    }

    /// Transforms the rows of lines. A call has the rows of several lines only if the kernel wants many rows.
    /// Other kernels may round by the number of rows.
    fn rows_of_matrices(
        &self,
        odd: &OddLine<T>,
        direction: Direction,
        block: &mut [Complex<T>],
        lines: usize,
        scratch: &mut [Complex<T>],
    ) {
        let together = if self.rows.wants_many() { lines } else { 1 };
        let rows = block[..lines * odd.points()].chunks_exact_mut(together * odd.points());
        rows.for_each(|rows| self.rows.transform(direction, rows, scratch));
    }

    /// Copies the numbers of lines into a block: two numbers per point with a real kernel, otherwise one.
    fn gather_numbers(&self, numbers: &[T], block: &mut [Complex<T>], apart: usize, lines: usize) {
        let (strides, counts) = ([self.blocks.lines.from, self.axis.from], [lines, self.len]);
        if let Packing::Pairs(_) = self.packing {
            copy(numbers, strides, bytemuck::cast_slice_mut(block), [2 * apart, 1], counts, |x| x);
        } else {
            copy(numbers, strides, block, [apart, 1], counts, |x| Complex::new(x, T::zero()));
        }
    }

    /// Copies the numbers of lines out of a block.
    fn put_numbers(&self, block: &[Complex<T>], apart: usize, numbers: &mut [T], lines: usize) {
        let (strides, counts) = ([self.blocks.lines.from, self.axis.from], [lines, self.len]);
        if let Packing::Pairs(_) = self.packing {
            copy(bytemuck::cast_slice(block), [2 * apart, 1], numbers, strides, counts, |x: T| x);
        } else {
            copy(block, [apart, 1], numbers, strides, counts, |x| x.re);
        }
    }

    /// Converts the transforms of rows, `apart` points apart, into first halves of spectra.
    fn split(&self, factor: T, rows: &mut [Complex<T>], apart: usize, count: usize) {
        for row in 0..count {
            let row = &mut rows[row * apart..][..self.axis.count];
            match &self.packing {
                Packing::Pairs(real) => real.split(factor, row),
                _ if factor == T::one() => {}
                _ => row.iter_mut().for_each(|x| *x = x.scale(factor)),
            }
        }
    }

    /// Reverses [`split`](Self::split), without dividing. Imaginary parts that must be zero are not read.
    fn merge(&self, factor: T, rows: &mut [Complex<T>], apart: usize, count: usize) {
        for row in 0..count {
            let row = &mut rows[row * apart..];
            if let Packing::Pairs(real) = &self.packing {
                real.merge(factor, &mut row[..self.axis.count]);
                continue;
            }
            let row = &mut row[..self.len];
            row[0] = Complex::new(factor * row[0].re, T::zero());
            for k in 1..=self.len / 2 {
                let x = row[k].scale(factor);
                (row[k], row[self.len - k]) = (x, x.conj());
            }
            if self.len.is_multiple_of(2) {
                row[self.len / 2].im = T::zero();
            }
        }
    }
}

/// Returns the numbers as points, two numbers per point; an odd last number is dropped.
fn as_points<T: Real>(numbers: &[T]) -> &[Complex<T>] {
    bytemuck::cast_slice(&numbers[..numbers.len() / 2 * 2])
}

/// Returns the numbers as points, two numbers per point; an odd last number is dropped.
fn as_points_mut<T: Real>(numbers: &mut [T]) -> &mut [Complex<T>] {
    let pairs = numbers.len() / 2 * 2;
    bytemuck::cast_slice_mut(&mut numbers[..pairs])
}

/// Formats the pass as `rows of 512 real numbers as 256 points by earth-avx2, 1024 of them, 1 at a time`, or
/// with `as 4 rows of 143 points`, followed by the bytes read and written of the spectrum.
impl<T: Real> fmt::Display for RealLines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, rows, blocks) = (self.len, &self.rows, &self.blocks);
        let what = if self.gathered.is_some() { "gathered lines" } else { "rows" };
        let bytes = self.axis.count * blocks.count() * size_of::<Complex<T>>();
        let (points, by) = (rows.len(), rows.name());
        write!(f, "{what} of {len} real numbers as ")?;
        if let Packing::Matrix(odd) = &self.packing {
            write!(f, "{} rows of ", odd.points() / points)?;
        }
        write!(f, "{points} points by {by}, {blocks}: {bytes} bytes read and written")
    }
}
