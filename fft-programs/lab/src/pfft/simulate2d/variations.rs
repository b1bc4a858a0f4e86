//! Random speed functions: their width, and the correlation of their points.
//!
//! *Width.* At its best a group transforms rows at its peak. Other rows take 1 + w u times as long, where u
//! is uniform between 0 and 1. The widest variation is therefore w. The average speed is ln(1 + w) / w of the
//! peak, the mean of 1 / (1 + w u). [`width`] inverts this: the paper's 40%, 30% and 24% give w = 4.05, 6.9
//! and 10.
//!
//! *Common part.* Rows of one length may be slow for any number of rows and any group. So u is Φ(z), where Φ
//! is the normal distribution and z = √c g + √(1 - c) h. g is drawn for each length, h for each group, number
//! of rows and length; both are normal. c is the share of the variance that is common. With c = 0 each point
//! is independent; with c = 1 all rows of a length are equally slow and unequal shares cannot help. u is
//! uniform for any c.
//!
//! *Correlation along the rows.* `together` adjacent numbers of rows on the grid share their h.
//!
//! Draws are hashes of their arguments, so any draw can be made at any time and is equal in every run.

use statrs::distribution::{ContinuousCDF as _, Normal};

/// Distance of adjacent points of the paper's speed functions, in rows and in points of a row.
pub(super) const GRID: usize = 128;

/// Parameters of the variation of speeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variations {
    pub(super) seed: u64,
    /// Share of the variance that is common to all rows of a length.
    pub(super) common: f64,
    /// Number of adjacent numbers of rows that vary together.
    pub(super) together: usize,
}

/// Number of groups, and the index of the group that transforms rows.
pub(super) type Group = (usize, usize);

/// The library on all cores.
pub(super) const LIBRARY: Group = (1, 0);

impl Variations {
    /// Returns the slowness of `rows` rows of a length, from 0 to 1.
    pub(super) fn slowness(&self, (groups, group): Group, rows: usize, length: usize) -> f64 {
        let point = (rows / GRID / self.together) as u64;
        let own = self.uniform([1 + groups as u64, group as u64, point, length as u64]);
        if self.common == 0.0 {
            return own;
        }
        let normal = Normal::standard();
        let [common, own] =
            [self.uniform([0, 0, 0, length as u64]), own].map(|uniform| normal.inverse_cdf(uniform));
        normal.cdf(self.common.sqrt() * common + (1.0 - self.common).sqrt() * own)
    }

    /// Returns a number between 0 and 1, both excluded.
    fn uniform(&self, what: [u64; 4]) -> f64 {
        let hash = what.into_iter().fold(mixed(self.seed), |hash, part| mixed(hash ^ mixed(part)));
        ((hash >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }
}

/// Mixes bits as the finalizer of `splitmix64`: every input bit affects every output bit.
fn mixed(bits: u64) -> u64 {
    let bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// Returns the average speed as a fraction of the peak, if times are 1 + `width` u times the least.
pub(super) fn average_to_peak(width: f64) -> f64 {
    if width == 0.0 { 1.0 } else { width.ln_1p() / width }
}

/// Returns the width of the variations whose average is this fraction of the peak.
pub(super) fn width(average_to_peak_of_it: f64) -> f64 {
    let [mut low, mut high] = [0.0, 1e6];
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if average_to_peak(middle) > average_to_peak_of_it {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: ln(7.9) / 6.9 = 2.0669 / 6.9, and ln(11) / 10.
    #[test]
    fn widths_belong_to_averages() {
        assert!(
            (average_to_peak(6.9) - 0.29955).abs() < 1e-4 && (average_to_peak(10.0) - 0.23979).abs() < 1e-4
        );
        let widths = [0.4, 0.3, 0.24, 1.0].map(|share| format!("{:.1}", width(share)));
        assert_eq!(widths, ["4.0", "6.9", "10.0", "0.0"]);
    }

    /// The mean of n uniform numbers is within 4 / sqrt(12 n) of a half, and the averages of speeds are as
    /// predicted.
    #[test]
    fn slowness_is_uniform_whatever_is_common() {
        for common in [0.0, 0.5, 0.9] {
            let number = 4_000;
            let all: Vec<f64> = (0..number)
                .map(|seed| Variations { seed, common, together: 1 }.slowness((2, 1), 640, 1280))
                .collect();
            let mean = |of: &dyn Fn(f64) -> f64| all.iter().map(|&u| of(u)).sum::<f64>() / number as f64;
            assert!((mean(&|u| u) - 0.5).abs() < 0.02, "{common}");
            assert!((mean(&|u| u * u) - 1.0 / 3.0).abs() < 0.02, "{common}");
            assert!((mean(&|u| 1.0 / (1.0 + 10.0 * u)) - average_to_peak(10.0)).abs() < 0.01, "{common}");
        }
    }

    /// If normal numbers have the correlation c, the correlation of their uniform numbers is 6/π asin(c/2).
    #[test]
    fn the_common_part_is_the_correlation() {
        for common in [0.0_f64, 0.5, 0.9] {
            let number = 4_000;
            let products = (0..number).map(|seed| {
                let variations = Variations { seed, common, together: 1 };
                let [one, other] = [LIBRARY, (4, 2)].map(|who| variations.slowness(who, 1280, 1280) - 0.5);
                12.0 * one * other
            });
            let correlation = products.sum::<f64>() / number as f64;
            let expected = 6.0 / std::f64::consts::PI * (common / 2.0).asin();
            assert!((correlation - expected).abs() < 0.06, "{correlation}, not {expected}");
        }
    }

    #[test]
    fn neighbours_vary_together_as_far_as_they_should() {
        let variations = Variations { seed: 5, common: 0.0, together: 4 };
        let at = |point: usize, group| variations.slowness((2, group), point * GRID, 4096).to_bits();
        assert!([5, 6, 7].into_iter().all(|point| at(point, 0) == at(4, 0)));
        assert!(at(8, 0) != at(4, 0) && at(4, 1) != at(4, 0));
        let other = Variations { seed: 6, ..variations };
        assert_ne!(other.slowness((2, 0), 512, 4096).to_bits(), at(4, 0));
    }
}
