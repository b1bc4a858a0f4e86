//! Signals of the tests.

use earth_kernels::Real;
use num_complex::Complex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

/// Returns `n` points in -1..1, determined by `n`.
pub(crate) fn noise<T: Real>(n: usize) -> Vec<Complex<T>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(n as u64);
    let mut part = || T::of(random.random_range(-1.0..1.0));
    (0..n).map(|_| Complex::new(part(), part())).collect()
}

/// Marker point that no transform of noise returns.
pub(crate) fn elsewhere<T: Real>() -> Complex<T> {
    Complex::new(T::of(1e30), T::of(-1e30))
}

/// Multiplies points by a factor and rounds them to the precision of the test.
pub(crate) fn narrow<T: Real>(x: &[Complex<f64>], factor: f64) -> Vec<Complex<T>> {
    x.iter().map(|x| Complex::new(T::of(x.re * factor), T::of(x.im * factor))).collect()
}

/// Returns the real numbers that are stored as the parts of these points, each as a complex point for the
/// definition.
pub(crate) fn numbers<T: Real>(points: &[Complex<T>]) -> Vec<Complex<T>> {
    points.iter().flat_map(|z| [z.re, z.im]).map(|x| Complex::new(x, T::zero())).collect()
}
