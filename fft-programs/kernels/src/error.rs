//! Is it right? Relative errors, their bounds, and a check for any length.
//!
//! The error of a transform is relative in the L2 norm: the length of the difference over the length of what
//! was expected. It is held against [`bound`], which grows with the logarithm of the length as rounding
//! errors of a fast transform do.
//!
//! Up to a few thousand points the definition ([`dft`](crate::dft())) is the thing to compare with. For
//! more, [`verify`] has two independent witnesses, each `O(n log n)` or less: a [`RowKernel`] in double
//! precision sees every output but is itself a fast transform; a handful of outputs at random, summed by the
//! definition, share nothing with any fast transform. An error of a few outputs escapes the second, an
//! error that both fast transforms have in common escapes the first. [`verify_2d`](crate::verify_2d()) is
//! the same in two dimensions.

use num_complex::Complex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

use crate::dft::{Sum, dft_bin};
use crate::real::Real;
use crate::row_kernel::{RowKernel, scale};
use crate::twiddle::Direction;

/// The number of outputs that are summed by the definition.
const BINS: usize = 8;

/// The largest relative L2 error that a transform of `n` points may have:
/// [`Real::ERROR_PER_LEVEL`] times `max(1, log2 n)`.
pub fn bound<T: Real>(n: usize) -> f64 {
    T::ERROR_PER_LEVEL * (n as f64).log2().max(1.0)
}

/// The relative L2 error of `found`: `|found - expected| / |expected|`.
///
/// Zero for two zeros, infinite for something where nothing was expected, NaN if anything is NaN: compare it
/// as `error <= bound`, which a NaN fails.
///
/// # Panics
///
/// If the lengths differ.
pub fn relative_error<T: Real>(found: &[Complex<T>], expected: &[Complex<f64>]) -> f64 {
    assert_eq!(found.len(), expected.len(), "an error between results of different lengths");
    let (mut difference, mut size) = (Sum::default(), Sum::default());
    for (found, expected) in found.iter().zip(expected) {
        difference.add((widen(*found) - expected).norm_sqr());
        size.add(expected.norm_sqr());
    }
    ratio(difference.total(), size.total())
}

/// The square root of `difference / size`, both squares of lengths.
fn ratio(difference: f64, size: f64) -> f64 {
    if difference == 0.0 && size == 0.0 { 0.0 } else { (difference / size).sqrt() }
}

/// A point in double precision.
pub(crate) fn widen<T: Real>(x: Complex<T>) -> Complex<f64> {
    Complex::new(x.re.widen(), x.im.widen())
}

/// The result of [`verify`] or [`verify_2d`](crate::verify_2d()).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verified {
    /// The relative L2 error of all outputs, against a fast transform in double precision.
    pub whole: f64,
    /// The relative error of some outputs taken at random, against the definition.
    pub bins: f64,
    /// The largest value that either may have.
    pub bound: f64,
}

impl Verified {
    /// The relative error: the larger of the two.
    pub fn relative_error(&self) -> f64 {
        // `f64::max` would prefer a number to a NaN.
        if self.whole >= self.bins || self.whole.is_nan() { self.whole } else { self.bins }
    }

    /// Whether both errors are within the bound.
    pub fn holds(&self) -> bool {
        self.whole <= self.bound && self.bins <= self.bound
    }
}

/// Checks a transform of any length: `output` is to be the transform of `input`, the inverse divided by `n`.
///
/// `seed` chooses the outputs that are summed by the definition; `plan` plans the fast transform that all
/// outputs are compared with, as a kernel of rows of `n` points. Costs an FFT in double precision, eight sums
/// over the input and `32 n` bytes; a few times what the transform took.
///
/// # Panics
///
/// If the lengths differ.
pub fn verify<T: Real, K: RowKernel<f64>>(
    input: &[Complex<T>],
    output: &[Complex<T>],
    direction: Direction,
    seed: u64,
    plan: impl FnOnce(usize) -> K,
) -> Verified {
    assert_eq!(input.len(), output.len(), "a transform from one length to another");
    let fast = |points: &mut [Complex<f64>]| {
        let kernel = plan(points.len());
        kernel.transform(direction, points, &mut kernel.scratch());
    };
    by_two_witnesses(input, output, direction, seed, fast, |k| dft_bin(input, k, direction))
}

/// Compares `output`, of as many points as `input`, with both witnesses: `fast` transforms points in place,
/// `exact` sums one output by the definition, and neither scales.
pub(crate) fn by_two_witnesses<T: Real>(
    input: &[Complex<T>],
    output: &[Complex<T>],
    direction: Direction,
    seed: u64,
    fast: impl FnOnce(&mut [Complex<f64>]),
    exact: impl Fn(usize) -> Complex<f64>,
) -> Verified {
    let n = input.len();
    if n == 0 {
        return Verified { whole: 0.0, bins: 0.0, bound: bound::<T>(n) };
    }
    let unit = if direction == Direction::Forward { 1.0 } else { 1.0 / n as f64 };
    let mut expected: Vec<_> = input.iter().copied().map(widen).collect();
    fast(&mut expected);
    scale(&mut expected, unit);
    let whole = relative_error(output, &expected);
    drop(expected);
    let bins = bins_error(input, output, unit, seed, exact);
    Verified { whole, bins, bound: bound::<T>(n) }
}

/// The relative error of some outputs, which `seed` chooses, against the definition: `exact` sums one of them,
/// and `unit` is the factor that the transform scales by.
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
    // An output may be small where its neighbours are large, and then has an error of their size: it is
    // related to the outputs' mean square too, which the sum of the inputs' squares gives (Parseval).
    let mut energy = Sum::default();
    for x in input {
        energy.add(widen(*x).norm_sqr());
    }
    let usual = BINS as f64 * energy.total() * unit * unit;
    ratio(difference.total(), size.total().max(usual))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dft::{dft, inverse_dft};
    use crate::naive::Naive;
    use crate::noise::noise;

    fn narrow<T: Real>(x: &[Complex<f64>]) -> Vec<Complex<T>> {
        x.iter().map(|x| Complex::new(T::of(x.re), T::of(x.im))).collect()
    }

    #[test]
    fn the_bounds_are_those_of_the_design() {
        let close = |a: f64, b: f64| (a - b).abs() < 1e-12 * b;
        assert!(close(bound::<f64>(1024), 1e-14));
        assert!(close(bound::<f32>(1 << 20), 1.2e-5));
        assert!(
            close(bound::<f64>(1), 1e-15) && close(bound::<f64>(2), 1e-15) && close(bound::<f64>(0), 1e-15)
        );
    }

    #[test]
    fn the_error_is_relative() {
        let c = Complex::<f64>::new;
        let expected = [c(3.0, 0.0), c(0.0, 4.0)];
        assert_eq!(relative_error(&expected, &expected).to_bits(), 0f64.to_bits());
        assert!((relative_error(&[c(3.0, 0.5), c(0.0, 4.0)], &expected) - 0.1).abs() < 1e-15);
        let huge = expected.map(|x| x * 1e12);
        assert!((relative_error(&huge.map(|x| x * 1.25), &huge) - 0.25).abs() < 1e-12);
        let nothing = [c(0.0, 0.0); 2];
        assert_eq!(relative_error(&nothing, &nothing).to_bits(), 0f64.to_bits());
        assert!(relative_error(&expected, &nothing).is_infinite());
        assert!(relative_error(&[c(f64::NAN, 0.0), c(0.0, 4.0)], &expected).is_nan());
    }

    fn right_results_hold_and_wrong_ones_do_not<T: Real>(n: usize) {
        let input = noise::<T>(n);
        for direction in [Direction::Forward, Direction::Inverse] {
            let expected = if direction == Direction::Forward { dft(&input) } else { inverse_dft(&input) };
            let output = narrow::<T>(&expected);
            let right = verify(&input, &output, direction, 1, Naive::new);
            assert!(right.holds(), "{n}, {direction:?}: {right:?}");
            if T::NAME == "f32" && n >= 8 {
                assert!(right.relative_error() > 0.0, "rounding is not nothing");
            }

            let off: Vec<_> = output.iter().map(|x| x.scale(T::of(1.0 + 3.0 * right.bound))).collect();
            let wrong = verify(&input, &off, direction, 1, Naive::new);
            assert!(wrong.whole > wrong.bound && wrong.bins > wrong.bound, "{n}, {direction:?}: {wrong:?}");
            assert!(!wrong.holds());

            let mut one_off = output.clone();
            one_off[n / 2] = -one_off[n / 2];
            assert!(
                !verify(&input, &one_off, direction, 1, Naive::new).holds(),
                "one output of {n} is wrong"
            );

            let mut lost = output;
            lost[n - 1].re = T::of(f64::NAN);
            let lost = verify(&input, &lost, direction, 1, Naive::new);
            assert!(!lost.holds() && lost.relative_error().is_nan(), "{lost:?}");
        }
    }

    #[test]
    fn verifying_tells_right_from_wrong() {
        for n in [1, 2, 3, 8, 100, 1024] {
            right_results_hold_and_wrong_ones_do_not::<f64>(n);
            right_results_hold_and_wrong_ones_do_not::<f32>(n);
        }
    }

    /// The wrong direction agrees with the right one in some outputs only.
    #[test]
    fn the_wrong_direction_is_seen_by_both_witnesses() {
        let input = noise::<f64>(512);
        let wrong = verify(&input, &dft(&input), Direction::Inverse, 7, Naive::new);
        assert!(wrong.whole > 0.1 && wrong.bins > 0.1);
    }

    /// A spectrum of one large line has errors of the line's size in its empty bins.
    #[test]
    fn empty_bins_are_not_held_to_their_own_size() {
        let n = 1 << 12;
        let input = vec![Complex::new(1.0f64, 0.0); n];
        let mut output = vec![Complex::new(1e-13, 0.0); n];
        output[0] = Complex::new(n as f64, 0.0);
        let verified = verify(&input, &output, Direction::Forward, 3, Naive::new);
        assert!(verified.holds(), "{verified:?}");
    }

    #[test]
    fn nothing_is_right() {
        assert!(verify::<f64, _>(&[], &[], Direction::Forward, 0, Naive::new).holds());
    }
}
