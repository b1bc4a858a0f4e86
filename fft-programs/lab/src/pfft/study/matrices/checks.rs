//! Checks of results against the transform of the matrix.

use earth_fft::Precision;
use earth_fft::kernel::Kernel;
use earth_kernels::{Direction, bound, dft_bin, verify};
use earth_rustfft::RustFft;
use num_complex::Complex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

use super::MatrixBench;
use super::turns::Runner;
use crate::pfft::study::bench::BenchError;
use crate::signals::points_of_noise;

/// Seed that chooses the values of a result to check by the definition of the DFT.
const SEED: u64 = 17;

/// Number of values of a large result that are checked.
const VALUES: usize = 4;

impl<T: Precision> MatrixBench<T> {
    /// Runs once, and returns the relative error of the result.
    ///
    /// # Errors
    ///
    /// Returns an error for a wrong result.
    pub(super) fn checked(
        &mut self,
        runner: &mut Runner<T>,
        kernel: &Kernel,
        what: impl Fn() -> String,
    ) -> Result<f64, BenchError> {
        self.run(runner, kernel)?;
        let (error, bound) = self.error();
        if error.is_nan() || error > bound {
            return Err(BenchError::Wrong { what: what(), n: self.n, error, bound });
        }
        Ok(error)
    }

    /// Returns the error of the last result, which is in `work`, and its bound.
    pub(super) fn error(&mut self) -> (f64, f64) {
        let n = self.n;
        if self.is_large() {
            return self.error_of_large();
        }
        let verified = verify(&[n, n], &self.matrix, &self.work, Direction::Forward, SEED, RustFft::new);
        (verified.relative_error(), verified.bound)
    }

    /// Returns the error of some values and of the energy of the last result. `work` then has the matrix.
    fn error_of_large(&mut self) -> (f64, f64) {
        let (n, points) = (self.n, self.n * self.n);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(SEED);
        let places: Vec<_> = (0..VALUES).map(|_| random.random_range(0..points)).collect();
        let values: Vec<_> = places.iter().map(|&at| widened(self.work[at])).collect();
        let energy = energy(&self.work) / points as f64;
        self.work.clear();
        self.work.extend(points_of_noise::<T>(points));
        let expected_energy = self::energy(&self.work);
        let exact = places.iter().map(|&at| dft_bin(&[n, n], &self.work, at, Direction::Forward));
        let (mut difference, mut size) = (0.0, 0.0);
        for (value, exact) in values.into_iter().zip(exact) {
            difference += (value - exact).norm_sqr();
            size += exact.norm_sqr();
        }
        // By Parseval, the mean square of all values is the energy of the matrix.
        let of_values = (difference / size.max(VALUES as f64 * expected_energy)).sqrt();
        let of_energy = (energy / expected_energy - 1.0).abs();
        (if of_values >= of_energy { of_values } else { of_energy.max(of_values) }, bound::<T>(points))
    }
}

fn widened<T: Precision>(value: Complex<T>) -> Complex<f64> {
    Complex::new(value.re.widen(), value.im.widen())
}

/// Returns the sum of the squares, by rows of sums, so that little is lost by rounding.
fn energy<T: Precision>(points: &[Complex<T>]) -> f64 {
    let of = |row: &[Complex<T>]| row.iter().map(|&value| widened(value).norm_sqr()).sum::<f64>();
    points.chunks(4096).map(of).collect::<Vec<_>>().chunks(4096).map(|sums| sums.iter().sum::<f64>()).sum()
}
