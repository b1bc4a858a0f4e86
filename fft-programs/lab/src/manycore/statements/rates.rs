//! Statements about rates, by points, cores and radix.

use earth_report::numbers::{extent, ratio};
use earth_report::statements::{FLAT, Judged, about};

use super::{MANY, from_to};
use crate::manycore::chip::{FREE_BARRIERS, NO_DELAY, NO_QUEUES, Variant};
use crate::manycore::program::Program;
use crate::manycore::results::{CORES, ENDS, FEW_CORES, LOGS, LOGS_4, LOGS_8, Results, by, varied};

/// Rate in Gflops, modelled or simulated.
pub(super) type Rate = fn(&Results, &Program) -> f64;

pub(super) fn rates(results: &Results, judged: &mut Judged) {
    let over_n = |cores| LOGS.map(|log| results.gflops(&by(2, log, cores)));
    let many = over_n(MANY);
    let doublings: Vec<_> = many.windows(2).collect();
    judged.clause("many cores").each(
        &doublings,
        |pair| pair[1] > pair[0],
        |gains| format!("{} Gflops on {MANY} cores, {gains} of 6 doublings gain", from_to(&many, ratio)),
    );
    judged.clause("few cores");
    for cores in [1, 4] {
        let [least, most] = extent(over_n(cores));
        judged.check(most / least - 1.0 <= FLAT, format!("{least:.3} to {most:.3} Gflops on {cores}"));
    }
    judged.perhaps(results.reason(|| {
        let growth = |variant: Variant| {
            let [short, long] = ENDS.map(|log| results.gflops(&varied(by(2, log, MANY), variant)));
            ratio(long / short)
        };
        format!(
            "on {MANY} cores 2^16 points have {} times the rate of 2^10, {} times if barriers cost nothing, and \
             {} times if banks have no queues: more stages have factors in many banks",
            growth(|_| {}),
            growth(FREE_BARRIERS),
            growth(NO_QUEUES)
        )
    }));
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
    variant: Variant,
) -> [f64; 2] {
    let pairs = cores.iter().flat_map(|&cores| {
        logs.iter().map(move |&log| [8, 2].map(|radix| varied(by(radix, log, cores), variant)))
    });
    extent(pairs.map(|[eight, two]| rate(results, &eight) / rate(results, &two)))
}

pub(super) fn radix_8(results: &Results, judged: &mut Judged) {
    let gains = |rate| gains_of_radix_8(results, rate, &LOGS_8, &CORES, |_| {});
    let [least, most] = gains(Results::modelled_gflops);
    judged.program("the model").check(about(most, 2.4), format!("{least:.2} to {most:.2} times"));
    let [least, most] = gains(Results::gflops);
    judged.our_program("simulated").check(about(most, 2.4), format!("{least:.2} to {most:.2} times"));
    judged.perhaps(results.reason(|| {
        let most = |rate, variant| gains_of_radix_8(results, rate, &LOGS_8[..1], &FEW_CORES, variant)[1];
        let both = |variant| {
            let [model, simulated] =
                [Results::modelled_gflops, Results::gflops].map(|rate: Rate| ratio(most(rate, variant)));
            format!("{model} by the model and {simulated} simulated")
        };
        format!(
            "23 loads and stores replace 60 of as many levels in radix 2, which is 2.6 times less; a larger \
             butterfly also shares its waiting among more points: at 2^12 points the gain is {}, without \
             queues {}, without a delay in the crossbar {}",
            both(|_| {}),
            both(NO_QUEUES),
            both(NO_DELAY)
        )
    }));
}
