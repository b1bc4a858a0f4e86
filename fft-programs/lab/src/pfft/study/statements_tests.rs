use earth_papers::partition::Grouping;
use earth_report::statements::{Row, Verdict};

use super::*;
use crate::pfft::study::findings::{KernelFindings, Study};
use crate::pfft::study::fixtures::{found, methods, point, sampled, study};
use crate::pfft::study::rows::further::{Efforts, Lengths, Planned, SIDES, SideTime, Transposes};
use crate::pfft::study::rows::{Method, Methods, Timed};

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

/// Returns the verdict of a cell of a statement, by its name.
#[track_caller]
fn cell(study: &Study, statement: &str, name: &str) -> Verdict {
    let row = row(study, statement);
    let cell = row.cells.iter().find(|cell| cell.name() == name);
    cell.unwrap_or_else(|| panic!("{name} is in {row:?}")).verdict
}

/// Returns findings with one group at these speeds. The other methods have `times` these speeds: our program
/// and equal shares, PFFT-FPM, and PFFT-FPM-PAD.
fn with(kernel: &str, speeds: &[(usize, f64)], [lb, fpm, pad]: [f64; 3]) -> KernelFindings {
    let row = |&(n, basic): &(usize, f64)| {
        methods(kernel, n, [1.0, lb, lb, lb, lb, fpm, pad].map(|times| times * basic))
    };
    found(kernel, speeds.iter().map(row).collect())
}

fn libraries(fftw: &[(usize, f64)], mkl: &[(usize, f64)], times: [f64; 3]) -> Study {
    study(vec![with("fftw", fftw, times), with("mkl", mkl, times)])
}

/// Returns a study with FFTW-2, FFTW-3 and MKL.
fn three(fftw2: &[(usize, f64)], fftw: &[(usize, f64)], mkl: &[(usize, f64)]) -> Study {
    let all = [("fftw2", fftw2), ("fftw", fftw), ("mkl", mkl)];
    study(all.map(|(kernel, speeds)| with(kernel, speeds, [1.0; 3])).into())
}

fn few(mut study: Study) -> Study {
    study.conditions.cores = 2;
    study
}

const FLAT: [(usize, f64); 4] = [(64, 2.0), (128, 2.1), (192, 2.0), (256, 2.0)];

use Verdict::{CannotBeTold, DoesNotHold, Holds, InPart};

#[test]
fn rows_are_complete_and_numbered() {
    let rows = STATEMENTS.judged(&study(Vec::new()));
    assert_eq!(rows.iter().map(|row| row.number).collect::<Vec<_>>(), (1..=43).collect::<Vec<_>>());
    for row in rows {
        assert!(!row.statement.is_empty() && !row.rule.is_empty() && !row.section.is_empty());
        assert!(!row.statement.ends_with('.') && !row.rule.ends_with('.'));
        // A statement without a verdict says what would tell.
        assert!(row.verdict == CannotBeTold && row.tell.is_some(), "{row:?}");
    }
}

#[test]
fn drastic_variations_of_each_library_are_judged() {
    // Averages of 30% and 24% of the peak.
    let fftw = [(64, 10.0), (128, 1.0), (192, 1.0), (256, 1e-9), (320, 3.0)];
    let mkl = [(64, 25.0), (128, 1.0), (192, 1.0), (256, 0.5), (320, 2.5)];
    let paper = libraries(&fftw, &mkl, [1.0; 3]);
    for statement in ["vary drastically", "FFTW-3's average speed is 30%", "MKL's average speed is 24%"] {
        is(&paper, statement, Holds);
    }
    let flat = libraries(&FLAT, &FLAT, [1.0; 3]);
    for statement in ["vary drastically", "FFTW-3's average speed is 30%", "MKL's average speed is 24%"] {
        is(&flat, statement, DoesNotHold);
    }
    // On few cores the absence of variations is no evidence, and their presence is.
    is(&few(flat), "vary drastically", CannotBeTold);
    is(&few(libraries(&fftw, &FLAT, [1.0; 3])), "vary drastically", InPart);
}

#[test]
fn without_the_papers_libraries_their_statements_cannot_be_told() {
    let own = study(vec![with("rustfft", &FLAT, [1.0, 2.0, 3.0])]);
    for statement in
        ["vary drastically", "newer libraries vary more", "199 of 1000", "PFFT-FPM is on average 1.9"]
    {
        is(&own, statement, CannotBeTold);
    }
    // Our kernel is shown and does not count.
    for statement in ["load imbalancing pays", "padding pays"] {
        is(&own, statement, CannotBeTold);
        assert_eq!(cell(&own, statement, "rustfft"), Holds);
    }
}

#[test]
fn libraries_are_compared() {
    let slow = [(64, 1.0), (128, 1.2), (192, 1.0), (256, 1.0), (320, 1.0)];
    let fast = [(64, 0.5), (128, 3.0), (192, 2.1), (256, 0.6), (320, 4.0)];
    let paper = libraries(&slow, &fast, [1.0; 3]);
    assert_eq!(cell(&paper, "newer libraries vary more", "MKL over FFTW"), Holds);
    is(&paper, "199 of 1000", Holds);
    let reverse = libraries(&fast, &slow, [1.0; 3]);
    is(&reverse, "newer libraries vary more", DoesNotHold);
    is(&reverse, "199 of 1000", DoesNotHold);
    is(&reverse, "MKL is on average 54% faster", DoesNotHold);
    let half = libraries(&FLAT, &FLAT.map(|(n, speed)| (n, 1.54 * speed)), [1.0; 3]);
    is(&half, "MKL is on average 54% faster", Holds);
    is(&few(half), "199 of 1000", InPart);
}

#[test]
fn fftw_2_is_compared_with_both_libraries() {
    let sizes = [64, 128, 192, 256, 320, 384];
    let of = |speeds: [f64; 6]| sizes.into_iter().zip(speeds).collect::<Vec<_>>();
    // FFTW-2 is faster than FFTW-3 everywhere, and than MKL at the last two sizes.
    let [fftw2, fftw] = [of([1.4, 1.4, 1.4, 1.4, 1.4, 1.4]), of([1.0; 6])];
    let mkl = of([3.0, 3.0, 3.0, 3.0, 0.7, 0.7]);
    let paper = few(three(&fftw2, &fftw, &mkl));
    assert_eq!(cell(&paper, "40% of its peak", "38% above FFTW-3"), Holds);
    is(&paper, "FFTW-2 is faster than FFTW-3 at 529", Holds);
    is(&paper, "at 91 sizes", Holds);
    is(&paper, "near the largest N", Holds);
    is(&paper, "N below 15000", Holds);
    is(&paper, "MKL is on average 36% faster", Holds);
    assert_eq!(cell(&paper, "1.2 times as fast as FFTW-2", "FFTW"), DoesNotHold);
    assert_eq!(cell(&paper, "1.2 times as fast as FFTW-2", "MKL"), Holds);
    let reverse = few(three(&fftw, &fftw2, &of([0.7, 0.7, 3.0, 3.0, 3.0, 3.0])));
    for statement in ["FFTW-2's average speed", "N below 15000", "near the largest N"] {
        is(&reverse, statement, DoesNotHold);
    }
    // One size may be chance.
    let once = few(three(&of([1.4, 1.0, 1.0, 1.0, 1.0, 1.0]), &fftw, &fftw));
    for statement in ["529 of 1000", "at 91 sizes", "near the largest N", "N below 15000"] {
        is(&once, statement, CannotBeTold);
    }
    let large = [30_720, 40_960, 51_200];
    let above = |speeds: [f64; 3]| large.into_iter().zip(speeds).collect::<Vec<_>>();
    let far = three(&above([2.0; 3]), &above([1.0; 3]), &above([1.0, 3.0, 1.0]));
    is(&far, "again at some N above 30000", Holds);
    is(&far, "MKL varies more severely", Holds);
}

/// The paper's averages give 38.9% behind and 3.8% ahead.
#[test]
fn percentage_points_are_from_behind_to_ahead() {
    let of = |speed| [(64, speed), (128, speed)];
    let mut paper = three(&of(7.033), &of(5.065), &of(9.572));
    for (kernel, average) in [(1, 7.297), (2, 11.170)] {
        for row in &mut paper.kernels[kernel].rows {
            let pad = row.methods.iter_mut().find(|timed| timed.method == Method::FpmPad).unwrap();
            pad.time = point(crate::pfft::study::fixtures::seconds(row.n, average));
        }
    }
    is(&paper, "percentage points", Holds);
    let judged = row(&paper, "percentage points");
    assert!(judged.cells[0].found.contains("from -39% to +4%"), "{judged:?}");
    is(&paper, "the averages are 7041", InPart);
    is(&three(&of(7.033), &of(5.065), &of(9.572)), "percentage points", DoesNotHold);
}

#[test]
fn speed_ups_are_judged_by_mean_and_greatest() {
    // Means of 1.9 and 2, and at most 6.8 and 9.4.
    let rows = |fpm: [f64; 4], pad: [f64; 4]| {
        let row = |at: usize| methods("fftw", 64 * (at + 1), [1.0, 1.1, 1.2, 1.2, 1.0, fpm[at], pad[at]]);
        study(vec![found("fftw", (0..4).map(row).collect())])
    };
    let paper = rows([6.8, 0.3, 0.3, 0.3], [9.4, 0.1, 0.1, 0.1]);
    is(&paper, "PFFT-FPM is on average 1.9", Holds);
    is(&paper, "PFFT-FPM-PAD is on average twice", Holds);
    // A mean without the greatest ratio is not the statement.
    is(&rows([1.9; 4], [2.0; 4]), "PFFT-FPM is on average 1.9", DoesNotHold);
    is(&rows([0.9; 4], [0.9; 4]), "PFFT-FPM-PAD is on average twice", DoesNotHold);
    is(&few(paper), "PFFT-FPM is on average 1.9", CannotBeTold);
    let row = row(&rows([1.5; 4], [1.5; 4]), "PFFT-FPM is on average 1.9");
    let why = row.why.unwrap();
    let parts = ["our program with one group 1.10", "equal shares 1.20", "PFFT-FPM over equal shares 1.25"];
    assert!(parts.iter().all(|part| why.contains(part)), "{why}");
}

#[test]
fn bands_of_the_paper_need_their_n() {
    let small = libraries(&FLAT, &FLAT, [1.0, 1.05, 1.2]);
    is(&small, "N up to 10000 the speed-ups", InPart);
    is(&small, "3 times as fast as FFTW", CannotBeTold);
    is(&small, "N above 33000 speed-ups", CannotBeTold);
    is(&libraries(&FLAT, &FLAT, [1.05; 3]), "N up to 10000 the speed-ups", Holds);
    let loss = libraries(&FLAT, &FLAT, [0.8; 3]);
    is(&loss, "N up to 10000 the speed-ups", DoesNotHold);
    assert!(row(&loss, "N up to 10000 the speed-ups").cells[0].found.contains("0.80, a loss of 20%"));
    let middle = [(10_240, 2.0), (15_360, 2.0), (20_480, 2.0)];
    let good = libraries(&middle, &middle, [3.0; 3]);
    is(&good, "the speed-ups are good", Holds);
    is(&good, "3 times as fast as FFTW", DoesNotHold);
    is(&libraries(&middle, &middle, [0.5; 3]), "the speed-ups are good", DoesNotHold);
    is(&libraries(&middle, &middle, [1.0; 3]), "the speed-ups are good", CannotBeTold);
    is(&few(good), "the speed-ups are good", Holds);
    let large = [(40_000, 2.0), (50_000, 5.0)];
    is(&study(vec![with("mkl", &large, [2.0; 3])]), "N above 33000 speed-ups", Holds);
    is(&libraries(&large, &large, [2.0; 3]), "N above 33000 speed-ups", InPart);
    for (sizes, statement) in [
        (&middle[..], "3 times as fast as FFTW"),
        (&middle, "2.7 times as fast as FFTW"),
        (&large, "N above 33000 speed-ups"),
    ] {
        let told = row(&few(libraries(sizes, sizes, [3.0; 3])), statement);
        assert!(told.verdict == CannotBeTold && told.why.unwrap().contains("on 2 cores"), "{statement}");
    }
}

#[test]
fn the_cause_of_small_speed_ups_is_small_variations() {
    is(&libraries(&FLAT, &FLAT, [1.0; 3]), "MKL's variations are not remarkable", Holds);
    let varying = [(64, 1.0), (128, 2.0), (192, 1.0)];
    let mut remarkable = libraries(&varying, &varying, [1.0; 3]);
    is(&remarkable, "MKL's variations are not remarkable", DoesNotHold);
    widen(&mut remarkable, 2.5);
    is(&remarkable, "MKL's variations are not remarkable", CannotBeTold);
}

#[test]
fn groups_are_judged() {
    let mut paper = libraries(&FLAT, &FLAT, [1.0; 3]);
    // (2, 2) is best in all invented rows.
    is(&paper, "(4, 9) is best", InPart);
    paper.kernels[0].preferences[2].mean_gflops = 3.0;
    is(&paper, "(4, 9) is best", Holds);
    for found in &mut paper.kernels {
        found.preferences.truncate(2);
    }
    is(&paper, "(4, 9) is best", CannotBeTold);
}

/// Groups must differ twice in the same way, at more N than a group differs from itself.
#[test]
fn speed_functions_are_compared_with_themselves() {
    let judged = |first: [f64; 2], again: [f64; 2]| {
        let mut study = libraries(&FLAT, &FLAT, [1.0; 3]);
        for row in study.kernels.iter_mut().flat_map(|found| &mut found.rows) {
            let mut point = sampled(row.n / 8, row.n, first);
            let second = sampled(row.n / 8, row.n, again);
            (point.again, point.again_half_widths) = (second.seconds, second.half_widths);
            row.speeds.push(point);
        }
        row(&study, "differ from each other").verdict
    };
    is(&libraries(&FLAT, &FLAT, [1.0; 3]), "differ from each other", CannotBeTold);
    assert_eq!(judged([1e9, 1.2e9], [1e9, 1.2e9]), Holds);
    assert_eq!(judged([1e9, 1.2e9], [1.2e9, 1e9]), CannotBeTold, "a group differs from itself");
    assert_eq!(judged([1e9, 1.2e9], [1e9, 1e9]), CannotBeTold);
    assert_eq!(judged([1e9, 1.02e9], [1e9, 1.02e9]), DoesNotHold);
}

#[test]
fn unequal_shares_are_judged_by_chance() {
    let deal = |row: &mut Methods, mean: f64| {
        let basic = row.methods[0].time.mean;
        let fpm = row.methods.iter_mut().find(|timed| timed.method == Method::Fpm).unwrap();
        fpm.rows = vec![10, row.n - 10];
        (fpm.time, fpm.again) = (point(mean * basic), point(mean * basic));
    };
    let mut paper = libraries(&FLAT, &FLAT, [1.0; 3]);
    is(&paper, "need not be balanced", CannotBeTold);
    let mut some = |rows: usize, mean: f64| {
        for found in &mut paper.kernels {
            found.rows[..rows].iter_mut().for_each(|row| deal(row, mean));
        }
        row(&paper, "need not be balanced").verdict
    };
    assert_eq!([some(2, 0.99), some(2, 0.5), some(4, 2.0)], [CannotBeTold, Holds, DoesNotHold]);
    // Rows on one figure are counted once.
    let rows = STATEMENTS.judged(&paper);
    let repeats: Vec<_> = rows.iter().filter_map(|row| Some((row.number, row.repeats?))).collect();
    assert_eq!(repeats, [(21, 9), (22, 17), (23, 9)]);
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
    let mut better = libraries(&FLAT, &FLAT, [1.0, 1.0, 1.1]);
    vary(&mut better, 1.1, 3.0);
    is(&better, "along the length of rows", Holds);
    vary(&mut better, 3.0, 1.1);
    is(&better, "along the length of rows", InPart);
    let mut worse = libraries(&FLAT, &FLAT, [1.0, 1.0, 0.9]);
    vary(&mut worse, 3.0, 1.1);
    is(&worse, "along the length of rows", DoesNotHold);
    is(&libraries(&FLAT, &FLAT, [1.0; 3]), "the peak remains", Holds);
    is(&better, "the peak remains", DoesNotHold);
    is(&study(vec![with("mkl", &[(1792, 39.0), (1856, 2.0)], [1.0; 3])]), "the peaks are 17841", Holds);
}

#[test]
fn differences_within_the_null_band_are_not_significant() {
    let mut faster = libraries(&FLAT, &FLAT, [1.0, 1.2, 1.2]);
    is(&faster, "load imbalancing pays", Holds);
    is(&faster, "padding pays", CannotBeTold);
    is(&libraries(&FLAT, &FLAT, [1.0, 0.8, 0.8]), "load imbalancing pays", DoesNotHold);
    widen(&mut faster, 1.3);
    is(&faster, "load imbalancing pays", CannotBeTold);
    assert!((faster.kernels[0].null_band() - 1.3).abs() < 1e-9);
}

/// Makes methods differ from themselves by this factor.
fn widen(study: &mut Study, by: f64) {
    let rows = study.kernels.iter_mut().flat_map(|found| &mut found.rows);
    rows.flat_map(|row| &mut row.methods).for_each(|timed| timed.again = point(by * timed.time.mean));
}

/// The padding as published is the paper's program, and the exact one is ours.
#[test]
fn padding_as_published_is_judged_beside_the_exact_one() {
    let of = |pad: f64, published: f64| {
        let row = |n: usize| {
            let mut row = methods("mkl", n, [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, pad]);
            let timed = methods("mkl", n, [published; 7]).methods.remove(6);
            row.methods.push(Timed { method: Method::Published, ..timed });
            row
        };
        study(vec![found("mkl", vec![row(64), row(128)])])
    };
    let statement = "PFFT-FPM-PAD is on average 1.4";
    assert_eq!(cell(&of(1.4, 5.0), statement, "exact"), DoesNotHold);
    is(&of(1.4, 0.5), statement, DoesNotHold);
    let judged = row(&few(of(1.4, 1.4)), statement);
    let ours: Vec<_> = judged.cells.iter().map(|cell| (cell.program.as_str(), cell.is_ours)).collect();
    assert_eq!((judged.verdict, ours), (CannotBeTold, vec![("as published", false), ("exact", true)]));
    // PFFT-FPM has no padding.
    assert_eq!(row(&few(of(1.4, 1.4)), "PFFT-FPM is on average 1.3").cells.len(), 1);
}

/// Returns a study whose FFTW is planned by estimate and by measuring, with the time of a measured plan.
fn planned(planning: f64, measured: [f64; 4]) -> Study {
    let mut study = libraries(&FLAT, &FLAT, [1.0; 3]);
    let fftw = &mut study.kernels[0];
    fftw.efforts = FLAT
        .iter()
        .zip(measured)
        .map(|(&(n, _), time)| {
            let plan = |effort: &str, planning, time| Planned {
                effort: effort.to_owned(),
                planning,
                time: point(time),
                again: point(time),
            };
            let plans = vec![plan("estimate", 0.0, 1.0), plan("measure", planning, time)];
            Efforts { kernel: "fftw".to_owned(), version: None, n, plans, took: 1.0 }
        })
        .collect();
    study
}

#[test]
fn planners_are_judged_with_their_time() {
    let paper = planned(9.0, [0.5; 4]);
    is(&paper, "planners that measure, execution", Holds);
    let judged = row(&paper, "planners that measure, execution");
    assert!(
        judged.cells[0].found.contains("9.50 times") && judged.why.unwrap().contains("after 18 transforms")
    );
    is(&planned(0.1, [0.5; 4]), "planners that measure, execution", DoesNotHold);
    is(&planned(0.0, [1.0; 4]), "planners that measure, execution", CannotBeTold);
    // Speeds of equal times grow with N.
    let varying = few(planned(9.0, [1.0, 0.1, 9.0, 0.1]));
    assert_eq!(cell(&varying, "FFTW_MEASURE and FFTW_PATIENT", "FFTW_MEASURE, FFTW"), Holds);
    let flat = [64.0_f64, 128.0, 192.0, 256.0].map(|n| n * n * n.log2());
    is(&few(planned(9.0, flat)), "FFTW_MEASURE and FFTW_PATIENT", CannotBeTold);
    is(&planned(9.0, flat), "FFTW_MEASURE and FFTW_PATIENT", DoesNotHold);
}

#[test]
fn the_example_is_padded_to_the_fastest_length() {
    let with = |speeds: [f64; 3]| {
        let mut study = libraries(&FLAT, &FLAT, [1.0; 3]);
        let lengths = [24_704, 24_832, 24_960].into_iter().zip(speeds);
        let points = lengths.map(|(length, speed)| sampled(128, length, [speed; 2])).collect();
        study.kernels[1].lengths =
            Some(Lengths { kernel: "mkl".to_owned(), version: None, points, took: 1.0 });
        row(&study, "pad their rows to 24960").verdict
    };
    assert_eq!([with([1e9, 1e9, 2e9]), with([1e9, 3e9, 2e9])], [Holds, InPart]);
    assert_eq!(with([2e9, 3e9, 1e9]), DoesNotHold);
}

#[test]
fn a_block_is_optimal_if_no_other_is_faster_beyond_chance() {
    let judged = |times: [f64; 6]| {
        let sides = |_| {
            let side = |(side, time)| SideTime { side, time: point(time), again: point(time) };
            SIDES.into_iter().zip(times).map(side).collect()
        };
        let transposes = (1..=4).map(|n| Transposes { n: 64 * n, sides: sides(n), took: 1.0 }).collect();
        row(&Study { transposes, ..study(Vec::new()) }, "optimal for the transpose").verdict
    };
    assert_eq!(judged([2.0, 1.0, 1.0, 1.0, 1.0, 1.5]), Holds);
    assert_eq!(judged([2.0, 1.0, 0.8, 1.0, 1.0, 1.5]), DoesNotHold);
    assert_eq!(judged([1.0; 6]), CannotBeTold);
}

#[test]
fn rejected_normality_is_counted_and_not_judged() {
    let mut study = libraries(&FLAT, &FLAT, [1.0; 3]);
    let rows = study.kernels.iter_mut().flat_map(|found| &mut found.rows);
    rows.flat_map(|row| &mut row.methods).for_each(|timed| timed.time.normality = Some(0.01));
    let judged = row(&study, "normally distributed");
    assert_eq!(
        (judged.verdict, judged.cells[0].found.as_str()),
        (CannotBeTold, "rejected for 56 of 56 means")
    );
}

#[test]
fn one_group_leaves_what_takes_several() {
    let mut alone = libraries(&FLAT, &FLAT, [1.0; 3]);
    for found in &mut alone.kernels {
        found.grouping = Some(Grouping { groups: 1, threads: 1 });
        for row in &mut found.rows {
            (row.groups, row.threads) = (1, 1);
            row.methods.truncate(1);
            row.speeds.clear();
        }
    }
    for statement in [
        "differ from each other",
        "need not be balanced",
        "PFFT-FPM is on average 1.9",
        "PFFT-FPM-PAD is on average 1.4",
        "along the length of rows",
        "the peak remains",
        "MKL is on average 54% faster",
    ] {
        is(&alone, statement, CannotBeTold);
    }
    is(&alone, "vary drastically", DoesNotHold);
}
