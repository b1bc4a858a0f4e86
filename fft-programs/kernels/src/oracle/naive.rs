//! Row kernel for this crate's tests: the definition, summed term by term in double precision.

use num_complex::Complex;

use crate::kind::row::RowKernel;
use crate::oracle::dft::widen;
use crate::real::Real;
use crate::unity::twiddle::{Direction, twiddle};

/// Kernel for rows of the given number of points.
pub(crate) struct Naive(pub(crate) usize);

impl<T: Real> RowKernel<T> for Naive {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn len(&self) -> usize {
        self.0
    }

    fn scratch_len(&self) -> usize {
        0
    }

    fn transform(&self, direction: Direction, rows: &mut [Complex<T>], _: &mut [Complex<T>]) {
        let factors: Vec<Complex<f64>> = (0..self.0).map(|k| twiddle(k, self.0)).collect();
        for row in rows.chunks_exact_mut(self.0) {
            let given: Vec<_> = row.iter().copied().map(widen).collect();
            for (k, to) in row.iter_mut().enumerate() {
                let factor = |j: usize| match (factors[j * k % self.0], direction) {
                    (factor, Direction::Forward) => factor,
                    (factor, Direction::Inverse) => factor.conj(),
                };
                let sum: Complex<f64> = given.iter().enumerate().map(|(j, x)| x * factor(j)).sum();
                *to = Complex::new(T::of(sum.re), T::of(sum.im));
            }
        }
    }
}
