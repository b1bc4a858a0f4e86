//! Statements about FFTW-2 beside FFTW-3 and MKL (sections I and IV-C).

use earth_report::numbers::mean;
use earth_report::statements::{Judged, about, chance};

use super::common::{Checks as _, FFTW, FFTW2, MKL, library};
use super::profiles::ratio_of_averages;
use crate::pfft::study::compared::{clearly_between, null_of, speeds, wins};
use crate::pfft::study::findings::{Band, KernelFindings, Study};
use crate::pfft::study::rows::Method;

/// Returns FFTW-2 and another library, each if its own transform was measured.
fn pair<'a>(study: &'a Study, name: &str) -> Option<[&'a KernelFindings; 2]> {
    Some([library(study, FFTW2)?, library(study, name)?])
}

/// Counts the sizes of a band at which FFTW-2 is clearly faster than a library by a method, and slower.
fn counted(study: &Study, name: &str, method: Method, band: Option<&Band>) -> Option<([usize; 3], String)> {
    let [fftw2, other] = pair(study, name)?;
    let steps = fftw2.in_steps();
    let numbers = clearly_between((fftw2, Method::Basic), (other, method), band.unwrap_or(&steps));
    let [faster, slower, all] = numbers;
    let found = format!("FFTW-2 is clearly faster at {faster} of {all} sizes, clearly slower at {slower}");
    (all > 0).then_some((numbers, found))
}

fn share([faster, _, all]: [usize; 3]) -> f64 {
    faster as f64 / all.max(1) as f64
}

pub(super) fn fftw2_wins(study: &Study, judged: &mut Judged) {
    if let Some((numbers, found)) = counted(study, FFTW, Method::Basic, None) {
        judged.clause("than FFTW-3").beyond_chance(numbers, found);
        judged.of_papers(study, about(share(numbers), 0.529), "the paper has 52.9%");
    }
    if let Some((numbers, found)) = counted(study, MKL, Method::Basic, None) {
        judged.clause("than MKL").sometimes(numbers, found);
        judged.of_papers(study, about(share(numbers), 0.162), "the paper has 16.2%");
    }
}

pub(super) fn fftw2_over_pad_mkl(study: &Study, judged: &mut Judged) {
    if let Some((numbers, found)) = counted(study, MKL, Method::FpmPad, None) {
        judged.sometimes(numbers, found);
        judged.of_papers(study, about(share(numbers), 0.091), "the paper has 9.1%");
    }
}

pub(super) fn near_the_end(study: &Study, judged: &mut Judged) {
    let Some([fftw2, mkl]) = pair(study, MKL) else { return };
    let won = wins((fftw2, Method::Basic), (mkl, Method::FpmPad), &Band::all());
    let all: Vec<_> = study.sizes.clone();
    let last = all.get(2 * all.len() / 3).copied().unwrap_or_default();
    let late = won.iter().filter(|&&n| n >= last).count();
    let found = format!("{late} of {} sizes are in the last third, from N = {last}", won.len());
    judged.check_if(chance::is_exceeded(won.len(), all.len()), 2 * late > won.len(), found);
}

pub(super) fn pad_over_fftw2(study: &Study, judged: &mut Judged) {
    for (name, paper) in [(FFTW, 1.2), (MKL, 1.7)] {
        let Some([fftw2, other]) = pair(study, name) else { continue };
        let steps = fftw2.in_steps();
        let both = speeds((other, Method::FpmPad), (fftw2, Method::Basic), &steps);
        if both.is_empty() {
            continue;
        }
        let ratio = mean(both.iter().map(|(_, (speed, of_fftw2))| speed / of_fftw2));
        let null = null_of([fftw2, other]);
        let found = format!("mean of the ratios {ratio:.2}, the null band {null:.2}");
        judged.program(name).check_if(ratio.max(ratio.recip()) > null, ratio > 1.0, found);
        judged.of_papers(study, about(ratio, paper), format!("the paper has {paper}"));
    }
}

pub(super) fn fftw2_below(study: &Study, judged: &mut Judged) {
    let band = Band { name: "N < 15000".to_owned(), from: 0, to: 14_999 };
    if let Some((numbers, found)) = counted(study, FFTW, Method::FpmPad, Some(&band)) {
        judged.beyond_chance(numbers, found);
    }
}

pub(super) fn fftw2_above(study: &Study, judged: &mut Judged) {
    let band = Band { name: "N > 30000".to_owned(), from: 30_001, to: usize::MAX };
    if let Some(([faster, slower, all], found)) = counted(study, FFTW, Method::FpmPad, Some(&band)) {
        let is_told = [faster, slower].into_iter().any(|number| chance::is_exceeded(number, all));
        judged.check_if(is_told, chance::is_exceeded(faster, all), found);
    }
}

pub(super) fn points(study: &Study, judged: &mut Judged) {
    for (name, paper) in [(FFTW, 42.0), (MKL, 24.0)] {
        let Some([fftw2, other]) = pair(study, name) else { continue };
        // Behind, FFTW-2's lead counts in percent of the other library, as in the paper.
        let ahead = |method| {
            let ratio = ratio_of_averages([other, fftw2], [method, Method::Basic])?;
            Some(100.0 * if ratio < 1.0 { 1.0 - ratio.recip() } else { ratio - 1.0 })
        };
        let [Some(before), Some(after)] = [Method::Basic, Method::FpmPad].map(ahead) else { continue };
        let found = format!("from {before:+.0}% to {after:+.0}%, the paper has {paper} points");
        judged.program(name).of_papers(study, about(after - before, paper), found);
    }
}
