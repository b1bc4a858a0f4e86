//! Statements that only real runs judge. Each array of a measured job is a check.

use earth_papers::overlap::Variant;
use earth_report::statements::{ABOUT, FLAT, Judged, about};

use super::range;
use crate::overlap::measured::{Measured, Parts, Program, Row, Transform};
use crate::overlap::results::Results;

/// Returns the rows of all jobs, each with its network.
fn rows(results: &Results) -> impl Iterator<Item = (&Measured, &Row)> {
    results.measured.iter().flat_map(|job| job.rows.iter().map(move |row| (job, row)))
}

fn of(row: &Row, program: Program) -> Option<&Transform> {
    row.transforms.iter().find(|of| of.program == program)
}

/// Judges a figure of each row in the job of each network, as a program each.
fn each(
    results: &Results,
    judged: &mut Judged,
    clause: &str,
    figure: impl Fn(&Row) -> Option<f64>,
    passes: impl Fn(f64) -> bool,
    told: &str,
) {
    let figures: Vec<_> = rows(results).filter_map(|(_, row)| figure(row)).collect();
    judged.clause(clause).each(
        &figures,
        |figure| passes(*figure),
        |passed| {
            format!(
                "{passed} of {} arrays and networks; {} {told}",
                figures.len(),
                range(figures.iter().copied())
            )
        },
    );
}

/// Returns a part of NEW's time over the same part of another program's time.
fn part_of(row: &Row, other: Program, part: impl Fn(&Parts) -> f64) -> Option<f64> {
    let [new, other] = [Program::New, other].map(|program| of(row, program)?.parts.as_ref().map(&part));
    Some(new? / other?)
}

pub(super) fn fftw_is_new0(results: &Results, judged: &mut Judged) {
    for (clause, program) in [
        ("transposed output", Program::FftwPatient),
        ("output in natural order", Program::FftwPatientNatural),
    ] {
        let figure = |row: &Row| Some(of(row, program)?.time.median / of(row, Program::New0)?.time.median);
        each(results, judged, clause, figure, |ratio| about(ratio, 1.0), "times the time of NEW-0");
    }
}

pub(super) fn transposes(results: &Results, judged: &mut Judged) {
    let figure = |row: &Row| part_of(row, Program::Th, |parts| parts.transpose);
    each(results, judged, "", figure, |ratio| ratio < 1.0 / ABOUT, "of the time");
}

pub(super) fn tiling(results: &Results, judged: &mut Judged) {
    let pack = |row: &Row| part_of(row, Program::NewUntiled, |parts| parts.pack);
    let along_x = |row: &Row| part_of(row, Program::NewUntiled, |parts| parts.along_x);
    let is_shorter = |ratio: f64| ratio < 1.0 - FLAT;
    each(results, judged, "Pack", pack, is_shorter, "of the time");
    each(results, judged, "FFTx", along_x, is_shorter, "of the time");
}

pub(super) fn layouts(results: &Results, judged: &mut Judged) {
    let figure = |row: &Row| {
        let [x, y, _] = row.lengths;
        let ratio = part_of(row, Program::NewOtherLayout, |parts| parts.transpose);
        ratio.filter(|_| x == y)
    };
    each(results, judged, "", figure, |ratio| ratio < 1.0 - FLAT, "of the time");
}

pub(super) fn tunes_faster(results: &Results, judged: &mut Judged) {
    let figure = |row: &Row| {
        let search = row.tuned.iter().find(|search| search.variant == Variant::New)?;
        Some(search.time / of(row, Program::FftwPatient)?.planning)
    };
    each(results, judged, "", figure, |ratio| ratio < 1.0, "of FFTW's time");
}

pub(super) fn patient(results: &Results, judged: &mut Judged) {
    let figure = |row: &Row| {
        let [patient, exhaustive] =
            [Program::FftwPatient, Program::FftwExhaustive].map(|program| of(row, program));
        Some(patient?.time.median / exhaustive?.time.median)
    };
    each(results, judged, "", figure, |ratio| about(ratio, 1.0), "times the time by EXHAUSTIVE");
}

pub(super) fn general(results: &Results, judged: &mut Judged) {
    let is_general =
        |job: &Measured, row: &Row| row.lengths[..2].iter().any(|length| !length.is_multiple_of(job.ranks));
    let errors: Vec<_> = rows(results)
        .filter(|(job, row)| is_general(job, row))
        .flat_map(|(_, row)| row.transforms.iter().map(|of| of.error))
        .collect();
    let worst = errors.iter().copied().fold(0.0, f64::max);
    judged.each(
        &errors,
        |error| *error < 1e-12,
        |right| {
            format!("{right} of {} spectra equal NEW's; the greatest difference is {worst:.1e}", errors.len())
        },
    );
}
