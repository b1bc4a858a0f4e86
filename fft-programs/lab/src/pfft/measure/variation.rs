//! Variation of a profile of speeds, and comparison of two profiles.
//!
//! Section I of Khokhriakov, Manumachu and Lastovetsky, *IEEE Access* 6 (2018): the *width* of a variation is
//! |s1 − s2| / min(s1, s2) for adjacent extremes s1 and s2 of the speeds in the order of their sizes (Eq. 1).
//! The average speed is compared with the highest. The ends of a profile count as extremes, so a profile that
//! only rises has one variation. Consecutive points of equal speed are one extreme, at the first of them.
//!
//! A program's speed-up over another is given in two ways: the mean of the ratios, and the ratio of the mean
//! speeds. They differ: the paper's 2x is 1.44x by the second.

use earth_report::numbers::mean;
use serde::Serialize;

/// Rise or fall between adjacent extremes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// Size and speed at its beginning.
    pub from: (usize, f64),
    /// Size and speed at its end.
    pub to: (usize, f64),
}

impl Variation {
    /// Returns the width |s1 − s2| / min(s1, s2), as a fraction.
    pub fn width(&self) -> f64 {
        (self.from.1 - self.to.1).abs() / self.from.1.min(self.to.1)
    }
}

/// Returns the variations of a profile of points `(size, speed)` in ascending order of the sizes.
pub fn variations(profile: &[(usize, f64)]) -> Vec<Variation> {
    let mut extremes: Vec<(usize, f64)> = Vec::new();
    for &point in profile {
        let direction = |from: (usize, f64), to: (usize, f64)| from.1.total_cmp(&to.1);
        match extremes[..] {
            [.., last] if direction(last, point).is_eq() => {}
            // The speed continues in the same direction, so this point replaces the extreme.
            [.., before, last] if direction(before, last) == direction(last, point) => {
                extremes.pop();
                extremes.push(point);
            }
            _ => extremes.push(point),
        }
    }
    extremes.windows(2).map(|pair| Variation { from: pair[0], to: pair[1] }).collect()
}

/// Summary of a profile of speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// Mean speed.
    pub average: f64,
    /// Size with the highest speed (the first one, if several are equal), and that speed.
    pub peak: (usize, f64),
    /// Width of the widest variation; 0 if there is none.
    pub widest: f64,
    /// Mean width of the variations; 0 if there is none.
    pub mean_width: f64,
}

impl Profile {
    /// Summarizes points `(size, speed)` in ascending order of the sizes. Returns `None` if there are no
    /// points.
    pub fn of(points: &[(usize, f64)]) -> Option<Self> {
        let first = *points.first()?;
        let widths: Vec<f64> = variations(points).iter().map(Variation::width).collect();
        Some(Self {
            average: mean(points.iter().map(|point| point.1)),
            peak: points.iter().fold(first, |peak, &point| if point.1 > peak.1 { point } else { peak }),
            widest: widths.iter().copied().fold(0.0, f64::max),
            mean_width: if widths.is_empty() { 0.0 } else { mean(widths) },
        })
    }

    /// Returns the average speed as a fraction of the highest.
    pub fn average_to_peak(&self) -> f64 {
        self.average / self.peak.1
    }
}

/// Speed-up over another program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SpeedUp {
    /// Mean over all sizes of the ratio of the speeds.
    pub mean_of_ratios: f64,
    /// Ratio of the mean speeds.
    pub ratio_of_means: f64,
    /// Least ratio.
    pub least: f64,
    /// Greatest ratio.
    pub most: f64,
}

impl SpeedUp {
    /// Computes the speed-up from pairs `(speed, other program's speed)` at equal sizes. Returns `None` if
    /// there are no pairs.
    pub fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let ratios = pairs.iter().map(|(speed, other)| speed / other);
        Some(Self {
            least: ratios.clone().min_by(f64::total_cmp)?,
            most: ratios.clone().max_by(f64::total_cmp)?,
            mean_of_ratios: mean(ratios),
            ratio_of_means: mean(pairs.iter().map(|pair| pair.0)) / mean(pairs.iter().map(|pair| pair.1)),
        })
    }
}

#[cfg(test)]
#[expect(clippy::float_cmp, reason = "numbers that are exact")]
mod tests {
    use super::*;

    fn widths(speeds: &[f64]) -> Vec<f64> {
        let profile: Vec<_> = speeds.iter().copied().enumerate().collect();
        variations(&profile).iter().map(Variation::width).collect()
    }

    #[test]
    fn widths_are_between_neighbouring_extremes() {
        // 2 up to 4, down to 1, up to 3; the first 3 and the two points of value 2 in between are no
        // extremes.
        assert_eq!(widths(&[2.0, 3.0, 4.0, 2.0, 1.0, 2.0, 3.0]), [1.0, 3.0, 2.0]);
        assert_eq!(widths(&[4.0, 2.0]), [1.0]);
        assert_eq!(widths(&[1.0, 2.0, 3.0]), [2.0]);
        assert!(widths(&[5.0, 5.0, 5.0]).is_empty());
        assert!(widths(&[5.0]).is_empty());
        assert!(widths(&[]).is_empty());
    }

    #[test]
    fn a_plateau_is_one_extreme_at_its_beginning() {
        let found = variations(&[(1, 2.0), (2, 4.0), (3, 4.0), (4, 2.0), (5, 2.0), (6, 1.0), (7, 1.0)]);
        let expected = [((1, 2.0), (2, 4.0)), ((2, 4.0), (6, 1.0))];
        assert_eq!(found, expected.map(|(from, to)| Variation { from, to }));
    }

    #[test]
    fn a_profile_has_an_average_and_a_peak() {
        let profile = Profile::of(&[(64, 2.0), (128, 8.0), (192, 4.0), (256, 8.0), (320, 3.0)]).unwrap();
        assert_eq!((profile.average, profile.peak), (5.0, (128, 8.0)));
        assert_eq!(profile.average_to_peak(), 0.625);
        // The widths are 3, 1, 1 and 5/3.
        assert_eq!(profile.widest, 3.0);
        assert!((profile.mean_width - (3.0 + 1.0 + 1.0 + 5.0 / 3.0) / 4.0).abs() < 1e-15);
        assert_eq!(Profile::of(&[(1, 7.0)]).map(|one| (one.widest, one.mean_width)), Some((0.0, 0.0)));
        assert_eq!(Profile::of(&[]), None);
    }

    #[test]
    fn means_of_ratios_are_not_ratios_of_means() {
        let speed_up = SpeedUp::of(&[(3.0, 1.0), (10.0, 10.0), (2.0, 4.0)]).unwrap();
        assert_eq!((speed_up.mean_of_ratios, speed_up.ratio_of_means), (1.5, 1.0));
        assert_eq!((speed_up.least, speed_up.most), (0.5, 3.0));
        assert_eq!(SpeedUp::of(&[]), None);
    }
}
