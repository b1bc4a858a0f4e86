//! Statements about the paper's methods over all N (sections II to IV).

use earth_papers::partition::EPSILON;
use earth_report::numbers::percent;
use earth_report::statements::{FLAT, Judged, about, chance};

use super::common::{Checks as _, FFTW, MKL, both, each_with_groups, has_groups, library, range};
use super::profiles::ratio_of_averages;
use crate::pfft::measure::count_clearly;
use crate::pfft::study::choice::best;
use crate::pfft::study::compared::wins;
use crate::pfft::study::findings::{KernelFindings, Study};
use crate::pfft::study::rows::{Method, Methods, Sampled};

pub(super) fn best_groups(study: &Study, judged: &mut Judged) {
    for (found, name, papers) in [(study.fftw(), FFTW, 4), (study.mkl(), MKL, 2)] {
        let Some(found) = found else { continue };
        let several = found.preferences.iter().filter(|way| way.grouping.groups > 1).count();
        let Some(best) = best(&found.preferences) else { continue };
        let outcome =
            format!("({}, {}) of {several} ways with more than one group", best.groups, best.threads);
        judged.program(name).check_if(several > 1, best.groups == papers, outcome);
    }
    judged.or_cannot_be_told(format!(
        "{} cores make at most one way with more than one group, or there is neither FFTW nor MKL",
        study.conditions.cores
    ));
}

/// Returns -1 if the first of two means is less than the second one by more than 5% and their intervals are
/// disjoint, 1 if it is more, and 0 otherwise.
fn sign(one: (f64, f64), other: (f64, f64)) -> i8 {
    let is_less = |one: (f64, f64), other: (f64, f64)| {
        other.0 > (1.0 + EPSILON) * one.0 && other.0 - other.1 > one.0 + one.1
    };
    i8::from(is_less(other, one)) - i8::from(is_less(one, other))
}

/// Returns whether two groups differ in both measurements of a point, in the same way, and whether a group
/// differs from itself.
fn differ(point: &Sampled) -> [bool; 2] {
    let first: Vec<_> = point.seconds.iter().copied().zip(point.half_widths.iter().copied()).collect();
    let again: Vec<_> = point.again.iter().copied().zip(point.again_half_widths.iter().copied()).collect();
    let pairs = (0..again.len()).flat_map(|at| (0..at).map(move |before| [before, at]));
    let is_twice = |[one, other]: [usize; 2]| {
        let signs = [sign(first[one], first[other]), sign(again[one], again[other])];
        signs[0] != 0 && signs[0] == signs[1]
    };
    let itself = first.iter().zip(&again).any(|(&first, &again)| sign(first, again) != 0);
    [pairs.into_iter().any(is_twice), itself]
}

pub(super) fn functions_differ(study: &Study, judged: &mut Judged) {
    each_with_groups(study, judged, |found, judged| {
        let twice = |row: &&Methods| row.speeds.iter().any(|point| !point.again.is_empty());
        let rows: Vec<_> = found.rows.iter().filter(twice).collect();
        if rows.is_empty() {
            return;
        }
        let number = |which: usize| {
            rows.iter().filter(|row| row.speeds.iter().any(|point| differ(point)[which])).count()
        };
        let [between, itself, all] = [number(0), number(1), rows.len()];
        let outcome = format!(
            "groups differ in both measurements at {between} of {all} N; a group differs from itself at {itself}"
        );
        // Where a group differs from itself, groups that do not differ twice are no evidence.
        let [differ, is_noisy] = [between, itself].map(|number| chance::is_exceeded(number, all));
        let holds = differ && between > itself;
        judged.check_if(holds || !is_noisy, holds, outcome);
    });
}

pub(super) fn unequal_shares(study: &Study, judged: &mut Judged) {
    each_with_groups(study, judged, |found, judged| {
        let unequal = found.rows.iter().filter_map(|row| {
            let fpm = row.timed(Method::Fpm).filter(|fpm| !fpm.is_balanced())?;
            Some([fpm.time, row.timed(Method::Lb)?.time])
        });
        let [faster, slower, number] = count_clearly(unequal, found.null_band());
        let outcome = format!(
            "unequal at {number} of {} N, clearly faster than PFFT-LB at {faster}, clearly slower at {slower}",
            found.rows.len()
        );
        judged.beyond_chance([faster, slower, number], outcome);
    });
}

/// Judges the speed-up of a method over a library's own transform.
fn speed_up(study: &Study, name: &str, method: Method, [mean, most]: [f64; 2], judged: &mut Judged) {
    let Some(found) = library(study, name) else { return };
    let has_published = found.speed_up(Method::Published, Method::Basic, &found.in_steps()).is_some();
    let published = (method == Method::FpmPad && has_published).then_some(Method::Published);
    for method in published.into_iter().chain([method]) {
        let Some(by) = found.speed_up(method, Method::Basic, &found.in_steps()) else { continue };
        match (method, published) {
            (Method::Published, _) => judged.program("as published"),
            (_, Some(_)) => judged.our_program("exact"),
            _ => judged,
        };
        judged
            .of_papers(
                study,
                about(by.mean_of_ratios, mean),
                format!("mean of the ratios {:.2}, the paper has {mean}", by.mean_of_ratios),
            )
            .of_papers(study, about(by.most, most), format!("at most {:.2}, the paper has {most}", by.most))
            .found(format!("ratio of the means {:.2}, least ratio {:.2}", by.ratio_of_means, by.least));
    }
    if let Some(controls) = controls(found, method) {
        judged.because(controls);
    }
}

/// Describes the parts of a speed-up that a method does not explain: our program and equal shares.
fn controls(found: &KernelFindings, method: Method) -> Option<String> {
    let of = |method, over| Some(found.speed_up(method, over, &found.in_steps())?.mean_of_ratios);
    let one = of(Method::One, Method::Basic).map(|by| format!("our program with one group {by:.2}, "));
    Some(format!(
        "controls, in means of the ratios over the library's own transform: {}equal shares {:.2}; {method} over equal \
         shares {:.3}",
        one.unwrap_or_default(),
        of(Method::Lb, Method::Basic)?,
        of(method, Method::Lb)?
    ))
}

pub(super) fn fpm_over_fftw(study: &Study, judged: &mut Judged) {
    speed_up(study, FFTW, Method::Fpm, [1.9, 6.8], judged);
}

pub(super) fn fpm_over_mkl(study: &Study, judged: &mut Judged) {
    speed_up(study, MKL, Method::Fpm, [1.3, 2.0], judged);
}

pub(super) fn pad_over_fftw(study: &Study, judged: &mut Judged) {
    speed_up(study, FFTW, Method::FpmPad, [2.0, 9.4], judged);
}

pub(super) fn pad_over_mkl(study: &Study, judged: &mut Judged) {
    speed_up(study, MKL, Method::FpmPad, [1.4, 5.9], judged);
}

pub(super) fn along_lengths(study: &Study, judged: &mut Judged) {
    judged.clause("wider along the lengths");
    each_with_groups(study, judged, |found, judged| {
        if let Some([rows, lengths]) = found.widths_of_surface() {
            let outcome = format!(
                "mean width {} along the lengths, {} along the rows",
                percent(lengths),
                percent(rows)
            );
            judged.check(lengths > rows, outcome);
        }
    });
    judged.clause("padding does better");
    clearly(study, Method::FpmPad, Method::Fpm, judged);
}

/// Judges whether a method is clearly faster than another one at more N than chance explains, with each
/// kernel.
fn clearly(study: &Study, method: Method, over: Method, judged: &mut Judged) {
    each_with_groups(study, judged, |found, judged| {
        let Some(by) = found.speed_up(method, over, &found.in_steps()) else { return };
        let [faster, slower, all] = found.clearly(method, over);
        let outcome = format!(
            "clearly faster at {faster} of {all} N, clearly slower at {slower}; mean of the ratios {:.3}",
            by.mean_of_ratios
        );
        judged.beyond_chance([faster, slower, all], outcome);
    });
}

pub(super) fn fpm_over_lb(study: &Study, judged: &mut Judged) {
    clearly(study, Method::Fpm, Method::Lb, judged);
    let widths = both(study).into_iter().filter_map(|(name, found)| {
        let [rows, _] = found.widths_of_surface()?;
        Some(format!("{name} {}", percent(rows)))
    });
    let widths: Vec<_> = widths.collect();
    if !widths.is_empty() {
        judged.because(format!(
            "dealing uses variations along the rows; their mean width is {}",
            widths.join(", ")
        ));
    }
}

pub(super) fn pad_over_fpm(study: &Study, judged: &mut Judged) {
    clearly(study, Method::FpmPad, Method::Fpm, judged);
    for (name, found) in both(study) {
        let [faster, slower, all] = found.clearly(Method::Published, Method::Fpm);
        if all > 0 {
            judged.because(format!(
                "{name} as published, another transform: clearly faster at {faster} of {all} N, clearly slower at {slower}"
            ));
        }
    }
}

pub(super) fn same_peak(study: &Study, judged: &mut Judged) {
    for (name, found) in both(study).into_iter().filter(|(_, found)| has_groups(found)) {
        let figures = [Method::Basic, Method::FpmPad].map(|method| found.figures(method));
        let [Some(basic), Some(pad)] = figures else { continue };
        let ratio = pad.peak.1 / basic.peak.1;
        judged.program(name).of_papers(
            study,
            (ratio - 1.0).abs() <= FLAT,
            format!(
                "{:.2} Gflop/s at N = {}, the library's own {:.2} at N = {}",
                pad.peak.1, pad.peak.0, basic.peak.1, basic.peak.0
            ),
        );
    }
    judged.or_cannot_be_told(range(study));
}

pub(super) fn mkl_over_fftw(study: &Study, judged: &mut Judged) {
    let [Some(fftw), Some(mkl)] = [study.fftw(), study.mkl()] else { return };
    for (method, paper) in [(Method::Fpm, 1.54), (Method::FpmPad, 1.53)] {
        let Some(ratio) = ratio_of_averages([mkl, fftw], [method; 2]) else { continue };
        let found = format!("{ratio:.2}, the paper has {paper}");
        judged.clause(method.name()).of_papers(study, about(ratio, paper), found);
    }
    judged.or_cannot_be_told(range(study));
}

pub(super) fn fftw_wins(study: &Study, judged: &mut Judged) {
    let [Some(fftw), Some(mkl)] = [FFTW, MKL].map(|name| library(study, name)) else { return };
    for (method, paper) in [(Method::Fpm, 0.135), (Method::FpmPad, 0.081)] {
        let (number, all) = (
            wins((fftw, method), (mkl, method), &fftw.in_steps()).len(),
            fftw.pairs(method, Method::Basic, &fftw.in_steps()).len(),
        );
        let share = number as f64 / all.max(1) as f64;
        judged.clause(method.name()).of_papers(
            study,
            about(share, paper),
            format!("clearly faster at {number} of {all} sizes"),
        );
    }
    judged.or_cannot_be_told(range(study));
}

pub(super) fn averages(study: &Study, judged: &mut Judged) {
    for (name, papers) in [(FFTW, [7.041, 7.297]), (MKL, [10.818, 11.170])] {
        let Some(found) = library(study, name) else { continue };
        for (method, paper) in [Method::Fpm, Method::FpmPad].into_iter().zip(papers) {
            let Some(figures) = found.figures(method) else { continue };
            let average = figures.average;
            let found = format!("{average:.2} Gflop/s, the paper has {paper}");
            judged.clause(method.name()).program(name).of_papers(study, about(average, paper), found);
        }
    }
}
