//! Choice of (p, t), the number of groups and of threads per group.
//!
//! As in the paper (section III-A), PFFT-LB decides, before any speed function is measured. The paper does
//! not state its rule for "best". Ours is the highest mean speed over all N at which every grouping was
//! measured. One group is the baseline, so it cannot be chosen.

use earth_papers::partition::Grouping;
use earth_report::numbers::gflops;

use super::rows::{GroupingTime, Groupings};

/// Grouping, and the speed of PFFT-LB with it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupingSpeed {
    /// Grouping.
    pub grouping: Grouping,
    /// Mean speed over all N, in Gflop/s.
    pub mean_gflops: f64,
    /// Number of N at which it was the fastest grouping with more than one group.
    pub wins: usize,
}

/// Returns the speeds of all groupings, fewest groups first.
pub fn preferences(rows: &[&Groupings]) -> Vec<GroupingSpeed> {
    let Some((first, others)) = rows.split_first() else { return Vec::new() };
    let ways = first.ways.iter().map(GroupingTime::grouping);
    let everywhere =
        |way: &Grouping| others.iter().all(|row| row.ways.iter().any(|other| other.grouping() == *way));
    let mut all: Vec<_> = ways
        .filter(everywhere)
        .map(|grouping| {
            let speeds = rows.iter().filter_map(|row| speed(row, grouping));
            GroupingSpeed { grouping, mean_gflops: speeds.sum::<f64>() / rows.len() as f64, wins: 0 }
        })
        .collect();
    for row in rows {
        let several = all.iter_mut().filter(|way| way.grouping.groups > 1);
        let speeds = several.filter_map(|way| Some((speed(row, way.grouping)?, way)));
        if let Some((_, fastest)) = speeds.max_by(|a, b| a.0.total_cmp(&b.0)) {
            fastest.wins += 1;
        }
    }
    all
}

/// Returns the grouping with the highest mean speed and more than one group; among equals, the one with the
/// fewest groups.
pub fn best(preferences: &[GroupingSpeed]) -> Option<Grouping> {
    let several = preferences.iter().filter(|way| way.grouping.groups > 1);
    let best = several.rev().max_by(|a, b| a.mean_gflops.total_cmp(&b.mean_gflops));
    best.map(|way| way.grouping)
}

fn speed(row: &Groupings, grouping: Grouping) -> Option<f64> {
    let way = row.ways.iter().find(|way| way.grouping() == grouping)?;
    Some(gflops(row.n * row.n, way.time.mean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use earth_papers::partition::Point;

    fn row(n: usize, seconds: &[(usize, usize, f64)]) -> Groupings {
        let way = |&(groups, threads, mean): &(usize, usize, f64)| {
            let time = Point { mean, half_width: 0.0, repetitions: 10, normality: None };
            GroupingTime { groups, threads, time }
        };
        Groupings {
            kernel: "fftw".to_owned(),
            version: None,
            n,
            ways: seconds.iter().map(way).collect(),
            took: 1.0,
        }
    }

    #[test]
    fn the_highest_mean_speed_decides_among_several_groups() {
        // One group is fastest, but cannot be chosen; (3, 2) wins at two N, and (2, 3) has the higher mean.
        let rows = [
            row(8, &[(1, 6, 1e-9), (2, 3, 1e-8), (3, 2, 9e-9), (6, 1, 1e-7)]),
            row(16, &[(1, 6, 1e-9), (2, 3, 1e-8), (3, 2, 9e-9), (6, 1, 1e-7)]),
            row(32, &[(1, 6, 1e-9), (2, 3, 1e-8), (3, 2, 9e-8), (6, 1, 1e-7)]),
        ];
        let found = preferences(&rows.iter().collect::<Vec<_>>());
        let shown: Vec<_> = found.iter().map(|way| (way.grouping.groups, way.wins)).collect();
        assert_eq!(shown, [(1, 0), (2, 1), (3, 2), (6, 0)]);
        assert_eq!(best(&found), Some(Grouping { groups: 2, threads: 3 }));
        let first = 5.0 * 64.0 * 6.0 / 1e-8 / 1e9;
        let speeds = [first, 5.0 * 256.0 * 8.0 / 1e-8 / 1e9, 5.0 * 1024.0 * 10.0 / 1e-8 / 1e9];
        assert!((found[1].mean_gflops / (speeds.iter().sum::<f64>() / 3.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn fewest_groups_among_equals_and_none_on_one_core() {
        let equal = [row(8, &[(1, 4, 1e-9), (2, 2, 1e-8), (4, 1, 1e-8)])];
        let found = preferences(&equal.iter().collect::<Vec<_>>());
        assert_eq!(best(&found), Some(Grouping { groups: 2, threads: 2 }));
        let alone = [row(8, &[(1, 1, 1e-9)])];
        assert_eq!(best(&preferences(&alone.iter().collect::<Vec<_>>())), None);
        assert_eq!(preferences(&[]), []);
    }

    #[test]
    fn a_way_that_was_not_measured_everywhere_is_no_choice() {
        let rows = [row(8, &[(2, 2, 1e-8), (4, 1, 1e-9)]), row(16, &[(2, 2, 1e-8)])];
        let found = preferences(&rows.iter().collect::<Vec<_>>());
        assert_eq!(found.iter().map(|way| way.grouping.groups).collect::<Vec<_>>(), [2]);
    }
}
