//! Statements about the libraries' own transforms (section I).

use earth_report::numbers::percent;
use earth_report::statements::{ABOUT, CONSIDERABLE, Judged, about};

use super::common::{Checks as _, FFTW, FFTW2, MKL, is_below_peak, libraries, library, range};
use crate::pfft::study::compared::{clearly_between, null_of};
use crate::pfft::study::findings::{KernelFindings, Study};
use crate::pfft::study::rows::Method;

pub(super) fn drastic(study: &Study, judged: &mut Judged) {
    for (name, found) in libraries(study) {
        let Some(figures) = found.figures(Method::Basic) else { continue };
        judged.program(name).varies(study, &figures, is_below_peak(&figures));
    }
    judged.because(range(study));
}

fn share(study: &Study, found: Option<&KernelFindings>, paper: f64, judged: &mut Judged) {
    let Some(figures) = found.and_then(|found| found.figures(Method::Basic)) else { return };
    let (share, (n, peak)) = (figures.average_to_peak(), figures.peak);
    let found =
        format!("{}: {:.2} Gflop/s on average, {peak:.2} at most (N = {n})", percent(share), figures.average);
    judged.of_papers(study, about(share, paper), found).because(range(study));
}

pub(super) fn fftw_share(study: &Study, judged: &mut Judged) {
    share(study, library(study, FFTW), 0.30, judged);
}

pub(super) fn mkl_share(study: &Study, judged: &mut Judged) {
    share(study, library(study, MKL), 0.24, judged);
}

pub(super) fn fftw2_average(study: &Study, judged: &mut Judged) {
    judged.clause("40% of the peak");
    share(study, library(study, FFTW2), 0.40, judged);
    judged.clause("38% above FFTW-3");
    faster_on_average(study, [FFTW2, FFTW], 1.38, judged);
}

/// Judges whether a library's average speed is above another one's, and by a factor of the paper's.
fn faster_on_average(study: &Study, names: [&str; 2], paper: f64, judged: &mut Judged) {
    let [Some(one), Some(other)] = names.map(|name| library(study, name)) else { return };
    let Some(ratio) = ratio_of_averages([one, other], [Method::Basic; 2]) else { return };
    let null = null_of([one, other]);
    let [faster, slower] = names;
    let found = format!("{faster}'s average is {ratio:.2} times {slower}'s, the null band {null:.2}");
    judged.check_if(ratio.max(ratio.recip()) > null, ratio > 1.0, found);
    judged.of_papers(study, about(ratio, paper), format!("the paper has {paper}"));
}

/// Returns the ratio of the average speeds of two kernels and methods over the N in steps.
pub(super) fn ratio_of_averages(of: [&KernelFindings; 2], methods: [Method; 2]) -> Option<f64> {
    let [one, other] = of;
    Some(one.figures(methods[0])?.average / other.figures(methods[1])?.average)
}

pub(super) fn newer_vary_more(study: &Study, judged: &mut Judged) {
    for (newer, older, factor) in
        [(MKL, FFTW, ABOUT), (FFTW, FFTW2, 1.0 + CONSIDERABLE), (MKL, FFTW2, 1.0 + CONSIDERABLE)]
    {
        let figures = |name| library(study, name)?.figures(Method::Basic);
        let (Some(new), Some(old)) = (figures(newer), figures(older)) else { continue };
        judged.clause(format!("{newer} over {older}"));
        for (what, [new, old]) in
            [("mean", [new.mean_width, old.mean_width]), ("greatest", [new.widest, old.widest])]
        {
            let found = format!("{what} width {} with {newer}, {} with {older}", percent(new), percent(old));
            judged.of_papers(study, new > factor * old, found);
        }
    }
    judged.because(range(study));
}

pub(super) fn mkl_faster(study: &Study, judged: &mut Judged) {
    judged.clause("MKL is faster on average");
    faster_on_average(study, [MKL, FFTW], 1.89, judged);
    let [Some(fftw), Some(mkl)] = [FFTW, MKL].map(|name| library(study, name)) else { return };
    let [fftw_wins, mkl_wins, all] =
        clearly_between((fftw, Method::Basic), (mkl, Method::Basic), &fftw.in_steps());
    let found = format!("FFTW is clearly faster at {fftw_wins} of {all} sizes, MKL at {mkl_wins}");
    judged.clause("FFTW-3 is faster at some sizes").sometimes([fftw_wins, mkl_wins, all], found);
    judged.because(range(study));
}

pub(super) fn mkl_over_fftw2(study: &Study, judged: &mut Judged) {
    faster_on_average(study, [MKL, FFTW2], 1.36, judged);
}

pub(super) fn peaks(study: &Study, judged: &mut Judged) {
    for (name, paper, at) in [(FFTW2, 17.841, 2816), (FFTW, 16.989, 8000), (MKL, 39.424, 1792)] {
        let Some(figures) = library(study, name).and_then(|found| found.figures(Method::Basic)) else {
            continue;
        };
        let (n, peak) = figures.peak;
        let found = format!("{peak:.2} Gflop/s at N = {n}; the paper has {paper} at N = {at}");
        judged.program(name).of_papers(study, about(peak, paper), found);
    }
}
