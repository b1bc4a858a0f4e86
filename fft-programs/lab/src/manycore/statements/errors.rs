//! What the paper says of its model's errors.

use super::{MANY, SOME, from_to, signed, unless_turned};
use crate::manycore::chip::{Change, NO_QUEUES, SLOW_INDEX};
use crate::manycore::program::Program;
use crate::manycore::results::{
    CORES, ENDS, LOGS_4, Published, Results, THREE, by, changed, in_bursts, in_step, mean,
};
use crate::numbers::percent;
use crate::statements::{ABOUT, Judged, about};

/// The programs over which errors are averaged.
fn programs(cores: usize) -> impl Iterator<Item = Program> {
    LOGS_4.into_iter().flat_map(move |log| [by(2, log, cores), by(4, log, cores)])
}

fn mean_error(results: &Results, cores: impl Fn(usize) -> bool) -> f64 {
    let cores = CORES.into_iter().filter(|&of| cores(of));
    mean(cores.flat_map(programs).map(|program| results.error(&program).abs()))
}

/// The mean on a changed chip, of 2^10 and 2^16 points.
fn error_if(results: &Results, cores: usize, change: Change) -> f64 {
    let programs = ENDS.into_iter().flat_map(|log| [2, 4].map(|radix| by(radix, log, cores)));
    mean(programs.map(|program| results.error(&changed(program, change)).abs()))
}

/// The mean if elements keep in step, of 2^10 points.
fn error_in_step(results: &Results, cores: impl Fn(usize) -> bool) -> f64 {
    let programs =
        CORES.into_iter().filter(|&of| cores(of)).flat_map(|of| [2, 4].map(|radix| in_step(radix, 10, of)));
    mean(programs.map(|program| results.error(&program).abs()))
}

pub(super) fn error_of_some(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let met = |error: f64| error <= 0.16 * ABOUT;
    let error = mean_error(results, |cores| cores <= SOME);
    judged.check(met(error), percent(error));
    let each = CORES.into_iter().filter(|&cores| cores <= SOME);
    let each: Vec<_> =
        each.map(|cores| format!("{} on {cores}", percent(mean_error(results, |of| of == cores)))).collect();
    judged.because(format!("by cores {}", each.join(", ")));
    judged.because(format!(
        "if elements keep in step, as the model takes for granted, it is {} at 2^10 points; with eight \
         times the integer operations, of which model and chip \
         know, {} on {SOME}",
        percent(error_in_step(results, |cores| cores <= SOME)),
        percent(error_if(results, SOME, SLOW_INDEX))
    ));
    unless_turned(
        judged,
        "on 16 at 2^10 and 2^16 points",
        |change| error_if(results, SOME, change),
        met,
        percent,
    )
}

pub(super) fn error_of_many(results: &Results) -> Judged {
    let [some, many] =
        [mean_error(results, |cores| cores <= SOME), mean_error(results, |cores| cores == MANY)];
    let mut judged = Judged::default();
    let met = |error: f64| error <= 0.29 * ABOUT;
    judged
        .check(met(many), percent(many))
        .check(many > some, format!("{} on up to {SOME}", percent(some)))
        .because(format!(
            "if elements keep in step it is {} at 2^10 points; at 2^10 and 2^16 points it is {}, and {} if \
             banks have no queues, of which the model does not know",
            percent(error_in_step(results, |cores| cores == MANY)),
            percent(error_if(results, MANY, |_| {})),
            percent(error_if(results, MANY, NO_QUEUES))
        ));
    unless_turned(judged, "at these", |change| error_if(results, MANY, change), met, percent)
}

/// The errors of each stage at 2^10 points, of radix 2 and 4.
fn errors_of_stages(results: &Results, program: Published, cores: impl Fn(usize) -> bool) -> Vec<f64> {
    let cores = CORES.into_iter().filter(|&of| cores(of));
    let programs = cores.flat_map(|cores| [2, 4].map(|radix| program(radix, 10, cores)));
    programs.flat_map(|program| results.stage_errors(&program)).collect()
}

pub(super) fn too_long(results: &Results) -> Judged {
    let errors = |program| errors_of_stages(results, program, |cores| cores <= SOME);
    let [free, bursts, in_step] = [by, in_bursts, in_step].map(errors);
    let all = free.len();
    let [high, within] = [|error: &f64| *error > 0.0, |error: &f64| *error > 0.0 && *error <= 0.29 * ABOUT]
        .map(|is_so| free.iter().filter(|error| is_so(error)).count());
    let mut judged = Judged::default();
    judged
        .count(high, all, format!("{high} of {all} are too long"))
        .count(within, all, format!("{within} by no more than that, {}", from_to(free, signed)))
        .because(format!(
            "the paper's reason, that an operation does not wait for all loads, is a part of it: if \
             elements wait for all loads and then for all stores it is {}; \
             and if they keep in step, too, so that none computes while the points of another are on their \
             way, {}",
            from_to(bursts, signed),
            from_to(in_step, signed)
        ));
    judged
}

pub(super) fn too_short(results: &Results) -> Judged {
    let errors = errors_of_stages(results, by, |cores| cores == MANY);
    let (all, low) = (errors.len(), errors.iter().filter(|&&error| error < 0.0).count());
    let mut judged = Judged::default();
    judged.count(
        low,
        all,
        format!("{low} of {all} are too short, {}", from_to(errors.iter().copied(), signed)),
    );
    if low > 0 {
        let within = errors.iter().filter(|&&error| (-0.31 * ABOUT..0.0).contains(&error)).count();
        judged.count(within, low, format!("{within} of these by no more than that"));
    }
    let quiet = |radix, log, cores| changed(by(radix, log, cores), NO_QUEUES);
    let quiet = errors_of_stages(results, quiet, |cores| cores == MANY);
    let left = quiet.iter().filter(|&&error| error < 0.0).count();
    let told = format!("without queues {left} of {all} are too short, {}", from_to(quiet, signed));
    if low > 0 {
        judged.check(left == 0, told);
    } else {
        judged.because(told);
    }
    let in_step = errors_of_stages(results, in_step, |cores| cores == MANY);
    judged.because(format!("if elements keep in step, it is {}", from_to(in_step, signed)));
    judged
}

pub(super) fn close(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let is_close = |error: f64| about(1.0 + error, 1.0);
    let mut kept = Vec::new();
    for log in THREE {
        let errors = CORES.map(|cores| results.error(&by(2, log, cores)));
        let few = &errors[..errors.len() - 1];
        let met = few.iter().filter(|&&error| is_close(error)).count();
        let rest = few.iter().map(|error| error.abs()).fold(0.0, f64::max);
        let last = errors[errors.len() - 1];
        judged
            .count(met, few.len(), format!("2^{log}: {} to 32", from_to(few.iter().copied(), signed)))
            .check(last.abs() >= rest, format!("{} on 64", signed(last)));
        kept.extend(CORES.map(|cores| results.error(&in_step(2, log, cores))));
    }
    judged.because(format!(
        "the model takes elements to keep in step; if they do, it is {} on 1 to 64",
        from_to(kept, signed)
    ));
    let worst = |change| {
        ENDS.map(|log| results.error(&changed(by(2, log, SOME), change))).into_iter().fold(
            0.0,
            |worst: f64, error| {
                if error.abs() > worst.abs() { error } else { worst }
            },
        )
    };
    unless_turned(judged, "at worst on 16", worst, is_close, signed)
}
