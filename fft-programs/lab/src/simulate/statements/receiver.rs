//! Statements about the receiver-initiated FFT, for both of its variants and both configurations.

use earth::Config;
use earth_report::statements::{CONSIDERABLE, FLAT, Judged, about};

use crate::simulate::chart::{CONFIGS, upper};
use crate::simulate::charts::dual::HANDED_OVER;
use crate::simulate::charts::experiments::{N as LATENCY_N, P as LATENCY_P};
use crate::simulate::charts::figures::{COMPARED_N, NODES, RECEIVER_N};
use crate::simulate::judge::{
    DOUBLING, FEW, MANY, NEVER_IDLE, POOR, Results, all_of, receivers, span, spn_faster, steps, within,
};
use crate::simulate::measured::{Measured, Point};
use crate::simulate::program::Program;

/// Small numbers of nodes, and the large one.
const FEW_AND_MANY: [usize; 3] = [FEW[0], FEW[1], MANY];

/// Numbers of nodes above one.
const SEVERAL: [usize; 6] = [2, 4, 8, 16, 32, 64];

pub(super) fn phase_linear_in_n(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let time = |n| results.get(program, config, n, MANY).map(|run| run.multithreaded);
        let Some(times) = all_of(RECEIVER_N.map(time)) else { continue };
        let steps = steps(&times);
        judged.check(within(&steps, DOUBLING), format!("{name} x {} a doubling", span(&steps)));
    }
}

pub(super) fn total_linear_in_n(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let of = |p| all_of(RECEIVER_N.map(|n| results.total(program, config, n, p)));
        let all: Vec<_> = NODES.into_iter().filter_map(of).map(|times| steps(&times)).collect();
        let finding = |_| format!("{name} x {} a doubling", span(&all.concat()));
        judged.each(&all, |steps| within(steps, DOUBLING), finding);
    }
}

/// Returns the times over nodes, for each N.
fn over_nodes(results: &Results, program: Program, config: Config) -> Vec<Vec<f64>> {
    RECEIVER_N.into_iter().filter_map(|n| results.over_nodes(program, config, n, &NODES)).collect()
}

pub(super) fn falls_with_nodes(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let all = over_nodes(results, program, config);
        let gains: Vec<_> = all.iter().map(|times| times[0] / times[NODES.len() - 1]).collect();
        let finding = |falling| {
            let (all, gains) = (all.len(), span(&gains));
            format!("{name} for {falling} of {all} N, 64 nodes {gains} times as fast as 1")
        };
        judged.each(&all, |times| steps(times).iter().all(|&step| step < 1.0), finding);
    }
}

pub(super) fn poor_on_few(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let efficiency = |p| results.efficiency(program, config, COMPARED_N, p);
        let Some(shares) = all_of(FEW_AND_MANY.map(efficiency)) else { continue };
        let shown: Vec<_> = shares.iter().map(|share| format!("{:.0}%", 100.0 * share)).collect();
        let passed =
            usize::from(shares[0] < POOR) + usize::from(shares[1] < POOR) + usize::from(shares[2] > POOR);
        judged.count(passed, 3, format!("{name} {} at P = 2, 4, 64", shown.join(", ")));
    }
    let free = results.if_asks_are_free(|_, time| {
        Some(format!("{:.0}% at P = 2", 100.0 * results.efficiency_of(time(FEW[0])?, COMPARED_N, FEW[0])?))
    });
    judged.perhaps(free);
}

pub(super) fn sender_better_on_few(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let total = |program, p| results.total(program, config, COMPARED_N, p);
        for (block, senders) in [("B = 16", [16; 3]), ("B = P", FEW_AND_MANY)] {
            let over = |(p, block)| Some(total(program, p)? / total(Program::Sender(block), p)?);
            let Some(ratios) = all_of(FEW_AND_MANY.into_iter().zip(senders).map(over)) else { continue };
            let shown: Vec<_> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
            let better = usize::from(ratios[0] > 1.0) + usize::from(ratios[1] > 1.0);
            let equal = usize::from(about(ratios[2], 1.0));
            let finding = format!("{name} over sender {block} {} at P = 2, 4, 64", shown.join(", "));
            judged.count(better + equal, 3, finding);
        }
    }
    judged.perhaps(results.if_asks_are_free(|config, time| {
        let sender = results.total(Program::Sender(16), config, COMPARED_N, MANY)?;
        Some(format!("{:.2} over sender B = 16 at P = 64", time(MANY)? / sender))
    }));
}

/// Makes an explanation from the experiment on the speed of synchronization units.
fn by_su_speed(finding: Option<String>) -> Option<String> {
    finding.map(|finding| format!("DUAL/SPN for N = 2^12 on 16 nodes, {finding}"))
}

pub(super) fn spn_beats_dual(results: &Results, judged: &mut Judged) {
    for program in [Program::Tree, Program::Shared] {
        let pairs = SEVERAL.into_iter().flat_map(|p| RECEIVER_N.map(|n| (n, p)));
        let ratios: Vec<_> = pairs.filter_map(|(n, p)| results.dual_over_spn(program, n, p)).collect();
        if ratios.is_empty() {
            continue;
        }
        let [faster, finding] = spn_faster(&ratios);
        let (all, ratios) = (ratios.len(), span(&ratios));
        let found = format!(
            "{program}: SPN in {faster} of the {finding} that differ by more than 5%, of {all} in all; DUAL/SPN {ratios}"
        );
        judged.count(faster, finding, found);
    }
    judged
        .because("on several nodes; with one order of fibers for both, see the experiment `order`")
        .perhaps(by_su_speed(results.dual_by_su_speed()))
        .or_cannot_be_told("none differs by more than 5%");
}

pub(super) fn difference_grows(results: &Results, judged: &mut Judged) {
    for program in [Program::Tree, Program::Shared] {
        let ratio = |n, p| results.dual_over_spn(program, n, p);
        let pairs = RECEIVER_N.into_iter().filter_map(|n| Some([ratio(n, FEW[0])?, ratio(n, MANY)?]));
        let pairs: Vec<_> = pairs.collect();
        let grows = |&[few, many]: &[f64; 2]| many > 1.0 + CONSIDERABLE && many > few;
        let [few, many] = [0, 1].map(|at| span(&pairs.iter().map(|pair| pair[at]).collect::<Vec<_>>()));
        judged.each(&pairs, grows, |_| format!("{program}: DUAL/SPN {few} at P = 2, {many} at 64"));
    }
    judged.perhaps(by_su_speed(results.dual_by_su_speed()));
}

pub(super) fn speedup_near_linear(results: &Results, judged: &mut Judged) {
    let gains = |times: &[f64]| steps(times).iter().map(|step| 1.0 / step).collect::<Vec<_>>();
    for (program, config, name) in receivers() {
        let all: Vec<_> = over_nodes(results, program, config).iter().map(|times| gains(times)).collect();
        let finding = |linear| {
            format!("{name} for {linear} of {} N, x {} a doubling of P", all.len(), span(&all.concat()))
        };
        judged.each(&all, |gains| within(gains, DOUBLING), finding);
    }
    judged.perhaps(results.if_asks_are_free(|_, time| {
        Some(format!("x {} for N = 2^14", span(&gains(&all_of(NODES.map(time))?))))
    }));
}

pub(super) fn latencies_hidden(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let base = results.total(program, config, LATENCY_N, LATENCY_P);
        let at = |&(_, setup): &(f64, usize)| {
            let point = Point { setup, ..Point::at(program, config, LATENCY_N, LATENCY_P) };
            Some(results.time(&point)? / base?)
        };
        let ratios: Vec<_> = results.others.latencies.iter().filter_map(at).collect();
        judged.each(
            &ratios,
            |&ratio| ratio <= 1.0 + FLAT,
            |_| format!("{name} x {} of the time", span(&ratios)),
        );
    }
}

pub(super) fn like_sequential_on_one_node(results: &Results, judged: &mut Judged) {
    let sender = |config| (Program::Sender(16), config, format!("sender, B = 16 {}", upper(config)));
    for (program, config, name) in receivers().chain(CONFIGS.map(sender)) {
        let of = |n| results.efficiency(program, config, n, 1);
        let all: Vec<_> = RECEIVER_N.into_iter().filter_map(of).collect();
        let times: Vec<_> = all.iter().map(|efficiency| 1.0 / efficiency).collect();
        let finding = |_| format!("{name} x {} of the row kernel's time", span(&times));
        judged.each(&all, |&efficiency| about(efficiency, 1.0), finding);
    }
}

/// For each program and cost of work: counts the machines of figure `hand-over` whose DUAL is slower by more
/// than 5%, and how many of these are no longer slower with a free hand-over.
pub(super) fn hand_over_is_the_cause(results: &Results, judged: &mut Judged) {
    let works = ["the profile's work", "tuned work"];
    for (work, [usual, free]) in works.into_iter().zip(results.others.hand_overs.iter().copied()) {
        for program in HANDED_OVER {
            let ratios = |p| {
                let time = |config, setup| {
                    results.time(&Point { setup, ..Point::at(program, config, LATENCY_N, p) })
                };
                let spn = time(Config::Spn, usual)?;
                Some([time(Config::Dual, usual)? / spn, time(Config::Dual, free)? / spn])
            };
            let slower = NODES.into_iter().filter_map(ratios).filter(|[as_is, _]| *as_is > 1.0 + FLAT);
            let slower: Vec<_> = slower.collect();
            let [before, after] =
                [0, 1].map(|at| span(&slower.iter().map(|pair| pair[at]).collect::<Vec<_>>()));
            let finding = |_| {
                format!(
                    "{program}, {work}: DUAL/SPN {before} where it is slower, {after} with a free hand-over"
                )
            };
            judged.each(&slower, |[_, without]| *without <= 1.0 + FLAT, finding);
        }
    }
}

pub(super) fn never_idle(results: &Results, judged: &mut Judged) {
    // Node 0 is also slightly busy while it distributes points.
    let busy = |run: &Measured, p: usize| (run.eu_busy / (p as f64 * run.total())).min(1.0);
    for (program, config, name) in receivers() {
        let share = |p| results.get(program, config, COMPARED_N, p).map(|run| busy(run, p));
        let shares: Vec<_> = SEVERAL.into_iter().filter_map(share).collect();
        let shown: Vec<_> = shares.iter().map(|share| format!("{:.0}", 100.0 * share)).collect();
        judged.each(&shares, |&share| share >= NEVER_IDLE, |_| format!("{name} {}%", shown.join(", ")));
    }
    let finding = results.by_su_speed(|[_, dual]| format!("{:.0}%", 100.0 * busy(dual, LATENCY_P)));
    judged.perhaps(finding.map(|finding| format!("in DUAL for N = 2^12 on 16 nodes, {finding}")));
}
