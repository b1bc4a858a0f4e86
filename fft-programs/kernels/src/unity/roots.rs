//! All roots of unity of one order, each as the product of two table entries. The tables have about the
//! square root of the order entries. They serve the twiddle factors between the passes of a long transform,
//! which are too many for one table.

use num_complex::Complex;

use crate::real::Real;
use crate::unity::twiddle::{Direction, arc, twiddle};

/// Roots of unity of one order.
///
/// *Cost.* Two reads and one complex multiplication per root. The root with exponent `high 2^bits + low` is
/// the product of the roots with exponents `high 2^bits` and `low`. So it has three rounding errors instead
/// of one.
#[derive(Clone, Debug)]
pub struct Roots<T> {
    bits: u32,
    low: Vec<Complex<T>>,
    high: Vec<Complex<T>>,
}

impl<T: Real> Roots<T> {
    /// Computes the tables for order `n`.
    ///
    /// # Panics
    ///
    /// If `n` is 0, or past 2^53.
    pub fn new(n: usize) -> Self {
        assert!(n > 0, "a table of roots of unity of order 0");
        let bits = n.ilog2().div_ceil(2);
        let low = arc(n, n.min(1 << bits));
        let high = (0..=(n - 1) >> bits).map(|k| twiddle(k << bits, n)).collect();
        Self { bits, low, high }
    }

    /// Returns `exp(-2 pi i k / n)` forward, or its conjugate inverse, for `k < n`.
    ///
    /// # Panics
    ///
    /// If `k` is beyond the table, which has at least `n` roots.
    #[inline(always)]
    pub fn get(&self, direction: Direction, k: usize) -> Complex<T> {
        let root = self.high[k >> self.bits] * self.low[k & ((1 << self.bits) - 1)];
        if direction == Direction::Forward { root } else { root.conj() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_root_of_an_order_is_there() {
        for n in [1, 2, 3, 7, 64, 1000, 4097] {
            let roots = Roots::<f64>::new(n);
            for k in 0..n {
                let expected = twiddle::<f64>(k, n);
                assert!((roots.get(Direction::Forward, k) - expected).norm() <= 4e-16, "{k} of {n}");
                assert!((roots.get(Direction::Inverse, k) - expected.conj()).norm() <= 4e-16, "{k} of {n}");
            }
        }
    }
}
