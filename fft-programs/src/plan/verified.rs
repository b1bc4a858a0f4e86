//! Verification that a spectrum of any lengths is the transform of its samples.

use earth_kernels::{Direction, Verified, verify};
use earth_rustfft::RustFft;
use num_complex::Complex;

use crate::precision::Precision;

/// Compares `spectrum` with the transform of `samples` by rustfft in double precision. Also compares some of
/// its values, which `seed` selects, with sums by the definition. Both arrays have these lengths, the
/// outermost first, in row-major order. It takes a few times as long as the transform.
///
/// # Panics
///
/// If an array has another number of points than the product of the lengths.
pub fn verified<T: Precision>(
    lengths: &[usize],
    samples: &[Complex<T>],
    spectrum: &[Complex<T>],
    direction: Direction,
    seed: u64,
) -> Verified {
    verify(lengths, samples, spectrum, direction, seed, RustFft::new)
}
