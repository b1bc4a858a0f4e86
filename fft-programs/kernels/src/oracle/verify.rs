//! Check of transforms of any lengths.
//!
//! Up to a few thousand points, compare a result with the definition ([`dft`](crate::dft())). For more
//! points, [`verify`] has two independent checks, each `O(n log n)` or less:
//!
//! * A [`RowKernel`] in double precision checks every output, but is itself a fast transform. It misses an
//!   error that both fast transforms share.
//! * The definition ([`dft_bin`]) checks a few random outputs, and shares no sums with any fast transform. It
//!   misses an error of few outputs.

use num_complex::Complex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

use crate::kind::row::{RowKernel, scale};
use crate::oracle::dft::{Sum, dft_bin, widen};
use crate::oracle::error::{bound, ratio, relative_error};
use crate::real::Real;
use crate::unity::twiddle::Direction;

/// Number of outputs that are summed by the definition.
const BINS: usize = 8;

/// Number of columns that are gathered together, so that each cache line that is read serves all of them.
const TOGETHER: usize = 16;

/// Result of [`verify`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verified {
    /// Relative L2 error of all outputs, compared with a fast transform in double precision.
    pub whole: f64,
    /// Relative error of some random outputs, compared with the definition.
    pub bins: f64,
    /// Largest allowed value of either error.
    pub bound: f64,
}

impl Verified {
    /// Returns the larger of the two relative errors, or NaN if either is NaN.
    pub fn relative_error(&self) -> f64 {
        // `f64::max` would prefer a number to a NaN.
        if self.whole >= self.bins || self.whole.is_nan() { self.whole } else { self.bins }
    }

    /// Returns whether both errors are within the bound.
    pub fn holds(&self) -> bool {
        self.whole <= self.bound && self.bins <= self.bound
    }
}

/// Checks that `output` is the transform of `input`, with the inverse divided by the number of points `n`.
///
/// `lengths` begins with the outermost dimension; input and output are in row-major order. `seed` chooses the
/// outputs that are summed by the definition. `plan` plans the fast transform for comparison: it returns a
/// row kernel for each length in turn.
///
/// *Cost.* One FFT in double precision, eight sums over the input, and `32 n` bytes: a few times the time of
/// the transform itself.
///
/// # Panics
///
/// If `input` or `output` does not have as many points as the product of `lengths`, or if `lengths` is empty.
pub fn verify<T: Real, K: RowKernel<f64>>(
    lengths: &[usize],
    input: &[Complex<T>],
    output: &[Complex<T>],
    direction: Direction,
    seed: u64,
    plan: impl Fn(usize) -> K,
) -> Verified {
    let n = lengths.iter().product();
    assert_eq!((input.len(), output.len()), (n, n), "a transform of {lengths:?} points");
    if n == 0 {
        return Verified { whole: 0.0, bins: 0.0, bound: bound::<T>(n) };
    }
    let unit = if direction == Direction::Forward { 1.0 } else { 1.0 / n as f64 };
    let mut expected: Vec<_> = input.iter().copied().map(widen).collect();
    let mut inner = n;
    for &length in lengths {
        let outer = inner;
        inner /= length;
        let kernel = plan(length);
        for matrix in expected.chunks_exact_mut(outer) {
            along_columns(&kernel, matrix, inner, direction);
        }
    }
    scale(&mut expected, unit);
    let whole = relative_error(output, &expected);
    drop(expected);
    let exact = |at: usize| dft_bin(lengths, input, at, direction);
    let bins = bins_error(input, output, unit, seed, exact);
    Verified { whole, bins, bound: bound::<T>(n) }
}

/// Returns the relative error of some outputs, chosen by `seed`, compared with the definition. `exact` sums
/// one output, and `unit` is the scale of the transform.
fn bins_error<T: Real>(
    input: &[Complex<T>],
    output: &[Complex<T>],
    unit: f64,
    seed: u64,
    exact: impl Fn(usize) -> Complex<f64>,
) -> f64 {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let (mut difference, mut size) = (Sum::default(), Sum::default());
    for _ in 0..BINS {
        let k = random.random_range(0..output.len());
        let exact = exact(k) * unit;
        difference.add((widen(output[k]) - exact).norm_sqr());
        size.add(exact.norm_sqr());
    }
    // A small output with large neighbors has an error of their size. Therefore the error is also related to
    // the mean square of all outputs, which the sum of the squared inputs gives (Parseval).
    let mut energy = Sum::default();
    for x in input {
        energy.add(widen(*x).norm_sqr());
    }
    let usual = BINS as f64 * energy.total() * unit * unit;
    ratio(difference.total(), size.total().max(usual))
}

/// Transforms the columns of a matrix with rows of `cols` points, by a kernel of the column length.
fn along_columns(
    kernel: &dyn RowKernel<f64>,
    matrix: &mut [Complex<f64>],
    cols: usize,
    direction: Direction,
) {
    let (rows, mut scratch) = (kernel.len(), kernel.scratch());
    if cols == 1 {
        return kernel.transform(direction, matrix, &mut scratch);
    }
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
    use crate::oracle::dft::dft;
    use crate::oracle::naive::Naive;
    use crate::oracle::noise::noise;
    use crate::unity::twiddle::twiddle;

    const LENGTHS: [&[usize]; 19] = [
        &[1],
        &[2],
        &[3],
        &[8],
        &[100],
        &[1, 1],
        &[1, 7],
        &[7, 1],
        &[2, 3],
        &[4, 4],
        &[12, 9],
        &[3, 40],
        &[40, 3],
        &[1, 1, 1],
        &[2, 3, 5],
        &[4, 1, 6],
        &[3, 8, 1],
        &[1, 5, 4],
        &[6, 20, 3],
    ];

    /// Sums over all points as in the definition; the inverse is divided by the number of points.
    fn whole_sum<T: Real>(
        lengths: &[usize],
        points: &[Complex<T>],
        direction: Direction,
    ) -> Vec<Complex<f64>> {
        let n = points.len();
        let (turned, unit) = match direction {
            Direction::Forward => (false, 1.0),
            Direction::Inverse => (true, 1.0 / n as f64),
        };
        let index = |mut at: usize| -> Vec<usize> {
            let mut index: Vec<_> = lengths
                .iter()
                .rev()
                .map(|&length| {
                    let along = at % length;
                    at /= length;
                    along
                })
                .collect();
            index.reverse();
            index
        };
        let factor = |j: &[usize], k: &[usize]| {
            let each = lengths.iter().zip(j).zip(k);
            let factor: Complex<f64> = each.map(|((&n, j), k)| twiddle::<f64>(j * k % n, n)).product();
            if turned { factor.conj() } else { factor }
        };
        let indices: Vec<_> = (0..n).map(index).collect();
        let bin = |k: &[usize]| {
            points.iter().zip(&indices).map(|(&x, j)| widen(x) * factor(j, k)).sum::<Complex<f64>>() * unit
        };
        indices.iter().map(|k| bin(k)).collect()
    }

    #[test]
    fn a_bin_is_that_of_the_whole_sum() {
        for lengths in LENGTHS {
            let n = lengths.iter().product();
            let points = noise::<f64>(n);
            for direction in [Direction::Forward, Direction::Inverse] {
                let unit = if direction == Direction::Forward { 1.0 } else { 1.0 / n as f64 };
                let bins: Vec<_> = (0..n).map(|at| dft_bin(lengths, &points, at, direction) * unit).collect();
                let error = relative_error(&bins, &whole_sum(lengths, &points, direction));
                assert!(error <= bound::<f64>(n), "{lengths:?}, {direction:?}: {error}");
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
        assert!(verify(&[rows, cols], &wave, &expected, Direction::Forward, 5, Naive).holds());
        expected.swap(k * cols + l, k * cols + l - 1);
        assert!(!verify(&[rows, cols], &wave, &expected, Direction::Forward, 5, Naive).holds());
    }

    fn right_results_hold_and_wrong_ones_do_not<T: Real>(lengths: &[usize]) {
        let n = lengths.iter().product();
        let input = noise::<T>(n);
        for direction in [Direction::Forward, Direction::Inverse] {
            let expected = whole_sum(lengths, &input, direction);
            let output: Vec<_> = expected.iter().map(|x| Complex::new(T::of(x.re), T::of(x.im))).collect();
            let verify = |output: &[Complex<T>]| verify(lengths, &input, output, direction, 1, Naive);
            let right = verify(&output);
            assert!(right.holds(), "{lengths:?}, {direction:?}: {right:?}");
            if T::NAME == "f32" && n >= 8 {
                assert!(right.relative_error() > 0.0, "rounding is not nothing");
            }

            let off: Vec<_> = output.iter().map(|x| x.scale(T::of(1.0 + 3.0 * right.bound))).collect();
            let wrong = verify(&off);
            assert!(wrong.whole > wrong.bound && wrong.bins > wrong.bound, "{lengths:?}: {wrong:?}");
            assert!(!wrong.holds());

            let mut one_off = output.clone();
            one_off[n / 2] = -one_off[n / 2];
            assert!(!verify(&one_off).holds(), "one output of {lengths:?} is wrong");

            let mut lost = output;
            lost[n - 1].im = T::of(f64::NAN);
            let lost = verify(&lost);
            assert!(!lost.holds() && lost.relative_error().is_nan(), "{lost:?}");
        }
    }

    #[test]
    fn verification_separates_right_from_wrong() {
        for lengths in LENGTHS.into_iter().chain([&[1024][..], &[33, 20], &[20, 33]]) {
            right_results_hold_and_wrong_ones_do_not::<f64>(lengths);
            right_results_hold_and_wrong_ones_do_not::<f32>(lengths);
        }
    }

    /// Wrong transforms that a program might compute: one dimension only, the inverse direction, or exchanged
    /// axes.
    #[test]
    fn other_transforms_are_seen_by_both_witnesses() {
        let (rows, cols) = (24, 10);
        let input = noise::<f64>(rows * cols);
        let spectrum = whole_sum(&[rows, cols], &input, Direction::Forward);
        let transposed: Vec<_> = (0..rows * cols).map(|at| spectrum[at % rows * cols + at / rows]).collect();
        let along_rows: Vec<_> = input.chunks(cols).flat_map(dft).collect();
        let inverse = whole_sum(&[rows, cols], &input, Direction::Inverse);
        let by_planes = whole_sum(&[4, 6, cols], &input, Direction::Forward);
        for wrong in [dft(&input), along_rows, transposed, inverse, by_planes] {
            let verified = verify(&[rows, cols], &input, &wrong, Direction::Forward, 3, Naive);
            assert!(verified.whole > 0.1 && verified.bins > 0.1, "{verified:?}");
        }
    }

    /// A spectrum with one large line has errors of the line's size in its empty bins.
    #[test]
    fn empty_bins_are_not_held_to_their_own_size() {
        let n = 1 << 12;
        let input = vec![Complex::new(1.0f64, 0.0); n];
        let mut output = vec![Complex::new(1e-13, 0.0); n];
        output[0] = Complex::new(n as f64, 0.0);
        let verified = verify(&[n], &input, &output, Direction::Forward, 3, Naive);
        assert!(verified.holds(), "{verified:?}");
    }

    #[test]
    fn no_result_is_right() {
        assert!(verify::<f64, _>(&[3, 0], &[], &[], Direction::Forward, 0, Naive).holds());
    }

    #[test]
    #[should_panic(expected = "a transform of [3, 4] points")]
    fn a_part_of_a_row_is_refused() {
        let input = noise::<f64>(10);
        let _ = verify(&[3, 4], &input, &input, Direction::Forward, 0, Naive);
    }
}
