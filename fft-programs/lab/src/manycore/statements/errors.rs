//! Statements about the model's errors.

use earth_report::numbers::{mean, percent};
use earth_report::statements::{ABOUT, Judged, about};

use super::{MANY, SOME, from_to, signed, withdraw_if_estimates_matter};
use crate::manycore::chip::{Change, NO_QUEUES, SLOW_INDEX};
use crate::manycore::program::Program;
use crate::manycore::results::{
    CORES, ENDS, LOGS_4, Published, Results, THREE, by, changed, in_bursts, in_step,
};

/// Numbers of cores up to [`SOME`].
const FEW: [usize; 5] = [1, 2, 4, 8, SOME];

/// Returns the mean absolute error over programs.
fn error_of(results: &Results, programs: impl IntoIterator<Item = Program>) -> f64 {
    mean(programs.into_iter().map(|program| results.error(&program).abs()))
}

/// Returns the mean over the paper's programs.
fn mean_error(results: &Results, cores: &[usize]) -> f64 {
    let sizes = cores.iter().flat_map(|&cores| LOGS_4.map(|log| (log, cores)));
    error_of(results, sizes.flat_map(|(log, cores)| [by(2, log, cores), by(4, log, cores)]))
}

/// Returns the mean on a changed chip, over 2^10 and 2^16 points.
fn error_if(results: &Results, cores: usize, change: Change) -> f64 {
    let programs = ENDS.into_iter().flat_map(|log| [2, 4].map(|radix| by(radix, log, cores)));
    error_of(results, programs.map(|program| changed(program, change)))
}

/// Returns the mean with elements in step, for 2^10 points.
fn error_in_step(results: &Results, cores: &[usize]) -> f64 {
    error_of(results, cores.iter().flat_map(|&of| [2, 4].map(|radix| in_step(radix, 10, of))))
}

pub(super) fn error_of_some(results: &Results, judged: &mut Judged) {
    let met = |error: f64| error <= 0.16 * ABOUT;
    let error = mean_error(results, &FEW);
    let each = FEW.map(|cores| format!("{} on {cores}", percent(mean_error(results, &[cores]))));
    judged.check(met(error), percent(error)).because(format!("by cores {}", each.join(", "))).because(
        format!(
            "if elements keep in step, as the model takes for granted, it is {} at 2^10 points; with eight \
             times the integer operations, of which model and chip know, {} on {SOME}",
            percent(error_in_step(results, &FEW)),
            percent(error_if(results, SOME, SLOW_INDEX))
        ),
    );
    let of = "on 16 at 2^10 and 2^16 points";
    withdraw_if_estimates_matter(judged, of, |change| error_if(results, SOME, change), met, percent);
}

pub(super) fn error_of_many(results: &Results, judged: &mut Judged) {
    let [some, many] = [&FEW[..], &[MANY]].map(|cores| mean_error(results, cores));
    let met = |error: f64| error <= 0.29 * ABOUT;
    judged
        .check(met(many), percent(many))
        .check(many > some, format!("{} on up to {SOME}", percent(some)))
        .because(format!(
            "if elements keep in step it is {} at 2^10 points; at 2^10 and 2^16 points it is {}, and {} if \
             banks have no queues, of which the model does not know",
            percent(error_in_step(results, &[MANY])),
            percent(error_if(results, MANY, |_| {})),
            percent(error_if(results, MANY, NO_QUEUES))
        ));
    withdraw_if_estimates_matter(judged, "at these", |change| error_if(results, MANY, change), met, percent);
}

/// Returns the errors of each stage at 2^10 points, for radix 2 and 4.
fn errors_of_stages(results: &Results, program: Published, cores: &[usize]) -> Vec<f64> {
    let programs = cores.iter().flat_map(|&cores| [2, 4].map(|radix| program(radix, 10, cores)));
    programs.flat_map(|program| results.stage_errors(&program)).collect()
}

pub(super) fn too_long(results: &Results, judged: &mut Judged) {
    let [free, bursts, in_step] =
        [by, in_bursts, in_step].map(|program: Published| errors_of_stages(results, program, &FEW));
    let is_within = |&error: &f64| error > 0.0 && error <= 0.29 * ABOUT;
    judged
        .each(&free, |&error| error > 0.0, |high| format!("{high} of {} are too long", free.len()))
        .each(&free, is_within, |within| format!("{within} by no more than that, {}", from_to(&free, signed)))
        .because(format!(
            "the paper's reason, that an operation does not wait for all loads, is a part of it: if \
             elements wait for all loads and then for all stores it is {}; \
             and if they keep in step, too, so that none computes while the points of another are on their \
             way, {}",
            from_to(&bursts, signed),
            from_to(&in_step, signed)
        ));
}

pub(super) fn too_short(results: &Results, judged: &mut Judged) {
    let of_many = |program| errors_of_stages(results, program, &[MANY]);
    let errors = of_many(by);
    let all = errors.len();
    let low: Vec<_> = errors.iter().copied().filter(|&error| error < 0.0).collect();
    judged.count(
        low.len(),
        all,
        format!("{} of {all} are too short, {}", low.len(), from_to(&errors, signed)),
    );
    let is_within = |error: &f64| (-0.31 * ABOUT..0.0).contains(error);
    judged.each(&low, is_within, |within| format!("{within} of these by no more than that"));
    let quiet = of_many(|radix, log, cores| changed(by(radix, log, cores), NO_QUEUES));
    let left = quiet.iter().filter(|&&error| error < 0.0).count();
    let finding = format!("without queues {left} of {all} are too short, {}", from_to(&quiet, signed));
    if low.is_empty() {
        judged.because(finding)
    } else {
        judged.check(left == 0, finding)
    };
    judged.because(format!("if elements keep in step, it is {}", from_to(&of_many(in_step), signed)));
}

pub(super) fn close(results: &Results, judged: &mut Judged) {
    let is_close = |error: f64| about(1.0 + error, 1.0);
    let farther = |one: f64, other: f64| if other.abs() > one.abs() { other } else { one };
    let mut kept = Vec::new();
    for log in THREE {
        let [few @ .., last] = CORES.map(|cores| results.error(&by(2, log, cores)));
        let rest: f64 = few.into_iter().fold(0.0, farther);
        judged
            .each(&few, |&error| is_close(error), |_| format!("2^{log}: {} to 32", from_to(&few, signed)))
            .check(last.abs() >= rest.abs(), format!("{} on 64", signed(last)));
        kept.extend(CORES.map(|cores| results.error(&in_step(2, log, cores))));
    }
    judged.because(format!(
        "the model takes elements to keep in step; if they do, it is {} on 1 to 64",
        from_to(&kept, signed)
    ));
    let worst = |change| {
        ENDS.map(|log| results.error(&changed(by(2, log, SOME), change))).into_iter().fold(0.0, farther)
    };
    withdraw_if_estimates_matter(judged, "at worst on 16", worst, is_close, signed);
}
