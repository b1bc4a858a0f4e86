//! Statements on counts, and on the two times that the paper gives.

use earth::Config;
use earth_report::statements::{Judged, about};

use crate::simulate::chart::{CONFIGS, upper};
use crate::simulate::charts::figures::{COMPARED_N, NODES, RECEIVER_N, SMALL};
use crate::simulate::judge::{MANY, PAPER_CLOCK, Results, receivers};
use crate::simulate::measured::Measured;
use crate::simulate::program::Program;

/// Returns all programs that may have the paper's time on 64 nodes.
fn candidates() -> Vec<(Program, Config, String)> {
    let senders = [Program::Sender(16), Program::Sender(MANY)].into_iter().flat_map(|program| {
        CONFIGS.into_iter().map(move |config| (program, config, format!("{program} {}", upper(config))))
    });
    senders.chain(receivers()).collect()
}

pub(super) fn ten_milliseconds(results: &Results, judged: &mut Judged) {
    for (program, config, name) in candidates() {
        let Some(run) = results.get(program, config, COMPARED_N, MANY) else { continue };
        let ms = |seconds: f64| seconds * 1e3 * results.clock_mhz / PAPER_CLOCK;
        let Measured { dealing, gathering, .. } = *run;
        let [total, whole] = [run.total(), dealing + run.total() + gathering].map(ms);
        judged.check(
            about(total, 10.0),
            format!("{name} {total:.1} ms ({whole:.1} with dealing and gathering)"),
        );
    }
    let clock = results.clock_mhz / PAPER_CLOCK;
    let free = results.if_asks_are_free(|_, time| Some(format!("{:.1} ms", time(MANY)? * 1e3 * clock)));
    judged.perhaps(free);
}

pub(super) fn seventy_percent(results: &Results, judged: &mut Judged) {
    for (program, config, name) in candidates() {
        if let Some(efficiency) = results.efficiency(program, config, COMPARED_N, MANY) {
            judged.check(about(efficiency, 0.7), format!("{name} {:.0}%", 100.0 * efficiency));
        }
    }
    let free = results.if_asks_are_free(|_, time| {
        Some(format!("{:.0}%", 100.0 * results.efficiency_of(time(MANY)?, COMPARED_N, MANY)?))
    });
    judged.perhaps(free);
}

/// Returns whether each count of a run equals the paper's: 2(P-1)N tokens and N log P butterflies.
fn as_stated(run: &Measured, n: u64, p: u64) -> [bool; 2] {
    [run.requests == 2 * (p - 1) * n, run.half_butterflies == n * u64::from(p.ilog2())]
}

pub(super) fn tokens_and_butterflies(results: &Results, judged: &mut Judged) {
    for (program, name) in [(Program::Tree, "tree"), (Program::Shared, "shared")] {
        let (mut all, mut example) = (Vec::new(), String::new());
        for (n, p) in RECEIVER_N.into_iter().flat_map(|n| NODES[1..].iter().map(move |&p| (n, p))) {
            for run in CONFIGS.iter().filter_map(|&config| results.get(program, config, n, p)) {
                all.push(as_stated(run, n as u64, p as u64));
                if (n, p) == (COMPARED_N, MANY) {
                    example = format!("; 2^14 on 64: {} and {}", run.requests, run.half_butterflies);
                }
            }
        }
        let [tokens, butterflies] =
            [0, 1].map(|at: usize| all.iter().filter(|as_stated| as_stated[at]).count());
        let finding = |both| {
            let all = all.len();
            format!(
                "{name}: both in {both} of {all} runs, the tokens in {tokens}, the butterflies in {butterflies}{example}"
            )
        };
        judged.each(&all, |as_stated| *as_stated == [true; 2], finding);
    }
}

pub(super) fn as_many_nodes_as_threads(results: &Results, judged: &mut Judged) {
    let (n, block) = SMALL;
    for config in CONFIGS {
        let at_work = |p| results.get(Program::Sender(block), config, n, p).map(|run| run.nodes_at_work);
        let counts: Vec<_> = NODES.into_iter().filter(|&p| p > n / block).filter_map(at_work).collect();
        if let (Some(least), Some(most)) = (counts.iter().min(), counts.iter().max()) {
            let shown = if least == most { least.to_string() } else { format!("{least} to {most}") };
            let finding = format!("{} {shown} nodes run fibers for {} threads", upper(config), n / block);
            judged.each(&counts, |&count| count == n / block, |_| finding);
        }
    }
}
