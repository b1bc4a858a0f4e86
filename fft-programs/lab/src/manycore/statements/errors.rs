//! Statements about the model's errors, each read for every behaviour of the elements.

use earth_report::numbers::{mean, percent, ratio};
use earth_report::statements::{ABOUT, CONSIDERABLE, Judged, about};

use super::{MANY, SOME, from_to, signed};
use crate::manycore::chip::{NO_QUEUES, SLOW_INDEX};
use crate::manycore::program::Program;
use crate::manycore::results::{
    BEHAVIOURS, Behaviour, CORES, ENDS, FEW_CORES, IN_BURSTS, LOGS, LOGS_4, Results, THREE, by, varied,
};

/// Numbers of cores up to [`SOME`].
pub(super) const FEW: [usize; 5] = [1, 2, 4, 8, SOME];

/// Returns the mean absolute error over programs.
fn error_of(results: &Results, programs: impl IntoIterator<Item = Program>) -> f64 {
    mean(programs.into_iter().map(|program| results.error(&program).abs()))
}

/// Returns the mean over the paper's programs.
pub(crate) fn mean_error(results: &Results, behaviour: Behaviour, cores: &[usize]) -> f64 {
    let sizes = cores.iter().flat_map(|&cores| LOGS_4.map(|log| (log, cores)));
    let programs = sizes.flat_map(|(log, cores)| [2, 4].map(|radix| behaviour.of(by(radix, log, cores))));
    error_of(results, programs)
}

pub(super) fn error_of_some(results: &Results, judged: &mut Judged) {
    for behaviour in BEHAVIOURS {
        let error = mean_error(results, behaviour, &FEW);
        let each =
            FEW.map(|cores| format!("{} on {cores}", percent(mean_error(results, behaviour, &[cores]))));
        let found = format!("{}; by cores {}", percent(error), each.join(", "));
        judged.reading(behaviour.name).check(error <= 0.16 * ABOUT, found);
    }
    judged.perhaps(results.reason(|| {
        let programs =
            ENDS.into_iter().flat_map(|log| [2, 4].map(|radix| varied(by(radix, log, SOME), SLOW_INDEX)));
        let slow = percent(error_of(results, programs));
        format!(
            "eight times the integer operations, of which chip and model know, leave {slow} on {SOME} cores at \
             2^10 and 2^16 points, out of step"
        )
    }));
}

pub(super) fn error_of_many(results: &Results, judged: &mut Judged) {
    for behaviour in BEHAVIOURS {
        let [some, many] = [&FEW[..], &[MANY]].map(|cores| mean_error(results, behaviour, cores));
        judged
            .reading(behaviour.name)
            .check(many <= 0.29 * ABOUT, percent(many))
            .check(many > some, format!("{} on up to {SOME}", percent(some)));
    }
    judged.perhaps(results.reason(|| {
        let programs =
            ENDS.into_iter().flat_map(|log| [2, 4].map(|radix| varied(by(radix, log, MANY), NO_QUEUES)));
        let quiet = percent(error_of(results, programs));
        format!("the model counts waiting for banks; without queues, out of step, its error is {quiet}")
    }));
}

/// Returns the errors of each stage at 2^10 points, for radix 2 and 4.
fn errors_of_stages(results: &Results, of: impl Fn(Program) -> Program, cores: &[usize]) -> Vec<f64> {
    let programs = cores.iter().flat_map(|&cores| [2, 4].map(|radix| by(radix, 10, cores)));
    programs.flat_map(|program| results.stage_errors(&of(program))).collect()
}

pub(super) fn too_long(results: &Results, judged: &mut Judged) {
    let is_within = |&error: &f64| error > 0.0 && error <= 0.29 * ABOUT;
    for behaviour in BEHAVIOURS {
        let errors = errors_of_stages(results, |program| behaviour.of(program), &FEW);
        judged.reading(behaviour.name).each(&errors, is_within, |within| {
            let long = errors.iter().filter(|&&error| error > 0.0).count();
            let all = errors.len();
            format!(
                "{}; {long} of {all} are too long, {within} by no more than that",
                from_to(&errors, signed)
            )
        });
    }
    judged.perhaps(results.reason(|| {
        let bursts = errors_of_stages(results, |program| IN_BURSTS.of(program), &FEW);
        format!(
            "the paper's reason is that an operation waits only for its own operands; elements that wait for \
             all loads and then for all stores, but do not keep in step, leave {}",
            from_to(&bursts, signed)
        )
    }));
}

pub(super) fn too_short(results: &Results, judged: &mut Judged) {
    for behaviour in BEHAVIOURS {
        let of =
            |variant| errors_of_stages(results, |program| varied(behaviour.of(program), variant), &[MANY]);
        let (errors, quiet) = (of(|_| {}), of(NO_QUEUES));
        let is_within = |&error: &f64| (-0.31 * ABOUT..0.0).contains(&error);
        judged.reading(behaviour.name).each(&errors, is_within, |within| {
            let short = errors.iter().filter(|&&error| error < 0.0).count();
            let all = errors.len();
            format!(
                "{}; {short} of {all} are too short, {within} by no more than that",
                from_to(&errors, signed)
            )
        });
        let left = quiet.iter().filter(|&&error| error < 0.0).count();
        let found = format!("{left} without queues");
        judged.check_if(errors.iter().any(|&error| error < 0.0), left == 0, found);
    }
}

fn farther(one: f64, other: f64) -> f64 {
    if other.abs() > one.abs() { other } else { one }
}

pub(super) fn close(results: &Results, judged: &mut Judged) {
    for behaviour in BEHAVIOURS {
        judged.reading(behaviour.name);
        for log in THREE {
            let [few @ .., last] = CORES.map(|cores| results.error(&behaviour.of(by(2, log, cores))));
            let rest: f64 = few.into_iter().fold(0.0, farther);
            let is_met = few.iter().all(|&error| about(1.0 + error, 1.0)) && last.abs() >= rest.abs();
            let found = format!("2^{log}: {} to 32, {} on 64", from_to(&few, signed), signed(last));
            judged.check(is_met, found);
        }
    }
}

pub(super) fn speed_ups(results: &Results, judged: &mut Judged) {
    for behaviour in BEHAVIOURS {
        judged.reading(behaviour.name);
        for log in THREE {
            let [alone, rest @ ..] = CORES.map(|cores| {
                let program = behaviour.of(by(2, log, cores));
                [results.cycles(&program), results.modelled_cycles(&program)]
            });
            let speed_up = |now: [f64; 2]| [alone[0] / now[0], alone[1] / now[1]];
            let over = rest.map(speed_up).map(|[simulated, model]| model / simulated);
            let [.., [simulated, model]] = rest.map(speed_up);
            let found = format!(
                "2^{log}: {} times the simulated one; on 64 cores {model:.1} and {simulated:.1}",
                from_to(&over[..5], ratio)
            );
            judged.each(&over[..5], |&over| about(over, 1.0), |_| found);
        }
    }
}

pub(super) fn trend(results: &Results, judged: &mut Judged) {
    for behaviour in BEHAVIOURS {
        judged.reading(behaviour.name);
        for cores in FEW_CORES {
            let rates = LOGS.map(|log| {
                let program = behaviour.of(by(2, log, cores));
                [results.gflops(&program), results.modelled_gflops(&program)]
            });
            let growth = rates.map(|now| [now[0] / rates[0][0], now[1] / rates[0][1]]);
            let follows = |&[simulated, model]: &[f64; 2]| (model / simulated - 1.0).abs() < CONSIDERABLE;
            let [.., last] = growth;
            judged.each(&growth[1..], follows, |met| {
                let cores = if cores == 1 { "1 core".to_owned() } else { format!("{cores} cores") };
                format!(
                    "{cores}: {met} of 6; by 2^16 points {:.2} times by the model, {:.2} times simulated",
                    last[1], last[0]
                )
            });
        }
    }
}
