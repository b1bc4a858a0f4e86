use std::time::Duration;

use earth_fft::kernel::Kernel;
use earth_fftw::Effort;

use super::super::{Form, Job, Points};
use super::*;
use crate::bench_fft::peers::cases::Case;
use crate::bench_fft::peers::contestant::{Contestant, Terms, Who};
use crate::bench_fft::peers::known::PlanStore;

/// Series and images, a cube, a batch, a single row, and series shorter than the taps.
const WORDS: [&str; 8] = [
    "convolutions:12",
    "convolutions:3",
    "convolutions:3*8",
    "filters:5x6",
    "filters:7x4",
    "filters:1x9",
    "filters:2x3x7",
    "filters:2x2",
];

/// Returns arrays, what is expected of them, and our plan for them.
fn planned<T: Precision>(word: &str, in_place: bool) -> (Points<T>, Expected, Contestant<T>) {
    let case = Case::all(&[word]).unwrap().remove(0);
    let form = Form { real: true, in_place, gap: 0, large_pages: false };
    let mut points = Points::new(&case, form).unwrap();
    let expected = points.expected();
    let terms = Terms { form, threads: 1, is_free: false, effort: Effort::Estimate, limit: None };
    let mut known = PlanStore::new(Duration::ZERO);
    let plan = Who::Kernel(Kernel::Earth).plan(&case, 1, terms, &points, &mut known).unwrap();
    (points, expected, plan)
}

/// Filters noise, and returns the error if the result is wrong.
fn error<T: Precision>((points, expected, plan): &mut (Points<T>, Expected, Contestant<T>)) -> Option<f64> {
    points.noise();
    plan.run(points.job(1), 1).unwrap();
    points.wrong(expected)
}

/// Returns the numbers of the arrays, and their padding.
fn numbers<T: Precision>(points: &mut Points<T>) -> &mut [T] {
    let Job::Filter(arrays) = points.job(0) else { panic!("a filter") };
    arrays.numbers
}

#[test]
fn filters_by_our_plans_are_right_in_both_precisions() {
    for word in WORDS {
        for in_place in [true, false] {
            assert_eq!(error(&mut planned::<f64>(word, in_place)), None, "{word}, {in_place}");
            assert_eq!(error(&mut planned::<f32>(word, in_place)), None, "{word}, {in_place}");
        }
    }
}

#[test]
fn results_of_another_filter_are_told_apart() {
    for word in WORDS {
        for in_place in [true, false] {
            // The result times a factor, and one number that the sum is not compared with.
            for factor in [1.0 + 1e-9, -1.0, f64::NAN] {
                let mut of = planned::<f64>(word, in_place);
                assert_eq!(error(&mut of), None);
                for number in numbers(&mut of.0) {
                    *number *= factor;
                }
                assert!(of.0.wrong(&of.1).is_some(), "{word}, {in_place}, {factor}");
            }
            let mut of = planned::<f64>(word, in_place);
            assert_eq!(error(&mut of), None);
            let unchecked = (0..3).find(|at| of.1.values.iter().all(|(checked, _)| checked != at));
            if let Some(at) = unchecked {
                numbers(&mut of.0)[at] *= 1.0 + 1e-6;
                assert!(of.0.wrong(&of.1).is_some(), "{word}, {in_place}");
            }
        }
    }
}

#[test]
fn another_kept_spectrum_is_told_apart() {
    let wrong = |word: &str, change: fn(&mut Complex<f64>)| {
        for in_place in [true, false] {
            let mut of = planned::<f64>(word, in_place);
            of.0.kept.as_mut().unwrap().iter_mut().for_each(change);
            assert!(error(&mut of).is_some(), "{word}, {in_place}");
        }
    };
    for word in WORDS {
        // Another factor for the number of points.
        wrong(word, |gain| *gain *= 2.0);
        // Without phases, and with taps of the numbers behind: the energy is the same. The spectrum of two
        // numbers is real.
        if word != "filters:2x2" {
            wrong(word, |gain| *gain = gain.norm().into());
            wrong(word, |gain| *gain = gain.conj());
        }
    }
}

#[test]
fn a_filter_that_follows_itself_does_not_grow() {
    for in_place in [true, false] {
        let (mut points, _, plan) = planned::<f32>("filters:6x10", in_place);
        let most = |points: &mut Points<f32>| {
            let rows = if in_place { 12 } else { 10 };
            let numbers: Vec<_> =
                numbers(points).chunks(rows).take(6).flat_map(|row| row[..10].to_vec()).collect();
            let sum: f32 = numbers.iter().sum();
            (numbers.iter().fold(0.0, |most: f32, number| most.max(number.abs())), sum / 60.0)
        };
        points.noise();
        let (before, mean) = most(&mut points);
        assert_eq!(points.ready(1 << 40), 1 << 40);
        plan.run(points.job(1000), 1000).unwrap();
        let (after, kept) = most(&mut points);
        // The average stays, and the rest is gone.
        assert!(after < before && (kept / mean - 1.0).abs() < 1e-3, "{before}, {after}; {mean}, {kept}");
        assert!((after / mean.abs() - 1.0).abs() < 1e-3, "{after}, {mean}");
    }
}

#[test]
fn the_kept_spectrum_counts_as_memory() {
    let case = Case::all(&["filters:4x5"]).unwrap().remove(0);
    let form = Form { real: true, in_place: true, gap: 0, large_pages: false };
    // Rows of 5 numbers have room for 3 points.
    assert_eq!(Points::<f64>::bytes(&case, form), 2 * 4 * 3 * 16);
    assert_eq!(Points::<f64>::bytes(&case, Form { in_place: false, ..form }), 4 * (5 * 8 + 2 * 3 * 16));
}
