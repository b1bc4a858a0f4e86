//! Row kernel of a prime length by means of a cyclic convolution of one point less: Rader's algorithm.
//!
//! The powers of a primitive root `g` of the prime `p` are all numbers from 1 to `p - 1`. So with
//! `w = exp(-2 pi i / p)`, `X[1/g^q] = x[0] + sum over r of x[g^r] w^(g^(r - q))`. This is a cyclic
//! convolution of `p - 1` points. The powers of `g` are taken modulo `p`.
//!
//! 1. Read all points except the first in the order of the powers, and transform them. Output 0 is the first
//!    of these sums plus the first point.
//! 2. Multiply by the transform of the roots (tabulated, divided by the length), add the first point to the
//!    first product, and transform again. The result is the convolution in reverse order, which is the order
//!    of the powers.
//! 3. Write the points to their places. Output `k` of the inverse transform is output `p - k`.
//!
//! *Cost.* Two transforms of `p - 1` points, and a read and a write in the order of the powers. *When it
//! loses.* A [chirp](crate::Chirp) is better where `p - 1` has a large prime factor, and for rows larger than
//! the last-level cache, which are read one point at a time.

use std::sync::Arc;

use earth_kernels::{Direction, Real, RowKernel, prime_factors};
use num_complex::Complex;

use crate::any_length::product::Products;
use crate::compiled::compiled;
use crate::isa::Isa;
use crate::scratch::check_call;

/// Rows of a prime length by means of the kernel of one point less.
pub struct Rader<T: Real> {
    through: Arc<dyn RowKernel<T>>,
    /// Powers of the primitive root, from the exponent 0 on.
    powers: Vec<u32>,
    /// Transform of the roots in the order of descending powers, divided by the length.
    spectrum: Vec<Complex<T>>,
    products: Products<T>,
}

impl<T: Real> Rader<T> {
    /// Returns whether Rader's algorithm applies to rows of `n` points: `n` is an odd prime below 2^32.
    pub fn is_for(n: usize) -> bool {
        n > 2 && u32::try_from(n).is_ok() && prime_factors(n) == [n]
    }

    /// Plans rows by means of the rows of `through`, which have one point less.
    ///
    /// # Panics
    ///
    /// If the length [is not](Self::is_for) an odd prime below 2^32.
    pub fn new(through: Arc<dyn RowKernel<T>>) -> Self {
        let n = through.len() + 1;
        assert!(Self::is_for(n), "rows of {n} points, which is no odd prime below 2^32");
        let (isa, powers) = (Isa::best(), powers(primitive_root(n), n));
        let (roots, factor) = ((compiled::<T>().arc)(isa, n, n), T::of(1.0 / (n - 1) as f64));
        let falling = powers[..1].iter().chain(powers[1..].iter().rev());
        let mut spectrum: Vec<_> = falling.map(|power| roots[*power as usize].scale(factor)).collect();
        through.forward(&mut spectrum, &mut through.scratch());
        Self { through, powers, spectrum, products: (compiled::<T>().products)(isa) }
    }
}

impl<T: Real> RowKernel<T> for Rader<T> {
    fn name(&self) -> &'static str {
        "rader"
    }

    fn len(&self) -> usize {
        self.powers.len() + 1
    }

    fn scratch_len(&self) -> usize {
        self.powers.len() + self.through.scratch_len()
    }

    fn transform(&self, direction: Direction, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        check_call(self, rows, scratch);
        let n = self.len();
        let (points, scratch) = scratch.split_at_mut(n - 1);
        for row in rows.chunks_exact_mut(n) {
            let first = row[0];
            for (to, power) in points.iter_mut().zip(&self.powers) {
                *to = row[*power as usize];
            }
            self.through.forward(points, scratch);
            row[0] = first + points[0];
            self.products.within(points, &self.spectrum, Direction::Forward);
            points[0] += first;
            self.through.forward(points, scratch);
            for (x, power) in points.iter().zip(&self.powers) {
                let k = *power as usize;
                row[if direction == Direction::Forward { k } else { n - k }] = *x;
            }
        }
    }
}

/// Returns all powers of a primitive root modulo a prime below 2^32, from the exponent 0 on.
fn powers(root: usize, p: usize) -> Vec<u32> {
    let mut powers = vec![1; p - 1];
    // Each division depends on a previous one. Four interleaved sequences shorten this dependency chain.
    let mut step = 1;
    for known in 1..powers.len() {
        step = if known <= 4 { step * root % p } else { step };
        let from = known.min(4);
        powers[known] = u32::try_from(powers[known - from] as usize * step % p).expect("less than the prime");
    }
    powers
}

/// Returns the smallest primitive root modulo a prime below 2^32: its powers are all numbers except 0.
fn primitive_root(p: usize) -> usize {
    let mut factors = prime_factors(p - 1);
    factors.dedup();
    let power = |base: usize, exponent: usize| {
        (0..usize::BITS).rev().fold(1, |power, bit| {
            let square = power * power % p;
            if exponent >> bit & 1 == 1 { square * base % p } else { square }
        })
    };
    let is_primitive = |root: &usize| factors.iter().all(|factor| power(*root, (p - 1) / factor) != 1);
    (2..p).find(is_primitive).unwrap_or_else(|| panic!("{p} has a primitive root"))
}
