//! The signals of the tests: noise from a linear congruential generator.

use earth_kernels::Real;
use num_complex::Complex;

/// Returns `n` points of noise in -1..1. The same seed gives the same signal.
pub fn noise<T: Real>(n: usize, seed: u64) -> Vec<Complex<T>> {
    let mut state = seed;
    let mut part = || {
        // The constants of Knuth's MMIX.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        T::of((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    };
    (0..n).map(|_| Complex::new(part(), part())).collect()
}
