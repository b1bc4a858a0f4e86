//! All roots of unity of one order, from a table of a quarter of them.

use num_complex::Complex;

use crate::real::Real;

/// The roots of one order, each as exact as [`twiddle`](crate::twiddle()).
///
/// *Cost.* One read and one branch a root; the branch is the same for neighbouring exponents. *When it loses.* Against an
/// [`arc`](crate::arc()) of all roots if each root is read more than once. The table takes a quarter of the memory if 4 divides the order,
/// and as much otherwise.
#[derive(Debug)]
pub struct Circle<T> {
    order: usize,
    /// The first quarter, or all roots if 4 does not divide the order.
    roots: Vec<Complex<T>>,
}

impl<T: Real> Circle<T> {
    /// The roots of order `n`. `arc` takes an order and a count and evaluates the first roots: [`arc`](crate::arc()), or
    /// [`arc_in_line`](crate::arc_in_line) in a caller's vector instructions.
    ///
    /// # Panics
    ///
    /// If `n` is 0 or past 2^53.
    pub fn new(n: usize, arc: impl FnOnce(usize, usize) -> Vec<Complex<T>>) -> Self {
        Self { order: n, roots: arc(n, if n.is_multiple_of(4) { n / 4 } else { n }) }
    }

    /// The order: how many roots there are.
    pub fn order(&self) -> usize {
        self.order
    }

    /// `exp(-2 pi i k / n)`.
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
        // The other quarters are the first one, turned. A difference from zero is no negative zero.
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
