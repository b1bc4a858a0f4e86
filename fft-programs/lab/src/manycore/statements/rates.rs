//! Statements about rates, by points, cores, radix and chip.

use earth_report::numbers::{extent, percent, ratio};
use earth_report::statements::{CONSIDERABLE, FLAT, Judged, about};

use super::{MANY, SOME, from_to, signed, withdraw_if_estimates_matter};
use crate::manycore::chip::{Change, FREE_BARRIERS, NO_DELAY, NO_QUEUES};
use crate::manycore::program::Program;
use crate::manycore::results::{
    CORES, ENDS, FEW_CORES, LOGS, LOGS_4, LOGS_8, Results, SMALL, by, changed, local, plus,
};

/// Rate in Gflops, modeled or simulated.
type Rate = fn(&Results, &Program) -> f64;
const SIDES: [(&str, Rate); 2] = [("the model's", Results::modelled_gflops), ("simulated", Results::gflops)];

/// Function from the logarithm of the points and the number of cores to a program.
type BySize = fn(u32, usize) -> Program;

pub(super) fn rates(results: &Results, judged: &mut Judged) {
    let over_n = |cores| LOGS.map(|log| results.gflops(&by(2, log, cores)));
    let many = over_n(MANY);
    let doublings: Vec<_> = many.windows(2).collect();
    judged.each(
        &doublings,
        |pair| pair[1] > pair[0],
        |gains| format!("{} Gflops on {MANY} cores, {gains} of 6 doublings gain", from_to(&many, ratio)),
    );
    for cores in [1, 4] {
        let [least, most] = extent(over_n(cores));
        judged.check(most / least - 1.0 <= FLAT, format!("{least:.3} to {most:.3} on {cores}"));
    }
    let growth = |change: Change| {
        let [short, long] = ENDS.map(|log| results.gflops(&changed(by(2, log, MANY), change)));
        ratio(long / short)
    };
    judged.because(format!(
        "on {MANY} cores 2^16 points have {} times the rate of 2^10, {} times if barriers cost nothing, and \
         {} if banks have no queues: more stages have factors in many banks",
        growth(|_| {}),
        growth(FREE_BARRIERS),
        growth(NO_QUEUES)
    ));
}

pub(super) fn radix_4(results: &Results, judged: &mut Judged) {
    let pairs =
        CORES.into_iter().flat_map(|cores| LOGS_4.map(|log| [4, 2].map(|radix| by(radix, log, cores))));
    let gains: Vec<_> = pairs.map(|[four, two]| results.gflops(&four) / results.gflops(&two)).collect();
    let finding = |met| format!("{} times, about twice in {met} of {}", from_to(&gains, ratio), gains.len());
    judged.each(&gains, |&gain| about(gain, 2.0), finding);
}

/// Returns the least and the greatest gain of radix 8 over radix 2.
fn gains_of_radix_8(
    results: &Results,
    rate: Rate,
    logs: &[u32],
    cores: &[usize],
    change: Change,
) -> [f64; 2] {
    let pairs = cores.iter().flat_map(|&cores| {
        logs.iter().map(move |&log| [8, 2].map(|radix| changed(by(radix, log, cores), change)))
    });
    extent(pairs.map(|[eight, two]| rate(results, &eight) / rate(results, &two)))
}

pub(super) fn radix_8(results: &Results, judged: &mut Judged) {
    for (name, rate) in SIDES {
        let [least, most] = gains_of_radix_8(results, rate, &LOGS_8, &CORES, |_| {});
        judged.check(about(most, 2.4), format!("{name} {least:.2} to {most:.2} times"));
    }
    let most = |rate, change| gains_of_radix_8(results, rate, &LOGS_8[..1], &FEW_CORES, change)[1];
    let both = |change| SIDES.map(|(_, rate)| ratio(most(rate, change))).join(" and ");
    judged.because(format!(
        "23 loads and stores for 60 of as many levels in radix 2 are 2.6 times less; the rest is waiting, \
         which a larger butterfly shares among more points: {} times at 2^12 points, \
         {} without queues, {} if the crossbar takes no time",
        both(|_| {}),
        both(NO_QUEUES),
        both(NO_DELAY)
    ));
    let (of, most) = ("as simulated at 2^12 points", |change| most(Results::gflops, change));
    withdraw_if_estimates_matter(judged, of, most, |gain| about(gain, 2.4), ratio);
}

pub(super) fn more_elements(results: &Results, judged: &mut Judged) {
    let sides: [(_, [Rate; 2]); 3] = [
        ("model over model", [Results::modelled_gflops; 2]),
        ("simulated", [Results::gflops; 2]),
        ("the model of C64+ over the simulated C64", [Results::modelled_gflops, Results::gflops]),
    ];
    for (name, [of_plus, of_c64]) in sides {
        for log in ENDS {
            let gain =
                |cores| of_plus(results, &plus(log, cores)) / of_c64(results, &by(2, log, cores)) - 1.0;
            let (gains, all) = (CORES.map(gain), CORES.len());
            let finding = |met| format!("{name}, 2^{log}: {}, {met} of {all} less", from_to(&gains, signed));
            judged.each(&gains, |&gain| gain < CONSIDERABLE, finding);
        }
    }
    let gain = |change: Change| {
        let [plus, c64] =
            [plus(10, MANY), by(2, 10, MANY)].map(|program| results.gflops(&changed(program, change)));
        signed(plus / c64 - 1.0)
    };
    judged.because(format!(
        "Figure 14 sets a prediction beside a measurement, so that the model's own error hides the gain; \
         like with like, four elements hide each other's waiting until banks have queues: \
         simulated on {MANY} cores at 2^10 points {}, {} without queues, {} if barriers cost nothing",
        gain(|_| {}),
        gain(NO_QUEUES),
        gain(FREE_BARRIERS)
    ));
}

pub(super) fn loses(results: &Results, judged: &mut Judged) {
    for (name, rate) in SIDES {
        let [few, some, many] = [SOME, 32, MANY].map(|cores| rate(results, &plus(10, cores)));
        let finding = format!("{name} {few:.2}, {some:.2} and {many:.2} Gflops on 16, 32 and 64");
        judged.each(&[some, many], |&rate| rate < few, |_| finding);
    }
    let finding = |change: Change| {
        let rates =
            [SOME, 32, MANY].map(|cores| format!("{:.2}", results.gflops(&changed(plus(10, cores), change))));
        rates.join(", ")
    };
    // The model would be as slow on 64 cores if a stage's barrier there took this many cycles more than on
    // 16.
    let [few, many] = [SOME, MANY].map(|cores| {
        let program = plus(10, cores);
        let model = results.model(&program);
        model.cycles() / f64::from(model.stages()) - model.barrier
    });
    judged.because(format!(
        "simulated it is {} without queues and {} if barriers cost nothing; the model would lose past 16 \
         cores if a barrier of 64 took {:.0} cycles more than one of 16, where ours takes \
         {:.0} more: T_B, which is not published, would tell",
        finding(NO_QUEUES),
        finding(FREE_BARRIERS),
        few - many,
        results.barrier(&plus(10, MANY).chip) - results.barrier(&plus(10, SOME).chip)
    ));
}

pub(super) fn best(results: &Results, judged: &mut Judged) {
    let kinds: [(&str, BySize); 3] =
        [("PAR-R2", |log, cores| by(2, log, cores)), ("PAR-R2LM", local), ("C64+", plus)];
    let mut unasked = 0;
    for (name, program) in kinds {
        for log in SMALL {
            let programs = CORES.map(|cores| program(log, cores));
            let fastest = |rate: Rate| {
                let fastest = programs.iter().max_by(|a, b| rate(results, a).total_cmp(&rate(results, b)));
                fastest.unwrap_or(&programs[0])
            };
            let [named, found] = SIDES.map(|(_, rate)| fastest(rate));
            if found.chip.cores == MANY {
                unasked += 1;
                continue;
            }
            let share = results.gflops(named) / results.gflops(found);
            let finding = if named == found {
                format!("{name}, 2^{log}: {} named and found", named.chip.cores)
            } else {
                let [named, found] = [named, found].map(|program| program.chip.cores);
                format!("{name}, 2^{log}: {named} named, {found} found, {} of its rate", percent(share))
            };
            judged.check(share >= 1.0 - FLAT, finding);
        }
    }
    judged.because(format!("at {unasked} of {} all cores are the fastest", kinds.len() * SMALL.len()));
    judged.or_cannot_be_told("nothing is asked where all cores are the fastest");
}
