//! Real line of odd length as a matrix. Its transform takes about half the work of a line of complex points.
//!
//! A line of `n = r c` numbers is a matrix of `r` rows of `c` numbers, with odd `r` and `h = (r-1)/2`.
//!
//! 1. *Fold.* The columns are transformed by the definition. Their spectra are conjugate symmetric, so the
//!    first `h + 1` rows determine the others. Each of these points is multiplied by a root of unity.
//! 2. A row kernel transforms the `h + 1` rows of `c` points.
//! 3. *Spread.* Point `q` of row `i` is point `k = q r + i` of the spectrum, and the conjugate of point
//!    `n - k`. The first half of the spectrum has one of these two points.
//!
//! The inverse takes the steps in reverse order. Row 0 is the spectrum of real numbers and is transformed as
//! points. So no line depends on another one: not its rounding, and no number that is not finite.
//!
//! *Cost.* `(h + 1) / r` of the work of complex rows, `(r-1)^2 / r` multiplications and additions per number,
//! and two copies within the cache. *When it loses.* With a factor of 3 alone, two thirds of the work remain.

use earth_kernels::{Real, arc, prime_factors};
use num_complex::Complex;

use crate::passes::blocks::copy;

/// Maximum number of rows. The work on the columns is quadratic in it.
const MOST: usize = 15;

/// Number of columns that are transformed together, and minimum number of columns. The last columns of a line
/// may be transformed twice.
const TOGETHER: usize = 8;

/// Operations that take as long as the overhead of a row.
const CALL: f64 = 300.0;

/// Plan of a line.
pub(crate) struct OddLine<T> {
    /// Number of rows of numbers, `r`.
    rows: usize,
    /// Number of columns, `c`.
    columns: usize,
    /// Rows and columns of the cosines and sines of `2 pi j k / r`, for `j` and `k` from 1 to `h`.
    circle: Vec<Complex<T>>,
    /// Roots `exp(-2 pi i j k / n)` of column `j`, for each row `k` from 1 to `h`.
    roots: Vec<Complex<T>>,
}

impl<T: Real> OddLine<T> {
    /// Plans a line of `len` numbers as the matrix of least work. Returns `None` if `len` is even, or if no
    /// factor is small enough.
    pub(crate) fn plan(len: usize) -> Option<Self> {
        if len.is_multiple_of(2) {
            return None;
        }
        // Operations per number. In complex rows, a prime factor takes double, and 6 for a root.
        let by = |rows: usize| (rows as f64 - 1.0).powi(2) / rows as f64;
        let work = |rows: usize| {
            let columns = len / rows;
            let row: f64 = prime_factors(columns).iter().map(|prime| 2.0 * by(*prime) + 6.0).sum();
            by(rows) + (row + CALL / columns as f64) * rows.div_ceil(2) as f64 / rows as f64
        };
        let fits = |rows: &usize| len.is_multiple_of(*rows) && len / rows >= TOGETHER;
        let rows = (3..=MOST).step_by(2).filter(fits).min_by(|a, b| work(*a).total_cmp(&work(*b)))?;
        let (columns, half) = (len / rows, rows / 2);
        let products = |count: usize| (1..=half).flat_map(move |k| (0..count).map(move |j| j * k));
        let whole: Vec<Complex<T>> = arc(rows, rows);
        let circle = products(half + 1).map(|k| whole[k % rows].conj()).collect();
        let whole: Vec<Complex<T>> = arc(len, half * columns);
        let roots = products(columns).map(|k| whole[k]).collect();
        Some(Self { rows, columns, circle, roots })
    }

    /// Returns the number of points in a row.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the number of points in all rows of a line.
    pub(crate) fn points(&self) -> usize {
        self.columns * (self.rows / 2 + 1)
    }

    /// Returns the scratch of a line whose numbers are `apart` elements apart, in points. Numbers that are
    /// not contiguous are copied.
    pub(crate) fn scratch_len(&self, apart: usize) -> usize {
        self.points() + if apart == 1 { 0 } else { (self.rows * self.columns).div_ceil(2) }
    }

    /// Transforms the columns of `lines` lines into adjacent rows of points at the start of the scratch.
    pub(crate) fn fold(&self, numbers: &[T], strides: [usize; 2], scratch: &mut [Complex<T>], lines: usize) {
        let len = self.rows * self.columns;
        let (points, copies) = scratch.split_at_mut(lines * self.points());
        let (from, apart) = if strides[1] == 1 {
            (numbers, strides[0])
        } else {
            let copies: &mut [T] = bytemuck::cast_slice_mut(copies);
            copy(numbers, strides, copies, [len, 1], [lines, len], |x| x);
            (&*copies, len)
        };
        for (line, points) in points.chunks_exact_mut(self.points()).enumerate() {
            let numbers = &from[line * apart..][..len];
            for column in (0..self.columns).step_by(TOGETHER) {
                self.fold_columns(column.min(self.columns - TOGETHER), numbers, points);
            }
        }
    }

    /// Reverses [`fold`](Self::fold), without dividing.
    pub(crate) fn unfold(
        &self,
        scratch: &mut [Complex<T>],
        numbers: &mut [T],
        strides: [usize; 2],
        lines: usize,
    ) {
        let len = self.rows * self.columns;
        let (points, copies) = scratch.split_at_mut(lines * self.points());
        let copies: &mut [T] = bytemuck::cast_slice_mut(copies);
        for (line, points) in points.chunks_exact(self.points()).enumerate() {
            let to =
                if strides[1] == 1 { &mut numbers[line * strides[0]..] } else { &mut copies[line * len..] };
            for column in (0..self.columns).step_by(TOGETHER) {
                self.unfold_columns(column.min(self.columns - TOGETHER), points, to);
            }
        }
        if strides[1] != 1 {
            copy(copies, [len, 1], numbers, strides, [lines, len], |x| x);
        }
    }

    /// Folds some columns. Sums of rows `j` and `r - j` give the real parts, differences the imaginary parts.
    #[inline(always)]
    fn fold_columns(&self, column: usize, numbers: &[T], points: &mut [Complex<T>]) {
        let half = self.rows / 2;
        let row = |row: usize| -> &[T; TOGETHER] { part(numbers, row * self.columns + column) };
        let (first, mut total) = (row(0), *row(0));
        let mut sums = [[[T::zero(); TOGETHER]; 2]; MOST / 2];
        for (j, [sum, difference]) in (1..).zip(&mut sums[..half]) {
            let (a, b) = (row(j), row(self.rows - j));
            for at in 0..TOGETHER {
                (sum[at], difference[at]) = (a[at] + b[at], a[at] - b[at]);
                total[at] += sum[at];
            }
        }
        let circles = self.circle.chunks_exact(half + 1);
        for (point, sum) in points[column..][..TOGETHER].iter_mut().zip(total) {
            *point = Complex::new(sum, T::zero());
        }
        for (k, circle) in (1..).zip(circles) {
            let (mut re, mut im) = (*first, [T::zero(); TOGETHER]);
            for ([sum, difference], root) in sums.iter().zip(&circle[1..]) {
                for at in 0..TOGETHER {
                    re[at] += root.re * sum[at];
                    im[at] -= root.im * difference[at];
                }
            }
            let roots: &[_; TOGETHER] = part(&self.roots, (k - 1) * self.columns + column);
            let points = &mut points[k * self.columns + column..][..TOGETHER];
            for at in 0..TOGETHER {
                points[at] = Complex::new(re[at], im[at]) * roots[at];
            }
        }
    }

    /// Unfolds some columns.
    #[inline(always)]
    fn unfold_columns(&self, column: usize, points: &[Complex<T>], numbers: &mut [T]) {
        let (half, two) = (self.rows / 2, T::of(2.0));
        let row = |row: usize| -> &[Complex<T>; TOGETHER] { part(points, row * self.columns + column) };
        let first = row(0).map(|x| x.re);
        let (mut twice, mut total) = ([[[T::zero(); TOGETHER]; 2]; MOST / 2], first);
        for (k, [re, im]) in (1..).zip(&mut twice[..half]) {
            let roots: &[_; TOGETHER] = part(&self.roots, (k - 1) * self.columns + column);
            for at in 0..TOGETHER {
                let x = row(k)[at] * roots[at].conj();
                (re[at], im[at]) = (two * x.re, two * x.im);
                total[at] += re[at];
            }
        }
        numbers[column..][..TOGETHER].copy_from_slice(&total);
        for (j, circle) in (1..).zip(self.circle.chunks_exact(half + 1)) {
            let (mut even, mut odd) = (first, [T::zero(); TOGETHER]);
            for ([re, im], root) in twice.iter().zip(&circle[1..]) {
                for at in 0..TOGETHER {
                    even[at] += root.re * re[at];
                    odd[at] += root.im * im[at];
                }
            }
            for at in 0..TOGETHER {
                numbers[j * self.columns + column + at] = even[at] - odd[at];
                numbers[(self.rows - j) * self.columns + column + at] = even[at] + odd[at];
            }
        }
    }

    /// Copies transformed rows to the first halves of spectra, multiplied by `factor`.
    pub(crate) fn spread(
        &self,
        factor: T,
        scratch: &[Complex<T>],
        spectrum: &mut [Complex<T>],
        strides: [usize; 2],
        lines: usize,
    ) {
        let (columns, half) = (self.columns, self.rows / 2);
        for (line, points) in scratch.chunks_exact(self.points()).take(lines).enumerate() {
            let mut spectrum = spectrum[line * strides[0]..].iter_mut().step_by(strides[1]);
            for q in 0..=columns / 2 {
                for (i, to) in (0..=half).zip(&mut spectrum) {
                    *to = points[i * columns + q].scale(factor);
                }
                if q < columns / 2 {
                    for (i, to) in (1..=half).rev().zip(&mut spectrum) {
                        *to = points[(i + 1) * columns - 1 - q].conj().scale(factor);
                    }
                }
            }
        }
    }

    /// Reverses [`spread`](Self::spread). The imaginary part of the first point is not read.
    pub(crate) fn collect(
        &self,
        factor: T,
        spectrum: &[Complex<T>],
        strides: [usize; 2],
        scratch: &mut [Complex<T>],
        lines: usize,
    ) {
        let (columns, half) = (self.columns, self.rows / 2);
        for (line, points) in scratch.chunks_exact_mut(self.points()).take(lines).enumerate() {
            let mut spectrum = spectrum[line * strides[0]..].iter().step_by(strides[1]);
            let mut next = || spectrum.next().expect("a spectrum has `n/2 + 1` points").scale(factor);
            for q in 0..=columns / 2 {
                for i in 0..=half {
                    points[i * columns + q] = next();
                }
                if q > 0 {
                    points[columns - q] = points[q].conj();
                }
                if q < columns / 2 {
                    for i in (1..=half).rev() {
                        points[(i + 1) * columns - 1 - q] = next().conj();
                    }
                }
            }
            points[0].im = T::zero();
        }
    }
}

/// Returns the elements of some columns from `at` on.
#[inline(always)]
fn part<E>(elements: &[E], at: usize) -> &[E; TOGETHER] {
    elements[at..].first_chunk().expect("the plan has as many elements")
}
