//! How much a profile of speeds varies, and how two profiles compare.
//!
//! Section I of Khokhriakov, Manumachu and Lastovetsky, *IEEE Access* 6 (2018): the *width* of a variation is
//! |s1 − s2| / min(s1, s2) for neighbouring extremes s1 and s2 of the speeds in the order of their sizes (its
//! Eq. 1), and the average speed is compared with the highest. The ends of a profile count as extremes, so that
//! one that only rises has one variation; points of the same speed are one extreme, at the first of them.
//!
//! A program's speed-up over another is given in two ways: the mean of the ratios, and the ratio of the mean
//! speeds. They differ: the paper's 2x is 1.44x by the second.

use earth_report::numbers::mean;
use serde::Serialize;

/// A rise or fall between neighbouring extremes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variation {
    /// The size and the speed where it begins.
    pub from: (usize, f64),
    /// The size and the speed where it ends.
    pub to: (usize, f64),
}

impl Variation {
    /// |s1 − s2| / min(s1, s2), as a fraction.
    pub fn width(&self) -> f64 {
        (self.from.1 - self.to.1).abs() / self.from.1.min(self.to.1)
    }
}

/// The variations of a profile of points `(size, speed)`, in ascending order of the sizes.
pub fn variations(profile: &[(usize, f64)]) -> Vec<Variation> {
    let mut extremes: Vec<(usize, f64)> = Vec::new();
    for &point in profile {
        let direction = |from: (usize, f64), to: (usize, f64)| from.1.total_cmp(&to.1);
        match extremes[..] {
            [.., last] if direction(last, point).is_eq() => {}
            // The speed goes on in the same direction, so the extreme lies further on.
            [.., before, last] if direction(before, last) == direction(last, point) => {
                extremes.pop();
                extremes.push(point);
            }
            _ => extremes.push(point),
        }
    }
    extremes.windows(2).map(|pair| Variation { from: pair[0], to: pair[1] }).collect()
}

/// A profile of speeds in a few figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Profile {
    /// The mean speed.
    pub average: f64,
    /// The size of the highest speed, the first of equals, and that speed.
    pub peak: (usize, f64),
    /// The width of the widest variation; 0 without any.
    pub widest: f64,
    /// The mean width of the variations; 0 without any.
    pub mean_width: f64,
}

impl Profile {
    /// The figures of points `(size, speed)` in ascending order of the sizes; `None` if there are none.
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

    /// The average speed as a fraction of the highest.
    pub fn average_to_peak(&self) -> f64 {
        self.average / self.peak.1
    }
}

/// How many times as fast as another program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SpeedUp {
    /// The mean over all sizes of the ratio of the speeds.
    pub mean_of_ratios: f64,
    /// The ratio of the mean speeds.
    pub ratio_of_means: f64,
    /// The least ratio.
    pub least: f64,
    /// The greatest ratio.
    pub most: f64,
}

impl SpeedUp {
    /// The speed-up by pairs `(speed, speed of the other)` at the same size; `None` if there are none.
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
    fn widths_lie_between_neighbouring_extremes() {
        // 2 up to 4, down to 1, up to 3; the 3 and the two points on the way are no extremes.
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
        // 3, 1, 1 and 5/3.
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
