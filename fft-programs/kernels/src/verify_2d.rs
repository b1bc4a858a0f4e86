//! Is a transform of two dimensions right? The same two witnesses as [`verify`](crate::verify()) has in one.
//!
//! The definition is `X[k, l] = sum over r, c of x[r, c] exp(-2 pi i (r k / rows + c l / cols))`. The factor
//! is one of the row times one of the column, so the sum over a row comes first, for each row, and then one
//! over the rows: that is the definition with its terms in brackets, not a fast transform, since no sum
//! serves two outputs. Matrices lie row after row.

use num_complex::Complex;

use crate::dft::{Factors, bin};
use crate::error::{Verified, by_two_witnesses};
use crate::real::Real;
use crate::row_kernel::RowKernel;
use crate::twiddle::Direction;

/// The number of columns that are gathered at a time: each line of memory that is touched serves all of them.
const TOGETHER: usize = 16;

/// Output `(k, l)` alone, row `k` and column `l` of the spectrum, unscaled in both directions.
///
/// # Panics
///
/// If there are not `rows * cols` points or the output is not among them.
pub fn dft_2d_bin<T: Real>(
    rows: usize,
    cols: usize,
    matrix: &[Complex<T>],
    (k, l): (usize, usize),
    direction: Direction,
) -> Complex<f64> {
    assert_eq!(matrix.len(), rows * cols, "the points of a matrix of {rows} x {cols}");
    assert!(k < rows && l < cols, "bin {k}, {l} of a transform of {rows} x {cols} points");
    let (along_row, along_column) = (Factors::new(cols, direction), Factors::new(rows, direction));
    let sums: Vec<_> =
        matrix.chunks_exact(cols).map(|row| bin(row, l, |exponent| along_row.at(exponent))).collect();
    bin(&sums, k, |exponent| along_column.at(exponent))
}

/// Checks a transform of `rows` x `cols` points: `output` is to be the transform of `input`, the inverse
/// divided by the number of points.
///
/// `seed` chooses the outputs that are summed by the definition; `plan` plans the fast transform that all
/// outputs are compared with, as a kernel of rows of `cols` points and one of `rows`, one after the other.
/// Costs an FFT in double precision, eight sums over the input and `16 n` bytes.
///
/// # Panics
///
/// If there are not `rows * cols` points in both.
pub fn verify_2d<T: Real, K: RowKernel<f64>>(
    rows: usize,
    cols: usize,
    input: &[Complex<T>],
    output: &[Complex<T>],
    direction: Direction,
    seed: u64,
    plan: impl Fn(usize) -> K,
) -> Verified {
    let points = rows * cols;
    assert_eq!((input.len(), output.len()), (points, points), "a transform of {rows} x {cols} points");
    let fast = |matrix: &mut [Complex<f64>]| {
        let kernel = plan(cols);
        kernel.transform(direction, matrix, &mut kernel.scratch());
        along_columns(&plan(rows), matrix, cols, direction);
    };
    let exact = |at: usize| dft_2d_bin(rows, cols, input, (at / cols, at % cols), direction);
    by_two_witnesses(input, output, direction, seed, fast, exact)
}

/// Transforms the columns of a matrix of rows of `cols` points, by a kernel of their length.
fn along_columns(
    kernel: &dyn RowKernel<f64>,
    matrix: &mut [Complex<f64>],
    cols: usize,
    direction: Direction,
) {
    let (rows, mut scratch) = (kernel.len(), kernel.scratch());
    let mut columns = vec![Complex::new(0.0, 0.0); rows * TOGETHER.min(cols)];
    for first in (0..cols).step_by(TOGETHER) {
        let count = TOGETHER.min(cols - first);
        let columns = &mut columns[..count * rows];
        for row in 0..rows {
            for col in 0..count {
                columns[col * rows + row] = matrix[row * cols + first + col];
            }
        }
        kernel.transform(direction, columns, &mut scratch);
        for row in 0..rows {
            for col in 0..count {
                matrix[row * cols + first + col] = columns[col * rows + row];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dft::dft;
    use crate::error::{bound, relative_error, widen};
    use crate::naive::Naive;
    use crate::noise::noise;
    use crate::twiddle::twiddle;

    const SIZES: [(usize, usize); 9] =
        [(1, 1), (1, 7), (7, 1), (2, 3), (4, 4), (5, 8), (12, 9), (3, 40), (40, 3)];

    /// The double sum as it is written; the inverse is divided by the number of points.
    fn double_sum<T: Real>(
        rows: usize,
        cols: usize,
        matrix: &[Complex<T>],
        direction: Direction,
    ) -> Vec<Complex<f64>> {
        let (turned, unit) = match direction {
            Direction::Forward => (false, 1.0),
            Direction::Inverse => (true, 1.0 / matrix.len() as f64),
        };
        let factor = |product: usize, n: usize| {
            let factor = twiddle::<f64>(product % n, n);
            if turned { factor.conj() } else { factor }
        };
        let term = |at: usize, k: usize, l: usize| {
            let (row, col) = (at / cols, at % cols);
            widen(matrix[at]) * factor(row * k, rows) * factor(col * l, cols)
        };
        let bin =
            |k: usize, l: usize| (0..matrix.len()).map(|at| term(at, k, l)).sum::<Complex<f64>>() * unit;
        (0..matrix.len()).map(|at| bin(at / cols, at % cols)).collect()
    }

    #[test]
    fn a_bin_is_that_of_the_double_sum() {
        for (rows, cols) in SIZES {
            let n = rows * cols;
            let matrix = noise::<f64>(n);
            for direction in [Direction::Forward, Direction::Inverse] {
                let unit = if direction == Direction::Forward { 1.0 } else { 1.0 / n as f64 };
                let bins: Vec<_> = (0..n)
                    .map(|at| dft_2d_bin(rows, cols, &matrix, (at / cols, at % cols), direction) * unit)
                    .collect();
                let error = relative_error(&bins, &double_sum(rows, cols, &matrix, direction));
                assert!(error <= bound::<f64>(n), "{rows} x {cols}, {direction:?}: {error}");
            }
        }
    }

    #[test]
    fn a_plane_wave_is_one_line() {
        let (rows, cols) = (6, 10);
        let (k, l) = (5, 3);
        let wave: Vec<Complex<f64>> = (0..rows * cols)
            .map(|at| {
                (twiddle::<f64>(at / cols * k % rows, rows) * twiddle(at % cols * l % cols, cols)).conj()
            })
            .collect();
        let mut expected = vec![Complex::new(0.0, 0.0); rows * cols];
        expected[k * cols + l] = Complex::new(60.0, 0.0);
        assert!(verify_2d(rows, cols, &wave, &expected, Direction::Forward, 5, Naive::new).holds());
        expected.swap(k * cols + l, k * cols + l - 1);
        assert!(!verify_2d(rows, cols, &wave, &expected, Direction::Forward, 5, Naive::new).holds());
    }

    fn right_results_hold_and_wrong_ones_do_not<T: Real>(rows: usize, cols: usize) {
        let n = rows * cols;
        let input = noise::<T>(n);
        for direction in [Direction::Forward, Direction::Inverse] {
            let expected = double_sum(rows, cols, &input, direction);
            let output: Vec<_> = expected.iter().map(|x| Complex::new(T::of(x.re), T::of(x.im))).collect();
            let right = verify_2d(rows, cols, &input, &output, direction, 1, Naive::new);
            assert!(right.holds(), "{rows} x {cols}, {direction:?}: {right:?}");

            let off: Vec<_> = output.iter().map(|x| x.scale(T::of(1.0 + 3.0 * right.bound))).collect();
            let wrong = verify_2d(rows, cols, &input, &off, direction, 1, Naive::new);
            assert!(wrong.whole > wrong.bound && wrong.bins > wrong.bound, "{rows} x {cols}: {wrong:?}");

            let mut one_off = output.clone();
            one_off[n / 2] = -one_off[n / 2];
            assert!(!verify_2d(rows, cols, &input, &one_off, direction, 1, Naive::new).holds());

            let mut lost = output;
            lost[n - 1].im = T::of(f64::NAN);
            assert!(verify_2d(rows, cols, &input, &lost, direction, 1, Naive::new).relative_error().is_nan());
        }
    }

    #[test]
    fn verifying_tells_right_from_wrong() {
        for (rows, cols) in SIZES.into_iter().chain([(33, 20), (20, 33)]) {
            right_results_hold_and_wrong_ones_do_not::<f64>(rows, cols);
            right_results_hold_and_wrong_ones_do_not::<f32>(rows, cols);
        }
    }

    /// Wrong transforms that a program might compute: one dimension only, one direction only, or the axes exchanged.
    #[test]
    fn other_transforms_are_seen_by_both_witnesses() {
        let (rows, cols) = (24, 10);
        let input = noise::<f64>(rows * cols);
        let spectrum = double_sum(rows, cols, &input, Direction::Forward);
        let transposed: Vec<_> = (0..rows * cols).map(|at| spectrum[at % rows * cols + at / rows]).collect();
        let along_rows: Vec<_> = input.chunks(cols).flat_map(dft).collect();
        let inverse = double_sum(rows, cols, &input, Direction::Inverse);
        for wrong in [dft(&input), along_rows, transposed, inverse] {
            let verified = verify_2d(rows, cols, &input, &wrong, Direction::Forward, 3, Naive::new);
            assert!(verified.whole > 0.1 && verified.bins > 0.1, "{verified:?}");
        }
    }

    #[test]
    #[should_panic(expected = "a transform of 3 x 4 points")]
    fn a_part_of_a_row_is_refused() {
        let input = noise::<f64>(10);
        let _ = verify_2d(3, 4, &input, &input, Direction::Forward, 0, Naive::new);
    }
}
