//! Seeded samples of known distributions, for tests.

use std::f64::consts::TAU;

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt as _, SeedableRng as _};

pub(crate) struct Samples(Xoshiro256PlusPlus);

impl Samples {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Between 0 and 1.
    pub(crate) fn uniform(&mut self, number: usize) -> Vec<f64> {
        (0..number).map(|_| self.0.random_range(0.0..1.0)).collect()
    }

    pub(crate) fn normal(&mut self, number: usize, mean: f64, deviation: f64) -> Vec<f64> {
        (0..number).map(|_| self.one_normal(mean, deviation)).collect()
    }

    /// Box and Muller's.
    pub(crate) fn one_normal(&mut self, mean: f64, deviation: f64) -> f64 {
        let (radius, angle): (f64, f64) = (self.0.random_range(0.0..1.0), self.0.random_range(0.0..TAU));
        mean + deviation * (-2.0 * (1.0 - radius).ln()).sqrt() * angle.cos()
    }
}
