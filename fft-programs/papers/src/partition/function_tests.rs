#![expect(clippy::float_cmp, reason = "numbers that are exact")]

use proptest::prelude::*;
use snapbox::{assert_data_eq, str};

use super::*;

fn point(mean: f64) -> Point {
    Point { mean, half_width: 0.0, repetitions: 10, normality: None }
}

fn function(points: &[(usize, usize, f64)]) -> SpeedFunction {
    let mut function = SpeedFunction::new();
    for &(rows, length, mean) in points {
        assert_eq!(function.insert(Size { length, rows }, point(mean)), Ok(None));
    }
    function
}

#[test]
fn a_speed_is_operations_by_time() {
    let function = function(&[(128, 1024, 0.5)]);
    let speed = function.speed(Size { length: 1024, rows: 128 }).unwrap();
    assert_eq!(speed, 5.0 * 128.0 * 1024.0 * 10.0 / 0.5);
    assert_eq!(function.speed(Size { length: 1024, rows: 64 }), None);
}

#[test]
fn points_come_by_length_then_rows_and_the_newest_stays() {
    let mut function = function(&[(4, 16, 1.0), (8, 8, 2.0), (2, 16, 3.0), (4, 8, 4.0)]);
    let size = Size { length: 16, rows: 4 };
    assert_eq!(function.insert(size, point(9.0)).unwrap().unwrap().mean, 1.0);
    let points: Vec<_> =
        function.points().map(|(size, point)| (size.rows, size.length, point.mean)).collect();
    assert_eq!(points, [(4, 8, 4.0), (8, 8, 2.0), (2, 16, 3.0), (4, 16, 9.0)]);
    assert_eq!((function.len(), function.lengths().collect::<Vec<_>>()), (4, vec![8, 16]));
    assert_eq!(function.spent(), 180.0);
}

#[test]
fn what_is_no_measurement_is_refused() {
    let mut function = SpeedFunction::new();
    let good = Size { length: 2, rows: 1 };
    for size in [Size { length: 1, rows: 1 }, Size { length: 2, rows: 0 }] {
        assert_eq!(function.insert(size, point(1.0)), Err(BadPoint { size, mean: 1.0, half_width: 0.0 }));
    }
    for mean in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(function.insert(good, point(mean)).is_err(), "{mean}");
    }
    for half_width in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(function.insert(good, Point { half_width, ..point(1.0) }).is_err(), "{half_width}");
    }
    assert!(function.is_empty());
    let bad = function.insert(good, point(0.0)).unwrap_err();
    assert_data_eq!(bad.to_string(), str!["1 rows of 2 points in 0 ± 0 s are no measurement"]);
    assert_eq!(function.insert(good, point(1.0)), Ok(None));
}

#[test]
fn a_section_has_the_points_of_one_length() {
    let function = function(&[(4, 16, 1.0), (8, 16, 2.0), (4, 64, 5.0)]);
    let section = function.section(16).unwrap();
    assert_eq!(section.times.points().collect::<Vec<_>>(), [(4, 1.0), (8, 2.0)]);
    assert_eq!(section.between, None);
    assert_eq!(function.section_or_between(16), Ok(section));
    let missing = |length| function.section(length).unwrap_err();
    assert_eq!(missing(32), NoSection { length: 32, below: Some(16), above: Some(64) });
    assert_data_eq!(
        missing(32).to_string(),
        str!["nothing was measured for rows of 32 points, the nearest lengths are 16 and 64"]
    );
    assert_data_eq!(
        missing(8).to_string(),
        str!["nothing was measured for rows of 8 points, the nearest length is 16"]
    );
    assert_eq!(missing(65).below, Some(64));
    assert_data_eq!(
        SpeedFunction::new().section(2).unwrap_err().to_string(),
        str!["nothing was measured for rows of 2 points"]
    );
    assert_eq!(function.section_or_between(65), Err(missing(65)));
    // Only 4 rows were measured at both lengths.
    let between = function.section_or_between(32).unwrap();
    assert_eq!(between.between, Some((16, 64)));
    let at_4 = function.estimate(Size { length: 32, rows: 4 }).unwrap();
    assert_eq!(between.times.points().collect::<Vec<_>>(), [(4, at_4.seconds())]);
}

/// By hand: 1 and 3 seconds for 4 and 8 rows of 16 points, 6 for 4 rows of 256.
#[test]
fn estimates_lie_between_the_points() {
    let function = function(&[(4, 16, 1.0), (8, 16, 3.0), (4, 256, 6.0)]);
    let at = |rows, length| function.estimate(Size { length, rows });
    assert_eq!(at(8, 16), Some(Estimate::Measured(3.0)));
    assert_eq!(at(5, 16), Some(Estimate::Interpolated(1.5)));
    assert_eq!(at(1, 16), Some(Estimate::Interpolated(0.25)));
    assert_eq!((at(9, 16), at(4, 8), at(4, 512), at(5, 64)), (None, None, None, None));
    // 1/1280 s an operation at 16 points and 6/40960 at 256, at 64 points a fifth of the way.
    let expected = (0.8 / 1280.0 + 0.2 * 6.0 / 40960.0) * (5.0 * 4.0 * 64.0 * 6.0);
    let found = at(4, 64).unwrap();
    assert!(!found.is_measured() && (found.seconds() - expected).abs() < 1e-12, "{found:?}");
    assert_eq!(at(0, 64), Some(Estimate::Measured(0.0)));
}

#[test]
fn the_fastest_length_is_not_the_shortest() {
    let function = function(&[(4, 100, 3.0), (4, 101, 7.0), (4, 128, 2.0), (4, 256, 2.0), (8, 120, 0.1)]);
    assert_eq!(function.fastest_length(4, 100..), Some((128, 2.0)));
    assert_eq!(function.fastest_length(4, ..=101), Some((100, 3.0)));
    assert_eq!(function.fastest_length(4, 257..), None);
    assert_eq!(function.fastest_length(5, ..), None);
}

#[test]
fn times_look_normal_or_not_or_nobody_knows() {
    let looks = |normality| Point { normality, ..point(1.0) }.looks_normal();
    assert_eq!((looks(Some(0.05)), looks(Some(0.049)), looks(None)), (Some(true), Some(false), None));
}

proptest! {
    /// A group of constant speed has it between its points too.
    #[test]
    fn a_constant_speed_is_met_everywhere(
        rows in 0..=24_usize,
        length in 8..=64_usize,
        speed in 1e6..1e10_f64,
    ) {
        let mut function = SpeedFunction::new();
        for length in [8, 20, 64] {
            for rows in [6, 7, 24] {
                function.insert(Size { length, rows }, point(flops(rows, length) / speed)).unwrap();
            }
        }
        let found = function.estimate(Size { length, rows }).unwrap();
        let expected = flops(rows, length) / speed;
        prop_assert!((found.seconds() - expected).abs() <= 1e-12 * expected, "{:?}, not {}", found, expected);
        let measured = [8, 20, 64].contains(&length) && [6, 7, 24].contains(&rows);
        prop_assert_eq!(found.is_measured(), measured || rows == 0);
    }

    /// A fixed cost and one for each row are met exactly between measured numbers of rows.
    #[test]
    fn a_fixed_cost_is_met_between_rows(rows in 6..=24_usize, start in 0.0..1.0_f64, each in 0.01..1.0_f64) {
        let time = |rows: usize| start + each * rows as f64;
        let function = function(&[(6, 32, time(6)), (17, 32, time(17)), (24, 32, time(24))]);
        let found = function.estimate(Size { length: 32, rows }).unwrap().seconds();
        prop_assert!((found - time(rows)).abs() < 1e-12 * found);
    }

    /// No time per operation is beyond those of the corners.
    #[test]
    fn an_estimate_is_within_its_corners(
        corners in prop::array::uniform4(0.1..10.0_f64),
        rows in 5..=9_usize,
        length in 16..=40_usize,
    ) {
        let sizes = [(5, 16), (9, 16), (5, 40), (9, 40)];
        let time = |((x, y), each): ((usize, usize), f64)| (x, y, each * flops(x, y));
        let points: Vec<_> = sizes.into_iter().zip(corners).map(time).collect();
        let found = function(&points).estimate(Size { length, rows }).unwrap().seconds();
        let found = found / flops(rows, length);
        let least = corners.iter().copied().fold(f64::INFINITY, f64::min);
        let most = corners.iter().copied().fold(0.0, f64::max);
        prop_assert!((least * (1.0 - 1e-12)..=most * (1.0 + 1e-12)).contains(&found));
    }
}
