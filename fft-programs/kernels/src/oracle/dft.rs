//! Discrete Fourier transform by its definition: the reference for all other transforms.
//!
//! It shares only the roots of unity with the fast transforms. Their test compares them with a power series
//! in twice the precision. Each output is a sum of `n` products. The exponent `j k` is reduced modulo `n` as
//! it grows, so every product has the most accurate factor. The sum carries its rounding errors along
//! (Neumaier's compensated summation). The remaining error is about one rounding of each product. For a
//! random signal this gives a relative L2 error of about 1e-16 at any length.
//!
//! *Cost.* A whole transform takes `n^2` products in double precision and a table of `n` factors. A single
//! output ([`dft_bin`]) takes `n` products and two tables of `4096` and `n/4096` factors.

use num_complex::Complex;

use crate::real::Real;
use crate::unity::twiddle::{Direction, twiddle};

/// Size of the table of small exponents in [`dft_bin`]. A table of all exponents would be read at random, and
/// past the caches a random read takes longer than a sine.
const LOW_EXPONENTS: usize = 4096;

/// Returns the spectrum `X[k] = sum over j of x[j] exp(-2 pi i j k / n)`, in double precision.
pub fn dft<T: Real>(signal: &[Complex<T>]) -> Vec<Complex<f64>> {
    transform(signal, Direction::Forward)
}

/// Returns the signal `x[j] = 1/n sum over k of X[k] exp(+2 pi i j k / n)`, in double precision.
pub fn inverse_dft<T: Real>(spectrum: &[Complex<T>]) -> Vec<Complex<f64>> {
    let n = spectrum.len() as f64;
    transform(spectrum, Direction::Inverse).into_iter().map(|x| x / n).collect()
}

/// Returns the transform in several dimensions of points in row-major order; `lengths` begins with the
/// outermost dimension.
///
/// Forward is as in [`dft`](crate::dft()), inverse as in [`inverse_dft`]. The sum is taken along one
/// dimension after the other, beginning with the last.
///
/// # Panics
///
/// If `input` does not have as many points as the product of `lengths`.
pub fn dft_nd<T: Real>(lengths: &[usize], input: &[Complex<T>], direction: Direction) -> Vec<Complex<f64>> {
    let n = lengths.iter().product::<usize>();
    assert_eq!(input.len(), n, "the points of a transform of {lengths:?}");
    let mut points: Vec<_> = input.iter().copied().map(widen).collect();
    let mut stride = 1;
    for &length in lengths.iter().rev() {
        for first in (0..n).filter(|at| at / stride % length == 0) {
            let line = (first..).step_by(stride).take(length);
            let given: Vec<_> = line.clone().map(|at| points[at]).collect();
            let sums = if direction == Direction::Forward { dft(&given) } else { inverse_dft(&given) };
            line.zip(sums).for_each(|(at, sum)| points[at] = sum);
        }
        stride *= length;
    }
    points
}

/// Returns output `at`, unscaled in both directions, of a transform in several dimensions.
///
/// `lengths` begins with the outermost dimension. The points are in row-major order, and `at` is an index in
/// this order. The factor of a point is a product with one root for each dimension. Therefore the function
/// first sums along the last dimension, for each row, then over these sums, and so on. This is the definition
/// with its terms grouped, not a fast transform: no sum is shared by two outputs. For more than 4096 points a
/// factor is the product of two table entries and may have one more rounding error.
///
/// # Panics
///
/// If `input` does not have as many points as the product of `lengths`, if `at` is out of range, or if
/// `lengths` is empty.
pub fn dft_bin<T: Real>(
    lengths: &[usize],
    input: &[Complex<T>],
    at: usize,
    direction: Direction,
) -> Complex<f64> {
    let n = lengths.iter().product();
    assert_eq!(input.len(), n, "the points of a transform of {lengths:?}");
    assert!(at < n, "bin {at} of a transform of {n} points");
    let Some((&last, outer)) = lengths.split_last() else { panic!("a transform of no dimension") };
    let mut sums = sums(input, last, at % last, direction);
    let mut at = at / last;
    for &length in outer.iter().rev() {
        sums = self::sums(&sums, length, at % length, direction);
        at /= length;
    }
    sums[0]
}

/// Returns output `k` of each row of `length` points.
fn sums<T: Real>(input: &[Complex<T>], length: usize, k: usize, direction: Direction) -> Vec<Complex<f64>> {
    let factors = Factors::new(length, direction);
    input.chunks_exact(length).map(|row| bin(row, k, |exponent| factors.at(exponent))).collect()
}

/// Factors of all exponents of order `n`, as products from two small tables.
struct Factors {
    low_factors: Vec<Complex<f64>>,
    high_factors: Vec<Complex<f64>>,
}

impl Factors {
    fn new(n: usize, direction: Direction) -> Self {
        let low_factors =
            (0..n.min(LOW_EXPONENTS)).map(|exponent| directed(exponent, n, direction)).collect();
        let high_factors =
            (0..n).step_by(LOW_EXPONENTS).map(|exponent| directed(exponent, n, direction)).collect();
        Self { low_factors, high_factors }
    }

    fn at(&self, exponent: usize) -> Complex<f64> {
        self.high_factors[exponent / LOW_EXPONENTS] * self.low_factors[exponent % LOW_EXPONENTS]
    }
}

fn transform<T: Real>(input: &[Complex<T>], direction: Direction) -> Vec<Complex<f64>> {
    widened(&input.iter().copied().map(widen).collect::<Vec<_>>(), direction)
}

/// Computes a whole transform in `f64`. The function is not generic, so that this crate compiles it, with
/// this crate's optimization level.
fn widened(input: &[Complex<f64>], direction: Direction) -> Vec<Complex<f64>> {
    let n = input.len();
    let factors: Vec<_> = (0..n).map(|k| directed(k, n, direction)).collect();
    (0..n).map(|k| bin(input, k, |exponent| factors[exponent])).collect()
}

fn directed(k: usize, n: usize, direction: Direction) -> Complex<f64> {
    match direction {
        Direction::Forward => twiddle(k, n),
        Direction::Inverse => twiddle::<f64>(k, n).conj(),
    }
}

/// `sum over j of input[j] * factor(j * k mod n)`.
fn bin<T: Real>(input: &[Complex<T>], k: usize, factor: impl Fn(usize) -> Complex<f64>) -> Complex<f64> {
    let n = input.len();
    let (mut re, mut im) = (Sum::default(), Sum::default());
    let mut exponent = 0;
    for x in input {
        let product = widen(*x) * factor(exponent);
        re.add(product.re);
        im.add(product.im);
        exponent += k;
        if exponent >= n {
            exponent -= n;
        }
    }
    Complex::new(re.total(), im.total())
}

/// Converts a point to double precision.
pub(crate) fn widen<T: Real>(x: Complex<T>) -> Complex<f64> {
    Complex::new(x.re.widen(), x.im.widen())
}

/// Compensated sum: `rest` accumulates the rounding errors of `rounded`.
#[derive(Default)]
pub(crate) struct Sum {
    rounded: f64,
    rest: f64,
}

impl Sum {
    pub(crate) fn add(&mut self, x: f64) {
        let sum = self.rounded + x;
        let (large, small) =
            if self.rounded.abs() >= x.abs() { (self.rounded, x) } else { (x, self.rounded) };
        self.rest += (large - sum) + small;
        self.rounded = sum;
    }

    pub(crate) fn total(&self) -> f64 {
        self.rounded + self.rest
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::Xoshiro256PlusPlus;
    use rand::{RngExt as _, SeedableRng as _};

    use super::*;
    use crate::oracle::error::relative_error;

    const LENGTHS: [usize; 12] = [1, 2, 3, 4, 5, 7, 8, 12, 16, 60, 97, 256];

    fn c(re: f64, im: f64) -> Complex<f64> {
        Complex::new(re, im)
    }

    fn noise(n: usize, seed: u64) -> Vec<Complex<f64>> {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        (0..n).map(|_| c(random.random_range(-1.0..1.0), random.random_range(-1.0..1.0))).collect()
    }

    fn close(found: &[Complex<f64>], expected: &[Complex<f64>]) {
        let error = relative_error(found, expected);
        assert!(error < 4e-16, "relative error {error} over {} points", expected.len());
    }

    /// Returns `exp(+2 pi i turns)`, computed by the standard library alone.
    fn at(turns: f64) -> Complex<f64> {
        Complex::cis(std::f64::consts::TAU * turns)
    }

    #[test]
    fn an_impulse_at_zero_is_flat() {
        for n in LENGTHS {
            let mut signal = vec![c(0.0, 0.0); n];
            signal[0] = c(2.5, -1.0);
            assert_eq!(dft(&signal), vec![c(2.5, -1.0); n]);
        }
    }

    #[test]
    fn a_constant_is_an_impulse_at_zero() {
        for n in LENGTHS {
            let mut expected = vec![c(0.0, 0.0); n];
            expected[0] = c(3.0 * n as f64, 0.0);
            let spectrum = dft(&vec![c(3.0, 0.0); n]);
            close(&spectrum, &expected);
            assert_eq!(spectrum[0], expected[0]);
        }
    }

    #[test]
    fn a_complex_exponential_is_one_line() {
        for n in LENGTHS {
            for line in 0..n {
                let signal: Vec<_> = (0..n).map(|j| at((j * line % n) as f64 / n as f64)).collect();
                let mut expected = vec![c(0.0, 0.0); n];
                expected[line] = c(n as f64, 0.0);
                close(&dft(&signal), &expected);
            }
        }
    }

    #[test]
    fn a_cosine_is_a_pair_of_lines_and_a_sine_an_odd_pair() {
        for (n, line) in [(8, 1), (12, 5), (97, 20), (256, 100)] {
            let turns = |j: usize| at((j * line % n) as f64 / n as f64);
            let (mut even, mut odd) = (vec![c(0.0, 0.0); n], vec![c(0.0, 0.0); n]);
            even[line] = c(n as f64 / 2.0, 0.0);
            even[n - line] = c(n as f64 / 2.0, 0.0);
            odd[line] = c(0.0, -(n as f64) / 2.0);
            odd[n - line] = c(0.0, n as f64 / 2.0);
            close(&dft(&(0..n).map(|j| c(turns(j).re, 0.0)).collect::<Vec<_>>()), &even);
            close(&dft(&(0..n).map(|j| c(turns(j).im, 0.0)).collect::<Vec<_>>()), &odd);
        }
    }

    /// The expected values were computed by hand from the definition.
    #[test]
    fn small_transforms_are_those_on_paper() {
        assert_eq!(dft::<f64>(&[]), []);
        assert_eq!(dft(&[c(5.0, 7.0)]), [c(5.0, 7.0)]);
        assert_eq!(dft(&[c(1.0, 2.0), c(3.0, -1.0)]), [c(4.0, 1.0), c(-2.0, 3.0)]);
        // 1 + 2w + 3w^2 with w = (-1 - i sqrt 3)/2, and its conjugate.
        let root = 3f64.sqrt() / 2.0;
        close(&dft(&[c(1.0, 0.0), c(2.0, 0.0), c(3.0, 0.0)]), &[c(6.0, 0.0), c(-1.5, root), c(-1.5, -root)]);
        // The factors are 1, -i, -1, i: exact.
        let four = dft(&[c(1.0, 0.0), c(2.0, -1.0), c(0.0, -1.0), c(-1.0, 2.0)]);
        assert_eq!(four, [c(2.0, 0.0), c(-2.0, -2.0), c(0.0, -2.0), c(4.0, 4.0)]);
        // An impulse at index 1 gives the eighth roots of unity, clockwise.
        let mut signal = [c(0.0, 0.0); 8];
        signal[1] = c(1.0, 0.0);
        let h = std::f64::consts::FRAC_1_SQRT_2;
        let circle = [(1.0, 0.0), (h, -h), (0.0, -1.0), (-h, -h), (-1.0, 0.0), (-h, h), (0.0, 1.0), (h, h)];
        assert_eq!(dft(&signal), circle.map(|(re, im)| c(re, im)));
        assert_eq!(dft(&signal.map(|x| Complex::new(x.re as f32, x.im as f32)))[2], c(0.0, -1.0));
    }

    #[test]
    fn it_is_linear() {
        for n in LENGTHS {
            let (x, y, a, b) = (noise(n, 1), noise(n, 2), c(1.5, -0.25), c(-0.75, 2.0));
            let mixed: Vec<_> = x.iter().zip(&y).map(|(x, y)| a * x + b * y).collect();
            let expected: Vec<_> = dft(&x).iter().zip(&dft(&y)).map(|(x, y)| a * x + b * y).collect();
            close(&dft(&mixed), &expected);
        }
    }

    #[test]
    fn a_shift_in_time_is_a_turn_in_frequency() {
        for n in LENGTHS {
            let (x, shift) = (noise(n, 3), n / 3 + 1);
            let shifted: Vec<_> = (0..n).map(|j| x[(j + shift) % n]).collect();
            let turned: Vec<_> =
                dft(&x).iter().enumerate().map(|(k, x)| x * at((k * shift % n) as f64 / n as f64)).collect();
            close(&dft(&shifted), &turned);
        }
    }

    #[test]
    fn energy_is_kept() {
        for n in LENGTHS {
            let x = noise(n, 4);
            let energy = |x: &[Complex<f64>]| x.iter().map(Complex::norm_sqr).sum::<f64>();
            let ratio = energy(&dft(&x)) / (n as f64 * energy(&x));
            assert!((ratio - 1.0).abs() < 4e-15, "n = {n}: {ratio}");
        }
    }

    #[test]
    fn the_inverse_undoes_it_and_is_no_forward_transform() {
        for n in LENGTHS {
            let x = noise(n, 5);
            close(&inverse_dft(&dft(&x)), &x);
            close(&dft(&inverse_dft(&x)), &x);
            if n > 2 {
                assert!(relative_error(&dft(&dft(&x)), &x) > 0.1);
            }
        }
    }

    #[test]
    fn a_bin_is_that_of_the_whole() {
        let x = noise(60, 6);
        let (forward, inverse) = (dft(&x), inverse_dft(&x));
        for k in 0..60 {
            assert_eq!(dft_bin(&[60], &x, k, Direction::Forward), forward[k]);
            assert_eq!(dft_bin(&[60], &x, k, Direction::Inverse) / 60.0, inverse[k]);
        }
    }

    /// `dft_nd` sums along the dimensions in the opposite order to `dft_bin`.
    #[test]
    fn dimensions_are_distinguished() {
        let shapes: [&[usize]; 9] =
            [&[1, 1], &[1, 7], &[7, 1], &[2, 3], &[3, 2], &[7, 9], &[2, 3, 5], &[4, 1, 6], &[0, 3]];
        for lengths in shapes {
            let n = lengths.iter().product::<usize>();
            let x = noise(n, 7);
            let bins = |direction, unit| -> Vec<_> {
                (0..n).map(|at| dft_bin(lengths, &x, at, direction) / unit).collect()
            };
            close(&dft_nd(lengths, &x, Direction::Forward), &bins(Direction::Forward, 1.0));
            close(&dft_nd(lengths, &x, Direction::Inverse), &bins(Direction::Inverse, n as f64));
        }
        // Worked by hand: the sum of all, the difference of the columns, the difference of the rows, and the
        // mixed difference.
        let real = |x: [f64; 4]| x.map(|x| c(x, 0.0));
        let found = dft_nd(&[2, 2], &real([1.0, 2.0, 3.0, 5.0]), Direction::Forward);
        assert_eq!(found, real([11.0, -3.0, -5.0, 1.0]));
    }

    #[test]
    fn a_bin_of_many_points_is_exact_too() {
        for (n, line) in [(1 << 16, 12_345), (100_003, 99_999)] {
            let signal: Vec<_> = (0..n).map(|j| at((j * line % n) as f64 / n as f64)).collect();
            let peak = dft_bin(&[n], &signal, line, Direction::Forward) / n as f64;
            assert!((peak - 1.0).norm() < 1e-15, "{peak}");
            assert!((dft_bin(&[n], &signal, n - line, Direction::Inverse) / n as f64 - peak).norm() < 1e-15);
            assert!(dft_bin(&[n], &signal, line + 1, Direction::Forward).norm() / (n as f64) < 1e-15);
        }
    }

    #[test]
    fn the_sum_keeps_what_rounding_takes() {
        let mut sum = Sum::default();
        for x in [1.0, 1e100, 1.0, -1e100] {
            sum.add(x);
        }
        assert_eq!(sum.total().to_bits(), 2f64.to_bits());
    }
}
