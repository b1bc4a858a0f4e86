//! The statements about the receiver-initiated FFT, each for both of its variants and both configurations.

use earth::Config;

use crate::simulate::chart::{CONFIGS, upper};
use crate::simulate::dual::HANDED_OVER;
use crate::simulate::experiments::{N as LATENCY_N, P as LATENCY_P};
use crate::simulate::figures::{COMPARED_N, NODES, RECEIVER_N};
use crate::simulate::judge::{
    DOUBLING, FEW, MANY, NEVER_IDLE, POOR, Results, receivers, span, spn_faster, steps, within,
};
use crate::simulate::measured::{Measured, Point};
use crate::simulate::program::Program;
use crate::statements::{CONSIDERABLE, FLAT, Judged, about};

pub(super) fn phase_linear_in_n(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let times = RECEIVER_N.map(|n| results.get(program, config, n, MANY).map(|run| run.multithreaded));
        if let Some(times) = times.into_iter().collect::<Option<Vec<_>>>() {
            let steps = steps(&times);
            judged.check(within(&steps, DOUBLING), format!("{name} x {} a doubling", span(&steps)));
        }
    }
    judged
}

pub(super) fn total_linear_in_n(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let (mut linear, mut all, mut values) = (0, 0, Vec::new());
        for p in NODES {
            let times = RECEIVER_N.map(|n| results.total(program, config, n, p));
            if let Some(times) = times.into_iter().collect::<Option<Vec<_>>>() {
                let steps = steps(&times);
                linear += usize::from(within(&steps, DOUBLING));
                all += 1;
                values.extend(steps);
            }
        }
        if all > 0 {
            judged.count(linear, all, format!("{name} x {} a doubling", span(&values)));
        }
    }
    judged
}

pub(super) fn falls_with_nodes(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let (mut falling, mut all, mut gains) = (0, 0, Vec::new());
        for n in RECEIVER_N {
            if let Some(times) = results.over_nodes(program, config, n, &NODES) {
                falling += usize::from(steps(&times).iter().all(|&step| step < 1.0));
                all += 1;
                gains.push(times[0] / times[NODES.len() - 1]);
            }
        }
        if all > 0 {
            judged.count(
                falling,
                all,
                format!("{name} for {falling} of {all} N, 64 nodes {} times as fast as 1", span(&gains)),
            );
        }
    }
    judged
}

pub(super) fn poor_on_few(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let efficiency = |p| results.efficiency(program, config, COMPARED_N, p);
        let (Some(two), Some(four), Some(many)) = (efficiency(FEW[0]), efficiency(FEW[1]), efficiency(MANY))
        else {
            continue;
        };
        let shares = [two, four, many].map(|share| format!("{:.0}%", 100.0 * share)).join(", ");
        let passed = usize::from(two < POOR) + usize::from(four < POOR) + usize::from(many > POOR);
        judged.count(passed, 3, format!("{name} {shares} at P = 2, 4, 64"));
    }
    judged.because(
        "tokens a node are 2N(1-1/P), more on many nodes than on few, so the paper's reason cannot be it",
    );
    let free = results.if_asks_are_free(|_, time| {
        Some(format!("{:.0}% at P = 2", 100.0 * results.efficiency_of(time(FEW[0])?, COMPARED_N, FEW[0])?))
    });
    if let Some(free) = free {
        judged.because(free);
    }
    judged
}

pub(super) fn sender_better_on_few(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let over = |p: usize, sender| {
            let receiver = results.total(program, config, COMPARED_N, p)?;
            Some(receiver / results.total(sender, config, COMPARED_N, p)?)
        };
        for (block, senders) in [("B = 16", [16, 16, 16]), ("B = P", [FEW[0], FEW[1], MANY])] {
            let at = [FEW[0], FEW[1], MANY];
            let ratios: Option<Vec<_>> =
                at.into_iter().zip(senders).map(|(p, block)| over(p, Program::Sender(block))).collect();
            let Some(ratios) = ratios else { continue };
            let shown = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect::<Vec<_>>().join(", ");
            let better = usize::from(ratios[0] > 1.0) + usize::from(ratios[1] > 1.0);
            let equal = usize::from(about(ratios[2], 1.0));
            judged.count(better + equal, 3, format!("{name} over sender {block} {shown} at P = 2, 4, 64"));
        }
    }
    let free = results.if_asks_are_free(|config, time| {
        let sender = results.total(Program::Sender(16), config, COMPARED_N, MANY)?;
        Some(format!("{:.2} over sender B = 16 at P = 64", time(MANY)? / sender))
    });
    if let Some(free) = free {
        judged.because(free);
    }
    judged
}

pub(super) fn spn_beats_dual(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for program in [Program::Tree, Program::Shared] {
        let several = NODES.into_iter().filter(|&p| p > 1);
        let pairs = several.flat_map(|p| RECEIVER_N.map(|n| (n, p)));
        let ratios: Vec<_> = pairs.filter_map(|(n, p)| results.dual_over_spn(program, n, p)).collect();
        if ratios.is_empty() {
            continue;
        }
        let [faster, told] = spn_faster(&ratios);
        judged.count(
            faster,
            told,
            format!(
                "{program}: SPN in {faster} of the {told} that differ by more than 5%, of {} in all; DUAL/SPN {}",
                ratios.len(),
                span(&ratios)
            ),
        );
    }
    judged.because("on several nodes; with one order of fibers for both, see the experiment `order`");
    if let Some(told) = results.dual_by_su_speed() {
        judged.because(format!("DUAL/SPN for N = 2^12 on 16 nodes, {told}"));
    }
    judged.or_untold("none differs by more than 5%")
}

pub(super) fn difference_grows(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for program in [Program::Tree, Program::Shared] {
        let (mut grows, mut few, mut many) = (0, Vec::new(), Vec::new());
        for n in RECEIVER_N {
            let ratio = |p| results.dual_over_spn(program, n, p);
            let (Some(at_two), Some(at_many)) = (ratio(FEW[0]), ratio(MANY)) else { continue };
            grows += usize::from(at_many > 1.0 + CONSIDERABLE && at_many > at_two);
            few.push(at_two);
            many.push(at_many);
        }
        if !few.is_empty() {
            judged.count(
                grows,
                few.len(),
                format!("{program}: DUAL/SPN {} at P = 2, {} at 64", span(&few), span(&many)),
            );
        }
    }
    judged.because("it counts where SPN is the faster one, as the paper has it");
    if let Some(told) = results.dual_by_su_speed() {
        judged.because(format!("DUAL/SPN for N = 2^12 on 16 nodes, {told}"));
    }
    judged
}

pub(super) fn speedup_near_linear(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let (mut linear, mut all, mut values) = (0, 0, Vec::new());
        for n in RECEIVER_N {
            if let Some(times) = results.over_nodes(program, config, n, &NODES) {
                let gains: Vec<_> = steps(&times).iter().map(|step| 1.0 / step).collect();
                linear += usize::from(within(&gains, DOUBLING));
                all += 1;
                values.extend(gains);
            }
        }
        if all > 0 {
            judged.count(
                linear,
                all,
                format!("{name} for {linear} of {all} N, x {} a doubling of P", span(&values)),
            );
        }
    }
    let free = results.if_asks_are_free(|_, time| {
        let times = NODES.into_iter().map(time).collect::<Option<Vec<_>>>()?;
        let gains: Vec<_> = steps(&times).iter().map(|step| 1.0 / step).collect();
        Some(format!("x {} for N = 2^14", span(&gains)))
    });
    if let Some(free) = free {
        judged.because(free);
    }
    judged
}

pub(super) fn latencies_hidden(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let base = results.total(program, config, LATENCY_N, LATENCY_P);
        let at = |&(factor, setup): &(f64, usize)| {
            let point = Point { setup, ..Point::at(program, config, LATENCY_N, LATENCY_P) };
            Some((factor, results.time(&point)? / base?))
        };
        let ratios: Vec<_> = results.others.latencies.iter().filter_map(at).collect();
        if ratios.is_empty() {
            continue;
        }
        let hidden = ratios.iter().filter(|(_, ratio)| *ratio <= 1.0 + FLAT).count();
        let values: Vec<_> = ratios.iter().map(|&(_, ratio)| ratio).collect();
        judged.count(hidden, ratios.len(), format!("{name} x {} of the time", span(&values)));
    }
    judged.explained(
        "N = 2^12 on 16 nodes, at a quarter to 16 times the latency, see the experiment `latency`",
        "no run",
    )
}

pub(super) fn like_sequential_on_one_node(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers().chain(senders()) {
        let (mut close, mut values) = (0, Vec::new());
        for n in RECEIVER_N {
            if let Some(efficiency) = results.efficiency(program, config, n, 1) {
                close += usize::from(about(efficiency, 1.0));
                values.push(1.0 / efficiency);
            }
        }
        if !values.is_empty() {
            judged.count(close, values.len(), format!("{name} x {} of the row kernel's time", span(&values)));
        }
    }
    judged
}

/// The sender in blocks of 16, in both configurations.
fn senders() -> impl Iterator<Item = (Program, Config, String)> {
    let named = |config| (Program::Sender(16), config, format!("sender, B = 16 {}", upper(config)));
    CONFIGS.into_iter().map(named)
}

/// For each program, at each cost of work: on how many machines of figure `hand-over` DUAL is slower by more than 5%, and on
/// how many of these it no longer is if its hand-over costs nothing.
pub(super) fn hand_over_is_the_cause(results: &Results) -> Judged {
    let mut judged = Judged::default();
    let works = ["the profile's work", "tuned work"];
    for (work, [usual, free]) in works.into_iter().zip(results.others.hand_overs.iter().copied()) {
        for program in HANDED_OVER {
            let (mut cured, mut before, mut after) = (0, Vec::new(), Vec::new());
            for p in NODES {
                let time = |config, setup| {
                    results.time(&Point { setup, ..Point::at(program, config, LATENCY_N, p) })
                };
                let spn = time(Config::Spn, usual);
                let ratio = |setup| Some(time(Config::Dual, setup)? / spn?);
                let (Some(as_is), Some(without)) = (ratio(usual), ratio(free)) else { continue };
                if as_is > 1.0 + FLAT {
                    cured += usize::from(without <= 1.0 + FLAT);
                    before.push(as_is);
                    after.push(without);
                }
            }
            if !before.is_empty() {
                let found = format!(
                    "{program}, {work}: DUAL/SPN {} where it is slower, {} with a free hand-over",
                    span(&before),
                    span(&after)
                );
                judged.count(cured, before.len(), found);
            }
        }
    }
    judged.explained(
        "machines of 1 to 64 nodes, N = 2^12; see the experiments `hand-over` and, for what is the cause, `su-speed`",
        "DUAL is nowhere slower by more than 5%",
    )
}

pub(super) fn never_idle(results: &Results) -> Judged {
    let mut judged = Judged::default();
    for (program, config, name) in receivers() {
        let busy = |p: usize| {
            // What node 0 does while it deals is a little more than nothing.
            let share = |run: &Measured| (run.eu_busy / (p as f64 * run.total())).min(1.0);
            results.get(program, config, COMPARED_N, p).map(share)
        };
        let shares: Vec<_> = NODES.into_iter().filter(|&p| p > 1).filter_map(busy).collect();
        if !shares.is_empty() {
            let passed = shares.iter().filter(|&&share| share >= NEVER_IDLE).count();
            let shown: Vec<_> = shares.iter().map(|share| format!("{:.0}", 100.0 * share)).collect();
            judged.count(passed, shares.len(), format!("{name} {}%", shown.join(", ")));
        }
    }
    judged.because("busy at P = 2, 4, ... 64, execution units alone");
    let busy = results.by_su_speed(|[_, dual]| {
        format!("{:.0}%", 100.0 * (dual.eu_busy / (LATENCY_P as f64 * dual.total())).min(1.0))
    });
    if let Some(told) = busy {
        judged.because(format!("in DUAL for N = 2^12 on 16 nodes, {told}"));
    }
    judged
}
