//! Crossings: the grains at which DUAL becomes faster or slower than SPN.
//!
//! Ratios are interpolated: the logarithm of the ratio over the logarithm of the grain. A ratio that cannot
//! be distinguished from 1 is *null*. A crossing is between two grains with significant ratios on different
//! sides of 1. Null ratios between the two form its band.

use serde::Serialize;

/// Greatest factor between the predicted and the found crossing of a hit.
pub(crate) const FACTOR: f64 = 2.0;

/// Ratio below which an exact ratio is null, as is its inverse.
pub(crate) const EXACT: f64 = 1.02;

/// Samples of a predicted ratio for each factor of 10 in grain.
const SAMPLES: u32 = 24;

/// Ratio of DUAL's time to SPN's at a grain.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Place {
    /// Grain in nanoseconds.
    pub(crate) grain: f64,
    pub(crate) ratio: f64,
    pub(crate) is_null: bool,
}

/// Crossing of DUAL and SPN.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Crossing {
    /// Grain in nanoseconds.
    pub(crate) at: f64,
    /// Grains between which the ratio cannot be distinguished from 1.
    pub(crate) band: [f64; 2],
    /// Whether DUAL is faster at larger grains.
    pub(crate) is_above: bool,
}

/// Comparison of a found crossing with the predicted one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Both exist, and differ by a factor.
    Both(Crossing, Crossing),
    /// No crossing of this direction was predicted.
    NotPredicted(Crossing),
    /// A crossing was predicted, and none of this direction was found.
    NotFound(Crossing),
}

impl Place {
    /// Makes the place of an exact ratio.
    pub(crate) fn exact(grain: f64, ratio: f64) -> Self {
        Self { grain, ratio, is_null: ratio.ln().abs() < EXACT.ln() }
    }
}

impl Outcome {
    /// Returns the predicted grain over the found grain, if there are both.
    pub(crate) fn factor(&self) -> Option<f64> {
        match self {
            Self::Both(found, predicted) => Some(predicted.at / found.at),
            Self::NotPredicted(_) | Self::NotFound(_) => None,
        }
    }

    /// Whether the prediction is within [`FACTOR`] of the found crossing.
    pub(crate) fn is_hit(&self) -> bool {
        self.factor().is_some_and(|factor| factor.max(1.0 / factor) <= FACTOR)
    }
}

/// Finds the crossings among places of ascending grain.
pub(crate) fn crossings(places: &[Place]) -> Vec<Crossing> {
    let places: Vec<_> = places.iter().filter(|place| place.ratio.is_finite()).collect();
    let mut found = Vec::new();
    let mut last: Option<usize> = None;
    for (at, place) in places.iter().enumerate().filter(|(_, place)| !place.is_null) {
        if let Some(from) = last
            && (places[from].ratio < 1.0) != (place.ratio < 1.0)
        {
            found.push(between(&places[from..=at]));
        }
        last = Some(at);
    }
    found
}

/// Returns the crossing among places whose first and last one are on different sides of 1.
fn between(places: &[&Place]) -> Crossing {
    let is_above = places[0].ratio > 1.0;
    let changes = places.windows(2).filter_map(|two| {
        let [one, next] = [two[0], two[1]].map(|place| [place.grain.ln(), place.ratio.ln()]);
        let changes = (one[1] < 0.0) != (next[1] < 0.0);
        changes.then(|| one[0] - one[1] * (next[0] - one[0]) / (next[1] - one[1]))
    });
    let changes: Vec<f64> = changes.collect();
    let at = f64::midpoint(changes[0], changes[changes.len() - 1]).exp();
    let nulls = places[1..places.len() - 1].iter().map(|place| place.grain);
    let band = nulls.fold([at, at], |[low, high], grain| [low.min(grain), high.max(grain)]);
    Crossing { at, band, is_above }
}

/// Finds the crossings of a predicted ratio between two grains, and a [`FACTOR`] and more beyond them.
pub(crate) fn predicted(ratio: impl Fn(f64) -> f64, [least, most]: [f64; 2]) -> Vec<Crossing> {
    let [low, high] = [least.log10() - 0.5, most.log10() + 0.5];
    let samples = ((high - low) * f64::from(SAMPLES)).ceil() as u32;
    let grain = |sample: u32| 10_f64.powf(low + (high - low) * f64::from(sample) / f64::from(samples));
    let places: Vec<_> = (0..=samples).map(grain).map(|grain| Place::exact(grain, ratio(grain))).collect();
    crossings(&places)
}

/// Compares found crossings with predicted ones of the same direction, which are the nearest. A predicted
/// crossing outside of the grains is no miss.
pub(crate) fn compared(found: &[Crossing], predicted: &[Crossing], [least, most]: [f64; 2]) -> Vec<Outcome> {
    let mut left = predicted.to_vec();
    let mut outcomes = Vec::new();
    for &crossing in found {
        let distance = |other: &Crossing| (other.at / crossing.at).ln().abs();
        let same = left.iter().enumerate().filter(|(_, other)| other.is_above == crossing.is_above);
        let nearest = same.min_by(|(_, one), (_, other)| distance(one).total_cmp(&distance(other)));
        match nearest.map(|(at, _)| at) {
            Some(at) => outcomes.push(Outcome::Both(crossing, left.remove(at))),
            None => outcomes.push(Outcome::NotPredicted(crossing)),
        }
    }
    let inside = left.into_iter().filter(|crossing| (least..=most).contains(&crossing.at));
    outcomes.extend(inside.map(Outcome::NotFound));
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(ratios: &[(f64, f64)]) -> Vec<Place> {
        ratios.iter().map(|&(grain, ratio)| Place::exact(grain, ratio)).collect()
    }

    #[test]
    fn a_crossing_is_interpolated_in_logarithms() {
        let found = crossings(&places(&[(10.0, 4.0), (100.0, 2.0), (1000.0, 0.5), (10_000.0, 0.5)]));
        assert_eq!(found.len(), 1);
        let Crossing { at, band, is_above } = found[0];
        assert!((at / 316.227_766 - 1.0).abs() < 1e-6 && is_above, "{at}");
        assert!((band[0] - at).abs() < 1e-9 && (band[1] - at).abs() < 1e-9);
    }

    #[test]
    fn null_ratios_form_a_band_and_are_no_crossing_alone() {
        let found = crossings(&places(&[(10.0, 0.5), (100.0, 0.99), (1000.0, 1.01), (10_000.0, 2.0)]));
        assert_eq!(found.len(), 1);
        assert!((100.0..1000.0).contains(&found[0].at) && !found[0].is_above, "{found:?}");
        let [low, high] = found[0].band;
        assert!((low - 100.0).abs() < 1e-9 && (high - 1000.0).abs() < 1e-9, "{found:?}");
        assert_eq!(crossings(&places(&[(10.0, 0.5), (100.0, 0.99), (1000.0, 1.01)])), []);
        assert_eq!(crossings(&places(&[(10.0, 0.5), (100.0, f64::NAN), (1000.0, 0.6)])), []);
    }

    #[test]
    fn all_crossings_are_found() {
        let found = crossings(&places(&[(10.0, 0.5), (100.0, 2.0), (1000.0, 0.5)]));
        assert_eq!(found.iter().map(|crossing| crossing.is_above).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn predictions_are_compared_by_direction() {
        let at = |at: f64, is_above| Crossing { at, band: [at, at], is_above };
        let grains = [10.0, 1e5];
        let all = compared(&[at(100.0, true)], &[at(150.0, true), at(3000.0, false)], grains);
        assert_eq!(all.len(), 2);
        assert!(all[0].is_hit() && (all[0].factor().unwrap() - 1.5).abs() < 1e-12);
        assert_eq!(all[1], Outcome::NotFound(at(3000.0, false)));
        assert!(!compared(&[at(100.0, true)], &[at(210.0, true)], grains)[0].is_hit());
        assert!(compared(&[at(100.0, true)], &[at(50.0, true)], grains)[0].is_hit());
        let missed = compared(&[at(100.0, true)], &[at(100.0, false)], [500.0, 1e5]);
        assert_eq!(missed, [Outcome::NotPredicted(at(100.0, true))]);
    }

    #[test]
    fn a_predicted_crossing_is_found_between_samples() {
        let found = predicted(|grain| 700.0 / grain, [10.0, 1e5]);
        assert!(found.len() == 1 && (found[0].at / 700.0 - 1.0).abs() < 1e-3, "{found:?}");
        assert_eq!(predicted(|_| 1.5, [10.0, 1e5]), []);
    }
}
