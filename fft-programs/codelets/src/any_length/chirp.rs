//! A row kernel of any length through a transform of another, longer length: Bluestein's chirp.
//!
//! With `w(t) = exp(-pi i t^2 / n)` and `j k = (j^2 + k^2 - (k - j)^2) / 2`,
//! `X[k] = w(k) * sum over j of (x[j] w(j)) * conj(w(k - j))`: a convolution, which any length of at least
//! 2 n - 1 computes without wrapping round.
//!
//! 1. Multiply the row by the chirp and fill it up with zeros to the longer length.
//! 2. Transform it, and multiply it by the transform of the conjugate chirp (tabulated, divided by the length).
//! 3. Transform it once more. The result is the convolution with all points but the first in reverse order.
//! 4. Multiply its first n points by the chirp.
//!
//! The inverse transform has the conjugate chirp, and the conjugate of its transform, as the chirp is even. So all transforms of
//! the longer length are forward. The exponents `t^2` are reduced modulo 2 n in integers, so that no factor is worse for a
//! long row.
//!
//! *Cost.* Two transforms of the longer length, n + its length + n products. *When it loses.* Against a transform of the
//! length itself by small radices: it takes more than four times the operations.

use std::sync::Arc;

use earth_kernels::{Direction, Real, RowKernel};
use num_complex::Complex;

use crate::any_length::product::Products;
use crate::compiled::compiled;
use crate::isa::Isa;
use crate::scratch::check_call;
use crate::tables::radices::without;

/// Rows of one length through the kernel of another one.
pub struct Chirp<T: Real> {
    through: Arc<dyn RowKernel<T>>,
    /// `w(t)` for each point of a row.
    factors: Vec<Complex<T>>,
    /// The transform of the conjugate chirp, in both directions of time, over its length.
    spectrum: Vec<Complex<T>>,
    products: Products<T>,
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

    /// A fast length that rows of `n` points can go through: the shortest multiple of 64 points whose prime factors are 2, 3
    /// and 5.
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

    /// Plans rows of `n` points through the rows of `through`.
    ///
    /// # Panics
    ///
    /// If `n` is 0, past 2^52, or more than the rows of `through` have room for.
    pub fn new(n: usize, through: Arc<dyn RowKernel<T>>) -> Self {
        let (length, least) = (through.len(), Self::least(n));
        assert!(length >= least, "rows of {n} points go through {least} points, not {length}");
        let isa = Isa::best();
        // The second half of the circle is the first one with the other sign.
        let half: Vec<Complex<T>> = (compiled::<T>().arc)(isa, 2 * n, n);
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
