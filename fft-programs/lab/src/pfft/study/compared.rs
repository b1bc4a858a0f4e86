//! Comparison of two things by their times: clear differences, their number, and the null band.

use earth_papers::partition::Point;
use earth_report::numbers::gflops;

use super::findings::{Band, KernelFindings};
use super::further::Transposes;
use super::rows::{Method, Methods};

/// Kernel and method.
pub(super) type Of<'a> = (&'a KernelFindings, Method);

/// Returns the 95th percentile of ratios, each inverted if it is below 1; 1 without a ratio.
pub(super) fn null_band(ratios: impl Iterator<Item = f64>) -> f64 {
    let mut ratios: Vec<f64> = ratios.map(|ratio| ratio.max(ratio.recip())).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get((ratios.len() * 19 / 20).min(ratios.len().saturating_sub(1))).copied().unwrap_or(1.0)
}

/// Returns whether the intervals of two means are disjoint, and the first is less by more than the null band.
pub(super) fn is_clearly_less(one: Point, other: Point, band: f64) -> bool {
    one.mean + one.half_width < other.mean - other.half_width && other.mean > band * one.mean
}

/// Counts the pairs whose first time is clearly less, those whose first time is clearly more, and all.
pub(super) fn count_clearly(pairs: impl Iterator<Item = [Point; 2]>, band: f64) -> [usize; 3] {
    pairs.fold([0; 3], |[less, more, all], [one, other]| {
        let [is_less, is_more] =
            [is_clearly_less(one, other, band), is_clearly_less(other, one, band)].map(usize::from);
        [less + is_less, more + is_more, all + 1]
    })
}

/// Yields the rows of two kernels with equal N in a band.
fn common<'a>(
    one: &'a KernelFindings,
    other: &'a KernelFindings,
    band: &'a Band,
) -> impl Iterator<Item = (&'a Methods, &'a Methods)> {
    let rows = one.rows.iter().filter(|row| band.has(row.n));
    rows.filter_map(|row| Some((row, other.rows.iter().find(|there| there.n == row.n)?)))
}

/// Returns the larger null band of two kernels, which were measured one after the other.
pub(super) fn null_of([one, other]: [&KernelFindings; 2]) -> f64 {
    one.null_band().max(other.null_band())
}

/// Counts the N of a band at which the first of two kernels and methods is clearly faster, clearly slower,
/// and all N.
pub(super) fn clearly_between((one, of): Of<'_>, (other, over): Of<'_>, band: &Band) -> [usize; 3] {
    let times = |(here, there): (&Methods, &Methods)| Some([here.timed(of)?.time, there.timed(over)?.time]);
    count_clearly(common(one, other, band).filter_map(times), null_of([one, other]))
}

/// Returns the N of a band at which the first of two kernels and methods is clearly faster.
pub(super) fn wins((one, of): Of<'_>, (other, over): Of<'_>, band: &Band) -> Vec<usize> {
    let null = null_of([one, other]);
    let is_won = |(here, there): (&Methods, &Methods)| {
        let [one, other] = [here.timed(of)?.time, there.timed(over)?.time];
        is_clearly_less(one, other, null).then_some(here.n)
    };
    common(one, other, band).filter_map(is_won).collect()
}

/// Returns the speeds in Gflop/s of two kernels and methods, at each N of a band.
pub(crate) fn speeds((one, of): Of<'_>, (other, over): Of<'_>, band: &Band) -> Vec<(usize, (f64, f64))> {
    let speed = |row: &Methods, method| Some(gflops(row.n * row.n, row.timed(method)?.time.mean));
    let both = common(one, other, band);
    both.filter_map(|(here, there)| Some((here.n, (speed(here, of)?, speed(there, over)?)))).collect()
}

/// Returns the null band of transposes: ratios of each size of blocks to itself.
pub fn null_of_transposes(all: &[Transposes]) -> f64 {
    null_band(all.iter().flat_map(|of| &of.sides).map(|side| side.time.mean / side.again.mean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pfft::study::fixtures::{found, methods};

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

    #[test]
    fn kernels_are_compared_at_common_sizes() {
        let of = |speeds: &[(usize, f64)]| {
            let row = |&(n, speed): &(usize, f64)| methods("fftw", n, [speed; 7]);
            found("fftw", speeds.iter().map(row).collect())
        };
        let one = of(&[(64, 2.0), (128, 1.0), (256, 3.0)]);
        let other = of(&[(64, 1.0), (128, 2.0), (512, 1.0)]);
        let [one, other] = [(&one, Method::Basic), (&other, Method::Basic)];
        assert_eq!(clearly_between(one, other, &Band::all()), [1, 1, 2]);
        assert_eq!(wins(one, other, &Band::all()), [64]);
        assert_eq!(speeds(one, other, &Band::all()).len(), 2);
    }
}
