//! Statistics of repeated measurements, and whether the ratio of two things is more than noise.
//!
//! Compared things run in turn, one round after another, so that a temporary slowdown of the computer slows
//! all of them. The ratio is taken in each round; its quartiles show how certain it is. One of the things
//! runs twice a round. The ratio of it to itself is the *null band*, and a ratio inside the band cannot be
//! distinguished from 1.

use serde::{Deserialize, Serialize};

/// Statistics of an odd number of measurements of one thing.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// Least value.
    pub min: f64,
    /// First quartile: at least a quarter of the values are not above it.
    pub q1: f64,
    /// Median.
    pub median: f64,
    /// Third quartile.
    pub q3: f64,
    /// Greatest value.
    pub max: f64,
}

impl Spread {
    /// Returns the statistics of an odd number of values.
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let last = values.len() - 1;
        let [min, q1, median, q3, max] = [0, last / 4, last / 2, last - last / 4, last].map(|at| values[at]);
        Self { min, q1, median, q3, max }
    }

    /// Returns the statistics of the ratios of one thing to another, round by round, of an odd number of
    /// rounds.
    pub fn of_ratios(over: &[f64], under: &[f64]) -> Self {
        Self::of(over.iter().zip(under).map(|(over, under)| over / under).collect())
    }

    /// Returns the rates for these times, where `rate` is the rate at the median. The longest time has the
    /// least rate.
    #[must_use]
    pub fn rate(self, rate: f64) -> Self {
        let at = |time: f64| rate * self.median / time;
        Self { min: at(self.max), q1: at(self.q3), median: rate, q3: at(self.q1), max: at(self.min) }
    }

    /// Applies a function to each statistic.
    #[must_use]
    pub fn map(self, of: impl Fn(f64) -> f64) -> Self {
        let Self { min, q1, median, q3, max } = self;
        let [min, q1, median, q3, max] = [min, q1, median, q3, max].map(of);
        Self { min, q1, median, q3, max }
    }

    /// Whether this ratio by rounds can be distinguished from 1, where `null` is the ratio of a thing to
    /// itself. The median must be outside of the range of `null`, extended to include 1.
    pub fn is_significant(&self, null: &Self) -> bool {
        self.median < null.min.min(1.0) || self.median > null.max.max(1.0)
    }
}

/// Returns the median, of an even number of values the upper one; `None` without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// Returns the geometric mean, by which the mean of ratios equals the ratio of means; `None` without values.
pub fn geometric_mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut number) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        number += 1.0;
    }
    (number > 0.0).then(|| f64::exp(sum / number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_of_rounds_are_those_of_their_ratios() {
        let under: Vec<_> = (1..=11).map(f64::from).collect();
        // The third, the sixth and the ninth of the sorted ratios 1 to 11.
        let over: Vec<_> =
            under.iter().zip([4, 2, 11, 7, 1, 9, 6, 3, 10, 8, 5]).map(|(x, by)| x * f64::from(by)).collect();
        let expected = Spread { min: 1.0, q1: 3.0, median: 6.0, q3: 9.0, max: 11.0 };
        assert_eq!(Spread::of_ratios(&over, &under), expected);
        assert_eq!(Spread::of(vec![2.0]), Spread { min: 2.0, q1: 2.0, median: 2.0, q3: 2.0, max: 2.0 });
    }

    #[test]
    fn a_ratio_inside_the_null_band_is_not_significant() {
        let around = |median: f64, width: f64| Spread {
            min: median - width,
            q1: median,
            median,
            q3: median,
            max: median + width,
        };
        let significant = |median, null: Spread| around(median, 0.5).is_significant(&null);
        let null = around(1.02, 0.05);
        assert!(significant(0.96, null) && significant(1.08, null));
        assert!(!significant(0.98, null) && !significant(1.06, null));
        // A band without 1 is extended to include 1.
        let null = around(1.2, 0.05);
        assert!(
            !significant(1.01, null)
                && !significant(1.24, null)
                && significant(1.26, null)
                && significant(0.99, null)
        );
        let null = around(0.8, 0.05);
        assert!(!significant(0.9, null) && significant(1.01, null) && significant(0.74, null));
    }

    #[test]
    fn the_median_of_an_even_number_is_the_upper_one() {
        assert_eq!(
            [vec![3.0, 1.0, 2.0], vec![4.0, 1.0, 2.0, 3.0], vec![]].map(median),
            [Some(2.0), Some(3.0), None]
        );
    }

    #[test]
    fn the_geometric_mean_of_a_half_and_a_double_is_one() {
        let mean = |values: &[f64]| geometric_mean(values.iter().copied());
        assert!((mean(&[0.5, 2.0, 1.0]).unwrap() - 1.0).abs() < 1e-15);
        assert!((mean(&[2.0, 8.0]).unwrap() - 4.0).abs() < 1e-14);
        assert_eq!(mean(&[]), None);
    }
}
