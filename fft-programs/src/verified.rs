//! Whether a spectrum is the transform of its samples, of any shape.

use earth_kernels::{Direction, Verified, verify, verify_2d};
use earth_rustfft::RustFft;
use num_complex::Complex;

use crate::precision::Precision;
use crate::shape::Shape;

/// Holds `spectrum` against the transform of `samples` by rustfft in double precision, and some of its values, which
/// `seed` chooses, against sums by the definition. Costs a few times what the transform took.
pub fn verified<T: Precision>(
    shape: Shape,
    samples: &[Complex<T>],
    spectrum: &[Complex<T>],
    direction: Direction,
    seed: u64,
) -> Verified {
    match shape {
        Shape::Line(_) => verify(samples, spectrum, direction, seed, RustFft::new),
        Shape::Matrix { rows, cols } => {
            verify_2d(rows, cols, samples, spectrum, direction, seed, RustFft::new)
        }
    }
}
