//! Clear differences of measured times, their number, and the null band.

use earth_papers::partition::Point;

/// Returns the 95th percentile of ratios, each inverted if it is below 1; 1 without a ratio.
pub(crate) fn null_band(ratios: impl Iterator<Item = f64>) -> f64 {
    let mut ratios: Vec<f64> = ratios.map(|ratio| ratio.max(ratio.recip())).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get((ratios.len() * 19 / 20).min(ratios.len().saturating_sub(1))).copied().unwrap_or(1.0)
}

/// Returns whether the intervals of two means are disjoint, and the first is less by more than the null band.
pub(crate) fn is_clearly_less(one: Point, other: Point, band: f64) -> bool {
    one.mean + one.half_width < other.mean - other.half_width && other.mean > band * one.mean
}

/// Counts the pairs whose first time is clearly less, those whose first time is clearly more, and all.
pub(crate) fn count_clearly(pairs: impl Iterator<Item = [Point; 2]>, band: f64) -> [usize; 3] {
    pairs.fold([0; 3], |[less, more, all], [one, other]| {
        let [is_less, is_more] =
            [is_clearly_less(one, other, band), is_clearly_less(other, one, band)].map(usize::from);
        [less + is_less, more + is_more, all + 1]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(mean: f64, half_width: f64) -> Point {
        Point { mean, half_width, repetitions: 10, normality: None }
    }

    #[test]
    fn clearly_less_is_beyond_the_intervals_and_the_band() {
        let is_less = |one, other| is_clearly_less(one, other, 1.1);
        assert!(is_less(point(1.0, 0.1), point(1.3, 0.1)));
        assert!(!is_less(point(1.0, 0.2), point(1.3, 0.1)), "intervals that touch");
        assert!(!is_less(point(1.0, 0.01), point(1.09, 0.01)), "within the band");
        let pairs = [[1.0, 2.0], [2.0, 1.0], [1.0, 1.0]].map(|pair| pair.map(|mean| point(mean, 0.01)));
        assert_eq!(count_clearly(pairs.into_iter(), 1.1), [1, 1, 3]);
    }

    #[test]
    fn the_null_band_leaves_out_a_twentieth() {
        let ratios = (0..20).map(|at| if at == 7 { 0.5 } else { 1.0 + f64::from(at) / 100.0 });
        assert!((null_band(ratios) - 2.0).abs() < 1e-12);
        let ratios = (0..40).map(|at| if at == 7 { 0.5 } else { 1.1 });
        assert!((null_band(ratios) - 1.1).abs() < 1e-12);
        assert!((null_band(std::iter::empty()) - 1.0).abs() < 1e-12);
    }
}
