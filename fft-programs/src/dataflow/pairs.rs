//! The step between `n` real numbers and `n/2` complex points, for the columns of a matrix.
//!
//! `n` real numbers are read as `m = n/2` points. With the points as a matrix of `R` rows of `C`, point
//! `k = r C + c` is at `(r, c)`. Its mate `m - k` is at `(R - 1 - r, C - c)`; in column 0 the mate of
//! `(r, 0)` is at `(R - r, 0)`. So a batch of columns and their mates depend only on each other, and the step
//! runs while they are in the cache. A forward transform takes it on columns of the spectrum before they are
//! written. An inverse takes it on columns of a spectrum before they are transformed.

use std::ops::Range;
use std::sync::Arc;

use earth_codelets::prefetch;
use earth_kernels::{Caches, MirrorKernel, Real};
use num_complex::Complex;

use super::cut::{mates, paired};

/// Wide and narrow width of a row of a batch in bytes, in a matrix within the caches, and in one beyond them,
/// where longer pieces of rows are faster.
const WIDTHS: [[usize; 2]; 2] = [[256, 128], [512, 256]];

/// Prefetch distance, in rows.
const AHEAD: usize = 4;

/// Step of a matrix for its pairs of points.
#[derive(Debug)]
pub(super) struct Pairs<T: Real> {
    kernel: Arc<dyn MirrorKernel<T>>,
    rows: usize,
    cols: usize,
    /// Whether the step produces the spectrum of real numbers, instead of consuming it.
    split: bool,
}

/// Rows of a batch, and rows of its mates.
type Rows<'a, T> = [&'a [&'a [Complex<T>]]; 2];
type RowsMut<'a, 'b, T> = [&'a mut [&'b mut [Complex<T>]]; 2];

impl<T: Real> Pairs<T> {
    pub(super) fn new(kernel: Arc<dyn MirrorKernel<T>>, [rows, cols]: [usize; 2], split: bool) -> Self {
        Self { kernel, rows, cols, split }
    }

    fn width(&self) -> usize {
        let point = size_of::<Complex<T>>();
        let (beyond, second) =
            (Caches::is_beyond(self.rows * self.cols * point), Caches::of_this_computer().second);
        let [wide, narrow] = WIDTHS[usize::from(beyond)];
        // A batch of columns and their mates. A batch of the narrow width may be larger.
        let most = if beyond { 2 * second } else { second / 2 };
        (if 2 * self.rows * wide <= most { wide } else { narrow }) / point
    }

    /// Returns the number of points of a batch and its mates.
    pub(super) fn scratch_len(&self) -> usize {
        2 * self.rows * self.width()
    }

    /// Yields the batches of a part of the lower half, each with its mates.
    pub(super) fn batches(&self, part: Range<usize>) -> impl Iterator<Item = [Range<usize>; 2]> + use<'_, T> {
        let (width, cols) = (self.width(), self.cols);
        part.clone().step_by(width).map(move |begin| {
            let batch = begin..part.end.min(begin + width);
            let mates = mates(cols, &batch);
            [batch, mates]
        })
    }

    /// Returns memory for a batch and its mates, as rows.
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

    /// Computes the points of columns `batch` of the lower half and of their mates, each times `factor`,
    /// except for point 0.
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
                        prefetch(&to_low[row + AHEAD][at.clone()]);
                        prefetch(to_high[next]);
                    } else {
                        prefetch(&from[0][row + AHEAD][at.clone()]);
                        prefetch(from[1][next]);
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
