//! Noise for tests: one signal for each length.

use num_complex::Complex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

use crate::real::Real;

/// Returns `n` points with real and imaginary parts in -1..1.
pub(crate) fn noise<T: Real>(n: usize) -> Vec<Complex<T>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(n as u64);
    let mut part = || T::of(random.random_range(-1.0..1.0));
    (0..n).map(|_| Complex::new(part(), part())).collect()
}
