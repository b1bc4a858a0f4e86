//! A row kernel of any length through a transform of another, longer length: Bluestein's chirp.
//!
//! With `w(t) = exp(-pi i t^2 / n)` and `j k = (j^2 + k^2 - (k - j)^2) / 2`,
//! `X[k] = w(k) * sum over j of (x[j] w(j)) * conj(w(k - j))`: a convolution, which any length of at least
//! 2 n - 1 computes without wrapping round.
//!
//! 1. Multiply the row by the chirp and fill it up with zeros to the longer length.
//! 2. Transform it, multiply by the transform of the conjugate chirp (tabulated, divided by the length), and
//!    transform back.
//! 3. Multiply the first n points by the chirp. The inverse is the conjugate of the transform of the conjugate.
//!
//! The exponents `t^2` are reduced modulo 2 n in integers, so that no factor is worse for a long row.
//!
//! *Cost.* Two transforms of the longer length, n + its length + n products. *When it loses.* Against a
//! transform of the length itself, unless that is slow for what n is or where its rows lie: more than four
//! times the operations. Here it is no fall-back for lengths that have none, but a choice that measured speeds
//! make: exact where rows padded with zeros are not.

use std::sync::Arc;

use num_complex::Complex;

use crate::real::Real;
use crate::row_kernel::RowKernel;
use crate::twiddle::{Direction, arc};

/// Rows of one length through the kernel of another one.
#[derive(Debug)]
pub struct Chirp<T: Real> {
    through: Arc<dyn RowKernel<T>>,
    /// `w(t)` for each point of a row.
    factors: Vec<Complex<T>>,
    /// The transform of the conjugate chirp, in both directions of time, over its length.
    spectrum: Vec<Complex<T>>,
}

impl<T: Real> Chirp<T> {
    /// The shortest length that rows of `n` points can go through.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn least(n: usize) -> usize {
        assert!(n > 0, "a row of 0 points has no transform");
        2 * n - 1
    }

    /// Plans rows of `n` points through the rows of `through`.
    ///
    /// # Panics
    ///
    /// If `n` is 0, past 2^52, or more than the rows of `through` have room for.
    pub fn new(n: usize, through: Arc<dyn RowKernel<T>>) -> Self {
        let (length, least) = (through.len(), Self::least(n));
        assert!(length >= least, "rows of {n} points go through {least} points, not {length}");
        // The second half of the circle is the first one with the other sign.
        let half: Vec<Complex<T>> = arc(2 * n, n);
        let mut square = 0;
        let factors = (0..n).map(|t| {
            let factor = if square < n { half[square] } else { -half[square - n] };
            // t^2 modulo 2 n, each from the one before: (t + 1)^2 - t^2 = 2 t + 1.
            square += 2 * t + 1;
            if square >= 2 * n {
                square -= 2 * n;
            }
            factor
        });
        let factors: Vec<_> = factors.collect();
        let mut spectrum = vec![Complex::new(T::zero(), T::zero()); length];
        let factor = T::of(1.0 / length as f64);
        for (t, w) in factors.iter().enumerate() {
            let w = w.conj().scale(factor);
            spectrum[t] = w;
            spectrum[(length - t) % length] = w;
        }
        through.forward(&mut spectrum, &mut through.scratch());
        Self { through, factors, spectrum }
    }

    /// `mirror` is the conjugate for the inverse, and nothing for the forward transform.
    fn process(
        &self,
        rows: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
        mirror: impl Fn(Complex<T>) -> Complex<T>,
    ) {
        let (n, found) = (self.factors.len(), rows.len());
        assert!(found.is_multiple_of(n), "{found} points are no whole number of rows of {n}");
        let (needed, given) = (self.scratch_len(), scratch.len());
        assert!(given >= needed, "a scratch of {given} points where {needed} are needed");
        let (long, scratch) = scratch.split_at_mut(self.spectrum.len());
        for row in rows.chunks_exact_mut(n) {
            let (points, padding) = long.split_at_mut(n);
            for ((to, x), w) in points.iter_mut().zip(&*row).zip(&self.factors) {
                *to = mirror(*x) * w;
            }
            padding.fill(Complex::new(T::zero(), T::zero()));
            self.through.forward(long, scratch);
            for (x, factor) in long.iter_mut().zip(&self.spectrum) {
                *x *= factor;
            }
            self.through.inverse(long, scratch);
            for ((to, x), w) in row.iter_mut().zip(&*long).zip(&self.factors) {
                *to = mirror(*x * w);
            }
        }
    }
}

impl<T: Real> RowKernel<T> for Chirp<T> {
    fn name(&self) -> &'static str {
        "chirp"
    }

    fn len(&self) -> usize {
        self.factors.len()
    }

    fn wants_many(&self) -> bool {
        false
    }

    fn scratch_len(&self) -> usize {
        self.spectrum.len() + self.through.scratch_len()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dft::{dft, inverse_dft};
    use crate::error::{bound, relative_error};
    use crate::naive::Naive;
    use crate::noise::noise;
    use crate::row_kernel::scale;

    fn it_is_the_definition<T: Real>(n: usize, length: usize) {
        let kernel: &dyn RowKernel<T> = &Chirp::new(n, Arc::new(Naive::new(length)));
        assert_eq!((kernel.name(), kernel.len()), ("chirp", n));
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
                assert!(
                    error <= bound::<T>(length),
                    "{n} through {length}, {}, {direction:?}: {error}",
                    T::NAME
                );
            }
        }
    }

    #[test]
    fn any_length_goes_through_any_that_is_long_enough() {
        for n in (1..=40).chain([97, 100, 256, 509]) {
            let least = Chirp::<f64>::least(n);
            for length in [least, least + 1, (2 * n).next_power_of_two(), 3 * n + 5] {
                it_is_the_definition::<f64>(n, length);
                it_is_the_definition::<f32>(n, length);
            }
        }
    }

    #[test]
    #[should_panic(expected = "rows of 8 points go through 15 points, not 14")]
    fn a_length_that_wraps_round_is_refused() {
        let _ = Chirp::<f64>::new(8, Arc::new(Naive::new(14)));
    }

    #[test]
    #[should_panic(expected = "points where")]
    fn a_short_scratch_is_refused() {
        let kernel = Chirp::<f64>::new(3, Arc::new(Naive::new(8)));
        kernel.forward(&mut noise(3), &mut [Complex::default(); 7]);
    }

    #[test]
    #[should_panic(expected = "4 points are no whole number of rows of 3")]
    fn a_part_of_a_row_is_refused() {
        let kernel = Chirp::<f64>::new(3, Arc::new(Naive::new(8)));
        kernel.forward(&mut noise(4), &mut kernel.scratch());
    }
}
