//! Whether a spectrum is the transform of its samples, of any lengths.

use earth_kernels::{Direction, Verified, verify};
use earth_rustfft::RustFft;
use num_complex::Complex;

use crate::precision::Precision;

/// Holds `spectrum` against the transform of `samples` by rustfft in double precision, and some of its values, which
/// `seed` chooses, against sums by the definition. Both have dimensions of these lengths, the outermost first, and lie row
/// after row. Costs a few times what the transform took.
///
/// # Panics
///
/// If either has other points than the lengths say.
pub fn verified<T: Precision>(
    lengths: &[usize],
    samples: &[Complex<T>],
    spectrum: &[Complex<T>],
    direction: Direction,
    seed: u64,
) -> Verified {
    verify(lengths, samples, spectrum, direction, seed, RustFft::new)
}
