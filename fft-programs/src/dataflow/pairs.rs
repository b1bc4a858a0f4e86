//! The step between real numbers and half as many points, for the columns of a matrix.
//!
//! `n` real numbers are read as `m = n/2` points. With the points as a matrix of `R` rows of `C`, point `k = r C + c` and
//! its mate `m - k` are the points `(r, c)` and `(R - 1 - r, C - c)`, but in column 0 `(r, 0)` and `(R - r, 0)`. So the
//! columns of a batch and their mates are all that is needed to compute either, and the step is taken while they are in
//! the cache: on columns of the spectrum before they are written, on columns of a spectrum before they are transformed.

use std::ops::Range;
use std::sync::Arc;

use earth_codelets::ask;
use earth_kernels::{MirrorKernel, Real};
use num_complex::Complex;

use super::cut::{mates, paired};

/// The most bytes of a batch of columns and of their mates, unless its rows are of the least width, and the bytes of a row.
type Sizes = (usize, [usize; 2]);

/// Those in the caches: half of the second one.
const NEAR: Sizes = (512 << 10, [256, 128]);

/// Those of a matrix past the caches, in whose rows longer pieces take less time.
const FAR: Sizes = (2 << 20, [512, 256]);

/// The bytes of a matrix that is in the caches, at most.
const CACHED: usize = 4 << 20;

/// The rows ahead of which those in memory are asked for.
const AHEAD: usize = 4;

/// The pairs of a matrix.
#[derive(Debug)]
pub(super) struct Pairs<T: Real> {
    kernel: Arc<dyn MirrorKernel<T>>,
    rows: usize,
    cols: usize,
    /// Whether the spectrum of real numbers is made, and not used.
    split: bool,
}

/// Rows of a batch, and of its mates.
type Rows<'a, T> = [&'a [&'a [Complex<T>]]; 2];
type RowsMut<'a, 'b, T> = [&'a mut [&'b mut [Complex<T>]]; 2];

impl<T: Real> Pairs<T> {
    /// The pairs of a matrix of so many rows and columns.
    pub(super) fn new(kernel: Arc<dyn MirrorKernel<T>>, [rows, cols]: [usize; 2], split: bool) -> Self {
        Self { kernel, rows, cols, split }
    }

    /// The columns of a batch.
    fn width(&self) -> usize {
        let point = size_of::<Complex<T>>();
        let (most, [wide, narrow]) = if self.rows * self.cols * point > CACHED { FAR } else { NEAR };
        (if 2 * self.rows * wide <= most { wide } else { narrow }) / point
    }

    /// The points of a batch and of its mates.
    pub(super) fn scratch_len(&self) -> usize {
        2 * self.rows * self.width()
    }

    /// The batches of a part of the lower half, each with its mates.
    pub(super) fn batches(&self, part: Range<usize>) -> impl Iterator<Item = [Range<usize>; 2]> + use<'_, T> {
        let (width, cols) = (self.width(), self.cols);
        part.clone().step_by(width).map(move |begin| {
            let batch = begin..part.end.min(begin + width);
            let mates = mates(cols, &batch);
            [batch, mates]
        })
    }

    /// Room for a batch and its mates, as rows.
    pub(super) fn rows<'a>(
        &self,
        scratch: &'a mut [Complex<T>],
        batch: &[Range<usize>; 2],
    ) -> [Vec<&'a mut [Complex<T>]>; 2] {
        let (low, high) = scratch.split_at_mut(self.scratch_len() / 2);
        let rows = |points: &'a mut [Complex<T>], width: usize| match width {
            0 => (0..self.rows).map(|_| &mut [][..]).collect(),
            _ => points.chunks_mut(width).take(self.rows).collect(),
        };
        [rows(low, batch[0].len()), rows(high, batch[1].len())]
    }

    /// Computes the points of columns `batch` of the lower half and of their mates, each times `factor`, but for point 0.
    pub(super) fn step(&self, factor: T, batch: &Range<usize>, from: Rows<'_, T>, to: RowsMut<'_, '_, T>) {
        let [to_low, to_high] = to;
        let (with_mates, cols) = (paired(self.cols, batch), self.cols);
        let at = with_mates.start - batch.start..with_mates.end - batch.start;
        if !at.is_empty() {
            for row in 0..self.rows {
                let mate = self.rows - 1 - row;
                let first = row * cols + with_mates.start;
                if let Some(next) = mate.checked_sub(AHEAD) {
                    if self.split {
                        ask(&to_low[row + AHEAD][at.clone()]);
                        ask(to_high[next]);
                    } else {
                        ask(&from[0][row + AHEAD][at.clone()]);
                        ask(from[1][next]);
                    }
                }
                let to = [&mut to_low[row][at.clone()], &mut *to_high[mate]];
                self.pairs(factor, first, [&from[0][row][at.clone()], from[1][mate]], to);
            }
        }
        let mut own = |column: usize, row: usize, mate: usize| {
            let (mut point, mut other) = ([T::zero().into()], [T::zero().into()]);
            let at = column - batch.start..column - batch.start + 1;
            let pair = [row, mate].map(|row| &from[0][row][at.clone()]);
            self.pairs(factor, row * cols + column, pair, [&mut point, &mut other]);
            (to_low[row][at.start], to_low[mate][at.start]) = (point[0], other[0]);
        };
        if batch.start == 0 {
            (1..=self.rows / 2).for_each(|row| own(0, row, self.rows - row));
        }
        if cols.is_multiple_of(2) && batch.contains(&(cols / 2)) {
            (0..self.rows.div_ceil(2)).for_each(|row| own(cols / 2, row, self.rows - 1 - row));
        }
    }

    fn pairs(&self, factor: T, first: usize, from: [&[Complex<T>]; 2], to: [&mut [Complex<T>]; 2]) {
        if self.split {
            self.kernel.split(factor, first, from, to);
        } else {
            self.kernel.merge(factor, first, from, to);
        }
    }
}
