//! The paper's statements, judged.
//!
//! Figures of the paper are met if ours are [about](crate::statements::ABOUT) them; "much" is twice, "close" is about equal. Causes
//! are held against the run that removes them. All margins are those of the other papers, fixed before.

use earth_kernels::RadixOrder;

use super::machine::Spent;
use super::program::Program;
use super::results::{
    CHANGES, CORES, ENDS, LOGS, LOGS_4, LOGS_8, NEAR, Results, THREE, by, changed, in_bursts, near, plus,
};
use crate::numbers::{extent, percent, ratio};
use crate::statements::{ABOUT, CONSIDERABLE, FLAT, Judged, Row, Statement, about, judged};

/// The cores up to which the paper finds its model close, and from which there are many.
const SOME: usize = 16;
const MANY: usize = 64;

/// All statements.
pub(crate) fn statements(results: &Results) -> Vec<Row> {
    judged(&STATEMENTS, results)
}

const fn said(
    says: &'static str,
    section: &'static str,
    rule: &'static str,
    judge: fn(&Results) -> Judged,
) -> Statement<Results> {
    Statement { says, section: Some(section), rule, judge }
}

const STATEMENTS: [Statement<Results>; 15] = [
    said(
        "The model's error is 16% on average on up to 16 cores",
        "5.2",
        "the mean of the error without its sign, PAR-R2 and PAR-R4, all N: at most about 16%",
        error_of_some,
    ),
    said(
        "It is 29% on 64 cores",
        "5.2",
        "the same mean there: at most about 29%, and more than on up to 16",
        error_of_many,
    ),
    said(
        "On up to 16 cores stages are predicted 1% to 29% too long",
        "5.2",
        "each stage of Figures 6 and 7: too long, and by about 29% at most",
        too_long,
    ),
    said(
        "On 64 cores they are predicted 5% to 31% too short, as heavy traffic is modelled too simply",
        "5.2",
        "each stage of Figures 6 and 7: too short, and by about 31% at most; and banks without queues remove it",
        too_short,
    ),
    said(
        "On many cores the first stages take much longer, as elements compete for few factors",
        "5.2",
        "PAR-R2, 2^10 points, 64 cores: stages 1 to 3 take twice the mean of those after 6; on 1 core they do not; and factors near remove it",
        first_stages,
    ),
    said(
        "PAR-R2LM mends stages 1 to 6",
        "5.2",
        "2^10 points, 64 cores: each of them considerably shorter, the others flat",
        near_factors,
    ),
    said(
        "Even so memory takes 300% to 500% more than floating-point operations",
        "5.2",
        "PAR-R2LM, 2^10 points, each number of cores: the elements' cycles for loads and stores over those for floating-point operations, less one: about 3 to 5",
        memory,
    ),
    said(
        "On 64 cores the rate grows with N, on few it is flat",
        "5.2",
        "PAR-R2: on 64 each doubling gains; on 1 and on 4 the extremes are flat",
        rates,
    ),
    said(
        "The model is close to the simulation for three N on up to 32 cores",
        "5.2",
        "2^10, 2^13 and 2^16 points, PAR-R2: about equal on each number of cores to 32, and the worst error is on 64",
        close,
    ),
    said("PAR-R4 is twice as fast as PAR-R2", "5.2", "all N, all cores: about twice", radix_4),
    said(
        "Radix 8 would gain up to 140% over radix 2",
        "5.2",
        "the most over all N and cores, by the model and as simulated: about 2.4 times",
        radix_8,
    ),
    said(
        "C64+ gains nothing significant",
        "5.2",
        "2^10 and 2^16 points, each number of cores, by the model and as simulated: less than considerable",
        more_elements,
    ),
    said(
        "At 2^10 points C64+ is slower on more than 16 cores, as banks and barriers have longer queues",
        "5.2",
        "its rate on 32 and on 64 cores is less than on 16, by the model and as simulated",
        loses,
    ),
    said(
        "2^c butterflies from a multiple of 2^c on take one piece of the points, or two that are equally long",
        "3.1",
        "exactly, all c, all stages, up to 2^10 points, for all multiples that there are",
        pieces,
    ),
    said(
        "The model finds the best number of elements",
        "7",
        "each N: the number of cores that the model calls fastest is as fast as the fastest simulated, but for what is flat",
        best,
    ),
];

/// The programs over which errors are averaged.
fn programs(cores: usize) -> impl Iterator<Item = Program> {
    LOGS_4.into_iter().flat_map(move |log| [by(2, log, cores), by(4, log, cores)])
}

fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        (sum, count) = (sum + value, count + 1.0);
    }
    sum / count
}

fn mean_error(results: &Results, cores: impl Fn(usize) -> bool) -> f64 {
    let cores = CORES.into_iter().filter(|&of| cores(of));
    mean(cores.flat_map(programs).map(|program| results.error(&program).abs()))
}

fn signed(share: f64) -> String {
    format!("{:+.0}%", 100.0 * share)
}

fn from_to(values: impl IntoIterator<Item = f64>, shown: fn(f64) -> String) -> String {
    let [least, most] = extent(values).map(shown);
    format!("{least} to {most}")
}

fn error_of_some(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let error = mean_error(results, |cores| cores <= SOME);
    judged.check(error <= 0.16 * ABOUT, percent(error));
    let each = CORES.into_iter().filter(|&cores| cores <= SOME);
    let each: Vec<_> =
        each.map(|cores| format!("{} on {cores}", percent(mean_error(results, |of| of == cores)))).collect();
    judged.because(format!("by cores {}", each.join(", ")));
    judged
}

fn error_of_many(results: &Results) -> Judged {
    let [some, many] =
        [mean_error(results, |cores| cores <= SOME), mean_error(results, |cores| cores == MANY)];
    let mut judged = Judged::default();
    judged
        .check(many <= 0.29 * ABOUT, percent(many))
        .check(many > some, format!("{} on up to {SOME}", percent(some)));
    let error = |change: usize| {
        let errors = ENDS
            .into_iter()
            .flat_map(|log| [2, 4].map(|radix| changed(by(radix, log, MANY), CHANGES[change].1)));
        mean(errors.map(|program| results.error(&program).abs()))
    };
    judged.because(format!(
        "at 2^10 and 2^16 points it is {} there, and {} if banks have no queues, of which the model does not know",
        percent(error(0)),
        percent(error(1))
    ));
    judged
}

/// The errors of each stage of Figures 6 and 7.
fn errors_of_stages(results: &Results, cores: impl Fn(usize) -> bool) -> Vec<f64> {
    let cores = CORES.into_iter().filter(|&of| cores(of));
    let programs = cores.flat_map(|cores| [2, 4].map(|radix| by(radix, 10, cores)));
    programs.flat_map(|program| results.stage_errors(&program)).collect()
}

fn too_long(results: &Results) -> Judged {
    let errors = errors_of_stages(results, |cores| cores <= SOME);
    let [high, within] = [|error: &f64| *error > 0.0, |error: &f64| *error <= 0.29 * ABOUT]
        .map(|is_so| errors.iter().filter(|error| is_so(error)).count());
    let mut judged = Judged::default();
    judged.count(high, errors.len(), format!("{high} of {} are too long", errors.len())).count(
        within,
        errors.len(),
        format!("{within} by no more than that, {}", from_to(errors, signed)),
    );
    let few: Vec<_> = CORES.into_iter().filter(|&cores| cores <= SOME).collect();
    let programs = few.iter().flat_map(|&cores| [2, 4].map(|radix| in_bursts(radix, cores)));
    let bursts: Vec<_> = programs.flat_map(|program| results.stage_errors(&program)).collect();
    judged.because(format!(
        "the paper's reason, that an operation does not wait for all loads, is a part of it: if elements do wait for all loads and then for all stores it is {}; \
         the rest is that elements do not stay in step, so that one computes while another one's points are on their way",
        from_to(bursts, signed)
    ));
    judged
}

fn too_short(results: &Results) -> Judged {
    let errors = errors_of_stages(results, |cores| cores == MANY);
    let low = errors.iter().filter(|&&error| error < 0.0).count();
    let within = errors.iter().filter(|&&error| error >= -0.31 * ABOUT).count();
    let mut judged = Judged::default();
    judged.count(low, errors.len(), format!("{low} of {} are too short", errors.len())).count(
        within,
        errors.len(),
        format!("{within} by no more than that, {}", from_to(errors.iter().copied(), signed)),
    );
    let quiet = [2, 4].map(|radix| changed(by(radix, 10, MANY), CHANGES[1].1));
    let quiet: Vec<_> = quiet.iter().flat_map(|program| results.stage_errors(program)).collect();
    let left = quiet.iter().filter(|&&error| error < 0.0).count();
    judged.check(
        low > 0 && left == 0,
        format!("without queues {left} of {}, {}", quiet.len(), from_to(quiet, signed)),
    );
    judged
}

/// How much longer the first stages take than those after the sixth.
fn first_over_last(results: &Results, program: &Program) -> [f64; 3] {
    let stages = results.stages(program);
    let last = mean(stages[NEAR as usize..].iter().copied());
    std::array::from_fn(|stage| stages[stage] / last)
}

fn first_stages(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let many = first_over_last(results, &by(2, 10, MANY));
    let longer = many.iter().filter(|&&ratio| ratio >= 2.0).count();
    judged.count(longer, 3, format!("{} times on {MANY} cores", from_to(many, ratio)));
    let one = first_over_last(results, &by(2, 10, 1));
    judged.check(one.iter().all(|&ratio| ratio < 2.0), format!("{} on 1", from_to(one, ratio)));
    let mended = first_over_last(results, &near(10, MANY));
    judged.check(
        mended.iter().all(|&ratio| ratio < 2.0),
        format!("{} with factors near", from_to(mended, ratio)),
    );
    let quiet = first_over_last(results, &changed(by(2, 10, MANY), CHANGES[1].1));
    judged.because(format!("banks without queues bring it to {} as well", from_to(quiet, ratio)));
    judged
}

fn near_factors(results: &Results) -> Judged {
    let [shared, own] = [by(2, 10, MANY), near(10, MANY)].map(|program| results.stages(&program));
    let ratios: Vec<_> = own.iter().zip(shared).map(|(own, shared)| own / shared).collect();
    let (first, rest) = ratios.split_at(NEAR as usize);
    let mut judged = Judged::default();
    let shorter = first.iter().filter(|&&ratio| ratio < 1.0 - CONSIDERABLE).count();
    judged.count(
        shorter,
        first.len(),
        format!("stages 1 to {NEAR} take {} of their time", from_to(first.iter().copied(), percent)),
    );
    let flat = rest.iter().filter(|&&ratio| (ratio - 1.0).abs() <= FLAT).count();
    judged.count(flat, rest.len(), format!("the others {}", from_to(rest.iter().copied(), percent)));
    judged
}

fn memory(results: &Results) -> Judged {
    let more = |program: &Program| {
        let Spent { memory, floating, .. } = results.run(program).spent;
        memory as f64 / floating as f64 - 1.0
    };
    let all = CORES.map(|cores| more(&near(10, cores)));
    let met = all.iter().filter(|&&more| (3.0 / ABOUT..=5.0 * ABOUT).contains(&more)).count();
    let mut judged = Judged::default();
    judged.count(met, all.len(), format!("{} above", from_to(all, percent)));
    judged.because(format!(
        "with stacked factors {} on {MANY} cores; waiting of one of a pair for the other's unit is told as floating-point",
        percent(more(&by(2, 10, MANY)))
    ));
    judged
}

fn rates(results: &Results) -> Judged {
    let over_n = |cores| LOGS.map(|log| results.gflops(&by(2, log, cores)));
    let many = over_n(MANY);
    let gains = many.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let mut judged = Judged::default();
    judged.count(
        gains,
        many.len() - 1,
        format!("{} Gflops on {MANY} cores, {gains} of 6 doublings gain", from_to(many, ratio)),
    );
    for cores in [1, 4] {
        let [least, most] = extent(over_n(cores));
        judged.check(most / least - 1.0 <= FLAT, format!("{least:.3} to {most:.3} on {cores}"));
    }
    let barrier = results.barrier(&by(2, 10, MANY).chip);
    judged.because(format!(
        "a barrier of {MANY} cores takes {barrier:.0} cycles and there are as many for few points; the factors that all take are a smaller part of a longer transform"
    ));
    judged
}

fn close(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for log in THREE {
        let errors = CORES.map(|cores| results.error(&by(2, log, cores)));
        let few = &errors[..errors.len() - 1];
        let met = few.iter().filter(|&&error| about(1.0 + error, 1.0)).count();
        let rest = few.iter().map(|error| error.abs()).fold(0.0, f64::max);
        let last = errors[errors.len() - 1];
        judged
            .count(met, few.len(), format!("2^{log}: {} to 32", from_to(few.iter().copied(), signed)))
            .check(last.abs() >= rest, format!("{} on 64", signed(last)));
    }
    judged
}

fn radix_4(results: &Results) -> Judged {
    let pairs =
        CORES.into_iter().flat_map(|cores| LOGS_4.map(|log| [4, 2].map(|radix| by(radix, log, cores))));
    let gains: Vec<_> = pairs.map(|[four, two]| results.gflops(&four) / results.gflops(&two)).collect();
    let met = gains.iter().filter(|&&gain| about(gain, 2.0)).count();
    let mut judged = Judged::default();
    judged.count(
        met,
        gains.len(),
        format!("{} times, about twice in {met} of {}", from_to(gains.iter().copied(), ratio), gains.len()),
    );
    judged.because(
        "half the stages, 11 loads and stores for 20 of as many levels in radix 2, and half the barriers",
    );
    judged
}

fn radix_8(results: &Results) -> Judged {
    let pairs: Vec<_> = CORES
        .into_iter()
        .flat_map(|cores| LOGS_8.map(|log| [8, 2].map(|radix| by(radix, log, cores))))
        .collect();
    let most = |rate: fn(&Results, &Program) -> f64| {
        extent(pairs.iter().map(|[eight, two]| rate(results, eight) / rate(results, two)))
    };
    let mut judged = Judged::default();
    for (name, rate) in [
        ("the model's", Results::modelled_gflops as fn(&Results, &Program) -> f64),
        ("simulated", Results::gflops),
    ] {
        let [least, most] = most(rate);
        judged.check(about(most, 2.4), format!("{name} {least:.2} to {most:.2} times"));
    }
    judged
}

fn more_elements(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let sides = [
        ("by the model", Results::modelled_gflops as fn(&Results, &Program) -> f64),
        ("simulated", Results::gflops),
    ];
    for (name, rate) in sides {
        for log in ENDS {
            let gains =
                CORES.map(|cores| rate(results, &plus(log, cores)) / rate(results, &by(2, log, cores)) - 1.0);
            let met = gains.iter().filter(|&&gain| gain < CONSIDERABLE).count();
            let told: Vec<_> =
                CORES.iter().zip(gains).map(|(cores, gain)| format!("{} on {cores}", signed(gain))).collect();
            judged.count(met, gains.len(), format!("{name}, 2^{log}: {}", told.join(", ")));
        }
    }
    judged.because("an element waits most of its time, so two more a core hide that as long as ports and banks have room");
    judged
}

fn loses(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let sides = [
        ("by the model", Results::modelled_gflops as fn(&Results, &Program) -> f64),
        ("simulated", Results::gflops),
    ];
    for (name, rate) in sides {
        let [few, some, many] = [16, 32, 64].map(|cores| rate(results, &plus(10, cores)));
        let met = [some, many].iter().filter(|&&rate| rate < few).count();
        judged.count(met, 2, format!("{name} {few:.2}, {some:.2} and {many:.2} Gflops on 16, 32 and 64"));
    }
    let told = |change: usize| {
        let rates = [16, 32, 64]
            .map(|cores| format!("{:.2}", results.gflops(&changed(plus(10, cores), CHANGES[change].1))));
        format!("{} with {}", rates.join(", "), CHANGES[change].0)
    };
    judged.because(format!("simulated {} and {}", told(1), told(2)));
    judged
}

/// Whether sorted points are one piece, or two of the same length.
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

fn pieces(_: &Results) -> Judged {
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
    let mut judged = Judged::default();
    judged.check(met == all, format!("{met} of {all}"));
    judged.because("multiples are counted to N / 2^(c+1) - 1; the printed bound N / 2c - 1 goes beyond the last butterfly, and its footnote that 2^0 is 0 is not needed");
    judged
}

fn best(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let programs = THREE.into_iter().flat_map(|log| {
        let c64: Vec<_> = CORES.iter().map(|&cores| by(2, log, cores)).collect();
        let more: Vec<_> =
            CORES.iter().filter(|_| ENDS.contains(&log)).map(|&cores| plus(log, cores)).collect();
        [(format!("C64, 2^{log}"), c64), (format!("C64+, 2^{log}"), more)]
    });
    for (name, programs) in programs.filter(|(_, programs)| !programs.is_empty()) {
        let fastest = |rate: fn(&Results, &Program) -> f64| {
            programs
                .iter()
                .max_by(|a, b| rate(results, a).total_cmp(&rate(results, b)))
                .unwrap_or(&programs[0])
        };
        let [named, found] = [fastest(Results::modelled_gflops), fastest(Results::gflops)];
        let share = results.gflops(named) / results.gflops(found);
        let told = format!(
            "{name}: {} named, {} found, {} of its rate",
            named.chip.cores,
            found.chip.cores,
            percent(share)
        );
        judged.check(share >= 1.0 - FLAT, told);
    }
    judged
}
