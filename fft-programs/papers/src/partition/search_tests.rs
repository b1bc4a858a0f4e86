#![expect(clippy::float_cmp, reason = "numbers that are exact")]

use std::collections::BTreeSet;

use proptest::prelude::*;
use rand::SeedableRng as _;
use rand::rngs::Xoshiro256PlusPlus;
use snapbox::{assert_data_eq, str};

use super::*;
use crate::partition::{EPSILON, balanced, flops, hpopta, partition, popta};

/// Returns the time of a group from a list of speeds, by the paper's formula with its logarithm. The rows are
/// a point of the list or, for a remainder, on the line between two neighboring points of the grid.
fn time(speeds: &[(usize, f64)], length: usize, rows: usize, granularity: usize) -> Option<f64> {
    let at = |rows: usize| {
        if rows == 0 {
            return Some(0.0);
        }
        let (_, speed) = speeds.iter().find(|(x, _)| *x == rows)?;
        Some(5.0 * rows as f64 * length as f64 * (length as f64).log2() / speed)
    };
    let below = rows / granularity * granularity;
    at(rows).or_else(|| {
        let (low, high) = (at(below)?, at(below + granularity)?);
        let share = (rows - below) as f64 / granularity as f64;
        (rows > below).then_some(low + share * (high - low))
    })
}

/// Returns the function of points `(rows, flops a second)`.
fn of_speeds(length: usize, speeds: &[(usize, f64)]) -> TimeFunction {
    TimeFunction::new(speeds.iter().map(|&(rows, speed)| (rows, flops(rows, length) / speed))).unwrap()
}

/// Returns the best distribution by exhaustive search, or `None` if there is none. It prefers the least
/// slowest time, then the least largest share, then the greatest smallest share, then more rows for earlier
/// groups.
fn by_trying_all(
    rows: usize,
    granularity: usize,
    groups: usize,
    time: &dyn Fn(usize, usize) -> Option<f64>,
) -> Option<(Vec<usize>, f64)> {
    fn go(
        left: usize,
        chosen: &mut Vec<(usize, f64)>,
        groups: usize,
        options: &[Vec<(usize, f64)>],
        granularity: usize,
        best: &mut Option<(Vec<usize>, f64)>,
    ) {
        if chosen.len() == groups {
            if left > 0 || chosen.iter().filter(|(rows, _)| rows % granularity > 0).count() > 1 {
                return;
            }
            let rows: Vec<usize> = chosen.iter().map(|share| share.0).collect();
            let slowest = chosen.iter().map(|share| share.1).fold(0.0, f64::max);
            let better = best.as_ref().is_none_or(|(other, time)| {
                let rank = |rows: &Vec<usize>| (rows.iter().max().copied(), rows.iter().min().copied());
                let ((most, least), (other_most, other_least)) = (rank(&rows), rank(other));
                slowest
                    .total_cmp(time)
                    .then(most.cmp(&other_most))
                    .then(other_least.cmp(&least))
                    .then(other.cmp(&rows))
                    .is_lt()
            });
            if better {
                *best = Some((rows, slowest));
            }
            return;
        }
        for &(rows, time) in options[chosen.len()].iter().filter(|(rows, _)| *rows <= left) {
            chosen.push((rows, time));
            go(left - rows, chosen, groups, options, granularity, best);
            chosen.pop();
        }
    }
    let rest = rows % granularity;
    let usable = |x: usize| x.is_multiple_of(granularity) || x % granularity == rest;
    let options: Vec<Vec<_>> = (0..groups)
        .map(|group| (0..=rows).filter(|&x| usable(x)).filter_map(|x| Some((x, time(group, x)?))).collect())
        .collect();
    let mut best = None;
    go(rows, &mut Vec::new(), groups, &options, granularity, &mut best);
    best
}

/// Returns random speeds, not monotone and with gaps, from few values so that equal times are frequent.
fn speeds(
    random: &mut Xoshiro256PlusPlus,
    length: usize,
    granularity: usize,
    most: usize,
) -> Vec<(usize, f64)> {
    let few = random.random_bool(0.5);
    // Points off the multiples too, as in a function measured for other granularities.
    let off = if random.random_bool(0.3) { 0.4 } else { 0.0 };
    let mut speeds = Vec::new();
    for rows in 1..=most * granularity {
        if random.random_bool(if rows % granularity == 0 { 0.7 } else { off }) {
            // Equal times for different numbers of rows, or any times.
            let operations = 5.0 * rows as f64 * length as f64 * (length as f64).log2();
            let seconds =
                if few { f64::from(random.random_range(1..5_u8)) } else { random.random_range(0.1..4.0) };
            speeds.push((rows, operations / seconds));
        }
    }
    speeds
}

#[test]
fn no_distribution_is_better_than_the_one_found() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut found, mut rests, mut interpolated, mut empty, mut unreachable) = (0, 0, 0, 0, 0);
    for _ in 0..6_000 {
        let groups = random.random_range(1..=5);
        let granularity = random.random_range(1..=4);
        let length = random.random_range(2..100);
        let most = [12, 9, 7, 6, 5][groups - 1];
        let rows = random.random_range(0..=most * groups.min(3)) * granularity
            + if random.random_bool(0.4) { random.random_range(0..granularity) } else { 0 };
        let speeds: Vec<_> = (0..groups).map(|_| speeds(&mut random, length, granularity, most)).collect();
        let functions: Vec<_> = speeds.iter().map(|speeds| of_speeds(length, speeds)).collect();
        let time = |group: usize, rows: usize| time(&speeds[group], length, rows, granularity);
        let expected = by_trying_all(rows, granularity, groups, &time);
        match (hpopta(&functions, rows, granularity), expected) {
            (Ok(optimum), Some((distribution, seconds))) => {
                assert_eq!(optimum.rows, distribution, "{speeds:?} {rows} {granularity}");
                assert_eq!(optimum.seconds(), seconds);
                assert_eq!(optimum.rows.iter().sum::<usize>(), rows);
                found += 1;
                rests += usize::from(rows % granularity > 0);
                interpolated += usize::from(
                    functions.iter().zip(&optimum.rows).any(|(of, &rows)| of.measured(rows).is_none()),
                );
                empty += usize::from(distribution.contains(&0));
            }
            (Err(PartitionError::OutOfReach { reached, .. }), None) => {
                let below = (0..rows).rev().find(|&rows_below| {
                    // Totals with this remainder or with none; other totals do not answer this question.
                    (rows_below % granularity == 0 || rows_below % granularity == rows % granularity)
                        && by_trying_all(rows_below, granularity, groups, &time).is_some()
                });
                assert_eq!(Some(reached), below, "{speeds:?} {rows} {granularity}");
                unreachable += 1;
            }
            (got, expected) => panic!("{got:?}, not {expected:?}: {speeds:?} {rows} {granularity}"),
        }
    }
    let kinds = [found, rests, interpolated, empty, unreachable];
    assert!(kinds.iter().all(|&number| number > 300), "of too few a kind: {kinds:?}");
}

#[test]
fn no_distribution_is_better_by_the_average() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    let (mut found, mut alike) = (0, 0);
    for _ in 0..2_000 {
        let groups = random.random_range(1..=5);
        let most = [12, 9, 7, 6, 5][groups - 1];
        let rows = random.random_range(0..=2 * most);
        let first = speeds(&mut random, 32, 1, most);
        // Each group has the same points, a few percent off.
        let off = [0.04, 0.08][random.random_range(0..2)];
        let all: Vec<Vec<(usize, f64)>> = (0..groups)
            .map(|_| first.iter().map(|&(x, s)| (x, s * random.random_range(1.0..1.0 + off))).collect())
            .collect();
        let functions: Vec<_> = all.iter().map(|speeds| of_speeds(32, speeds)).collect();
        let harmonic: Vec<(usize, f64)> = (0..first.len())
            .map(|at| {
                let inverses: f64 = all.iter().map(|speeds| 1.0 / speeds[at].1).sum();
                (first[at].0, groups as f64 / inverses)
            })
            .collect();
        let time = |_: usize, rows: usize| time(&harmonic, 32, rows, 1);
        let expected = by_trying_all(rows, 1, groups, &time);
        assert_eq!(popta(&functions, rows, 1).is_ok(), expected.is_some());
        let Some((_, seconds)) = expected else { continue };
        // The harmonic mean rounds differently from the mean of times, so ties may fall differently.
        let optimum = popta(&functions, rows, 1).unwrap();
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b;
        assert!(close(optimum.seconds(), seconds), "{} instead of {seconds}", optimum.seconds());
        let of_distribution = optimum.rows.iter().map(|&x| time(0, x).unwrap()).fold(0.0, f64::max);
        assert!(close(of_distribution, seconds), "{:?}", optimum.rows);
        let differs = (0..first.len()).any(|at| {
            let speeds = all.iter().map(|speeds| speeds[at].1);
            let (least, most) = (speeds.clone().fold(f64::INFINITY, f64::min), speeds.fold(0.0, f64::max));
            (most - least) / least > EPSILON
        });
        let chosen = if differs { hpopta(&functions, rows, 1).unwrap() } else { optimum };
        assert_eq!(partition(&functions, rows, 1).unwrap(), chosen);
        found += 1;
        alike += usize::from(!differs);
    }
    assert!(found > 1_000 && alike > 300 && found - alike > 300, "{found} {alike}");
}

/// Speeds that do not depend on the number of rows make the balanced distribution the best.
#[test]
fn where_balance_is_best_it_is_chosen() {
    for groups in 1..8 {
        for rows in 0..40 {
            let function = of_speeds(64, &(1..=40).map(|rows| (rows, 1e9)).collect::<Vec<_>>());
            let found = slowest_least(&vec![&function; groups], rows, 1).unwrap();
            assert_eq!(found.rows, balanced(rows, groups));
        }
    }
}

/// A table of the paper's size by hand: 12 is slow for one group, 8 for the other.
#[test]
fn the_fastest_may_be_far_from_balanced() {
    let left = TimeFunction::new([(4, 2.0), (8, 3.0), (12, 9.0), (16, 5.0), (20, 6.0)]).unwrap();
    let right = TimeFunction::new([(4, 2.0), (8, 7.0), (12, 8.0), (16, 9.0)]).unwrap();
    let found = slowest_least(&[&left, &right], 24, 4).unwrap();
    assert_eq!((&found.rows[..], found.seconds()), (&[20, 4][..], 6.0));
    // One unit more needs the slow 8 of one of the groups.
    let found = slowest_least(&[&left, &right], 28, 4).unwrap();
    assert_eq!((&found.rows[..], found.seconds()), (&[20, 8][..], 7.0));
}

#[test]
fn the_rest_goes_to_one_group_through_the_line_between_its_points() {
    let function = TimeFunction::new([(4, 4.0), (8, 5.0), (12, 20.0)]).unwrap();
    let found = slowest_least(&[&function, &function], 13, 4).unwrap();
    // 8 + 5 rows, the 5 on the line from 4 rows to 8.
    assert_eq!(found.rows, [8, 5]);
    assert_eq!(found.times, [5.0, 4.25]);
    // A measured number is not interpolated.
    let measured = TimeFunction::new([(4, 4.0), (5, 30.0), (8, 5.0), (9, 1.0), (12, 20.0)]).unwrap();
    let found = slowest_least(&[&measured, &measured], 13, 4).unwrap();
    assert_eq!((&found.rows[..], &found.times[..]), (&[9, 4][..], &[1.0, 4.0][..]));
    // There is no line across a gap, nor beyond the end.
    let gappy = TimeFunction::new([(4, 4.0), (12, 20.0)]).unwrap();
    let found = slowest_least(&[&gappy, &gappy], 13, 4).unwrap();
    assert_eq!(found.rows, [12, 1]);
    let refused = slowest_least(&[&gappy], 13, 4).unwrap_err();
    assert_eq!(refused, PartitionError::OutOfReach { rows: 13, groups: 1, granularity: 4, reached: 12 });
}

#[test]
fn undistributable_shapes_are_refused_by_name() {
    let function = TimeFunction::new([(3, 1.0), (5, 1.0)]).unwrap();
    let refused = |functions: &[&TimeFunction], rows, granularity| {
        slowest_least(functions, rows, granularity).unwrap_err()
    };
    assert_eq!(refused(&[], 4, 1), PartitionError::NoGroups);
    assert_eq!(refused(&[&function], 4, 0), PartitionError::NoGranularity);
    let two = refused(&[&function, &function], 7, 1);
    assert_eq!(two, PartitionError::OutOfReach { rows: 7, groups: 2, granularity: 1, reached: 6 });
    assert_data_eq!(
        two.to_string(),
        str![
            "7 rows cannot be dealt to 2 groups: of the multiples of 1 whose times are known, 6 rows are the nearest sum below"
        ]
    );
    let none = refused(&[&TimeFunction::default()], 1, 1);
    assert_eq!(none, PartitionError::OutOfReach { rows: 1, groups: 1, granularity: 1, reached: 0 });
    // No rows need no function.
    let nothing = slowest_least(&[&TimeFunction::default()], 0, 1).unwrap();
    assert_eq!((&nothing.rows[..], nothing.seconds()), (&[0][..], 0.0));
    let huge = TimeFunction::new([(usize::MAX - 1, 1.0)]).unwrap();
    assert!(matches!(refused(&[&huge; 3], usize::MAX, 1), PartitionError::TooFine { .. }));
    assert!(matches!(refused(&[&huge], usize::MAX, 1), PartitionError::OutOfReach { .. }));
    let enormous = slowest_least(&[&huge], usize::MAX - 1, usize::MAX - 1).unwrap();
    assert_eq!(enormous.rows, [usize::MAX - 1]);
}

/// 64 groups with 1,000 points each.
#[test]
fn many_groups_are_dealt_rows() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(3);
    let function = |random: &mut Xoshiro256PlusPlus| {
        let seconds = |units: usize, noise: f64| units as f64 * (1.0 + noise);
        TimeFunction::new(
            (1..=1_000).map(|units| (units * 64, seconds(units, random.random_range(0.0..1.0)))),
        )
        .unwrap()
    };
    let functions: Vec<_> = (0..64).map(|_| function(&mut random)).collect();
    let found = hpopta(&functions, 64_000, 64).unwrap();
    assert_eq!(found.rows.iter().sum::<usize>(), 64_000);
    let balanced = functions.iter().map(|function| function.estimate(1_000).unwrap());
    let slowest = balanced.fold(0.0, f64::max);
    assert!(found.seconds() < 0.75 * slowest, "{} after {slowest}", found.seconds());
    // All rows that the functions cover: the sets are 64 times as long.
    let found = hpopta(&functions[..8], 8 * 64_000, 64).unwrap();
    assert_eq!(found.rows, [64_000; 8]);
}

proptest! {
    /// Compares totals with sets of numbers, for groups with choices on all sides of the words' ends.
    #[test]
    fn totals_are_those_of_plain_sets(
        most in 0..300_usize,
        groups in prop::collection::vec(prop::collection::vec((0..150_usize, any::<bool>()), 0..6), 0..5),
        rest in any::<bool>(),
    ) {
        let (mut totals, mut plain) = (Totals::empty(most, rest), BTreeSet::from([(0, false)]));
        for choices in groups {
            let choices: Vec<_> =
                choices.into_iter().map(|(units, with)| (units, with && rest)).collect();
            totals = totals.with(choices.iter().map(|&(units, with_rest)| Choice { units, with_rest }));
            plain = plain
                .iter()
                .flat_map(|&(sum, taken)| {
                    choices.iter().map(move |&(units, with)| (sum + units, taken, with))
                })
                .filter(|&(sum, taken, with)| sum <= most && !(taken && with))
                .map(|(sum, taken, with)| (sum, taken || with))
                .collect();
        }
        for with_rest in [false, true] {
            for number in 0..most + 200 {
                let expected = plain.contains(&(number, with_rest));
                prop_assert_eq!(totals.contains(number, with_rest), expected, "{} {}", number, with_rest);
            }
            let same = plain.iter().filter(|&&(_, with)| with == with_rest);
            prop_assert_eq!(totals.greatest(with_rest), same.map(|&(sum, _)| sum).max());
        }
    }
}
