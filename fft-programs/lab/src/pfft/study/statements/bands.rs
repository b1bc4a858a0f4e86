//! Statements about bands of N (section IV).

use earth_report::numbers::percent;
use earth_report::statements::{CONSIDERABLE, Judged, about};

use super::common::{Checks as _, DRASTIC, FFTW, MKL, both, library, range};
use crate::pfft::study::findings::{Band, Study};
use crate::pfft::study::rows::Method;

/// Describes a ratio of speeds as a gain or a loss.
fn gain_or_loss(ratio: f64) -> String {
    let what = if ratio < 1.0 { "loss" } else { "gain" };
    format!("{ratio:.2}, a {what} of {}", percent((ratio - 1.0).abs()))
}

pub(super) fn small_n(study: &Study, judged: &mut Judged) {
    let [band, _, _] = Band::papers();
    let Some(mkl) = library(study, MKL) else { return };
    for method in [Method::Fpm, Method::FpmPad] {
        let Some(by) = mkl.speed_up(method, Method::Basic, &band) else { continue };
        let (mean, null) = (by.mean_of_ratios, mkl.null_band());
        let found = format!("mean of the ratios {}; the null band is {null:.2}", gain_or_loss(mean));
        let is_small = (mean - 1.0).abs() < CONSIDERABLE;
        judged.program(method.name()).check_if(is_small || mean.max(mean.recip()) > null, is_small, found);
    }
    for (method, what) in [(Method::One, "our program with one group"), (Method::Lb, "equal shares")] {
        if let Some(by) = mkl.speed_up(method, Method::Basic, &band) {
            judged.because(format!("{what} alone: {}", gain_or_loss(by.mean_of_ratios)));
        }
    }
}

pub(super) fn small_drops(study: &Study, judged: &mut Judged) {
    let Some(mkl) = library(study, MKL) else { return };
    let band = Band { name: "small N in steps".to_owned(), from: 0, to: mkl.steps_to.min(10_000) };
    let Some(figures) = mkl.figures_in(Method::Basic, &band) else { return };
    let (width, null) = (figures.mean_width, mkl.null_band());
    let found = format!(
        "mean width {}, widest {}; the null band is {null:.2}",
        percent(width),
        percent(figures.widest)
    );
    judged.check_if(width < CONSIDERABLE || width > null - 1.0, width < CONSIDERABLE, found);
}

/// Describes why a band of the paper has no verdict: no N in the band, or too few cores.
fn nothing_in(band: &Band, study: &Study) -> String {
    let number = study.sizes.iter().filter(|&&n| band.has(n)).count();
    let most = study.sizes.last().copied().unwrap_or_default();
    match number {
        0 => format!("no library was measured with {} here: the greatest N is {most}", band.name),
        _ => format!("{number} N are in this band here; {}", range(study)),
    }
}

/// Judges the mean and the greatest of the speed-ups in the middle band.
fn middle(study: &Study, method: Method, papers: [(&str, [f64; 2]); 2], judged: &mut Judged) {
    let [_, band, _] = Band::papers();
    for (name, [mean, most]) in papers {
        let Some(by) = library(study, name).and_then(|found| found.speed_up(method, Method::Basic, &band))
        else {
            continue;
        };
        let found = format!("{:.2} on average, the paper has {mean}", by.mean_of_ratios);
        judged.program(name).of_papers(study, about(by.mean_of_ratios, mean), found);
        judged.of_papers(
            study,
            about(by.most, most),
            format!("at most {:.2}, the paper has {most}", by.most),
        );
    }
    judged.or_cannot_be_told(nothing_in(&band, study));
}

pub(super) fn middle_n(study: &Study, judged: &mut Judged) {
    middle(study, Method::FpmPad, [(FFTW, [3.0, 9.4]), (MKL, [2.7, 5.9])], judged);
}

pub(super) fn middle_fpm(study: &Study, judged: &mut Judged) {
    middle(study, Method::Fpm, [(FFTW, [2.7, 6.8]), (MKL, [1.4, 2.0])], judged);
}

pub(super) fn good_middle(study: &Study, judged: &mut Judged) {
    let [_, band, _] = Band::papers();
    for (name, found) in both(study) {
        let [faster, slower, all] = found.clearly_in(Method::FpmPad, Method::Basic, &band);
        let Some(by) = found.speed_up(Method::FpmPad, Method::Basic, &band) else { continue };
        let outcome = format!(
            "clearly faster at {faster} of {all} N, clearly slower at {slower}; mean of the ratios {:.2}",
            by.mean_of_ratios
        );
        judged.program(name).beyond_chance([faster, slower, all], outcome);
    }
    judged.or_cannot_be_told(nothing_in(&band, study));
}

pub(super) fn removed(study: &Study, judged: &mut Judged) {
    let [_, band, _] = Band::papers();
    if let Some(figures) = library(study, MKL).and_then(|mkl| mkl.figures_in(Method::FpmPad, &band)) {
        let found = format!("mean width {}", percent(figures.mean_width));
        judged.of_papers(study, figures.mean_width < CONSIDERABLE, found);
    }
    judged.or_cannot_be_told(nothing_in(&band, study));
}

pub(super) fn large_n(study: &Study, judged: &mut Judged) {
    let [_, _, band] = Band::papers();
    for (name, paper) in [(FFTW, 6.0), (MKL, 2.0)] {
        let Some(found) = library(study, name) else { continue };
        let Some(by) = found.speed_up(Method::FpmPad, Method::Basic, &band) else { continue };
        let outcome = format!("at most {:.2}, the paper has {paper}", by.most);
        judged.clause("speed-ups").program(name).of_papers(study, about(by.most, paper), outcome);
        let widest = found.figures_in(Method::FpmPad, &band).map_or(0.0, |figures| figures.widest);
        let outcome = format!("widest variation {}", percent(widest));
        judged.clause("variations remain").program(name).of_papers(study, widest > DRASTIC, outcome);
    }
    judged.or_cannot_be_told(nothing_in(&band, study));
}

pub(super) fn mkl_above(study: &Study, judged: &mut Judged) {
    let [_, _, band] = Band::papers();
    let width = |name| Some(library(study, name)?.figures_in(Method::FpmPad, &band)?.mean_width);
    if let (Some(fftw), Some(mkl)) = (width(FFTW), width(MKL)) {
        let found = format!("mean width {} with MKL, {} with FFTW", percent(mkl), percent(fftw));
        judged.check(mkl > fftw, found);
    }
    judged.or_cannot_be_told(nothing_in(&band, study));
}
