//! The row kernel of this crate's tests: the definition, summed term by term in double precision.

use num_complex::Complex;

use crate::kind::row::RowKernel;
use crate::oracle::error::widen;
use crate::real::Real;
use crate::unity::twiddle::{Direction, Twiddles};

/// Rows of one length, with the factors of both directions.
#[derive(Debug)]
pub(crate) struct Naive {
    forward: Twiddles<f64>,
    inverse: Twiddles<f64>,
}

impl Naive {
    pub(crate) fn new(n: usize) -> Self {
        let factors = |direction| Twiddles::new(n, direction);
        Self { forward: factors(Direction::Forward), inverse: factors(Direction::Inverse) }
    }
}

/// Sums each row into the scratch, since every output needs the whole row.
fn sum<T: Real>(rows: &mut [Complex<T>], scratch: &mut [Complex<T>], factors: &Twiddles<f64>) {
    let n = factors.order();
    for row in rows.chunks_exact_mut(n) {
        for (k, to) in scratch[..n].iter_mut().enumerate() {
            let term = |(j, x): (usize, &Complex<T>)| widen(*x) * factors.get(j * k);
            let sum: Complex<f64> = row.iter().enumerate().map(term).sum();
            *to = Complex::new(T::of(sum.re), T::of(sum.im));
        }
        row.copy_from_slice(&scratch[..n]);
    }
}

impl<T: Real> RowKernel<T> for Naive {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn len(&self) -> usize {
        self.forward.order()
    }

    fn scratch_len(&self) -> usize {
        self.forward.order()
    }

    fn forward(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        sum(rows, scratch, &self.forward);
    }

    fn inverse(&self, rows: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        sum(rows, scratch, &self.inverse);
    }
}
