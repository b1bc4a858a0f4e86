//! Statements about single stages.

use earth_report::numbers::{mean, percent, ratio};
use earth_report::statements::{CONSIDERABLE, FLAT, Judged};

use super::{MANY, from_to};
use crate::manycore::chip::NO_QUEUES;
use crate::manycore::program::Program;
use crate::manycore::results::{BEHAVIOURS, FREE, LOCAL, Results, by, local, varied};

/// Returns the times of the first three stages relative to the mean of the stages after the sixth.
fn first_over_last(results: &Results, program: &Program) -> [f64; 3] {
    let stages = results.stages(program);
    let last = mean(stages[LOCAL as usize..].iter().copied());
    std::array::from_fn(|stage| stages[stage] / last)
}

pub(super) fn first_stages(results: &Results, judged: &mut Judged) {
    let many = first_over_last(results, &by(2, 10, MANY));
    let one = first_over_last(results, &by(2, 10, 1));
    let mended = first_over_last(results, &local(2, 10, MANY));
    let is_short = |ratios: &[f64]| ratios.iter().all(|&ratio| ratio < 2.0);
    let finding = |_| format!("{} times on {MANY} cores", from_to(&many, ratio));
    judged
        .each(&many, |&ratio| ratio >= 2.0, finding)
        .check(is_short(&one), format!("{} on 1", from_to(&one, ratio)))
        .check(is_short(&mended), format!("{} with factors in own memory", from_to(&mended, ratio)))
        .perhaps(results.reason(|| {
            let quiet = first_over_last(results, &varied(by(2, 10, MANY), NO_QUEUES));
            format!("banks without queues bring it to {}, too", from_to(&quiet, ratio))
        }));
}

/// Returns, for each stage of 2^10 points on 64 cores, the time with factors in own memory relative to the
/// time with shared factors.
fn left(times: impl Fn(Program) -> Vec<f64>) -> Vec<f64> {
    let [shared, own] = [by(2, 10, MANY), local(2, 10, MANY)].map(times);
    own.iter().zip(shared).map(|(own, shared)| own / shared).collect()
}

/// Parts of the first stages, by the number of banks with their factors.
const PARTS: [(&str, [usize; 2]); 2] = [
    ("stages 1 to 4, with factors in one bank", [0, 4]),
    ("stages 5 and 6, with factors in 2 and 4 banks", [4, 6]),
];

pub(super) fn near_factors(results: &Results, judged: &mut Judged) {
    let list = |ratios: &[f64]| ratios.iter().map(|&ratio| percent(ratio)).collect::<Vec<_>>().join(", ");
    for (clause, [begin, end]) in PARTS {
        judged.clause(clause);
        for behaviour in BEHAVIOURS {
            let ratios = left(|program| results.stages(&behaviour.of(program)));
            let part = &ratios[begin..end];
            let finding = |_| format!("{} of their time", list(part));
            judged.reading(behaviour.name).each(part, |&ratio| ratio < 1.0 - CONSIDERABLE, finding);
        }
    }
    judged.perhaps(results.reason(|| {
        let modelled = left(|program| results.modelled_stages(&program));
        let rest = left(|program| results.stages(&FREE.of(program)));
        let is_flat = rest[LOCAL as usize..].iter().all(|&ratio| (ratio - 1.0).abs() <= FLAT);
        format!(
            "by the model the six stages take {}; the later stages take {} of their time, which is {}flat; \
             elements out of step load at different times, so that few wait where several banks hold the \
             factors",
            list(&modelled[..LOCAL as usize]),
            from_to(&rest[LOCAL as usize..], percent),
            if is_flat { "" } else { "not " }
        )
    }));
}
