//! How far a spectrum is from the truth, by two oracles that share no code with each other.
//!
//! 1. Every value against rustfft in double precision: the relative L2 error, so that damage anywhere shows.
//! 2. Up to [`DIRECT`] values, spread over the spectrum, against the sum that defines them: rustfft is also a kernel of the programs, and a
//!    check against itself would always pass. Twiddle factors come from exponents reduced exactly modulo N.
//!
//! The larger of the two errors is the answer. The cost is one FFT and 32 N multiplications; for N of at most 32 every value is summed.

use std::f64::consts::TAU;

use num_complex::Complex;
use rustfft::FftPlanner;

use crate::signal::Precision;

/// The most values that are summed directly.
pub const DIRECT: usize = 32;

/// The largest relative L2 error that a correct transform of `n` points shows, in the precision `T`.
pub fn bound<T: Precision>(n: usize) -> f64 {
    T::ERROR_PER_LEVEL * (n as f64).log2().max(1.0)
}

/// The relative L2 error of `spectrum` as the transform of `samples`; NaN if either is not finite everywhere.
///
/// # Panics
///
/// If the two differ in length or are empty.
pub fn relative_error<T: Precision>(samples: &[Complex<T>], spectrum: &[Complex<T>], inverse: bool) -> f64 {
    let n = samples.len();
    assert!(n > 0 && n == spectrum.len(), "a spectrum has as many values as its signal");
    let samples: Vec<_> = samples.iter().map(widen).collect();
    let scale = if inverse { 1.0 / n as f64 } else { 1.0 };

    let mut expected = samples.clone();
    let mut planner = FftPlanner::new();
    let fft = if inverse { planner.plan_fft_inverse(n) } else { planner.plan_fft_forward(n) };
    fft.process(&mut expected);
    for value in &mut expected {
        *value *= scale;
    }
    let (difference, norm) = distance(spectrum, expected.iter().copied().enumerate());

    // An odd step visits bins of both parities, near and far.
    let step = (n / DIRECT).max(1) | 1;
    let direct = (0..n.min(DIRECT)).map(|k| {
        let bin = k * step % n;
        (bin, sum(&samples, bin, inverse) * scale)
    });
    // One bin may be near zero by itself: its error is measured against the root mean square of all.
    let (direct_difference, _) = distance(spectrum, direct);
    let direct_norm = norm * (n.min(DIRECT) as f64 / n as f64).sqrt();
    ratio(difference, norm).max_or_nan(ratio(direct_difference, direct_norm))
}

/// One value of the transform by its definition.
fn sum(samples: &[Complex<f64>], bin: usize, inverse: bool) -> Complex<f64> {
    let n = samples.len() as u128;
    let sign = if inverse { 1.0 } else { -1.0 };
    let mut total = Complex::new(0.0, 0.0);
    let mut lost = Complex::new(0.0, 0.0);
    for (index, sample) in samples.iter().enumerate() {
        let exponent = (index as u128 * bin as u128 % n) as f64;
        let term = sample * Complex::from_polar(1.0, sign * TAU * exponent / n as f64) - lost;
        let next = total + term;
        lost = (next - total) - term;
        total = next;
    }
    total
}

/// The L2 norms of the difference and of what was expected, over the given bins.
fn distance<T: Precision>(
    spectrum: &[Complex<T>],
    expected: impl Iterator<Item = (usize, Complex<f64>)>,
) -> (f64, f64) {
    let (difference, norm) = expected.fold((0.0, 0.0), |(difference, norm), (bin, value)| {
        (difference + (widen(&spectrum[bin]) - value).norm_sqr(), norm + value.norm_sqr())
    });
    (difference.sqrt(), norm.sqrt())
}

fn ratio(difference: f64, norm: f64) -> f64 {
    if difference == 0.0 { 0.0 } else { difference / norm }
}

fn widen<T: Precision>(value: &Complex<T>) -> Complex<f64> {
    Complex::new(value.re.widen(), value.im.widen())
}

trait MaxOrNan {
    fn max_or_nan(self, other: Self) -> Self;
}

impl MaxOrNan for f64 {
    /// The larger of the two, or NaN if either is (`f64::max` would hide it).
    fn max_or_nan(self, other: Self) -> Self {
        if self.is_nan() || other.is_nan() { Self::NAN } else { self.max(other) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signal(n: usize) -> Vec<Complex<f64>> {
        (0..n).map(|j| Complex::new((j as f64 * 0.7).sin(), ((j * j) as f64 * 0.3).cos())).collect()
    }

    /// The definition with every exponent's cosine and sine, sharing nothing with the code above.
    fn naive(x: &[Complex<f64>], inverse: bool) -> Vec<Complex<f64>> {
        let n = x.len();
        let sign = if inverse { 1.0 } else { -1.0 };
        (0..n)
            .map(|k| {
                let total: Complex<f64> = (0..n)
                    .map(|j| {
                        let (sin, cos) = (sign * TAU * ((j * k) % n) as f64 / n as f64).sin_cos();
                        Complex::new(x[j].re * cos - x[j].im * sin, x[j].re * sin + x[j].im * cos)
                    })
                    .sum();
                if inverse { total / n as f64 } else { total }
            })
            .collect()
    }

    #[test]
    fn a_correct_spectrum_is_within_the_bound_both_ways() {
        for n in [1, 2, 3, 8, 31, 64, 309, 1009, 1024] {
            for inverse in [false, true] {
                let x = signal(n);
                let error = relative_error(&x, &naive(&x, inverse), inverse);
                assert!(error <= bound::<f64>(n), "n = {n}, inverse = {inverse}: {error:e}");
            }
        }
    }

    #[test]
    fn one_wrong_value_anywhere_is_found() {
        let x = signal(256);
        let good = naive(&x, false);
        for bin in 0..256 {
            let mut bad = good.clone();
            bad[bin].im += 1e-9;
            assert!(relative_error(&x, &bad, false) > bound::<f64>(256), "bin {bin}");
        }
    }

    #[test]
    fn the_wrong_direction_and_the_wrong_scale_are_found() {
        let x = signal(60);
        assert!(relative_error(&x, &naive(&x, true), false) > 0.1);
        let scaled: Vec<_> = naive(&x, true).iter().map(|z| z * 60.0).collect();
        assert!(relative_error(&x, &scaled, true) > 0.1);
    }

    #[test]
    fn single_precision_has_its_own_bound() {
        let x: Vec<Complex<f32>> =
            signal(500).iter().map(|z| Complex::new(z.re as f32, z.im as f32)).collect();
        let wide: Vec<_> = x.iter().map(widen).collect();
        let spectrum: Vec<Complex<f32>> =
            naive(&wide, false).iter().map(|z| Complex::new(z.re as f32, z.im as f32)).collect();
        let error = relative_error(&x, &spectrum, false);
        assert!(error <= bound::<f32>(500) && error > bound::<f64>(500), "{error:e}");
    }

    #[test]
    fn a_nan_is_never_within_a_bound_and_silence_is() {
        let mut x = signal(16);
        let spectrum = naive(&x, false);
        x[3].re = f64::NAN;
        assert!(relative_error(&x, &spectrum, false).is_nan());
        let silence = vec![Complex::new(0.0, 0.0); 16];
        assert!(relative_error(&silence, &silence, false) <= 0.0);
    }
}
