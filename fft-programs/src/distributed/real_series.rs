//! Series of real numbers: a series of complex points, and the step between it and the half spectrum.
//!
//! An even number `n` of real numbers is read as `m = n/2` points `x[2j] + i x[2j + 1]`. The points of their
//! transform and of the spectrum depend on each other in pairs: `k` and its mate `m - k`. An odd number of
//! real numbers is widened to `m = n` points. Their spectrum is the first half of the transform, and point
//! `n - k` is the conjugate of point `k`.
//!
//! Each rank has an equal range of the `n/2 + 1` points of the spectrum, in natural order. The exchange
//! beside the spectrum brings a rank its own points and their mates:
//!
//! * *forward*: the rank receives the range of its points and the range of their mates, and computes its
//!   range of the spectrum;
//! * *inverse*: the rank receives its columns of the matrix of the spectrum and the columns of their mates,
//!   and computes its columns of the transform before it transforms them.
//!
//! *Cost.* Three exchanges of `n/2` points, one of them with each point twice. *When it loses.* An odd number
//! costs a complex transform of `n` points.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use earth_codelets::{Isa, mirror};
use earth_kernels::{MirrorKernel, Real};
use num_complex::Complex;

use super::distribution::Part;
use super::pieces::{Piece, PieceMut, copy};
use crate::dataflow::points::{Points, elements_mut, scratch};

/// Points of the spectrum that are computed at a time, in the second-level cache.
const BLOCK: usize = 1 << 14;

/// Lengths of a series of real numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct RealSeries {
    /// Number of real numbers.
    numbers: usize,
    /// Number of columns of the matrix of the spectrum. Point `k` is in row `k / cols`.
    cols: usize,
    /// Whether the transform ends with the spectrum.
    is_forward: bool,
}

impl RealSeries {
    pub(super) fn new(numbers: usize, cols: usize, is_forward: bool) -> Self {
        Self { numbers, cols, is_forward }
    }

    /// Returns the number of points of the complex series of these real numbers.
    pub(super) fn points_of(numbers: usize) -> usize {
        if numbers.is_multiple_of(2) { numbers / 2 } else { numbers }
    }

    /// Returns the number of points of the spectrum.
    pub(super) fn spectrum(&self) -> usize {
        self.numbers / 2 + 1
    }

    /// Whether each point of the complex series is a number, instead of two.
    pub(super) fn is_widened(&self) -> bool {
        !self.numbers.is_multiple_of(2)
    }

    /// Whether the transform ends with the spectrum.
    pub(super) fn is_forward(&self) -> bool {
        self.is_forward
    }

    fn points(&self) -> usize {
        Self::points_of(self.numbers)
    }

    /// Returns the boxes of a range of points, in the matrix of the spectrum. Their points one after the
    /// other are the points of the range. The matrix has one more row for point `m`.
    fn boxes(&self, batch: Range<usize>, range: Range<usize>) -> Vec<Part> {
        let cols = self.cols;
        let (first, last) = (range.start.div_ceil(cols), range.end / cols);
        let part = |rows: Range<usize>, columns: Range<usize>| Part::new(vec![batch.clone(), rows, columns]);
        let boxes = if first > last {
            // The range is inside a row.
            vec![part(last..first, range.start - last * cols..range.end - last * cols)]
        } else {
            vec![
                part(first.saturating_sub(1)..first, range.start + cols - first.max(1) * cols..cols),
                part(first..last, 0..cols),
                part(last..last + 1, 0..range.end - last * cols),
            ]
        };
        boxes.into_iter().filter(|part| !part.is_empty() && !range.is_empty()).collect()
    }

    /// Returns the boxes of a rank's part of the spectrum, in the order of its array.
    pub(super) fn layout(&self, part: &Part) -> Vec<Part> {
        let [batch, range] = [0, 1].map(|dimension| part.range(dimension));
        batch.flat_map(|array| self.boxes(array..array + 1, range.clone())).collect()
    }

    /// Returns the boxes of the points that a rank needs for its part of the spectrum.
    pub(super) fn before_spectrum(&self, part: &Part) -> Vec<Part> {
        let [batch, range] = [0, 1].map(|dimension| part.range(dimension));
        let points = self.points();
        let mut boxes = self.boxes(batch.clone(), range.start..range.end.min(points));
        if !self.is_widened() {
            add_missing(&mut boxes, self.boxes(batch.clone(), mates(points, &range)));
            if range.contains(&points) {
                add_missing(&mut boxes, self.boxes(batch, 0..1));
            }
        }
        boxes
    }

    /// Returns the boxes of the spectrum that a rank needs for a part of columns.
    pub(super) fn before_columns(&self, part: &Part) -> Vec<Part> {
        let mut boxes = vec![part.clone()];
        add_missing(&mut boxes, mate_boxes(self.cols, part).into_iter().collect());
        boxes.retain(|part| !part.is_empty());
        boxes
    }
}

/// Returns the mates of the points of a range that have a mate, of `points` points.
fn mates(points: usize, range: &Range<usize>) -> Range<usize> {
    let (start, end) = (range.start.max(1), range.end.min(points));
    if start < end { points + 1 - end..points + 1 - start } else { 0..0 }
}

/// Returns the boxes of the mates of a part of columns: of all columns but the first, and of the first.
fn mate_boxes(cols: usize, part: &Part) -> [Part; 2] {
    let [batch, rows, own] = [0, 1, 2].map(|dimension| part.range(dimension));
    let first = if own.contains(&0) { 0..1 } else { 0..0 };
    [
        Part::new(vec![batch.clone(), rows.clone(), mates(cols, &own)]),
        Part::new(vec![batch, rows.start + 1..rows.end + 1, first]),
    ]
}

/// Adds boxes that none of the others contains.
fn add_missing(boxes: &mut Vec<Part>, others: Vec<Part>) {
    for part in others {
        if !boxes.iter().any(|has| has.common(&part).as_ref() == Some(&part)) {
            boxes.push(part);
        }
    }
}

/// Copies the real numbers of a chunk of a part to points.
pub(super) fn widen<T: Real>([part, chunk]: [&Part; 2], numbers: &[T], points: &mut [Complex<T>]) {
    let (runs, run) = Part::runs([part, chunk], chunk);
    for [from, to] in runs {
        let widened = points[to..to + run].iter_mut().zip(&numbers[from..from + run]);
        widened.for_each(|(point, &number)| *point = number.into());
    }
}

/// Step between the points of a complex series and the spectrum of real numbers.
#[derive(Debug)]
pub(super) struct SpectrumStep<T: Real> {
    series: RealSeries,
    /// Computes pairs, if the number of real numbers is even.
    kernel: Option<Arc<dyn MirrorKernel<T>>>,
}

impl<T: Real> SpectrumStep<T> {
    pub(super) fn new(series: RealSeries) -> Self {
        let kernel = (!series.is_widened()).then(|| mirror(Isa::best(), series.numbers));
        let kernel = kernel.map(|kernel| {
            kernel.unwrap_or_else(|| unreachable!("an even number of fewer than 2^53 numbers"))
        });
        Self { series, kernel }
    }

    /// Returns the points of the memory that a part of the spectrum takes.
    pub(super) fn split_memory(points: usize) -> usize {
        3 * points.min(BLOCK)
    }

    /// Returns the points of the memory that a chunk of columns takes, with the memory of the transform.
    pub(super) fn merge_memory(points: usize) -> usize {
        2 * points
    }

    /// Computes a rank's part of the spectrum from pieces with its points and their mates.
    pub(super) fn split(
        &self,
        part: &Part,
        from: &[Piece<'_, Complex<T>>],
        spectrum: &mut [Complex<T>],
        temporary: impl Fn(usize) -> Points<T>,
    ) {
        let [batch, range] = [0, 1].map(|dimension| part.range(dimension));
        let points = self.series.points();
        let mut memory = temporary(Self::split_memory(range.len()));
        let (own, rest) = elements_mut(&mut memory).split_at_mut(range.len().min(BLOCK));
        let (mirrored, unused) = rest.split_at_mut(range.len().min(BLOCK));
        for (array, spectrum) in batch.zip(spectrum.chunks_exact_mut(range.len())) {
            let gather = |range: Range<usize>, to: &mut [Complex<T>]| self.gather(array, range, from, to);
            for (block, spectrum) in spectrum.chunks_mut(BLOCK).enumerate() {
                let first = range.start + block * BLOCK;
                let block = first..first + spectrum.len();
                let Some(kernel) = &self.kernel else {
                    gather(block, spectrum);
                    if first == 0 {
                        spectrum[0].im = T::zero();
                    }
                    continue;
                };
                let mates = mates(points, &block);
                if !mates.is_empty() {
                    let count = mates.len();
                    let begin = first.max(1);
                    gather(begin..begin + count, &mut own[..count]);
                    gather(mates, &mut mirrored[..count]);
                    let to = [&mut spectrum[begin - first..][..count], &mut unused[..count]];
                    kernel.split(T::one(), begin, [&own[..count], &mirrored[..count]], to);
                }
                let mut zero = [Complex::from(T::zero())];
                if block.contains(&0) || block.contains(&points) {
                    gather(0..1, &mut zero);
                }
                let [Complex { re, im }] = zero;
                if block.contains(&0) {
                    spectrum[0] = (re + im).into();
                }
                if block.contains(&points) {
                    spectrum[points - first] = (re - im).into();
                }
            }
        }
    }

    /// Copies a range of points from pieces.
    fn gather(
        &self,
        array: usize,
        range: Range<usize>,
        from: &[Piece<'_, Complex<T>>],
        mut to: &mut [Complex<T>],
    ) {
        for part in self.series.boxes(array..array + 1, range) {
            let (elements, rest) = to.split_at_mut(part.len());
            copy(&part.clone(), from, &mut [PieceMut { part, elements }]);
            to = rest;
        }
    }

    /// Computes a chunk of columns of the transform from the same columns of the spectrum, in place, and
    /// from pieces with their mates.
    pub(super) fn merge(
        &self,
        chunk: &Part,
        from: &[Piece<'_, Complex<T>>],
        columns: &mut [Complex<T>],
        temporary: impl Fn(usize) -> Points<T>,
    ) {
        let [batch, rows, own] = [0, 1, 2].map(|dimension| chunk.range(dimension));
        let (rows, cols) = (rows.len(), self.series.cols);
        let parts = mate_boxes(cols, chunk);
        let width = parts[0].length(2);
        let mut memory = temporary(chunk.len());
        let (mirrored, rest) = elements_mut(&mut memory).split_at_mut(parts[0].len());
        let first_column = &mut rest[..parts[1].len()];
        for (part, elements) in parts.into_iter().zip([&mut *mirrored, &mut *first_column]) {
            copy(&part.clone(), from, &mut [PieceMut { part, elements }]);
        }
        let mut lines = scratch(2 * width);
        let (line, unused) = lines.split_at_mut(width);
        for (at, columns) in columns.chunks_exact_mut(own.len()).take(batch.len() * rows).enumerate() {
            let (array, row) = (at / rows, at % rows);
            let mate_row = array * rows + rows - 1 - row;
            let (first, others) = columns.split_at_mut(own.len() - width);
            let begin = row * cols + own.start + first.len();
            if width > 0 {
                let mates = &mirrored[mate_row * width..][..width];
                self.merge_line(begin, mates, others, [&mut *line, &mut *unused]);
            }
            if let [point] = first {
                let mate = first_column[mate_row];
                if row > 0 {
                    let [mut line, mut unused] = [Complex::from(T::zero()); 2];
                    self.merge_line(
                        row * cols,
                        &[mate],
                        std::slice::from_mut(point),
                        [std::slice::from_mut(&mut line), std::slice::from_mut(&mut unused)],
                    );
                } else if self.kernel.is_some() {
                    *point = Complex::new(point.re + mate.re, point.re - mate.re);
                } else {
                    point.im = T::zero();
                }
            }
        }
    }

    /// Computes consecutive points of the transform from the same points of the spectrum, in place, and
    /// from their mates, which are in ascending order.
    fn merge_line(
        &self,
        first: usize,
        mates: &[Complex<T>],
        points: &mut [Complex<T>],
        [line, unused]: [&mut [Complex<T>]; 2],
    ) {
        let Some(kernel) = &self.kernel else {
            let known = self.series.spectrum().saturating_sub(first).min(points.len());
            let mirrored = points[known..].iter_mut().zip(mates.iter().rev().skip(known));
            mirrored.for_each(|(point, mate)| *point = mate.conj());
            return;
        };
        line.copy_from_slice(points);
        kernel.merge(T::one(), first, [line, mates], [points, unused]);
    }
}

/// Writes the kernel, for example `pairs by earth-avx2`.
impl<T: Real> fmt::Display for SpectrumStep<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kernel {
            Some(kernel) => write!(f, "pairs by {}", kernel.name()),
            None => f.write_str("half of the spectrum"),
        }
    }
}
