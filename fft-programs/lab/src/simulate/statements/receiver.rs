//! Statements about the receiver-initiated FFT, for both of its variants and both configurations.

use earth::Config;
use earth_report::statements::{FLAT, Judged, about};

use crate::simulate::chart::{CONFIGS, upper};
use crate::simulate::charts::experiments::P as SU_SPEED_P;
use crate::simulate::charts::figures::{COMPARED_N, NODES, RECEIVER_N};
use crate::simulate::judge::{
    DOUBLING, FEW, FEW_AND_MANY, MANY, NEVER_IDLE, POOR, Results, SEVERAL, all_of, begin, begin_sender,
    receivers, span, steps, within,
};
use crate::simulate::measured::Measured;
use crate::simulate::program::Program;

/// Readings of a "near-linear speed-up" that a figure over N shows.
const IN_N: &str = "the time is in proportion to N";
const IN_P: &str = "the speed-up is in proportion to P";

pub(super) fn phase_linear_in_n(results: &Results, judged: &mut Judged) {
    let doublings = MANY.ilog2();
    let bounds = DOUBLING.map(|factor| factor.powf(f64::from(doublings)));
    for (program, config, name) in receivers() {
        let phase = |n| results.get(program, config, n, MANY).map(|run| run.multithreaded);
        let times: Vec<_> = RECEIVER_N.into_iter().map_while(phase).collect();
        if times.len() < 2 {
            continue;
        }
        let steps = steps(&times);
        let found = format!("x {} a doubling of N", span(&steps));
        begin(judged, program, &name).reading(IN_N).check(within(&steps, DOUBLING), found);
        // One node needs this share of the row kernel's time for the levels of the phase.
        let alone = |n: usize| {
            let share = f64::from(doublings) / f64::from(n.ilog2());
            Some(share * results.total(Program::Row, Config::Spn, n, 1)?)
        };
        let alone = RECEIVER_N.into_iter().map_while(alone);
        let gains: Vec<_> = alone.zip(&times).map(|(alone, time)| alone / time).collect();
        let found = format!("{} times as fast as one node", span(&gains));
        judged.reading(IN_P).check(within(&gains, bounds), found);
    }
}

/// Returns the gain of each doubling of P, for each N.
fn gains(results: &Results, program: Program, config: Config) -> Vec<Vec<f64>> {
    let gains = |times: Vec<f64>| steps(&times).iter().map(|step| 1.0 / step).collect();
    over_nodes(results, program, config).into_iter().map(gains).collect()
}

pub(super) fn total_linear_in_n(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let times = |p| RECEIVER_N.into_iter().map_while(move |n| results.total(program, config, n, p));
        let all = NODES.map(|p| steps(&times(p).collect::<Vec<_>>()));
        let all: Vec<_> = all.into_iter().filter(|steps| !steps.is_empty()).collect();
        let finding = |_| format!("x {} a doubling of N", span(&all.concat()));
        begin(judged, program, &name).reading(IN_N).each(&all, |steps| within(steps, DOUBLING), finding);
        let all = gains(results, program, config);
        let finding = |_| format!("x {} a doubling of P", span(&all.concat()));
        judged.reading(IN_P).each(&all, |gains| within(gains, DOUBLING), finding);
    }
}

/// Returns the times over nodes, for each N.
fn over_nodes(results: &Results, program: Program, config: Config) -> Vec<Vec<f64>> {
    RECEIVER_N.into_iter().filter_map(|n| results.over_nodes(program, config, n, &NODES)).collect()
}

pub(super) fn falls_with_nodes(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let all = over_nodes(results, program, config);
        let ends: Vec<_> = all.iter().map(|times| times[0] / times[NODES.len() - 1]).collect();
        let finding = |falling| {
            let gains = span(&gains(results, program, config).concat());
            let (all, ends) = (all.len(), span(&ends));
            format!("for {falling} of {all} N, x {gains} a doubling of P, 64 nodes {ends} times as fast as 1")
        };
        let falls = |times: &Vec<f64>| steps(times).iter().all(|&step| step < 1.0 - FLAT);
        begin(judged, program, &name).each(&all, falls, finding);
    }
}

pub(super) fn poor_on_few(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let efficiency = |p| results.efficiency(program, config, COMPARED_N, p);
        let Some(shares) = all_of(FEW_AND_MANY.map(efficiency)) else { continue };
        let shown: Vec<_> = shares.iter().map(|share| format!("{:.0}%", 100.0 * share)).collect();
        let passed =
            usize::from(shares[0] < POOR) + usize::from(shares[1] < POOR) + usize::from(shares[2] > POOR);
        let found = format!("{} at P = 2, 4, 64", shown.join(", "));
        begin(judged, program, &name).count(passed, 3, found);
    }
    let free = results.if_asks_are_free(|_, time| {
        Some(format!("{:.0}% at P = 2", 100.0 * results.efficiency_of(time(FEW[0])?, COMPARED_N, FEW[0])?))
    });
    judged.perhaps(free);
}

pub(super) fn sender_better_on_few(results: &Results, judged: &mut Judged) {
    let ratios = |program, config, blocks: [usize; 3]| {
        let total = |program, p| results.total(program, config, COMPARED_N, p);
        let over = |(p, block)| Some(total(program, p)? / total(Program::Sender(block), p)?);
        all_of(FEW_AND_MANY.into_iter().zip(blocks).map(over))
    };
    let readings = [("B = 16", [16; 3]), ("B = P", FEW_AND_MANY)];
    for (clause, is_few) in [("better on 2 and 4 nodes", true), ("about equal on 64", false)] {
        judged.clause(clause);
        for (program, config, name) in receivers() {
            begin(judged, program, &name);
            for (reading, blocks) in readings {
                let Some(ratios) = ratios(program, config, blocks) else { continue };
                judged.reading(reading);
                let shown = |ratios: &[f64]| {
                    let shown: Vec<_> = ratios.iter().map(|ratio| format!("{ratio:.2}")).collect();
                    format!("{} of the sender's time", shown.join(", "))
                };
                if is_few {
                    judged.check(ratios[..2].iter().all(|&ratio| ratio > 1.0 + FLAT), shown(&ratios[..2]));
                } else {
                    judged.check(about(ratios[2], 1.0), shown(&ratios[2..]));
                }
            }
        }
    }
    judged.perhaps(results.if_asks_are_free(|config, time| {
        let sender = results.total(Program::Sender(16), config, COMPARED_N, MANY)?;
        Some(format!("{:.2} of the sender's time at P = 64", time(MANY)? / sender))
    }));
}

pub(super) fn speedup_near_linear(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let all = gains(results, program, config);
        let finding =
            |linear| format!("for {linear} of {} N, x {} a doubling of P", all.len(), span(&all.concat()));
        begin(judged, program, &name).each(&all, |gains| within(gains, DOUBLING), finding);
    }
    judged.perhaps(results.if_asks_are_free(|_, time| {
        let gains: Vec<_> = steps(&all_of(NODES.map(time))?).iter().map(|step| 1.0 / step).collect();
        Some(format!("x {} for N = 2^14", span(&gains)))
    }));
}

pub(super) fn like_sequential_on_one_node(results: &Results, judged: &mut Judged) {
    let sender = |config| (Program::Sender(16), config, format!("sender {}", upper(config)));
    for (program, config, name) in CONFIGS.map(sender).into_iter().chain(receivers()) {
        match program {
            Program::Sender(_) => begin_sender(judged, config),
            _ => begin(judged, program, &name),
        };
        let of = |n| results.efficiency(program, config, n, 1);
        let all: Vec<_> = RECEIVER_N.into_iter().filter_map(of).collect();
        let times: Vec<_> = all.iter().map(|efficiency| 1.0 / efficiency).collect();
        let finding = |_| format!("x {} of the row kernel's time", span(&times));
        judged.each(&all, |&efficiency| about(efficiency, 1.0), finding);
    }
}

/// Returns the share of the time in which the nodes' execution units work.
fn busy(run: &Measured, p: usize) -> f64 {
    // Node 0 is also slightly busy while it distributes points.
    (run.eu_busy / (p as f64 * run.total())).min(1.0)
}

pub(super) fn never_idle(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let share = |p| results.get(program, config, COMPARED_N, p).map(|run| busy(run, p));
        let shares: Vec<_> = SEVERAL.into_iter().filter_map(share).collect();
        let shown: Vec<_> = shares.iter().map(|share| format!("{:.0}", 100.0 * share)).collect();
        let finding = |_| format!("{}% at P = 2, 4, .. 64", shown.join(", "));
        begin(judged, program, &name).each(&shares, |&share| share >= NEVER_IDLE, finding);
    }
    let finding = results.by_su_speed(|[_, dual]| format!("{:.0}%", 100.0 * busy(dual, SU_SPEED_P)));
    judged.perhaps(finding.map(|finding| format!("in DUAL for N = 2^12 on 16 nodes, {finding}")));
}
