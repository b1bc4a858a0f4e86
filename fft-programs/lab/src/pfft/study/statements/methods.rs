//! Statements about the paper's methods (sections II to IV).

use earth_papers::partition::{EPSILON, SIGNIFICANCE};
use earth_report::numbers::percent;
use earth_report::statements::{CONSIDERABLE, FLAT, Judged, about};

use super::profiles::OfPapers as _;
use super::profiles::{NO_MKL, both, libraries, range};
use crate::pfft::measure::Profile;
use crate::pfft::study::choice::best;
use crate::pfft::study::findings::{Band, KernelFindings, Study};
use crate::pfft::study::rows::{Method, Methods};

/// Reason why a study on one core, or of one group, gives no verdict.
const NO_GROUPS: &str = "it takes at least two groups, so two cores";

/// Returns whether there are rows of several groups.
fn has_groups(found: &KernelFindings) -> bool {
    found.grouping.is_some_and(|grouping| grouping.groups > 1)
}

pub(super) fn best_groups(study: &Study, judged: &mut Judged) {
    let [fftw, mkl] = [study.fftw(), study.mkl()];
    for (found, name, papers) in [(fftw, "FFTW", 4), (mkl, "MKL", 2)] {
        let Some(found) = found else { continue };
        let several = found.preferences.iter().filter(|way| way.grouping.groups > 1).count();
        let Some(best) = best(&found.preferences) else { continue };
        let outcome =
            format!("{name}: ({}, {}) of {several} with more than one group", best.groups, best.threads);
        judged.check_if(several > 1, best.groups == papers, outcome);
    }
    judged.or_cannot_be_told(format!(
        "{} cores make at most one way with more than one group, or there is neither FFTW nor MKL",
        study.conditions.cores
    ));
}

pub(super) fn functions_differ(study: &Study, judged: &mut Judged) {
    for found in study.kernels.iter().filter(|found| has_groups(found)) {
        let differ = |row: &&Methods| {
            row.speeds.iter().filter(|point| point.pad == "none").any(|point| {
                let groups = || point.seconds.iter().copied().zip(point.half_widths.iter().copied());
                let [least, most] = [
                    groups().min_by(|one, other| one.0.total_cmp(&other.0)),
                    groups().max_by(|one, other| one.0.total_cmp(&other.0)),
                ]
                .map(Option::unwrap_or_default);
                most.0 > (1.0 + EPSILON) * least.0 && most.0 - most.1 > least.0 + least.1
            })
        };
        let number = found.rows.iter().filter(differ).count();
        let outcome = format!("{}: at {number} of {} N", found.kernel, found.rows.len());
        judged.check(2 * number > found.rows.len(), outcome);
    }
}

pub(super) fn unequal_shares(study: &Study, judged: &mut Judged) {
    for found in study.kernels.iter().filter(|found| has_groups(found)) {
        let unequal: Vec<_> = found
            .rows
            .iter()
            .filter(|row| row.timed(Method::Fpm).is_some_and(|fpm| !fpm.is_balanced()))
            .cloned()
            .collect();
        let unequal = KernelFindings { rows: unequal, ..found.clone() };
        let [faster, slower, number] = unequal.clearly(Method::Fpm, Method::Lb);
        let outcome = format!(
            "{}: unequal at {number} of {} N, clearly faster than PFFT-LB at {faster}, clearly slower at {slower}",
            found.kernel,
            found.rows.len()
        );
        judged.check_if(faster + slower > 0, faster > slower, outcome);
    }
}

/// Judges the speed-up of a method over a library's own transform.
fn speed_up(
    study: &Study,
    found: Option<&KernelFindings>,
    method: Method,
    [mean, most]: [f64; 2],
    judged: &mut Judged,
) {
    let Some(found) = found else { return };
    if found.speed_up(method, Method::Basic, &Band::all()).is_none() {
        return judged.cannot_be_told(NO_GROUPS);
    }
    let published =
        (method == Method::FpmPad).then_some((Method::Published, "as published, another transform: "));
    for (method, prefix) in [(method, "")].into_iter().chain(published) {
        let Some(by) = found.speed_up(method, Method::Basic, &Band::all()) else { continue };
        judged
            .check_of_papers(
                study,
                by.mean_of_ratios > 1.0,
                format!("{prefix}mean of the ratios {:.2}", by.mean_of_ratios),
            )
            .check_of_papers(study, about(by.mean_of_ratios, mean), format!("the paper has {mean}"))
            .check_of_papers(
                study,
                about(by.most, most),
                format!("at most {:.2}, the paper has {most}", by.most),
            )
            .found(format!("ratio of the means {:.2}, least ratio {:.2}", by.ratio_of_means, by.least));
    }
    judged.because(baseline(study, found));
}

/// Describes the baseline, which determines the speed-ups.
fn baseline(study: &Study, found: &KernelFindings) -> String {
    let share = found.figures(Method::Basic).map_or(f64::NAN, |figures| figures.average_to_peak());
    format!(
        "a method can win what the library's own transform on {} threads leaves: its average is {} of its peak here, \
         on 36 threads in the paper {}",
        study.conditions.cores,
        percent(share),
        if found.kernel.contains("mkl") { "24%" } else { "30%" }
    )
}

pub(super) fn fpm_over_fftw(study: &Study, judged: &mut Judged) {
    speed_up(study, both(study)[0], Method::Fpm, [1.9, 6.8], judged);
}

pub(super) fn fpm_over_mkl(study: &Study, judged: &mut Judged) {
    speed_up(study, both(study)[1], Method::Fpm, [1.3, 2.0], judged);
}

pub(super) fn pad_over_fftw(study: &Study, judged: &mut Judged) {
    speed_up(study, both(study)[0], Method::FpmPad, [2.0, 9.4], judged);
}

pub(super) fn pad_over_mkl(study: &Study, judged: &mut Judged) {
    speed_up(study, both(study)[1], Method::FpmPad, [1.4, 5.9], judged);
}

pub(super) fn small_n(study: &Study, judged: &mut Judged) {
    let [band, _, _] = Band::papers();
    for method in [Method::Fpm, Method::FpmPad] {
        let Some(speed_up) = both(study)[1].and_then(|mkl| mkl.speed_up(method, Method::Basic, &band)) else {
            judged.because(NO_MKL);
            return;
        };
        let (mean, null) = (speed_up.mean_of_ratios, both(study)[1].map_or(1.0, KernelFindings::null_band));
        let outcome = format!("{method}: mean of the ratios {mean:.2}, the null band {null:.2}");
        let is_small = (mean - 1.0).abs() < CONSIDERABLE;
        judged.check_if(is_small || mean.max(mean.recip()) > null, is_small, outcome);
    }
    if let Some(by) = both(study)[1].and_then(|mkl| mkl.speed_up(Method::Lb, Method::Basic, &band)) {
        judged.because(format!(
            "equal shares alone come to {:.2} of MKL's own transform, so it is not the dealing",
            by.mean_of_ratios
        ));
    }
    judged.or_cannot_be_told("the differences lie within the null band");
}

/// Describes why a band of the paper has no verdict: no N in the band, or too few cores.
fn nothing_in(band: &Band, study: &Study) -> String {
    if study.sizes.iter().any(|&n| band.has(n)) {
        return range(study);
    }
    let most = study.sizes.last().copied().unwrap_or_default();
    format!("no library was measured with {} here: the greatest N is {most}", band.name)
}

pub(super) fn middle_n(study: &Study, judged: &mut Judged) {
    let [_, band, _] = Band::papers();
    for (found, paper) in both(study).into_iter().zip([3.0, 2.7]) {
        let Some(found) = found else { continue };
        let Some(speed_up) = found.speed_up(Method::FpmPad, Method::Basic, &band) else { continue };
        let mean = speed_up.mean_of_ratios;
        let outcome = format!("{}: {mean:.2}, the paper has {paper}", found.kernel);
        judged.check_of_papers(study, about(mean, paper), outcome);
    }
    judged.or_cannot_be_told(nothing_in(&band, study));
}

pub(super) fn large_n(study: &Study, judged: &mut Judged) {
    let [_, _, band] = Band::papers();
    for (found, paper) in both(study).into_iter().zip([6.0, 2.0]) {
        let Some(found) = found else { continue };
        let Some(speed_up) = found.speed_up(Method::FpmPad, Method::Basic, &band) else { continue };
        let most = speed_up.most;
        let outcome = format!("{}: at most {most:.2}, the paper has {paper}", found.kernel);
        judged.check_of_papers(study, about(most, paper), outcome);
        let profile: Vec<_> =
            found.profile(Method::FpmPad).into_iter().filter(|&(n, _)| band.has(n)).collect();
        let widest = Profile::of(&profile).map_or(0.0, |figures| figures.widest);
        let outcome = format!("{}: widest variation {}", found.kernel, percent(widest));
        judged.check_of_papers(study, widest > 1.0, outcome);
    }
    judged.or_cannot_be_told(nothing_in(&band, study));
}

pub(super) fn along_lengths(study: &Study, judged: &mut Judged) {
    for found in study.kernels.iter().filter(|found| has_groups(found)) {
        if let Some([rows, lengths]) = found.widths_of_surface() {
            let outcome = format!(
                "{}: mean width {} along the lengths, {} along the rows",
                found.kernel,
                percent(lengths),
                percent(rows)
            );
            judged.check(lengths > rows, outcome);
        }
        judge_clearly(judged, found, Method::FpmPad, Method::Fpm);
    }
}

pub(super) fn same_peak(study: &Study, judged: &mut Judged) {
    for found in libraries(study).filter(|found| has_groups(found)) {
        let figures = [Method::Basic, Method::FpmPad].map(|method| found.figures(method));
        let [Some(basic), Some(pad)] = figures else { continue };
        let ratio = pad.peak.1 / basic.peak.1;
        judged.check_of_papers(
            study,
            (ratio - 1.0).abs() <= FLAT,
            format!(
                "{}: {:.2} Gflop/s at N = {}, the library's own {:.2} at N = {}",
                found.kernel, pad.peak.1, pad.peak.0, basic.peak.1, basic.peak.0
            ),
        );
    }
    judged.or_cannot_be_told(range(study));
}

pub(super) fn mkl_over_fftw(study: &Study, judged: &mut Judged) {
    let [Some(fftw), Some(mkl)] = [study.fftw(), study.mkl()] else { return };
    for (method, paper) in [(Method::Fpm, 1.54), (Method::FpmPad, 1.53)] {
        let [Some(fftw), Some(mkl)] = [fftw, mkl].map(|found| found.figures(method)) else { continue };
        let ratio = mkl.average / fftw.average;
        judged.check_of_papers(
            study,
            about(ratio, paper),
            format!("{method}: {ratio:.2}, the paper has {paper}"),
        );
    }
    judged.or_cannot_be_told(range(study));
}

pub(super) fn efforts(study: &Study, judged: &mut Judged) {
    let planning = if study.conditions.planning { "with" } else { "without" };
    judged.because(format!(
        "a study has one effort, this one '{}', {planning} planning in the times; two of them, made with --planning, \
         tell",
        study.conditions.effort
    ));
}

/// Judges whether a method beats another one by more than the null band, with each kernel.
fn clearly(study: &Study, method: Method, over: Method, judged: &mut Judged) {
    for found in study.kernels.iter().filter(|found| has_groups(found)) {
        judge_clearly(judged, found, method, over);
    }
    judged.or_cannot_be_told("no difference lies outside of the null band, or there are no two groups");
}

/// Checks the number of N at which a method is clearly faster and clearly slower than another one. Without
/// any such N, the numbers are reported but not checked.
fn judge_clearly(judged: &mut Judged, found: &KernelFindings, method: Method, over: Method) {
    let [faster, slower, all] = found.clearly(method, over);
    let Some(by) = found.speed_up(method, over, &Band::all()) else { return };
    let outcome = format!(
        "{}: {method} clearly faster than {over} at {faster} of {all} sizes, clearly slower at {slower}; mean of the ratios {:.3}",
        found.kernel, by.mean_of_ratios
    );
    judged.check_if(faster + slower > 0, faster > slower, outcome);
}

pub(super) fn fpm_over_lb(study: &Study, judged: &mut Judged) {
    clearly(study, Method::Fpm, Method::Lb, judged);
    let widths = study.kernels.iter().filter_map(|found| {
        let [rows, _] = found.widths_of_surface()?;
        Some(format!("{} {}", found.kernel, percent(rows)))
    });
    let widths: Vec<_> = widths.collect();
    if !widths.is_empty() {
        judged.because(format!(
            "dealing wins by variations along the rows, whose mean width is {}; the width that it takes is simulated",
            widths.join(", ")
        ));
    }
}

pub(super) fn pad_over_fpm(study: &Study, judged: &mut Judged) {
    clearly(study, Method::FpmPad, Method::Fpm, judged);
    for found in study.kernels.iter().filter(|found| has_groups(found)) {
        let [faster, slower, all] = found.clearly(Method::Published, Method::Fpm);
        if all > 0 {
            judged.because(format!(
                "{}: as published, another transform, clearly faster at {faster} of {all} sizes, clearly slower at {slower}",
                found.kernel
            ));
        }
    }
}

pub(super) fn fftw_wins(study: &Study, judged: &mut Judged) {
    let [Some(fftw), Some(mkl)] = both(study) else { return };
    for (method, paper) in [(Method::Fpm, 0.135), (Method::FpmPad, 0.081)] {
        let [fftw, mkl] = [fftw, mkl].map(|found| found.profile(method));
        let common =
            fftw.iter().filter_map(|(n, fftw)| Some(fftw > &mkl.iter().find(|(other, _)| other == n)?.1));
        let wins: Vec<bool> = common.collect();
        let number = wins.iter().filter(|&&wins| wins).count();
        let share = number as f64 / wins.len().max(1) as f64;
        judged.check_of_papers(
            study,
            about(share, paper),
            format!("{method}: at {number} of {} sizes", wins.len()),
        );
    }
    judged.or_cannot_be_told(range(study));
}

pub(super) fn middle_fpm(study: &Study, judged: &mut Judged) {
    let [_, band, _] = Band::papers();
    for (found, [mean, most]) in both(study).into_iter().zip([[2.7, 6.8], [1.4, 2.0]]) {
        let Some(found) = found else { continue };
        let Some(by) = found.speed_up(Method::Fpm, Method::Basic, &band) else { continue };
        let outcome = format!("{}: {:.2}, at most {:.2}", found.kernel, by.mean_of_ratios, by.most);
        judged.check_of_papers(study, about(by.mean_of_ratios, mean), outcome);
        judged.check_of_papers(study, about(by.most, most), format!("the paper has {mean} and {most}"));
    }
    judged.or_cannot_be_told(nothing_in(&band, study));
}

pub(super) fn removed(study: &Study, judged: &mut Judged) {
    let [_, band, _] = Band::papers();
    if let Some(mkl) = both(study)[1] {
        let profile: Vec<_> = mkl.profile(Method::FpmPad).into_iter().filter(|&(n, _)| band.has(n)).collect();
        if let Some(figures) = Profile::of(&profile) {
            let outcome = format!("mean width {}", percent(figures.mean_width));
            judged.check_of_papers(study, figures.mean_width < CONSIDERABLE, outcome);
        }
    }
    judged.or_cannot_be_told(nothing_in(&band, study));
}

pub(super) fn normal(study: &Study, judged: &mut Judged) {
    let timed = study.kernels.iter().flat_map(|found| &found.rows).flat_map(|row| &row.methods);
    let tested: Vec<f64> = timed.filter_map(|timed| timed.time.normality).collect();
    if !tested.is_empty() {
        let rejected = tested.iter().filter(|&&likely| likely < SIGNIFICANCE).count();
        let outcome = format!("rejected for {rejected} of {} means", tested.len());
        judged.check(20 * rejected <= tested.len(), outcome);
    }
}
