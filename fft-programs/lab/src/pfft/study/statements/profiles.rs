//! Statements about the libraries' own transforms (section I).

use earth_report::numbers::{mean, percent};
use earth_report::statements::{ABOUT, Judged, about};

use crate::pfft::study::findings::{KernelFindings, Study};
use crate::pfft::study::rows::Method;

/// Number of cores of the paper's computer.
const PAPERS_CORES: usize = 36;

/// Checks of figures from the paper's computer.
pub(super) trait OfPapers {
    /// Checks a figure from the paper's computer. With fewer cores the figure is reported but not checked.
    fn check_of_papers(&mut self, study: &Study, passed: bool, found: impl Into<String>) -> &mut Self;
}

impl OfPapers for Judged {
    fn check_of_papers(&mut self, study: &Study, passed: bool, found: impl Into<String>) -> &mut Self {
        self.check_if(study.conditions.cores >= PAPERS_CORES, passed, found)
    }
}

/// Returns the findings with libraries whose own transform was measured.
pub(super) fn libraries(study: &Study) -> impl Iterator<Item = &KernelFindings> {
    study.kernels.iter().filter(|found| found.is_by_library())
}

pub(super) const NO_MKL: &str = "MKL's own transform on threads was not measured here";

/// Returns FFTW and MKL, each if its own transform was measured.
pub(super) fn both(study: &Study) -> [Option<&KernelFindings>; 2] {
    [study.fftw(), study.mkl()].map(|found| found.filter(|found| found.is_by_library()))
}

pub(super) fn drastic(study: &Study, judged: &mut Judged) {
    for found in libraries(study) {
        let Some(figures) = found.figures(Method::Basic) else { continue };
        let (share, widest) = (figures.average_to_peak(), figures.widest);
        judged.check(
            share < 0.5,
            format!(
                "{}: average / peak {}, widest variation {}, {} in the mean",
                found.kernel,
                percent(share),
                percent(widest),
                percent(figures.mean_width)
            ),
        );
    }
    judged.because_of_checks(range(study));
}

/// Compares the paper's sizes and cores with those here.
pub(super) fn range(study: &Study) -> String {
    let [least, most] = [study.sizes.first(), study.sizes.last()].map(|n| n.copied().unwrap_or_default());
    format!(
        "the paper has N = 128 to 64000 on 36 cores in two sockets; here N = {least} to {most} on {} cores",
        study.conditions.cores
    )
}

fn share(study: &Study, found: Option<&KernelFindings>, paper: f64, judged: &mut Judged) {
    let Some(figures) = found.and_then(|found| found.figures(Method::Basic)) else { return };
    let (share, (n, peak)) = (figures.average_to_peak(), figures.peak);
    let told =
        format!("{}: {:.2} Gflop/s on average, {peak:.2} at most (N = {n})", percent(share), figures.average);
    judged.check_of_papers(study, about(share, paper), told).because(range(study));
}

pub(super) fn fftw_share(study: &Study, judged: &mut Judged) {
    share(study, both(study)[0], 0.30, judged);
}

pub(super) fn mkl_share(study: &Study, judged: &mut Judged) {
    share(study, both(study)[1], 0.24, judged);
}

pub(super) fn mkl_varies_more(study: &Study, judged: &mut Judged) {
    let [fftw, mkl] = both(study).map(|found| found.and_then(|found| found.figures(Method::Basic)));
    let (Some(fftw), Some(mkl)) = (fftw, mkl) else { return };
    for (name, [fftw, mkl]) in
        [("mean", [fftw.mean_width, mkl.mean_width]), ("greatest", [fftw.widest, mkl.widest])]
    {
        let found = format!("{name} width {} with MKL, {} with FFTW", percent(mkl), percent(fftw));
        judged.check_of_papers(study, mkl > ABOUT * fftw, found);
    }
    judged.because(range(study));
}

pub(super) fn mkl_faster(study: &Study, judged: &mut Judged) {
    let [Some(fftw), Some(mkl)] = both(study) else { return };
    let null = fftw.null_band().max(mkl.null_band());
    let [fftw, mkl] = [fftw, mkl].map(|found| found.profile(Method::Basic));
    let average = |profile: &[(usize, f64)]| mean(profile.iter().map(|(_, speed)| *speed));
    let ratio = average(&mkl) / average(&fftw);
    let common = fftw.iter().filter_map(|(n, fftw)| Some(fftw / mkl.iter().find(|(other, _)| other == n)?.1));
    let ratios: Vec<f64> = common.collect();
    let [fftw_wins, mkl_wins] = [
        ratios.iter().filter(|&&by| by > null).count(),
        ratios.iter().filter(|&&by| by < null.recip()).count(),
    ];
    let average = format!("MKL's average is {ratio:.2} times FFTW's, the null band {null:.2}");
    let wins = format!("FFTW is clearly faster at {fftw_wins} of {} sizes, MKL at {mkl_wins}", ratios.len());
    judged.check_if(ratio.max(ratio.recip()) > null, ratio > 1.0, average);
    judged.check_of_papers(study, about(ratio, 1.89), "the paper has 1.89");
    judged.check_if(fftw_wins + mkl_wins > 0, fftw_wins > 0 && 2 * fftw_wins < ratios.len(), wins);
    judged.because(range(study));
}
