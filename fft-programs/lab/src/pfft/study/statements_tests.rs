use earth_report::statements::{Row, Verdict};

use super::*;
use crate::pfft::study::findings::{KernelFindings, Study};
use crate::pfft::study::fixtures::{found, methods, point, sampled, study};
use crate::pfft::study::rows::{Method, Methods};

/// Returns the statement that contains a text.
#[track_caller]
fn row(study: &Study, statement: &str) -> Row {
    let rows = STATEMENTS.judged(study);
    let mut matching = rows.into_iter().filter(|row| row.statement.contains(statement));
    let (Some(row), None) = (matching.next(), matching.next()) else {
        panic!("one statement says {statement}")
    };
    row
}

#[track_caller]
fn is(study: &Study, statement: &str, verdict: Verdict) {
    let row = row(study, statement);
    assert_eq!(row.verdict, verdict, "{row:?}");
}

/// Returns findings with one group at these speeds, and the other methods at `times` these speeds.
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

use Verdict::{DoesNotHold, Holds, InPart, NotJudgeable};

#[test]
fn rows_are_complete_and_numbered() {
    let rows = STATEMENTS.judged(&libraries(&FLAT, &FLAT, [1.0; 4]));
    assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), (1..=32).collect::<Vec<_>>());
    for row in rows {
        assert!(
            !row.statement.is_empty()
                && !row.rule.is_empty()
                && !row.section.is_empty()
                && !row.found.is_empty()
        );
        // A statement without a verdict has a reason.
        assert!(row.verdict != NotJudgeable || !row.why.as_ref().unwrap().is_empty(), "{row:?}");
        assert!(!row.statement.ends_with('.') && !row.rule.ends_with('.'));
    }
}

#[test]
fn profiles_of_libraries_are_judged() {
    // Averages of 30% and 24% of the peak.
    let fftw = [(64, 10.0), (128, 1.0), (192, 1.0), (256, 0.0_f64.max(1e-9)), (320, 3.0)];
    let mkl = [(64, 25.0), (128, 1.0), (192, 1.0), (256, 0.5), (320, 2.5)];
    let paper = libraries(&fftw, &mkl, [1.0; 4]);
    for statement in ["vary drastically", "FFTW-3's average speed is 30%", "MKL's average speed is 24%"] {
        is(&paper, statement, Holds);
    }
    let flat = libraries(&FLAT, &FLAT, [1.0; 4]);
    for statement in ["vary drastically", "FFTW-3's average speed is 30%", "MKL's average speed is 24%"] {
        is(&flat, statement, DoesNotHold);
    }
    is(&libraries(&fftw, &FLAT, [1.0; 4]), "vary drastically", InPart);
    let own = study(vec![with("rustfft", &FLAT, [1.0; 4])]);
    for statement in [
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
        is(&own, statement, NotJudgeable);
    }
    is(&flat, "FFTW-2.1.5's average speed", NotJudgeable);
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
    // Means of 1.9 and 2, and at most 6.8 and 9.4.
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
    is(&small, "N from 10000 to 33000", NotJudgeable);
    is(&small, "N above 33000", NotJudgeable);
    is(&libraries(&FLAT, &FLAT, [1.05; 4]), "N up to 10000", Holds);
    is(&libraries(&FLAT, &FLAT, [0.8; 4]), "N up to 10000", DoesNotHold);
    is(&libraries(&FLAT, &FLAT, [1.5; 4]), "N up to 10000", DoesNotHold);
    let middle = [(10_240, 2.0), (20_480, 2.0)];
    is(&libraries(&middle, &middle, [3.0; 4]), "N from 10000 to 33000", Holds);
    is(&libraries(&middle, &middle, [1.0; 4]), "N from 10000 to 33000", DoesNotHold);
    let large = [(40_000, 2.0), (50_000, 5.0)];
    is(&study(vec![with("mkl", &large, [2.0; 4])]), "N above 33000", Holds);
    is(&libraries(&large, &large, [2.0; 4]), "N above 33000", InPart);
    for (sizes, statement) in
        [(middle, "N from 10000 to 33000"), (middle, "in the middle band"), (large, "N above 33000")]
    {
        let mut few = libraries(&sizes, &sizes, [3.0; 4]);
        few.conditions.cores = 2;
        let told = row(&few, statement);
        assert!(told.verdict == NotJudgeable && told.why.unwrap().contains("on 2 cores"), "{statement}");
    }
}

#[test]
fn groups_and_shares_are_judged() {
    let mut paper = libraries(&FLAT, &FLAT, [1.0; 4]);
    // (2, 2) is best in all invented rows.
    is(&paper, "(4, 9) is best", InPart);
    paper.kernels[0].preferences[2].mean_gflops = 3.0;
    is(&paper, "(4, 9) is best", Holds);
    for found in &mut paper.kernels {
        found.preferences.truncate(2);
    }
    is(&paper, "(4, 9) is best", NotJudgeable);

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
    is(&paper, "need not be balanced", NotJudgeable);
    for found in &mut paper.kernels {
        deal(&mut found.rows[0], 0.99);
    }
    is(&paper, "need not be balanced", NotJudgeable);
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
fn differences_within_the_null_band_are_not_significant() {
    let mut faster = libraries(&FLAT, &FLAT, [1.0, 1.0, 1.2, 1.2]);
    is(&faster, "load imbalancing pays", Holds);
    is(&faster, "padding pays", NotJudgeable);
    is(&libraries(&FLAT, &FLAT, [1.0, 1.0, 0.8, 0.8]), "load imbalancing pays", DoesNotHold);
    widen(&mut faster, 1.3);
    is(&faster, "load imbalancing pays", NotJudgeable);
    assert!((faster.kernels[0].null_band() - 1.3).abs() < 1e-9);
}

/// Makes methods differ from themselves by this factor.
fn widen(study: &mut Study, by: f64) {
    let rows = study.kernels.iter_mut().flat_map(|found| &mut found.rows);
    rows.flat_map(|row| &mut row.methods).for_each(|timed| timed.again = point(by * timed.time.mean));
}

#[test]
fn comparisons_require_more_than_the_null_band() {
    // MKL is faster by a factor of 1.5 at all sizes except one, at which FFTW is faster.
    let fftw = [(64, 2.0), (128, 2.0), (192, 2.0), (256, 4.5)];
    let mut libraries = libraries(&fftw, &[64, 128, 192, 256].map(|n| (n, 3.0)), [1.0, 1.0, 0.8, 0.7]);
    libraries.conditions.cores = 2;
    libraries.kernels.iter_mut().flat_map(|found| &mut found.rows).for_each(|row| row.speeds.clear());
    is(&libraries, "199 of 1000", Holds);
    is(&libraries, "N up to 10000", DoesNotHold);
    is(&libraries, "along the length of rows", DoesNotHold);
    widen(&mut libraries, 1.6);
    for statement in ["199 of 1000", "N up to 10000", "along the length of rows"] {
        is(&libraries, statement, NotJudgeable);
    }
}

/// The published and the exact padding are judged side by side; with fewer cores neither has a verdict.
#[test]
fn padding_as_published_is_judged_beside_the_exact_one() {
    let row_of = |n: usize, pad: f64, published: f64| {
        let mut row = methods("mkl", n, [1.0, 1.0, 1.0, 1.0, pad]);
        let timed = methods("mkl", n, [1.0, 1.0, 1.0, 1.0, published]).methods.remove(4);
        row.methods.push(crate::pfft::study::rows::Timed { method: Method::Published, ..timed });
        row
    };
    let of = |pad, published| {
        study(vec![found("mkl", vec![row_of(64, pad, published), row_of(128, pad, published)])])
    };
    let statement = "PFFT-FPM-PAD is on average 1.4";
    let judged = |pad, published| row(&of(pad, published), statement).passed;
    // Means of 1.4 and 1.5 are about the paper's; neither reaches the maximum of 5.9.
    assert_eq!(
        [judged(1.4, 0.5), judged(0.5, 1.4), judged(1.5, 1.5), judged(0.5, 0.5)],
        [[2, 6], [2, 6], [4, 6], [0, 6]]
    );
    let mut few = of(1.4, 1.4);
    few.conditions.cores = 2;
    let told = row(&few, statement);
    assert!(
        told.verdict == NotJudgeable && told.found.contains("as published, another transform: mean"),
        "{told:?}"
    );
    // PFFT-FPM has no padding.
    assert!(!row(&few, "PFFT-FPM is on average 1.3").found.contains("published"));
}

#[test]
fn figures_of_36_cores_cannot_be_judged_with_fewer() {
    let mut few = libraries(&FLAT, &FLAT, [1.0, 1.0, 1.9, 2.0]);
    few.conditions.cores = 2;
    for statement in [
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
        is(&few, statement, NotJudgeable);
    }
}

#[test]
fn rejected_normality_is_counted() {
    let mut study = libraries(&FLAT, &FLAT, [1.0; 4]);
    is(&study, "normally distributed", NotJudgeable);
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
        found.grouping = Some(earth_papers::partition::Grouping { groups: 1, threads: 1 });
        for row in &mut found.rows {
            (row.groups, row.threads) = (1, 1);
            row.methods.truncate(1);
            row.speeds.clear();
        }
    }
    for statement in [
        "differ by more than 5%",
        "need not be balanced",
        "PFFT-FPM is on average 1.9",
        "PFFT-FPM-PAD is on average 1.4",
        "along the length of rows",
        "the peak remains",
        "with PFFT-FPM MKL is 54%",
    ] {
        is(&alone, statement, NotJudgeable);
    }
    is(&alone, "vary drastically", DoesNotHold);
}
