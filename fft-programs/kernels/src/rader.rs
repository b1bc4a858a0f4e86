//! A row kernel of a prime length through one of a point less: Rader's permutation.
//!
//! The powers of a primitive root `g` of the prime `p` are all numbers from 1 to `p - 1`, so that with `w = exp(-2 pi i / p)`
//! `X[1/g^q] = x[0] + sum over r of x[g^r] w^(g^(r - q))`: a cyclic convolution of `p - 1` points. The exponents of `g` and the
//! numbers between them are taken modulo `p`.
//!
//! 1. Pick all points but the first in the order of the powers, and transform them. The first of these sums, and the first
//!    point, are output 0.
//! 2. Multiply by the transform of the roots (tabulated, divided by the length), add the first point, and transform back.
//! 3. Put the points where they belong. The inverse is the conjugate of the transform of the conjugate.
//!
//! *Cost.* Two transforms of `p - 1` points and two reads in the order of the powers. *When it loses.* Against
//! [`Chirp`](crate::Chirp) where `p - 1` has a large prime factor; for rows past the last cache, whose reads are one by one.

use std::sync::Arc;

use num_complex::Complex;

use crate::real::Real;
use crate::row_kernel::RowKernel;
use crate::twiddle::{Direction, arc};

/// Rows of a prime length through the kernel of a length of one point less.
#[derive(Debug)]
pub struct Rader<T: Real> {
    through: Arc<dyn RowKernel<T>>,
    /// The powers of the primitive root, from the exponent 0 on.
    powers: Vec<u32>,
    /// The transform of the roots in the order of falling powers, over the length.
    spectrum: Vec<Complex<T>>,
}

impl<T: Real> Rader<T> {
    /// Whether there are rows of `n` points: whether `n` is an odd prime below 2^32.
    pub fn is_for(n: usize) -> bool {
        n > 2 && u32::try_from(n).is_ok() && prime_factors(n) == [n]
    }

    /// Plans rows through the rows of `through`, which have a point less.
    ///
    /// # Panics
    ///
    /// If the length [is not](Self::is_for) an odd prime below 2^32.
    pub fn new(through: Arc<dyn RowKernel<T>>) -> Self {
        let n = through.len() + 1;
        assert!(Self::is_for(n), "rows of {n} points, which is no odd prime below 2^32");
        let root = primitive_root(n);
        let mut power = 1;
        let powers: Vec<u32> = (1..n)
            .map(|_| {
                let now = power;
                power = power * root % n;
                u32::try_from(now).expect("less than the prime")
            })
            .collect();
        let (roots, factor) = (arc::<T>(n, n), T::of(1.0 / (n - 1) as f64));
        let falling = powers[..1].iter().chain(powers[1..].iter().rev());
        let mut spectrum: Vec<_> = falling.map(|power| roots[*power as usize].scale(factor)).collect();
        through.forward(&mut spectrum, &mut through.scratch());
        Self { through, powers, spectrum }
    }

    /// `mirror` is the conjugate for the inverse, and nothing for the forward transform.
    fn process(
        &self,
        rows: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
        mirror: impl Fn(Complex<T>) -> Complex<T>,
    ) {
        let (n, found) = (self.len(), rows.len());
        assert!(found.is_multiple_of(n), "{found} points are no whole number of rows of {n}");
        let (needed, given) = (self.scratch_len(), scratch.len());
        assert!(given >= needed, "a scratch of {given} points where {needed} are needed");
        let (points, scratch) = scratch.split_at_mut(n - 1);
        for row in rows.chunks_exact_mut(n) {
            let first = mirror(row[0]);
            for (to, power) in points.iter_mut().zip(&self.powers) {
                *to = mirror(row[*power as usize]);
            }
            self.through.forward(points, scratch);
            row[0] = mirror(first + points[0]);
            for (x, factor) in points.iter_mut().zip(&self.spectrum) {
                *x *= factor;
            }
            points[0] += first;
            self.through.inverse(points, scratch);
            // Output q is of the power -q.
            let falling = self.powers[..1].iter().chain(self.powers[1..].iter().rev());
            for (x, power) in points.iter().zip(falling) {
                row[*power as usize] = mirror(*x);
            }
        }
    }
}

impl<T: Real> RowKernel<T> for Rader<T> {
    fn name(&self) -> &'static str {
        "rader"
    }

    fn len(&self) -> usize {
        self.powers.len() + 1
    }

    fn wants_many(&self) -> bool {
        false
    }

    fn scratch_len(&self) -> usize {
        self.powers.len() + self.through.scratch_len()
    }

    /// Each direction goes through both.
    fn prepare(&self, _direction: Direction) {
        self.through.prepare(Direction::Forward);
        self.through.prepare(Direction::Inverse);
    }

    fn forward(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.process(rows, scratch, |x| x);
    }

    fn inverse(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        self.process(rows, scratch, |x| x.conj());
    }
}

/// The prime factors of a number, each once.
fn prime_factors(mut n: usize) -> Vec<usize> {
    let mut factors = Vec::new();
    let mut factor = 2;
    while factor * factor <= n {
        if n.is_multiple_of(factor) {
            factors.push(factor);
            while n.is_multiple_of(factor) {
                n /= factor;
            }
        }
        factor += if factor == 2 { 1 } else { 2 };
    }
    if n > 1 {
        factors.push(n);
    }
    factors
}

/// The least number whose powers are all numbers but 0 modulo a prime below 2^32.
fn primitive_root(p: usize) -> usize {
    let factors = prime_factors(p - 1);
    let power = |base: usize, exponent: usize| {
        (0..usize::BITS).rev().fold(1, |power, bit| {
            let square = power * power % p;
            if exponent >> bit & 1 == 1 { square * base % p } else { square }
        })
    };
    let is_primitive = |root: &usize| factors.iter().all(|factor| power(*root, (p - 1) / factor) != 1);
    (2..p).find(is_primitive).unwrap_or_else(|| panic!("{p} has a primitive root"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dft::{dft, inverse_dft};
    use crate::error::{bound, relative_error};
    use crate::naive::Naive;
    use crate::noise::noise;
    use crate::row_kernel::scale;

    fn it_is_the_definition<T: Real>(n: usize) {
        let kernel: &dyn RowKernel<T> = &Rader::new(Arc::new(Naive::new(n - 1)));
        assert_eq!((kernel.name(), kernel.len()), ("rader", n));
        let input = noise::<T>(2 * n);
        for direction in [Direction::Forward, Direction::Inverse] {
            let mut rows = input.clone();
            kernel.transform(direction, &mut rows, &mut kernel.scratch());
            if direction == Direction::Inverse {
                scale(&mut rows, T::of(1.0 / n as f64));
            }
            for (found, input) in rows.chunks(n).zip(input.chunks(n)) {
                let expected = if direction == Direction::Forward { dft(input) } else { inverse_dft(input) };
                let error = relative_error(found, &expected);
                assert!(error <= bound::<T>(n), "{n}, {}, {direction:?}: {error}", T::NAME);
            }
        }
    }

    #[test]
    fn odd_primes_go_through_a_point_less() {
        let primes: Vec<_> = (0..120).filter(|n| Rader::<f64>::is_for(*n)).collect();
        let expected = (3..120).filter(|n| (2..*n).all(|factor| n % factor != 0));
        assert_eq!(primes, expected.collect::<Vec<_>>());
        for n in primes.into_iter().chain([257, 509]) {
            it_is_the_definition::<f64>(n);
            it_is_the_definition::<f32>(n);
        }
    }

    #[test]
    #[should_panic(expected = "rows of 9 points, which is no odd prime below 2^32")]
    fn a_length_that_is_no_prime_is_refused() {
        let _ = Rader::<f64>::new(Arc::new(Naive::new(8)));
    }
}
