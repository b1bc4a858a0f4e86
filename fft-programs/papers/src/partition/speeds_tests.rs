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
fn operations_have_their_logarithm() {
    assert_eq!(flops(3, 1024), 5.0 * 3.0 * 1024.0 * 10.0);
    assert_eq!(flops(0, 1024), 0.0);
    assert_eq!(flops(7, 1), 0.0);
}

#[test]
fn times_are_measured_interpolated_or_unknown() {
    let function = TimeFunction::new([(8, 3.0), (4, 1.0)]).unwrap();
    assert_eq!(function.estimate(0), Some(0.0));
    assert_eq!(function.estimate(4), Some(1.0));
    assert_eq!(function.estimate(1), Some(0.25));
    assert_eq!(function.estimate(7), Some(2.5));
    assert_eq!(function.estimate(9), None);
    assert_eq!(function.measured(7), None);
    assert_eq!(TimeFunction::default().estimate(1), None);
    assert_eq!(TimeFunction::default().estimate(0), Some(0.0));
}

#[test]
fn points_that_make_no_function_are_refused() {
    let good = [(3, 1.0), (4, 1.0)];
    assert!(TimeFunction::new(good).is_ok());
    for (rows, seconds) in [(0, 1.0), (3, 2.0), (5, 0.0), (5, -1.0), (5, f64::INFINITY)] {
        let refused = TimeFunction::new(good.into_iter().chain([(rows, seconds)]));
        assert_eq!(refused, Err(TimeError { rows, seconds }));
    }
    assert!(TimeFunction::new([(3, f64::NAN)]).is_err());
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
}

#[test]
fn invalid_measurements_are_refused() {
    let mut function = SpeedFunction::new();
    let good = Size { length: 2, rows: 1 };
    for size in [Size { length: 1, rows: 1 }, Size { length: 2, rows: 0 }] {
        assert_eq!(function.insert(size, point(1.0)), Err(PointError { size, mean: 1.0, half_width: 0.0 }));
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
    let section = function.section_or_between(16).unwrap();
    assert_eq!(section.times.points().collect::<Vec<_>>(), [(4, 1.0), (8, 2.0)]);
    assert_eq!(section.between, None);
    let missing = |length| function.section_or_between(length).unwrap_err();
    assert_eq!(missing(8), NoSection { length: 8, below: None, above: Some(16) });
    assert_data_eq!(
        missing(8).to_string(),
        str!["nothing was measured for rows of 8 points, the nearest length is 16"]
    );
    assert_eq!(missing(65).below, Some(64));
    assert_data_eq!(
        SpeedFunction::new().section_or_between(2).unwrap_err().to_string(),
        str!["nothing was measured for rows of 2 points"]
    );
}

/// By hand: 4 rows take 1 s at 16 points and 6 s at 256. Only 4 rows were measured at both lengths.
#[test]
fn sections_are_between_the_sections_of_other_lengths() {
    let function = function(&[(4, 16, 1.0), (8, 16, 3.0), (4, 256, 6.0)]);
    let section = function.section_or_between(64).unwrap();
    assert_eq!((section.between, section.times.points().len()), (Some((16, 256)), 1));
    // 1/1280 s an operation at 16 points and 6/40960 at 256; 64 points are a fifth of the way.
    let expected = (0.8 / 1280.0 + 0.2 * 6.0 / 40960.0) * (5.0 * 4.0 * 64.0 * 6.0);
    assert!((section.times.measured(4).unwrap() - expected).abs() < 1e-12, "{section:?}");
}

#[test]
fn times_look_normal_or_not_or_undecided() {
    let looks = |normality| Point { normality, ..point(1.0) }.looks_normal();
    assert_eq!((looks(Some(0.05)), looks(Some(0.049)), looks(None)), (Some(true), Some(false), None));
}

/// Returns the time for any size.
fn estimate(function: &SpeedFunction, Size { length, rows }: Size) -> f64 {
    function.section_or_between(length).unwrap().times.estimate(rows).unwrap()
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
        let found = estimate(&function, Size { length, rows });
        let expected = flops(rows, length) / speed;
        prop_assert!((found - expected).abs() <= 1e-12 * expected, "{:?}, not {}", found, expected);
    }

    /// A fixed cost and one for each row are met exactly between measured numbers of rows.
    #[test]
    fn a_fixed_cost_is_met_between_rows(rows in 6..=24_usize, start in 0.0..1.0_f64, each in 0.01..1.0_f64) {
        let time = |rows: usize| start + each * rows as f64;
        let function = function(&[(6, 32, time(6)), (17, 32, time(17)), (24, 32, time(24))]);
        let found = estimate(&function, Size { length: 32, rows });
        prop_assert!((found - time(rows)).abs() < 1e-12 * found);
    }

    /// No time per operation is outside the range of the corners' times.
    #[test]
    fn an_estimate_is_within_its_corners(
        corners in prop::array::uniform4(0.1..10.0_f64),
        rows in 5..=9_usize,
        length in 16..=40_usize,
    ) {
        let sizes = [(5, 16), (9, 16), (5, 40), (9, 40)];
        let time = |((x, y), each): ((usize, usize), f64)| (x, y, each * flops(x, y));
        let points: Vec<_> = sizes.into_iter().zip(corners).map(time).collect();
        let found = estimate(&function(&points), Size { length, rows });
        let found = found / flops(rows, length);
        let least = corners.iter().copied().fold(f64::INFINITY, f64::min);
        let most = corners.iter().copied().fold(0.0, f64::max);
        prop_assert!((least * (1.0 - 1e-12)..=most * (1.0 + 1e-12)).contains(&found));
    }
}
