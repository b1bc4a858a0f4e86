//! Kernels and checks that several judges have in common.

use earth_report::numbers::percent;
use earth_report::statements::{CONSIDERABLE, Judged, chance};

use crate::pfft::measure::Profile;
use crate::pfft::study::findings::{KernelFindings, Study};

/// Number of cores of the paper's computer.
const PAPERS_CORES: usize = 36;

/// Width of a variation beyond which it is drastic, severe or major.
pub(super) const DRASTIC: f64 = 1.0;

/// Names of the paper's libraries.
pub(super) const FFTW: &str = "FFTW";
pub(super) const FFTW2: &str = "FFTW-2";
pub(super) const MKL: &str = "MKL";

/// Checks that depend on the paper's computer, and checks by chance.
pub(super) trait Checks {
    /// Checks a figure from the paper's computer. With fewer cores the figure is reported but not checked.
    fn of_papers(&mut self, study: &Study, passed: bool, found: impl Into<String>) -> &mut Self;

    /// Checks that something exists. With fewer cores than the paper's its absence is not a failure.
    fn exists(&mut self, study: &Study, passed: bool, found: impl Into<String>) -> &mut Self;

    /// Checks whether the first of two things is clearly better at more sizes than chance explains, but at
    /// fewer sizes than the second one. It cannot be told if chance explains both numbers.
    fn sometimes(&mut self, numbers: [usize; 3], found: impl Into<String>) -> &mut Self;

    /// Checks that a profile varies drastically.
    fn varies(&mut self, study: &Study, figures: &Profile, passed: bool) -> &mut Self;
}

impl Checks for Judged {
    fn of_papers(&mut self, study: &Study, passed: bool, found: impl Into<String>) -> &mut Self {
        self.check_if(is_papers(study), passed, found)
    }

    fn exists(&mut self, study: &Study, passed: bool, found: impl Into<String>) -> &mut Self {
        self.check_if(passed || is_papers(study), passed, found)
    }

    fn sometimes(&mut self, [better, worse, all]: [usize; 3], found: impl Into<String>) -> &mut Self {
        let [is_better, is_worse] = [better, worse].map(|number| chance::is_exceeded(number, all));
        self.check_if(is_better || is_worse, is_better && better < worse, found)
    }

    fn varies(&mut self, study: &Study, figures: &Profile, passed: bool) -> &mut Self {
        let found = format!(
            "widest variation {}, {} on average; average / peak {}",
            percent(figures.widest),
            percent(figures.mean_width),
            percent(figures.average_to_peak())
        );
        self.exists(study, passed && figures.widest > DRASTIC, found)
    }
}

fn is_papers(study: &Study) -> bool {
    study.conditions.cores >= PAPERS_CORES
}

/// Returns whether an average is considerably below a peak.
pub(super) fn is_below_peak(figures: &Profile) -> bool {
    figures.average_to_peak() < 1.0 - CONSIDERABLE
}

/// Returns the paper's libraries whose own transform was measured.
pub(super) fn libraries(study: &Study) -> Vec<(&'static str, &KernelFindings)> {
    let all = [(FFTW, study.fftw()), (FFTW2, study.fftw2()), (MKL, study.mkl())];
    all.into_iter()
        .filter_map(|(name, found)| Some((name, found.filter(|found| found.is_by_library())?)))
        .collect()
}

/// Returns FFTW-3 and MKL, the libraries of the paper's methods, each if its own transform was measured.
pub(super) fn both(study: &Study) -> Vec<(&'static str, &KernelFindings)> {
    libraries(study).into_iter().filter(|(name, _)| *name != FFTW2).collect()
}

/// Returns a library whose own transform was measured.
pub(super) fn library<'a>(study: &'a Study, name: &str) -> Option<&'a KernelFindings> {
    libraries(study).into_iter().find(|(of, _)| *of == name).map(|(_, found)| found)
}

/// Returns whether there are rows of several groups.
pub(super) fn has_groups(found: &KernelFindings) -> bool {
    found.grouping.is_some_and(|grouping| grouping.groups > 1)
}

/// Judges each kernel with several groups: FFTW-3 and MKL as programs of the paper, all others as ours.
pub(super) fn each_with_groups(
    study: &Study,
    judged: &mut Judged,
    mut judge: impl FnMut(&KernelFindings, &mut Judged),
) {
    let papers = [(FFTW, study.fftw()), (MKL, study.mkl())];
    for found in study.kernels.iter().filter(|found| has_groups(found) && !found.rows.is_empty()) {
        let name = papers.iter().find(|(_, of)| of.is_some_and(|of| of.kernel == found.kernel));
        match name {
            Some((name, _)) => judged.program(*name),
            None => judged.our_program(&found.kernel),
        };
        judge(found, judged);
    }
}

/// Compares the paper's sizes and cores with the sizes and cores here.
pub(super) fn range(study: &Study) -> String {
    let [least, most] = [study.sizes.first(), study.sizes.last()].map(|n| n.copied().unwrap_or_default());
    format!(
        "the paper has N = 128 to 64000 on 36 cores in two sockets; here N = {least} to {most} on {} cores",
        study.conditions.cores
    )
}
