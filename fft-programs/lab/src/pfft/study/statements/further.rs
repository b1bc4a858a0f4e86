//! Statements about planners, lengths, blocks of the transpose, and the distribution of times.

use earth_papers::partition::SIGNIFICANCE;
use earth_report::numbers::{ratio, seconds};
use earth_report::spread::median;
use earth_report::statements::Judged;

use super::common::{Checks as _, FFTW, FFTW2, MKL, libraries, library};
use crate::pfft::measure::count_clearly;
use crate::pfft::study::compared::null_of_transposes;
use crate::pfft::study::findings::{KernelFindings, Study};
use crate::pfft::study::rows::Sampled;
use crate::pfft::study::rows::further::{Efforts, PADDED, PAPERS_SIDE, SIDES};

/// Returns FFTW and FFTW-2. MKL plans in one way.
fn planned(study: &Study) -> impl Iterator<Item = (&'static str, &KernelFindings)> {
    libraries(study).into_iter().filter(|(name, found)| *name != MKL && !found.efforts.is_empty())
}

pub(super) fn efforts(study: &Study, judged: &mut Judged) {
    for (name, found) in planned(study) {
        let null = found.null_band();
        let ratios: Vec<f64> = found.efforts.iter().filter_map(slow_down).collect();
        let longer = ratios.iter().filter(|&&by| by > null).count();
        let shorter = ratios.iter().filter(|&&by| by < null.recip()).count();
        let outcome = format!(
            "longer at {longer} of {} N, shorter at {shorter}; the median is {} times as long",
            ratios.len(),
            ratio(median(ratios.clone()).unwrap_or(f64::NAN))
        );
        judged.program(name).beyond_chance([longer, shorter, ratios.len()], outcome);
        let pays: Vec<f64> = found.efforts.iter().filter_map(pays_after).collect();
        if let Some(median) = median(pays.clone()) {
            judged.because(format!(
                "{name}: the measured plan is faster at {} of {} N, and saves the time of its planning after {median:.0} \
                 transforms (median)",
                pays.len(),
                found.efforts.len(),
            ));
        }
    }
}

/// Returns the time of planning and of one transform by measuring, over the same by estimating.
fn slow_down(row: &Efforts) -> Option<f64> {
    let of = |effort| row.plan(effort).map(|plan| plan.planning + plan.time.mean);
    Some(of("measure")? / of("estimate")?)
}

/// Returns the number of transforms after which measuring pays, if its plan is faster.
fn pays_after(row: &Efforts) -> Option<f64> {
    let [measured, estimated] = ["measure", "estimate"].map(|effort| row.plan(effort));
    let (measured, estimated) = (measured?, estimated?);
    let saved = estimated.time.mean - measured.time.mean;
    (saved > 0.0).then(|| (measured.planning - estimated.planning).max(0.0) / saved)
}

pub(super) fn planners_vary(study: &Study, judged: &mut Judged) {
    for (effort, clause) in [("measure", "FFTW_MEASURE"), ("patient", "FFTW_PATIENT")] {
        for (name, found) in [FFTW, FFTW2].into_iter().filter_map(|name| Some((name, library(study, name)?)))
        {
            let Some(figures) = found.figures_by(effort) else { continue };
            judged.clause(clause).program(name).varies(study, &figures, true);
        }
    }
}

pub(super) fn padded(study: &Study, judged: &mut Judged) {
    let Some(lengths) = library(study, MKL).and_then(|mkl| mkl.lengths.as_ref()) else { return };
    let (Some(own), Some(padded)) =
        (lengths.points.first(), lengths.points.iter().find(|point| point.length == PADDED))
    else {
        return;
    };
    // The slowest interval of one point is above or below the fastest one of another.
    let is_less = |one: &Sampled, other: &Sampled, group: usize| {
        one.seconds[group] + one.half_widths[group] < other.seconds[group] - other.half_widths[group]
    };
    let groups = own.seconds.len();
    let faster = (0..groups).filter(|&group| is_less(padded, own, group)).count();
    let by: Vec<_> = (0..groups).map(|group| ratio(own.seconds[group] / padded.seconds[group])).collect();
    let found = format!("rows of {} take {} times as long as rows of {PADDED}", own.length, by.join(" and "));
    judged.clause("24960 is faster than 24704").check(faster == groups, found);
    let faster: Vec<_> = lengths
        .points
        .iter()
        .filter(|other| (0..groups).any(|group| is_less(other, padded, group)))
        .map(|other| other.length.to_string())
        .collect();
    let found = match faster.len() {
        0 => "no tried length is clearly faster".to_owned(),
        _ => format!("clearly faster lengths: {}", faster.join(", ")),
    };
    judged.clause("24960 is the fastest").check(faster.is_empty(), found);
}

pub(super) fn block(study: &Study, judged: &mut Judged) {
    let null = null_of_transposes(&study.transposes);
    for side in SIDES.into_iter().filter(|&side| side != PAPERS_SIDE) {
        let both = study.transposes.iter().filter_map(|of| Some([of.side(PAPERS_SIDE)?, of.side(side)?]));
        let times: Vec<_> = both.map(|both| both.map(|of| of.time)).collect();
        if times.is_empty() {
            continue;
        }
        let [faster, slower, all] = count_clearly(times.into_iter(), null);
        let found =
            format!("64 is clearly faster than {side} at {faster} of {all} N, clearly slower at {slower}");
        judged.beyond_chance([faster, slower, all], found);
    }
}

pub(super) fn normal(study: &Study, judged: &mut Judged) {
    let timed = study.kernels.iter().flat_map(|found| &found.rows).flat_map(|row| &row.methods);
    let tested: Vec<f64> = timed.filter_map(|timed| timed.time.normality).collect();
    if !tested.is_empty() {
        let rejected = tested.iter().filter(|&&likely| likely < SIGNIFICANCE).count();
        judged.found(format!("rejected for {rejected} of {} means", tested.len()));
        judged.because(
            "this computer has other load, which adds to times and takes no time away; the paper's computer was dedicated",
        );
    }
}

/// Returns the longest time of planning by an effort, with its N.
pub(crate) fn longest_planning(found: &KernelFindings, effort: &str) -> Option<(usize, String)> {
    let plans = found.efforts.iter().filter_map(|row| Some((row.n, row.plan(effort)?.planning)));
    plans.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(n, planning)| (n, seconds(planning)))
}

/// Returns the median over N of the time of planning and of one transform by measuring, over the same by
/// estimating.
pub(crate) fn median_slow_down(found: &KernelFindings) -> Option<f64> {
    median(found.efforts.iter().filter_map(slow_down))
}
