//! Statements about single stages, and about memory.

use earth_kernels::RadixOrder;
use earth_report::numbers::{mean, percent, ratio};
use earth_report::statements::{ABOUT, CONSIDERABLE, FLAT, Judged};

use super::{MANY, from_to};
use crate::manycore::chip::{Change, ESTIMATES, NO_QUEUES};
use crate::manycore::code::{Step, butterfly};
use crate::manycore::operation::Spent;
use crate::manycore::program::{Pace, Program};
use crate::manycore::results::{CORES, FEW_CORES, LOCAL, Results, by, changed, local};

/// Returns the times of the first three stages relative to the mean of the stages after the sixth.
fn first_over_last(results: &Results, program: &Program) -> [f64; 3] {
    let stages = results.stages(program);
    let last = mean(stages[LOCAL as usize..].iter().copied());
    std::array::from_fn(|stage| stages[stage] / last)
}

pub(super) fn first_stages(results: &Results, judged: &mut Judged) {
    let many = first_over_last(results, &by(2, 10, MANY));
    let one = first_over_last(results, &by(2, 10, 1));
    let mended = first_over_last(results, &local(10, MANY));
    let quiet = first_over_last(results, &changed(by(2, 10, MANY), NO_QUEUES));
    let is_short = |ratios: &[f64]| ratios.iter().all(|&ratio| ratio < 2.0);
    let finding = |_| format!("{} times on {MANY} cores", from_to(&many, ratio));
    judged
        .each(&many, |&ratio| ratio >= 2.0, finding)
        .check(is_short(&one), format!("{} on 1", from_to(&one, ratio)))
        .check(is_short(&mended), format!("{} with factors near", from_to(&mended, ratio)))
        .because(format!("banks without queues bring it to {} as well", from_to(&quiet, ratio)));
}

/// Returns, for each stage of 2^10 points on 64 cores, the time with factors in own memory relative to the
/// time with shared factors.
fn left(times: impl Fn(&Program) -> Vec<f64>, pace: Pace) -> Vec<f64> {
    let [shared, own] = [by(2, 10, MANY), local(10, MANY)].map(|program| times(&Program { pace, ..program }));
    own.iter().zip(shared).map(|(own, shared)| own / shared).collect()
}

pub(super) fn near_factors(results: &Results, judged: &mut Judged) {
    let ratios = left(|program| results.stages(program), Pace::Free);
    let (first, rest) = ratios.split_at(LOCAL as usize);
    let list = |ratios: &[f64]| ratios.iter().map(|&ratio| percent(ratio)).collect::<Vec<_>>().join(", ");
    let finding = |_| format!("stages 1 to {LOCAL} take {} of their time", list(first));
    judged.each(first, |&ratio| ratio < 1.0 - CONSIDERABLE, finding).each(
        rest,
        |&ratio| (ratio - 1.0).abs() <= FLAT,
        |_| format!("the others {}", from_to(rest, percent)),
    );
    let modelled = left(|program| results.modelled_stages(program), Pace::Free);
    let kept = left(|program| results.stages(program), Pace::InStep);
    judged.because(format!(
        "by the model stages 1 to {LOCAL} take {}, as 128 loads of 2^(r-1) factors come at once from few \
         banks; simulated so, with elements in step, {}; elements that do not \
         keep in step load at different times, so that hardly anyone waits where factors are in several banks",
        list(&modelled[..LOCAL as usize]),
        list(&kept[..LOCAL as usize])
    ));
}

/// Returns the cycles for loads and stores over the cycles for floating-point operations, minus one.
/// `with_waits` counts waiting for results as floating-point.
fn memory_over_floating(results: &Results, program: &Program, with_waits: bool) -> f64 {
    let Spent { memory, floating, .. } = results.run(program).spent;
    let operations =
        butterfly(program.radix).iter().filter(|step| matches!(step, Step::Float { .. })).count();
    let butterflies = program.points() / program.radix * program.stages() as usize;
    let floating = if with_waits { floating as f64 } else { (operations * butterflies) as f64 };
    memory as f64 / floating - 1.0
}

pub(super) fn memory(results: &Results, judged: &mut Judged) {
    let is_met = |more: &f64| (3.0 / ABOUT..=5.0 * ABOUT).contains(more);
    let of = |with_waits: bool, cores: &[usize], change: Change| -> Vec<f64> {
        let programs = cores.iter().map(|&cores| changed(local(10, cores), change));
        programs.map(|program| memory_over_floating(results, &program, with_waits)).collect()
    };
    let [waits, alone] = [true, false].map(|with_waits| of(with_waits, &CORES, |_| {}));
    let met = [&waits, &alone].map(|reading| reading.iter().filter(|more| is_met(more)).count());
    let [estimated, estimated_alone] = [true, false].map(|with_waits| {
        let all = ESTIMATES.iter().flat_map(|(_, change)| of(with_waits, &FEW_CORES, *change));
        from_to(&all.collect::<Vec<_>>(), percent)
    });
    let [shared, shared_alone] =
        [true, false].map(|waits| percent(memory_over_floating(results, &by(2, 10, MANY), waits)));
    let why = format!(
        "our estimates, halved and doubled, give {estimated} with waiting and {estimated_alone} without; factors that are \
         not near {shared} and {shared_alone} on {MANY} cores"
    );
    let all = CORES.len();
    let finding = [
        format!("{} above if waiting for results counts as floating-point", from_to(&waits, percent)),
        format!("{} if it does not", from_to(&alone, percent)),
    ];
    if met == [0, all] || met == [all, 0] {
        judged.found(finding.join(", ")).because("what counts, and the cycles to a result, would tell");
    } else {
        judged.count(met[0], all, &finding[0]).count(met[1], all, &finding[1]);
    }
    judged.because(why);
}

/// Returns whether sorted points are one contiguous range, or two of equal length.
fn is_one_or_two(points: &[usize]) -> bool {
    let breaks: Vec<_> = points
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[1] != pair[0] + 1)
        .map(|(at, _)| at + 1)
        .collect();
    match breaks[..] {
        [] => true,
        [at] => 2 * at == points.len(),
        _ => false,
    }
}

pub(super) fn pieces(_: &Results, judged: &mut Judged) {
    let (mut met, mut all) = (0, 0);
    for log in 1..=10 {
        let order = RadixOrder::new(1 << log, 2, 1).unwrap_or_else(|error| unreachable!("{error}"));
        for stage in 0..order.stages() {
            for c in 0..log {
                for a in 0..order.butterflies() >> c {
                    let taken = (a << c..(a + 1) << c).map(|i| order.butterfly(stage, i));
                    let mut points: Vec<_> =
                        taken.flat_map(|butterfly| [0, 1].map(|m| butterfly.point(m))).collect();
                    points.sort_unstable();
                    met += usize::from(is_one_or_two(&points));
                    all += 1;
                }
            }
        }
    }
    judged.check(met == all, format!("{met} of {all}"));
}
