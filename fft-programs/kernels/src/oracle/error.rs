//! Relative errors of transforms, and their bounds.
//!
//! The error of a transform is relative in the L2 norm: the length of the difference over the length of what
//! was expected. It is held against [`bound`], which grows with the logarithm of the length as rounding
//! errors of a fast transform do. [`verify`](crate::verify()) checks a transform by both.

use num_complex::Complex;

use crate::oracle::dft::{Sum, widen};
use crate::real::Real;

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
pub(crate) fn ratio(difference: f64, size: f64) -> f64 {
    if difference == 0.0 && size == 0.0 { 0.0 } else { (difference / size).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
