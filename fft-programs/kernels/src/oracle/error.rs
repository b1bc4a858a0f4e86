//! Relative errors of transforms, and their bounds.
//!
//! The relative L2 error is the norm of the difference divided by the norm of the expected result. The limit
//! is [`bound`], which grows with the logarithm of the length, like the rounding errors of a fast transform.
//! [`verify`](crate::verify()) checks a transform with both.

use num_complex::Complex;

use crate::oracle::dft::{Sum, widen};
use crate::real::Real;

/// Returns the largest relative L2 error that a transform of `n` points may have: [`Real::ERROR_PER_LEVEL`]
/// times `max(1, log2 n)`.
pub fn bound<T: Real>(n: usize) -> f64 {
    T::ERROR_PER_LEVEL * (n as f64).log2().max(1.0)
}

/// Returns the relative L2 error of `found`: `|found - expected| / |expected|`.
///
/// The error is zero if both are zero, infinite if only `expected` is zero, and NaN if any value is NaN.
/// Compare it as `error <= bound`, which is false for NaN.
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

/// Returns the square root of `difference / size`, which are squared norms.
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
