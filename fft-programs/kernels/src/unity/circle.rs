//! All roots of unity of one order, from a table of a quarter of them.

use num_complex::Complex;

use crate::real::Real;

/// Roots of unity of one order, each as accurate as [`twiddle`](crate::twiddle()).
///
/// *Cost.* One read and one branch per root; the branch is the same for consecutive exponents. The table
/// takes a quarter of the memory of a full table if 4 divides the order, and the same memory otherwise. *When
/// it loses.* A full table ([`arc`](crate::arc())) is faster if each root is read more than once.
#[derive(Debug)]
pub struct Circle<T> {
    order: usize,
    /// First quarter of the roots, or all roots if 4 does not divide the order.
    roots: Vec<Complex<T>>,
}

impl<T: Real> Circle<T> {
    /// Computes the roots of order `n`.
    ///
    /// `arc` takes an order and a count and evaluates the first roots. It is [`arc`](crate::arc()), or
    /// [`arc_in_line`](crate::arc_in_line) to use a caller's vector instructions.
    ///
    /// # Panics
    ///
    /// If `n` is 0 or past 2^53.
    pub fn new(n: usize, arc: impl FnOnce(usize, usize) -> Vec<Complex<T>>) -> Self {
        Self { order: n, roots: arc(n, if n.is_multiple_of(4) { n / 4 } else { n }) }
    }

    /// Returns the order, which is the number of roots.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Returns `exp(-2 pi i k / n)`.
    ///
    /// # Panics
    ///
    /// If `k` is not below the order.
    #[inline(always)]
    pub fn get(&self, k: usize) -> Complex<T> {
        assert!(k < self.order, "root {k} of order {}", self.order);
        let (quarter, zero) = (self.roots.len(), T::zero());
        if k < quarter {
            return self.roots[k];
        }
        // The other quarters are rotations of the first one. A difference from zero is never a negative zero.
        if k < 2 * quarter {
            let z = self.roots[k - quarter];
            return Complex::new(z.im, zero - z.re);
        }
        if k < 3 * quarter {
            let z = self.roots[k - 2 * quarter];
            return Complex::new(zero - z.re, zero - z.im);
        }
        let z = self.roots[k - 3 * quarter];
        Complex::new(zero - z.im, z.re)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unity::twiddle::{arc, twiddle};

    #[test]
    fn every_root_is_the_one_that_is_evaluated() {
        for n in [1, 2, 3, 4, 6, 7, 8, 12, 20, 64, 100, 1000, 4097] {
            let circle = Circle::<f64>::new(n, arc);
            assert_eq!(circle.order(), n);
            for k in 0..n {
                let bits = |z: Complex<f64>| [z.re.to_bits(), z.im.to_bits()];
                assert_eq!(bits(circle.get(k)), bits(twiddle(k, n)), "root {k} of order {n}");
            }
        }
    }

    #[test]
    #[should_panic(expected = "root 3 of order 3")]
    fn an_exponent_past_the_circle_is_refused() {
        Circle::<f64>::new(3, arc).get(3);
    }
}
