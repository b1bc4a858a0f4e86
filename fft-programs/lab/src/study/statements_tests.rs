use super::*;
use crate::statements::Verdict;
use crate::study::findings::{KernelFindings, Study};
use crate::study::made_up::{found, methods, point, sampled, study};
use crate::study::rows::{Method, Methods};

/// A statement by a word of it.
#[track_caller]
fn row(study: &Study, says: &str) -> Row {
    let rows = judged(study);
    let mut matching = rows.into_iter().filter(|row| row.says.contains(says));
    let (Some(row), None) = (matching.next(), matching.next()) else { panic!("one statement says {says}") };
    row
}

#[track_caller]
fn is(study: &Study, says: &str, verdict: Verdict) {
    let row = row(study, says);
    assert_eq!(row.verdict, verdict, "{row:?}");
}

/// One group at these speeds, the other methods at these times them.
fn with(kernel: &str, speeds: &[(usize, f64)], times: [f64; 4]) -> KernelFindings {
    let [lb, barrier, fpm, pad] = times;
    let row = |&(n, basic): &(usize, f64)| {
        methods(kernel, n, [basic, lb * basic, barrier * basic, fpm * basic, pad * basic])
    };
    found(kernel, speeds.iter().map(row).collect())
}

fn libraries(fftw: &[(usize, f64)], mkl: &[(usize, f64)], times: [f64; 4]) -> Study {
    study(vec![with("fftw", fftw, times), with("mkl", mkl, times)])
}

const FLAT: [(usize, f64); 3] = [(64, 2.0), (128, 2.1), (192, 2.0)];

use Verdict::{CannotBeTold, DoesNotHold, Holds, InPart};

#[test]
fn rows_are_complete_and_numbered() {
    let rows = judged(&libraries(&FLAT, &FLAT, [1.0; 4]));
    assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), (1..=32).collect::<Vec<_>>());
    for row in rows {
        assert!(
            !row.says.is_empty()
                && !row.rule.is_empty()
                && !row.section.unwrap().is_empty()
                && !row.found.is_empty()
        );
        // What cannot be told says why.
        assert!(row.verdict != CannotBeTold || !row.why.as_ref().unwrap().is_empty(), "{row:?}");
        assert!(!row.says.ends_with('.') && !row.rule.ends_with('.'));
    }
}

#[test]
fn profiles_of_libraries_are_judged() {
    // On average 30% and 24% of the peak.
    let fftw = [(64, 10.0), (128, 1.0), (192, 1.0), (256, 0.0_f64.max(1e-9)), (320, 3.0)];
    let mkl = [(64, 25.0), (128, 1.0), (192, 1.0), (256, 0.5), (320, 2.5)];
    let paper = libraries(&fftw, &mkl, [1.0; 4]);
    for says in ["vary drastically", "FFTW-3's average speed is 30%", "MKL's average speed is 24%"] {
        is(&paper, says, Holds);
    }
    let flat = libraries(&FLAT, &FLAT, [1.0; 4]);
    for says in ["vary drastically", "FFTW-3's average speed is 30%", "MKL's average speed is 24%"] {
        is(&flat, says, DoesNotHold);
    }
    is(&libraries(&fftw, &FLAT, [1.0; 4]), "vary drastically", InPart);
    let own = study(vec![with("rustfft", &FLAT, [1.0; 4])]);
    for says in [
        "vary drastically",
        "FFTW-3's average speed is 30%",
        "MKL's average speed is 24%",
        "newer libraries vary more",
        "199 of 1000",
        "PFFT-FPM is on average 1.9",
        "PFFT-FPM is on average 1.3",
        "N up to 10000",
        "the peak remains",
        "with PFFT-FPM MKL is 54%",
    ] {
        is(&own, says, CannotBeTold);
    }
    is(&flat, "FFTW-2.1.5's average speed", CannotBeTold);
}

#[test]
fn libraries_are_compared() {
    let [slow, fast] = [[(64, 1.0), (128, 1.2), (192, 1.0)], [(64, 0.9), (128, 3.0), (192, 2.1)]];
    let paper = libraries(&slow, &fast, [1.0; 4]);
    is(&paper, "newer libraries vary more", Holds);
    is(&paper, "199 of 1000", Holds);
    let reverse = libraries(&fast, &slow, [1.0; 4]);
    is(&reverse, "newer libraries vary more", DoesNotHold);
    is(&reverse, "199 of 1000", DoesNotHold);
    is(&reverse, "with PFFT-FPM MKL is 54%", DoesNotHold);
    let half = libraries(&[(64, 2.0), (128, 2.0)], &[(64, 3.0), (128, 3.1)], [1.0; 4]);
    is(&half, "with PFFT-FPM MKL is 54%", Holds);
    is(&half, "199 of 1000", InPart);
}

#[test]
fn speed_ups_are_judged_by_mean_and_greatest() {
    // Means of 1.9 and 2, at most 6.8 and 9.4.
    let rows = |fpm: [f64; 4], pad: [f64; 4]| {
        let row = |at: usize| methods("fftw", 64 * (at + 1), [1.0, 1.0, 1.0, fpm[at], pad[at]]);
        study(vec![found("fftw", (0..4).map(row).collect())])
    };
    let paper = rows([6.8, 0.3, 0.3, 0.3], [9.4, 0.1, 0.1, 0.1]);
    is(&paper, "PFFT-FPM is on average 1.9", Holds);
    is(&paper, "PFFT-FPM-PAD is on average twice", Holds);
    let slow = rows([0.9; 4], [0.9; 4]);
    is(&slow, "PFFT-FPM is on average 1.9", DoesNotHold);
    is(&slow, "PFFT-FPM-PAD is on average twice", DoesNotHold);
    let some = rows([1.2; 4], [9.4, 0.2, 6.0, 0.2]);
    is(&some, "PFFT-FPM is on average 1.9", InPart);
    is(&some, "PFFT-FPM-PAD is on average twice", InPart);
    let row = row(&some, "PFFT-FPM is on average 1.9");
    assert_eq!(row.passed, [1, 3]);
    assert!(
        row.found.contains("mean of the ratios 1.20") && row.found.contains("ratio of the means"),
        "{row:?}"
    );
    is(&study(vec![with("mkl", &FLAT, [1.0, 1.0, 1.3, 5.9])]), "PFFT-FPM is on average 1.3", InPart);
}

#[test]
fn bands_of_the_paper_need_their_n() {
    let small = libraries(&FLAT, &FLAT, [1.0, 1.0, 1.05, 1.2]);
    is(&small, "N up to 10000", InPart);
    is(&small, "N from 10000 to 33000", CannotBeTold);
    is(&small, "N above 33000", CannotBeTold);
    is(&libraries(&FLAT, &FLAT, [1.05; 4]), "N up to 10000", Holds);
    is(&libraries(&FLAT, &FLAT, [0.8; 4]), "N up to 10000", DoesNotHold);
    is(&libraries(&FLAT, &FLAT, [1.5; 4]), "N up to 10000", DoesNotHold);
    let middle = [(10_240, 2.0), (20_480, 2.0)];
    is(&libraries(&middle, &middle, [3.0; 4]), "N from 10000 to 33000", Holds);
    is(&libraries(&middle, &middle, [1.0; 4]), "N from 10000 to 33000", DoesNotHold);
    let large = [(40_000, 2.0), (50_000, 5.0)];
    is(&study(vec![with("mkl", &large, [2.0; 4])]), "N above 33000", Holds);
    is(&libraries(&large, &large, [2.0; 4]), "N above 33000", InPart);
}

#[test]
fn groups_and_shares_are_judged() {
    let mut paper = libraries(&FLAT, &FLAT, [1.0; 4]);
    // (2, 2) is best in all rows that are made up.
    is(&paper, "(4, 9) is best", InPart);
    paper.kernels[0].preferences[2].mean_gflops = 3.0;
    is(&paper, "(4, 9) is best", Holds);
    for found in &mut paper.kernels {
        found.preferences.truncate(2);
    }
    is(&paper, "(4, 9) is best", CannotBeTold);

    is(&paper, "differ by more than 5%", DoesNotHold);
    for row in paper.kernels.iter_mut().flat_map(|found| &mut found.rows) {
        row.speeds.push(sampled(row.n / 8, row.n, [1e9, 1.06e9]));
    }
    is(&paper, "differ by more than 5%", Holds);

    let deal = |row: &mut Methods, mean: f64| {
        let basic = row.methods[0].time.mean;
        let fpm = row.methods.iter_mut().find(|timed| timed.method == Method::Fpm).unwrap();
        fpm.rows = vec![10, row.n - 10];
        (fpm.time, fpm.again) = (point(mean * basic), point(mean * basic));
    };
    is(&paper, "need not be balanced", CannotBeTold);
    for found in &mut paper.kernels {
        deal(&mut found.rows[0], 0.99);
    }
    is(&paper, "need not be balanced", CannotBeTold);
    deal(&mut paper.kernels[0].rows[1], 0.5);
    is(&paper, "need not be balanced", Holds);
    deal(&mut paper.kernels[1].rows[2], 2.0);
    is(&paper, "need not be balanced", InPart);
    deal(&mut paper.kernels[0].rows[2], 2.0);
    is(&paper, "need not be balanced", DoesNotHold);
}

#[test]
fn variations_and_peaks_are_judged() {
    let vary = |study: &mut Study, along: f64, across: f64| {
        for row in study.kernels.iter_mut().flat_map(|found| &mut found.rows) {
            let speed = if row.n == 128 { across } else { 1.0 } * 1e9;
            row.speeds =
                vec![sampled(row.n / 4, row.n, [along * speed; 2]), sampled(row.n / 2, row.n, [speed; 2])];
        }
    };
    let mut better = libraries(&FLAT, &FLAT, [1.0, 1.0, 1.0, 1.1]);
    vary(&mut better, 1.1, 3.0);
    is(&better, "along the length of rows", Holds);
    vary(&mut better, 3.0, 1.1);
    is(&better, "along the length of rows", InPart);
    let mut worse = libraries(&FLAT, &FLAT, [1.0, 1.0, 1.0, 0.9]);
    vary(&mut worse, 3.0, 1.1);
    is(&worse, "along the length of rows", DoesNotHold);
    is(&libraries(&FLAT, &FLAT, [1.0; 4]), "the peak remains", Holds);
    is(&better, "the peak remains", DoesNotHold);
}

#[test]
fn differences_within_the_null_band_cannot_be_told() {
    let mut faster = libraries(&FLAT, &FLAT, [1.0, 1.0, 1.2, 1.2]);
    is(&faster, "load imbalancing pays", Holds);
    is(&faster, "padding pays", CannotBeTold);
    is(&libraries(&FLAT, &FLAT, [1.0, 1.0, 0.8, 0.8]), "load imbalancing pays", DoesNotHold);
    // A method that differs from itself by more.
    for timed in faster.kernels.iter_mut().flat_map(|found| &mut found.rows).flat_map(|row| &mut row.methods)
    {
        timed.again = point(1.3 * timed.time.mean);
    }
    is(&faster, "load imbalancing pays", CannotBeTold);
    assert!((faster.kernels[0].null_band() - 1.3).abs() < 1e-9);
}

#[test]
fn figures_of_36_cores_cannot_be_told_with_fewer() {
    let mut few = libraries(&FLAT, &FLAT, [1.0, 1.0, 1.9, 2.0]);
    few.conditions.cores = 2;
    for says in [
        "FFTW-3's average speed is 30%",
        "MKL's average speed is 24%",
        "newer libraries vary more",
        "PFFT-FPM is on average 1.9",
        "PFFT-FPM is on average 1.3",
        "PFFT-FPM-PAD is on average 1.4",
        "the peak remains",
        "with PFFT-FPM MKL is 54%",
        "135 of 1000",
    ] {
        is(&few, says, CannotBeTold);
    }
}

#[test]
fn rejected_normality_is_counted() {
    let mut study = libraries(&FLAT, &FLAT, [1.0; 4]);
    is(&study, "normally distributed", CannotBeTold);
    let set = |study: &mut Study, likely| {
        let rows = study.kernels.iter_mut().flat_map(|found| &mut found.rows);
        rows.flat_map(|row| &mut row.methods).for_each(|timed| timed.time.normality = Some(likely));
    };
    set(&mut study, 0.5);
    is(&study, "normally distributed", Holds);
    set(&mut study, 0.01);
    is(&study, "normally distributed", DoesNotHold);
}

#[test]
fn one_group_leaves_what_takes_several() {
    let mut alone = libraries(&FLAT, &FLAT, [1.0; 4]);
    for found in &mut alone.kernels {
        found.grouping = Some(earth_partition::Grouping { groups: 1, threads: 1 });
        for row in &mut found.rows {
            (row.groups, row.threads) = (1, 1);
            row.methods.truncate(1);
            row.speeds.clear();
        }
    }
    for says in [
        "differ by more than 5%",
        "need not be balanced",
        "PFFT-FPM is on average 1.9",
        "PFFT-FPM-PAD is on average 1.4",
        "along the length of rows",
        "the peak remains",
        "with PFFT-FPM MKL is 54%",
    ] {
        is(&alone, says, CannotBeTold);
    }
    is(&alone, "vary drastically", DoesNotHold);
}
