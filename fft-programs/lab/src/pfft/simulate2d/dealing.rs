//! Gain of unequal over equal shares, from the [partition](earth_papers::partition::partition) of rows alone:
//! no transposes, no machine, no noise. The time of a transform is its slowest group's time.
//!
//! Each seed gives each group its own function. The values at all widths use the same draws, so lines over
//! widths are smooth. The speed-up of PFFT-FPM's shares over equal shares is averaged over the seeds.
//!
//! *Partial functions.* The partition knows only some points of the same functions, around the equal shares.
//! There is no measurement, so known values are exact, and a partial function cannot lose: equal shares are
//! among the known points.

use std::convert::Infallible;

use earth_console::threads::each_once;
use earth_papers::partition::{TimeFunction, balanced, flops, partition};
use serde::Serialize;

use super::variations::{GRID, Variations};

/// Number of points of each function. The rows, and the points per row, are this number times [`GRID`].
pub(super) const POINTS: usize = 96;

/// Number of rows to distribute.
pub(super) const ROWS: usize = POINTS * GRID;

/// Widths that are tried: 6.9 is FFTW's and 10 MKL's.
pub(super) const WIDTHS: [f64; 8] = [0.3, 0.6, 1.0, 2.0, 4.0, 6.9, 10.0, 20.0];

/// Numbers of groups in the paper: two with MKL, four with FFTW.
pub(super) const GROUPS: [usize; 2] = [2, 4];

/// Shares of the variance that are common to a length, and numbers of neighbors that vary together.
pub(super) const SETTINGS: [(f64, usize); 5] = [(0.0, 1), (0.5, 1), (0.9, 1), (0.0, 8), (0.0, 32)];

/// Numbers of known points of partial functions.
pub(super) const KNOWN: [usize; 7] = [1, 3, 5, 9, 17, 33, POINTS];

/// Width of the partial functions.
pub(super) const PARTIAL_WIDTH: f64 = 6.9;

/// Speed-up over equal shares, over all seeds. The field names are the JSON keys.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(super) struct Gain {
    pub(super) groups: usize,
    pub(super) common: f64,
    pub(super) together: usize,
    pub(super) width: f64,
    /// Number of known points of the functions.
    pub(super) known: usize,
    /// Mean over the seeds.
    pub(super) mean: f64,
    pub(super) most: f64,
}

/// Slowness of each group at each number of rows: by group, from [`GRID`] rows on in steps of [`GRID`].
type Slowness = Vec<Vec<f64>>;

/// Computes `of` for each number below `number`, on all cores; the results are in order.
pub(super) fn on_all_cores<T: Send>(number: usize, of: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let Ok(made) = each_once(0..number, |_| 0, &(), |&at| Ok::<_, Infallible>(of(at)));
    made.into_values().collect()
}

fn drawn(variations: &Variations, groups: usize) -> Slowness {
    let of = |group| (1..=POINTS).map(move |point| variations.slowness((groups, group), point * GRID, ROWS));
    (0..groups).map(|group| of(group).collect()).collect()
}

/// Returns the speed-up of the best shares over equal shares, if `known` points around the equal shares are
/// known.
fn gain(slowness: &Slowness, width: f64, known: usize) -> f64 {
    let groups = slowness.len();
    let equal = POINTS / groups;
    let seconds = |of: &[f64], point: usize| flops(point * GRID, ROWS) * (1.0 + width * of[point - 1]);
    let near = |point: &usize| known >= POINTS || point.abs_diff(equal) <= known / 2;
    let slowest = |dealt: &[usize]| {
        let dealt = slowness.iter().zip(dealt);
        let times = dealt.map(|(of, &rows)| if rows == 0 { 0.0 } else { seconds(of, rows / GRID) });
        times.fold(0.0, f64::max)
    };
    let known: Vec<_> = (1..=POINTS).filter(near).map(|point| point * GRID).collect();
    let found = fastest(ROWS, groups, &known, |group, rows| seconds(&slowness[group], rows / GRID));
    let found = found.unwrap_or_else(|| unreachable!("equal shares are known"));
    slowest(&balanced(ROWS, groups)) / slowest(&found)
}

/// Returns the fastest shares of `n` rows, if the groups' functions are known only at these numbers of rows.
/// Returns `None` if the known numbers do not add up to `n`.
pub(super) fn fastest(
    n: usize,
    groups: usize,
    known: &[usize],
    seconds: impl Fn(usize, usize) -> f64,
) -> Option<Vec<usize>> {
    let function = |group| {
        let points = known.iter().map(|&rows| (rows, seconds(group, rows)));
        TimeFunction::new(points).unwrap_or_else(|error| unreachable!("times are above 0: {error}"))
    };
    let functions: Vec<_> = (0..groups).map(function).collect();
    partition(&functions, n, GRID).ok().map(|found| found.rows)
}

/// Computes the gains of a setting at these widths and numbers of known points, over `seeds` seeds.
fn gains(groups: usize, (common, together): (f64, usize), asked: &[(f64, usize)], seeds: usize) -> Vec<Gain> {
    let by_seed = on_all_cores(seeds, |seed| {
        let slowness = drawn(&Variations { seed: seed as u64, common, together }, groups);
        asked.iter().map(|&(width, known)| gain(&slowness, width, known)).collect::<Vec<_>>()
    });
    let of = |(at, &(width, known)): (usize, &(f64, usize))| {
        let all = || by_seed.iter().map(|gains| gains[at]);
        let (mean, most) = (all().sum::<f64>() / seeds as f64, all().fold(0.0, f64::max));
        Gain { groups, common, together, width, known, mean, most }
    };
    asked.iter().enumerate().map(of).collect()
}

/// Computes the gains by width, for all groups and settings.
pub(super) fn by_width(seeds: usize) -> Vec<Gain> {
    let asked = WIDTHS.map(|width| (width, POINTS));
    let settings = GROUPS.into_iter().flat_map(|groups| SETTINGS.map(|setting| (groups, setting)));
    settings.flat_map(|(groups, setting)| gains(groups, setting, &asked, seeds)).collect()
}

/// Computes the gains by the number of known points, for all groups and these common shares, at a width.
pub(super) fn by_points(seeds: usize, common: &[f64], width: f64) -> Vec<Gain> {
    let asked = KNOWN.map(|known| (width, known));
    let settings =
        GROUPS.into_iter().flat_map(|groups| common.iter().map(move |&common| (groups, (common, 1))));
    settings.flat_map(|(groups, setting)| gains(groups, setting, &asked, seeds)).collect()
}

/// Returns the width at which the mean gain is `target`, interpolated linearly between the tried widths;
/// `None` if no width reaches it.
pub(super) fn width_of(line: &[Gain], target: f64) -> Option<f64> {
    let none = [0.0, 1.0];
    let points = std::iter::once(none).chain(line.iter().map(|gain| [gain.width, gain.mean]));
    let points: Vec<_> = points.collect();
    let [below, above] =
        points.windows(2).map(|pair| [pair[0], pair[1]]).find(|[_, above]| above[1] >= target)?;
    Some(below[0] + (target - below[1]) / (above[1] - below[1]) * (above[0] - below[0]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two groups with the same two speeds: 48 points each take 48 x 3 at width 2, while 40 and 56 are fast
    /// for both.
    #[test]
    fn the_gain_is_that_of_the_slowest_groups() {
        let mut of = vec![1.0; POINTS];
        (of[39], of[55]) = (0.0, 0.0);
        let slowness = vec![of.clone(), of];
        assert!((gain(&slowness, 2.0, POINTS) - 3.0 * 48.0 / 56.0).abs() < 1e-12);
        // The 17 points from 40 to 56 include both fast points, the 15 points from 41 to 55 neither.
        assert!((gain(&slowness, 2.0, 17) - 3.0 * 48.0 / 56.0).abs() < 1e-12);
        assert_eq!(gain(&slowness, 2.0, 15).to_bits(), 1.0_f64.to_bits());
    }

    #[test]
    fn gains_grow_with_the_width_and_with_what_is_known_and_shrink_with_what_is_common() {
        let widths = gains(2, (0.0, 1), &[(0.0, POINTS), (0.5, POINTS), (5.0, POINTS)], 40);
        assert_eq!(widths[0].mean.to_bits(), 1.0_f64.to_bits());
        assert!(widths.is_sorted_by(|one, other| one.mean < other.mean), "{widths:?}");
        let known = gains(4, (0.0, 1), &KNOWN.map(|known| (5.0, known)), 40);
        assert_eq!(known[0].mean.to_bits(), 1.0_f64.to_bits(), "equal shares are all that is known");
        assert!(known.is_sorted_by(|one, other| one.mean < other.mean), "{known:?}");
        let common = [0.0, 0.5, 0.95].map(|common| gains(2, (common, 1), &[(5.0, POINTS)], 40)[0].mean);
        assert!(common.is_sorted_by(|one, other| one > other), "{common:?}");
    }

    /// The results are in order and bitwise equal, for any number of threads.
    #[test]
    fn seeds_are_in_their_order() {
        assert_eq!(on_all_cores(11, |at| at * at), (0..11).map(|at| at * at).collect::<Vec<_>>());
        let run = || gains(2, (0.5, 1), &[(3.0, POINTS)], 7);
        assert_eq!(run()[0].mean.to_bits(), run()[0].mean.to_bits());
    }

    #[test]
    fn widths_are_read_off_the_line() {
        let gain = |width, mean| Gain {
            groups: 2,
            common: 0.0,
            together: 1,
            width,
            known: POINTS,
            mean,
            most: mean,
        };
        let line = [gain(0.5, 1.2), gain(1.0, 1.4), gain(2.0, 2.4)];
        let read = |target| width_of(&line, target).map(|width| (width * 100.0).round() / 100.0);
        assert_eq!([1.1, 1.3, 1.9, 2.5].map(read), [Some(0.25), Some(0.75), Some(1.5), None]);
    }
}
