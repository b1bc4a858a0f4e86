//! A pass over real lines: between the real numbers of the last dimension and the first half of their spectrum.
//!
//! 1. *Rows.* Numbers and points are neighbours, and there is a real kernel, so the length is even. Forward, two
//!    numbers are a point: a row kernel transforms half as many points from one array to the other, where the real kernel
//!    splits the result. The inverse merges the spectrum where it is, and transforms it into numbers.
//! 2. *Gathered.* A block of lines is copied into scratch, transformed there as rows are, and copied out. Without a real
//!    kernel, and so for odd lengths, numbers become points without imaginary parts: all of the spectrum is computed, and
//!    the second half is left there; the inverse has it from the first half.
//!
//! The array of real numbers may be that of the spectrum if their lines begin at the same places: then the first way
//! works where the lines are.
//!
//! *Cost.* One read and one write of numbers and points, and half the transform of as many points; all of it, and two
//! copies within the cache, without a real kernel.

use std::fmt;
use std::sync::Arc;

use earth_kernels::{Direction, Real, RealKernel, RowKernel};
use num_complex::Complex;

use crate::facts::{PassFacts, Way};
use crate::kernels::{Kernels, Shelf};
use crate::passes::blocks::{Blocks, LINE, copy};
use crate::passes::lines::{gathered_at_a_time, rows_across};
use crate::steps::{At, Axis};

/// The bytes of rows that are transformed at once, if a kernel wants many: half of the first cache.
const RESIDENT: usize = 16 << 10;

/// The plan of a pass. The first array of its axes is that of the real numbers, the second one that of the spectrum.
pub(crate) struct RealLines<T: Real> {
    /// The real numbers of a line.
    len: usize,
    /// The points of its spectrum.
    axis: Axis,
    blocks: Blocks,
    rows: Arc<dyn RowKernel<T>>,
    /// The step to rows of half as many points; without it rows have as many points as there are numbers.
    real: Option<Arc<dyn RealKernel<T>>>,
    /// The points from a line to the next in scratch, if lines are gathered.
    gathered: Option<usize>,
}

impl<T: Real> RealLines<T> {
    /// Plans lines of `len` real numbers along an axis of as many points as their spectra have; the lines are along
    /// `loops`.
    pub(crate) fn plan<K: Kernels<T>>(
        len: usize,
        axis: Axis,
        loops: &[Axis],
        shelf: &mut Shelf<'_, T, K>,
    ) -> Result<Self, K::Error> {
        let real = shelf.real(len);
        let rows = shelf.rows(if real.is_some() { len / 2 } else { len })?;
        let blocks = Blocks::new(loops, [len, axis.count]);
        let points = rows.len().max(axis.count);
        let bytes = points * size_of::<Complex<T>>();
        if real.is_some() && axis.from == 1 && axis.to == 1 {
            // Lines at an odd distance are not at any distance in points.
            let together = rows.wants_many() && blocks.lines.from.is_multiple_of(2);
            let blocks = blocks.at_a_time(if together { RESIDENT / bytes } else { 1 });
            return Ok(Self { len, axis, blocks, rows, real, gathered: None });
        }
        // Lines that began a power of two apart would fall into few sets of the first cache.
        let gathered = Some(points + LINE / size_of::<Complex<T>>());
        let blocks = blocks.at_a_time(gathered_at_a_time::<T>(points));
        Ok(Self { len, axis, blocks, rows, real, gathered })
    }

    /// What the pass does with numbers in the array of the spectrum.
    pub(crate) fn facts(&self) -> PassFacts {
        let (lines, real) = (self.blocks.count(), self.real.is_some());
        let way = if self.gathered.is_some() { Way::Gathered } else { Way::Rows };
        let [numbers, footprint] =
            [self.len * size_of::<T>(), self.axis.count * size_of::<Complex<T>>()].map(|bytes| lines * bytes);
        let (kernel, len) = (self.rows.name(), self.rows.len());
        PassFacts { way, kernel, len, lines, real, bytes: numbers + footprint, footprint }
    }

    /// The points of scratch.
    pub(crate) fn scratch_len(&self) -> usize {
        self.gathered.map_or(0, |apart| self.blocks.most * apart) + self.rows.scratch_len()
    }

    /// Transforms real numbers, which lie in the array of the spectrum if there is no other.
    pub(crate) fn forward(
        &self,
        factor: T,
        numbers: Option<&[T]>,
        spectrum: &mut [Complex<T>],
        at: At,
        scratch: &mut [Complex<T>],
    ) {
        let (rows, near) = (self.rows.as_ref(), self.blocks.lines);
        self.blocks.each(at, |at, lines| {
            if let Some(apart) = self.gathered {
                let (block, scratch) = scratch.split_at_mut(self.blocks.most * apart);
                let numbers = numbers.unwrap_or_else(|| bytemuck::cast_slice(spectrum));
                self.gather_numbers(&numbers[at.from..], block, apart, lines);
                rows.transform_spaced(Direction::Forward, &mut block[..lines * apart], apart, scratch);
                self.split(factor, block, apart, lines);
                let strides = [near.to, self.axis.to];
                copy(block, [apart, 1], &mut spectrum[at.to..], strides, [lines, self.axis.count], |x| x);
                return;
            }
            let numbers = numbers.map(|numbers| &numbers[at.from..]);
            self.rows_forward(factor, numbers, &mut spectrum[at.to..], lines, scratch);
        });
    }

    /// Transforms neighbouring rows of numbers that are at the beginning of their array.
    #[inline]
    pub(crate) fn rows_forward(
        &self,
        factor: T,
        numbers: Option<&[T]>,
        spectrum: &mut [Complex<T>],
        lines: usize,
        scratch: &mut [Complex<T>],
    ) {
        let near = self.blocks.lines;
        let along = Axis { count: lines, from: near.from / 2, to: near.to };
        let bytes = self.blocks.count() * self.len * size_of::<T>();
        let numbers = numbers.map(as_points);
        rows_across(self.rows.as_ref(), Direction::Forward, numbers, spectrum, along, bytes, scratch);
        self.split(factor, spectrum, near.to, lines);
    }

    /// Transforms spectra into real numbers, which lie in the array of the spectrum if there is no other. What is left
    /// of the spectrum otherwise is unspecified.
    pub(crate) fn inverse(
        &self,
        factor: T,
        spectrum: &mut [Complex<T>],
        mut numbers: Option<&mut [T]>,
        at: At,
        scratch: &mut [Complex<T>],
    ) {
        let (rows, near) = (self.rows.as_ref(), self.blocks.lines);
        self.blocks.each(at, |at, lines| {
            if let Some(apart) = self.gathered {
                let (block, scratch) = scratch.split_at_mut(self.blocks.most * apart);
                let strides = [near.to, self.axis.to];
                copy(&spectrum[at.to..], strides, block, [apart, 1], [lines, self.axis.count], |x| x);
                self.merge(factor, block, apart, lines);
                rows.transform_spaced(Direction::Inverse, &mut block[..lines * apart], apart, scratch);
                let numbers = match &mut numbers {
                    Some(numbers) => &mut **numbers,
                    None => bytemuck::cast_slice_mut(spectrum),
                };
                self.put_numbers(block, apart, &mut numbers[at.from..], lines);
                return;
            }
            let numbers = numbers.as_deref_mut().map(|numbers| &mut numbers[at.from..]);
            self.rows_inverse(factor, &mut spectrum[at.to..], numbers, lines, scratch);
        });
    }

    /// Transforms spectra into neighbouring rows of numbers that are at the beginning of their array.
    #[inline]
    pub(crate) fn rows_inverse(
        &self,
        factor: T,
        spectrum: &mut [Complex<T>],
        numbers: Option<&mut [T]>,
        lines: usize,
        scratch: &mut [Complex<T>],
    ) {
        let (rows, near) = (self.rows.as_ref(), self.blocks.lines);
        self.merge(factor, spectrum, near.to, lines);
        // The rows have just been read.
        let bytes = 0;
        if let Some(numbers) = numbers {
            let (along, points) =
                (Axis { count: lines, from: near.to, to: near.from / 2 }, as_points_mut(numbers));
            rows_across(rows, Direction::Inverse, Some(spectrum), points, along, bytes, scratch);
        } else {
            let along = Axis { count: lines, from: near.to, to: near.to };
            rows_across(rows, Direction::Inverse, None, spectrum, along, bytes, scratch);
        }
    }

    /// Whether it is a single row of neighbouring numbers and points.
    pub(crate) fn is_single_row(&self) -> bool {
        self.gathered.is_none() && self.blocks.count() == 1
    }

    /// Copies the numbers of lines into a block: two of them a point, or one.
    fn gather_numbers(&self, numbers: &[T], block: &mut [Complex<T>], apart: usize, lines: usize) {
        let (strides, counts) = ([self.blocks.lines.from, self.axis.from], [lines, self.len]);
        if self.real.is_some() {
            copy(numbers, strides, bytemuck::cast_slice_mut(block), [2 * apart, 1], counts, |x| x);
        } else {
            copy(numbers, strides, block, [apart, 1], counts, |x| Complex::new(x, T::zero()));
        }
    }

    /// Copies the numbers of lines out of a block.
    fn put_numbers(&self, block: &[Complex<T>], apart: usize, numbers: &mut [T], lines: usize) {
        let (strides, counts) = ([self.blocks.lines.from, self.axis.from], [lines, self.len]);
        if self.real.is_some() {
            copy(bytemuck::cast_slice(block), [2 * apart, 1], numbers, strides, counts, |x: T| x);
        } else {
            copy(block, [apart, 1], numbers, strides, counts, |x| x.re);
        }
    }

    /// Turns the transforms of rows that begin `apart` points after one another into first halves of spectra.
    fn split(&self, factor: T, rows: &mut [Complex<T>], apart: usize, count: usize) {
        for row in 0..count {
            let row = &mut rows[row * apart..][..self.axis.count];
            match &self.real {
                Some(real) => real.split(factor, row),
                None if factor == T::one() => {}
                None => row.iter_mut().for_each(|x| *x = x.scale(factor)),
            }
        }
    }

    /// Undoes [`split`](Self::split), without dividing. Imaginary parts that must be zero are not read.
    fn merge(&self, factor: T, rows: &mut [Complex<T>], apart: usize, count: usize) {
        for row in 0..count {
            let row = &mut rows[row * apart..];
            if let Some(real) = &self.real {
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

/// Two numbers a point, from the first on.
fn as_points<T: Real>(numbers: &[T]) -> &[Complex<T>] {
    bytemuck::cast_slice(&numbers[..numbers.len() / 2 * 2])
}

/// Two numbers a point, from the first on.
fn as_points_mut<T: Real>(numbers: &mut [T]) -> &mut [Complex<T>] {
    let pairs = numbers.len() / 2 * 2;
    bytemuck::cast_slice_mut(&mut numbers[..pairs])
}

/// `rows of 512 real numbers as 256 points by earth-avx2, 1024 of them, 1 at a time: 8404992 bytes read and written`: the
/// bytes of the spectrum.
impl<T: Real> fmt::Display for RealLines<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (len, rows, blocks) = (self.len, &self.rows, &self.blocks);
        let what = if self.gathered.is_some() { "gathered lines" } else { "rows" };
        let bytes = self.axis.count * blocks.count() * size_of::<Complex<T>>();
        let (points, by) = (rows.len(), rows.name());
        write!(
            f,
            "{what} of {len} real numbers as {points} points by {by}, {blocks}: {bytes} bytes read and written"
        )
    }
}
