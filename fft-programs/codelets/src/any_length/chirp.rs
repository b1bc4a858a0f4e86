//! Row kernel of any length by means of a transform of a greater length: Bluestein's chirp transform.
//!
//! With `w(t) = exp(-pi i t^2 / n)` and `j k = (j^2 + k^2 - (k - j)^2) / 2`,
//! `X[k] = w(k) * sum over j of (x[j] w(j)) * conj(w(k - j))`. This is a convolution, which any cyclic length
//! of at least 2 n - 1 computes without wraparound.
//!
//! 1. Multiply the row by the chirp and pad it with zeros to the greater length.
//! 2. Transform it, and multiply it by the transform of the conjugate chirp (tabulated, divided by the
//!    length).
//! 3. Transform it again. The result is the convolution with all points except the first in reverse order.
//! 4. Multiply its first n points by the chirp.
//!
//! The inverse transform uses the conjugate chirp and the conjugate of the tabulated transform, which is
//! possible because the chirp is even. So all transforms of the greater length are forward. The exponents
//! `t^2` are reduced modulo 2 n in integers, so that long rows lose no accuracy.
//!
//! *Cost.* Two transforms of the greater length, and n + the greater length + n products. *When it loses.* A
//! direct transform of the length by small radices is better: the chirp takes more than four times the
//! operations.

use std::sync::Arc;

use earth_kernels::{Direction, Real, RowKernel};
use num_complex::Complex;

use crate::any_length::product::Products;
use crate::compiled::compiled;
use crate::isa::Isa;
use crate::scratch::check_call;
use crate::tables::radices::without;

/// Rows of one length by means of the kernel of a greater length.
pub struct Chirp<T: Real> {
    through: Arc<dyn RowKernel<T>>,
    /// Chirp `w(t)` for each point of a row.
    factors: Vec<Complex<T>>,
    /// Transform of the conjugate chirp for positive and negative times, divided by its length.
    spectrum: Vec<Complex<T>>,
    products: Products<T>,
}

impl<T: Real> Chirp<T> {
    /// Returns the minimum length of a kernel for rows of `n` points.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn least(n: usize) -> usize {
        assert!(n > 0, "a row of 0 points has no transform");
        2 * n - 1
    }

    /// Returns a fast kernel length for rows of `n` points: the smallest multiple of 64 points whose prime
    /// factors are 2, 3 and 5.
    ///
    /// # Panics
    ///
    /// If `n` is 0.
    pub fn usual(n: usize) -> usize {
        let mut blocks = Self::least(n).div_ceil(64);
        while without(blocks, &[2, 3, 5]) > 1 {
            blocks += 1;
        }
        64 * blocks
    }

    /// Plans rows of `n` points by means of the rows of `through`.
    ///
    /// # Panics
    ///
    /// If `n` is 0 or past 2^52, or if the rows of `through` are shorter than [`least`](Self::least).
    pub fn new(n: usize, through: Arc<dyn RowKernel<T>>) -> Self {
        let (length, least) = (through.len(), Self::least(n));
        assert!(length >= least, "rows of {n} points go through {least} points, not {length}");
        let isa = Isa::best();
        // The second half of the circle is the first half with the opposite sign.
        let half: Vec<Complex<T>> = (compiled::<T>().arc)(isa, 2 * n, n);
        let mut square = 0;
        let factors = (0..n).map(|t| {
            let factor = if square < n { half[square] } else { -half[square - n] };
            // t^2 modulo 2 n, updated incrementally: (t + 1)^2 - t^2 = 2 t + 1.
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
        Self { through, factors, spectrum, products: (compiled::<T>().products)(isa) }
    }
}

impl<T: Real> RowKernel<T> for Chirp<T> {
    fn name(&self) -> &'static str {
        "chirp"
    }

    fn len(&self) -> usize {
        self.factors.len()
    }

    fn scratch_len(&self) -> usize {
        self.spectrum.len() + self.through.scratch_len()
    }

    fn transform(&self, direction: Direction, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        check_call(self, rows, scratch);
        let (n, length) = (self.factors.len(), self.spectrum.len());
        let (long, scratch) = scratch.split_at_mut(length);
        for row in rows.chunks_exact_mut(n) {
            let (points, padding) = long.split_at_mut(n);
            self.products.write(row, &self.factors, points, direction);
            padding.fill(Complex::new(T::zero(), T::zero()));
            self.through.forward(long, scratch);
            self.products.within(long, &self.spectrum, direction);
            self.through.forward(long, scratch);
            // The first factor is 1.
            row[0] = long[0];
            let (reversed, factors) = (&long[length - n + 1..], &self.factors[1..]);
            self.products.write_reversed(reversed, factors, &mut row[1..], direction);
        }
    }
}
