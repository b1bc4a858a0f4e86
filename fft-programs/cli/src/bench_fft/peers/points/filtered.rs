//! Filter by plans: real numbers to half a spectrum, times a kept spectrum, and back to real numbers.
//!
//! It is a circular convolution with the same [`TAPS`] along each dimension. They are positive and their sum
//! is 1, so the filter amplifies no frequency and may follow itself any number of times. They differ, so a
//! mirrored result is wrong. The kept spectrum also has the factor 1/N of the unscaled transforms.
//!
//! The product is computed by the calling thread, by the same code for every contestant but `SciPy`.

use std::f64::consts::TAU;

use bytemuck::cast_slice_mut;
use earth_fft::Precision;
use earth_fftw::Arrays;
use num_complex::Complex;

use super::{BINS, Expected, Shape};

/// Weights of a number and of those before it.
pub(super) const TAPS: [f64; 5] = [0.4, 0.3, 0.15, 0.1, 0.05];

/// Arrays of a filter.
pub(in crate::bench_fft::peers) struct Filtered<'a, T> {
    /// Numbers, which the result replaces.
    pub(in crate::bench_fft::peers) numbers: &'a mut [T],
    /// Array of the spectrum, unless it replaces the numbers.
    pub(super) points: Option<&'a mut [Complex<T>]>,
    /// Factors of the spectrum.
    pub(super) kept: &'a [Complex<T>],
}

impl<T: Precision> Filtered<'_, T> {
    /// Returns the arrays of the transform to the spectrum.
    pub(in crate::bench_fft::peers) fn there(&mut self) -> Arrays<'_, T> {
        match &mut self.points {
            None => Arrays::RealInPlace(self.numbers),
            Some(points) => Arrays::RealOutOfPlace(self.numbers, points),
        }
    }

    /// Multiplies the spectrum by the kept one.
    pub(in crate::bench_fft::peers) fn multiply(&mut self) {
        let points = match &mut self.points {
            None => cast_slice_mut(self.numbers),
            Some(points) => &mut **points,
        };
        for (point, factor) in points.iter_mut().zip(self.kept) {
            *point *= *factor;
        }
    }

    /// Returns the arrays of the transform back to numbers.
    pub(in crate::bench_fft::peers) fn back(&mut self) -> Arrays<'_, T> {
        match &mut self.points {
            None => Arrays::SpectrumInPlace(self.numbers),
            Some(points) => Arrays::SpectrumOutOfPlace(points, self.numbers),
        }
    }
}

/// Writes the kept spectrum in the layout of the output.
pub(super) fn keep<T: Precision>(kept: &mut [Complex<T>], shape: &Shape) {
    let [planes, rows, cols] = dimensions(shape).map(gains);
    let scale = 1.0 / dimensions(shape).iter().product::<usize>() as f64;
    for (row, points) in kept.chunks_mut(shape.distance).enumerate() {
        let outer = planes[row / rows.len() % planes.len()] * rows[row % rows.len()] * scale;
        for (point, along) in points.iter_mut().zip(&cols[..shape.width]) {
            let gain = outer * along;
            *point = Complex::new(T::of(gain.re), T::of(gain.im));
        }
    }
}

/// Returns the expected results of a filter of these numbers, by the sum over all taps.
pub(super) fn expected<T: Precision>(numbers: &[T], shape: &Shape) -> Expected {
    let outputs = shape.rows * shape.cols;
    let value = |at: usize| convolved(numbers, shape, [at / shape.cols, at % shape.cols]);
    let values = (0..BINS).map(|bin| (bin * outputs / BINS + bin) % outputs);
    let values = values.map(|at| (at, value(at).into())).collect();
    let all = (0..outputs).map(|at| value(at).powi(2)).sum();
    Expected { values, each: all / outputs as f64, all }
}

/// Returns a number of the convolution by its definition.
fn convolved<T: Precision>(numbers: &[T], shape: &Shape, [row, col]: [usize; 2]) -> f64 {
    let [planes, rows, cols] = dimensions(shape);
    // The rows of other transforms of a batch are not part of the sum.
    let first = row / (planes * rows) * (planes * rows);
    let (plane, row) = (row / rows % planes, row % rows);
    let mut sum = 0.0;
    for (of_plane, plane) in taken(plane, planes) {
        for (of_row, row) in taken(row, rows) {
            let from = (first + plane * rows + row) * shape.between;
            for (of_col, col) in taken(col, cols) {
                sum += of_plane * of_row * of_col * numbers[from + col].widen();
            }
        }
    }
    sum
}

/// Yields the taps, and the index that each takes of a dimension of `n` numbers for the result at `at`.
fn taken(at: usize, n: usize) -> impl Iterator<Item = (f64, usize)> {
    let index = move |back: usize| (at + TAPS.len() * n - back) % n;
    taps(n).iter().enumerate().map(move |(back, tap)| (*tap, index(back)))
}

/// Returns the spectrum of the taps along a dimension of `n` numbers.
fn gains(n: usize) -> Vec<Complex<f64>> {
    let turned = |back: usize, k: usize| Complex::cis(-TAU * (back * k % n) as f64 / n as f64);
    let gain = |k| taps(n).iter().enumerate().map(|(back, tap)| tap * turned(back, k)).sum();
    (0..n).map(gain).collect()
}

/// Returns the taps along a dimension of `n` numbers. A single number stays as it is.
fn taps(n: usize) -> &'static [f64] {
    if n == 1 { &[1.0] } else { &TAPS }
}

/// Returns the lengths of a transform; missing dimensions come first and have length 1.
fn dimensions(shape: &Shape) -> [usize; 3] {
    let mut all = [1; 3];
    all[3 - shape.lengths.len()..].copy_from_slice(&shape.lengths);
    all
}

#[cfg(test)]
#[path = "filtered_tests.rs"]
mod tests;
