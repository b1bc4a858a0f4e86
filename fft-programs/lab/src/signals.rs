//! Signals and samples generated from seeds: equal numbers in every run.

use earth_kernels::Real;
use num_complex::Complex;
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

/// Returns `points` points of noise in -1..1, which contains all frequencies.
pub(crate) fn noise<T: Real>(points: usize) -> Vec<Complex<T>> {
    points_of_noise(points).collect()
}

/// Yields the points of [`noise`].
pub(crate) fn points_of_noise<T: Real>(points: usize) -> impl ExactSizeIterator<Item = Complex<T>> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(points as u64);
    let mut part = move || T::of(random.random_range(-1.0..1.0));
    (0..points).map(move |_| Complex::new(part(), part()))
}

/// Generator of samples from known distributions.
#[cfg(test)]
pub(crate) struct Samples(Xoshiro256PlusPlus);

#[cfg(test)]
impl Samples {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Returns samples between 0 and 1.
    pub(crate) fn uniform(&mut self, number: usize) -> Vec<f64> {
        (0..number).map(|_| self.0.random_range(0.0..1.0)).collect()
    }

    pub(crate) fn normal(&mut self, number: usize, mean: f64, deviation: f64) -> Vec<f64> {
        (0..number).map(|_| self.one_normal(mean, deviation)).collect()
    }

    /// Returns a normal sample (Box-Muller).
    pub(crate) fn one_normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let turn = std::f64::consts::TAU;
        let (radius, angle): (f64, f64) = (self.0.random_range(0.0..1.0), self.0.random_range(0.0..turn));
        mean + deviation * (-2.0 * (1.0 - radius).ln()).sqrt() * angle.cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_is_between_minus_one_and_one() {
        let all: Vec<f64> = noise(500).into_iter().flat_map(|z| [z.re, z.im]).collect();
        assert!(all.iter().all(|x| (-1.0..=1.0).contains(x)));
        let mean = all.iter().sum::<f64>() / 1000.0;
        assert!(
            mean.abs() < 0.1 && all.windows(2).all(|pair| pair[0].to_bits() != pair[1].to_bits()),
            "{mean}"
        );
    }
}
