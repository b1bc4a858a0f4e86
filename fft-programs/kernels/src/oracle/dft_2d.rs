//! The two-dimensional transform by its definition: the oracle of the programs on matrices.
//!
//! The forward transform of R x C points is
//! `X[k1][k2] = sum over j1, j2 of x[j1][j2] exp(-2 pi i (j1 k1 / R + j2 k2 / C))`. The double sum is
//! taken one index at a time, each by the careful [`dft`](crate::dft()): first along each row, then along
//! each column. That is the same sum in another order, but it is also how every fast program goes about
//! it, and one that confused rows with columns would be confused alike; so the tests of this file compare
//! it with the double sum itself.
//!
//! *Cost.* `R C (R + C)` products in double precision, where the double sum has `(R C)^2`.

use num_complex::Complex;

use crate::oracle::dft::{dft, inverse_dft};
use crate::real::Real;

/// The spectrum of `rows` x `cols` points, row by row, in double precision.
///
/// # Panics
///
/// If there are not `rows * cols` points.
pub fn dft_2d<T: Real>(rows: usize, cols: usize, signal: &[Complex<T>]) -> Vec<Complex<f64>> {
    by_rows_and_columns(rows, cols, signal, dft, dft)
}

/// The signal of a spectrum of `rows` x `cols` points, divided by their number, in double precision.
///
/// # Panics
///
/// As [`dft_2d`](dft_2d()).
pub fn inverse_dft_2d<T: Real>(rows: usize, cols: usize, spectrum: &[Complex<T>]) -> Vec<Complex<f64>> {
    by_rows_and_columns(rows, cols, spectrum, inverse_dft, inverse_dft)
}

fn by_rows_and_columns<T: Real>(
    rows: usize,
    cols: usize,
    input: &[Complex<T>],
    of_row: impl Fn(&[Complex<T>]) -> Vec<Complex<f64>>,
    of_column: impl Fn(&[Complex<f64>]) -> Vec<Complex<f64>>,
) -> Vec<Complex<f64>> {
    assert_eq!(input.len(), rows * cols, "the points of a matrix of {rows} x {cols}");
    if input.is_empty() {
        return Vec::new();
    }
    let mut output: Vec<_> = input.chunks(cols).flat_map(of_row).collect();
    for column in 0..cols {
        let points: Vec<_> = output.iter().copied().skip(column).step_by(cols).collect();
        for (row, x) in of_column(&points).into_iter().enumerate() {
            output[row * cols + column] = x;
        }
    }
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::error::relative_error;
    use crate::oracle::noise::noise;

    /// Tiny, square and not, with sides of one.
    const SHAPES: [(usize, usize); 12] =
        [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3), (3, 2), (4, 4), (1, 7), (7, 1), (5, 6), (6, 4), (7, 9)];

    /// `sum over j1, j2 of x[j1][j2] exp(sign 2 pi i (j1 k1 / rows + j2 k2 / cols))`, by
    /// the standard library alone.
    fn double_sum(rows: usize, cols: usize, x: &[Complex<f64>], sign: f64) -> Vec<Complex<f64>> {
        let mut output = Vec::new();
        for k1 in 0..rows {
            for k2 in 0..cols {
                let mut sum = Complex::new(0.0, 0.0);
                for j1 in 0..rows {
                    for j2 in 0..cols {
                        let turns =
                            (j1 * k1 % rows) as f64 / rows as f64 + (j2 * k2 % cols) as f64 / cols as f64;
                        sum += x[j1 * cols + j2] * Complex::cis(sign * std::f64::consts::TAU * turns);
                    }
                }
                output.push(sum);
            }
        }
        output
    }

    #[test]
    fn it_is_the_double_sum() {
        for (rows, cols) in SHAPES {
            let x = noise(rows * cols);
            let error = relative_error(&dft_2d(rows, cols, &x), &double_sum(rows, cols, &x, -1.0));
            assert!(error < 1e-15, "{rows} x {cols}: {error}");
            let n = (rows * cols) as f64;
            let back: Vec<_> = double_sum(rows, cols, &x, 1.0).into_iter().map(|x| x / n).collect();
            let error = relative_error(&inverse_dft_2d(rows, cols, &x), &back);
            assert!(error < 1e-15, "{rows} x {cols}, inverse: {error}");
        }
    }

    /// Worked by hand: the first is the sum, the second the difference of the columns, the third of the rows.
    #[test]
    fn two_by_two_is_that_on_paper() {
        let real = |x: [f64; 4]| x.map(|x| Complex::new(x, 0.0));
        assert_eq!(dft_2d(2, 2, &real([1.0, 2.0, 3.0, 5.0])), real([11.0, -3.0, -5.0, 1.0]));
        assert_eq!(inverse_dft_2d(2, 2, &real([11.0, -3.0, -5.0, 1.0])), real([1.0, 2.0, 3.0, 5.0]));
        assert_eq!(dft_2d::<f32>(0, 3, &[]), []);
    }

    #[test]
    fn the_inverse_undoes_it() {
        for (rows, cols) in SHAPES {
            let x = noise(rows * cols);
            let back = inverse_dft_2d(rows, cols, &dft_2d(rows, cols, &x));
            assert!(relative_error(&back, &x) < 1e-15);
        }
    }
}
