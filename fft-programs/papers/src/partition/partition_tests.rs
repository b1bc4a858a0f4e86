#![expect(clippy::float_cmp, reason = "numbers that are exact")]

use super::*;

fn function(points: &[(usize, f64)]) -> TimeFunction {
    TimeFunction::new(points.iter().copied()).unwrap()
}

/// Returns the function of points `(rows, flops a second)` for rows of 64 points.
fn speeds(points: &[(usize, f64)]) -> TimeFunction {
    TimeFunction::new(points.iter().map(|&(rows, speed)| (rows, flops(rows, 64) / speed))).unwrap()
}

#[test]
fn balanced_shares_differ_by_a_row_at_most_and_the_first_have_it() {
    for rows in 0..50 {
        for groups in 1..10 {
            let dealt = balanced(rows, groups);
            assert_eq!((dealt.iter().sum::<usize>(), dealt.len()), (rows, groups));
            assert!(dealt.is_sorted_by(|a, b| a >= b) && dealt[0] - dealt[groups - 1] <= 1, "{dealt:?}");
        }
    }
}

#[test]
fn the_spread_is_the_papers_of_speeds() {
    let functions =
        [speeds(&[(1, 10.0), (2, 8.0)]), speeds(&[(1, 10.2), (2, 9.0)]), speeds(&[(1, 10.1), (2, 8.5)])];
    assert!((spread(&functions) - (9.0 - 8.0) / 8.0).abs() < 1e-12);
    assert_eq!(spread(&functions[..1]), 0.0);
    assert_eq!(spread(&[]), 0.0);
}

#[test]
fn functions_with_different_points_differ() {
    let functions = [function(&[(1, 1.0), (2, 2.0)]), function(&[(1, 1.0)])];
    assert_eq!(spread(&functions), f64::INFINITY);
    assert_eq!(partition(&functions, 3, 1).unwrap().rows, [2, 1]);
}

#[test]
fn the_average_is_the_harmonic_mean_of_speeds_where_all_have_one() {
    let harmonic = 2.0 / (1.0 / 10.0 + 1.0 / 40.0);
    let found = average(&[speeds(&[(1, 1.0), (2, 10.0)]), speeds(&[(2, 40.0), (3, 1.0)])]);
    let expected = speeds(&[(2, harmonic)]);
    assert_eq!(found.points().len(), 1);
    assert!((found.measured(2).unwrap() / expected.measured(2).unwrap() - 1.0).abs() < 1e-12);
    assert_eq!(average(&[]).points().len(), 0);
    for extreme in [f64::MAX, f64::from_bits(1)] {
        assert_eq!(average(&vec![function(&[(1, extreme)]); 3]).points().len(), 1);
    }
}

/// The average decides just within the tolerance, and the functions themselves just beyond it.
#[test]
fn the_tolerance_chooses_the_method() {
    let with = |seconds: f64| [function(&[(4, 1.0), (8, 4.0)]), function(&[(4, seconds), (8, 4.0)])];
    let [alike, unlike] = [1.049, 1.051].map(with);
    assert_eq!(partition(&alike, 8, 1), popta(&alike, 8, 1));
    assert_eq!(partition(&unlike, 8, 1), hpopta(&unlike, 8, 1));
    for functions in [alike, unlike] {
        assert_ne!(popta(&functions, 8, 1), hpopta(&functions, 8, 1));
    }
}

/// The average of different functions can choose worse than the functions themselves.
#[test]
fn popta_and_hpopta_are_two_things() {
    let functions = [function(&[(1, 1.0), (2, 2.0), (3, 3.0)]), function(&[(1, 3.0), (2, 6.0), (3, 9.0)])];
    assert_eq!(popta(&functions, 4, 1).unwrap().rows, [2, 2]);
    let found = hpopta(&functions, 4, 1).unwrap();
    assert_eq!((&found.rows[..], found.seconds()), (&[3, 1][..], 3.0));
}
