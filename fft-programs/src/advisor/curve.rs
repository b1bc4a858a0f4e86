//! A rate as a function of a size, interpolated between measured sizes.

use serde::{Deserialize, Serialize};

/// Values at some sizes. It interpolates linearly in logarithms, and is constant beyond the first and the
/// last size.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Curve(Vec<[f64; 2]>);

impl Curve {
    /// Makes the curve through pairs of a size and a value, in any order.
    pub fn new(mut points: Vec<[f64; 2]>) -> Self {
        points.sort_by(|a, b| a[0].total_cmp(&b[0]));
        Self(points)
    }

    /// Returns the pairs of a size and a value.
    pub fn points(&self) -> &[[f64; 2]] {
        &self.0
    }

    /// Returns whether there are pairs, all numbers are positive and finite, and the sizes increase.
    pub fn makes_sense(&self) -> bool {
        let positive = self.0.iter().flatten().all(|number| number.is_finite() && *number > 0.0);
        positive && !self.0.is_empty() && self.0.windows(2).all(|pair| pair[0][0] < pair[1][0])
    }

    /// Returns the value at a size, or 1 if there are no pairs.
    pub fn at(&self, size: f64) -> f64 {
        let next = self.0.partition_point(|point| point[0] < size);
        match (next.checked_sub(1).and_then(|last| self.0.get(last)), self.0.get(next)) {
            (Some([from, low]), Some([to, high])) => {
                let part = (size / from).ln() / (to / from).ln();
                low * (high / low).powf(part)
            }
            (Some(end), None) | (None, Some(end)) => end[1],
            (None, None) => 1.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn between_sizes_it_is_a_line_of_logarithms() {
        let curve = Curve::new(vec![[16.0, 1.0], [4.0, 4.0], [64.0, 9.0]]);
        for (size, value) in [(1.0, 4.0), (4.0, 4.0), (8.0, 2.0), (16.0, 1.0), (32.0, 3.0), (1e9, 9.0)] {
            assert!((curve.at(size) - value).abs() < 1e-12, "{size}: {}", curve.at(size));
        }
        assert!(curve.makes_sense() && !Curve::default().makes_sense());
        assert!((Curve::default().at(3.0) - 1.0).abs() < 1e-15);
        for wrong in [[-1.0, 1.0], [1.0, 0.0], [1.0, f64::NAN], [1.0, f64::INFINITY]] {
            assert!(!Curve::new(vec![wrong]).makes_sense(), "{wrong:?}");
        }
        assert!(!Curve::new(vec![[1.0, 1.0], [1.0, 2.0]]).makes_sense());
    }
}
