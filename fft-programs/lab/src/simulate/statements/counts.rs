//! Statements on counts, and on the two times that the paper gives.

use earth::Config;
use earth_report::statements::{Judged, about};

use crate::simulate::chart::{CONFIGS, upper};
use crate::simulate::charts::figures::{COMPARED_N, NODES, RECEIVER_N, SMALL};
use crate::simulate::judge::{MANY, Results, SEVERAL, begin, receivers};
use crate::simulate::measured::Measured;
use crate::simulate::program::Program;

/// Ends of the time that the paper may mean.
const READINGS: [(&str, bool); 2] = [("total alone", false), ("with dealing and gathering", true)];

/// Program that may have the paper's time on 64 nodes, with its settings.
struct Candidate {
    name: String,
    config: Config,
    settings: Vec<(&'static str, Program)>,
}

fn candidates() -> impl Iterator<Item = Candidate> {
    let senders = CONFIGS.map(|config| Candidate {
        name: format!("sender {}", upper(config)),
        config,
        settings: vec![("B = 16 ", Program::Sender(16)), ("B = 64 ", Program::Sender(MANY))],
    });
    let receiver = |(program, config, name)| Candidate { name, config, settings: vec![("", program)] };
    senders.into_iter().chain(receivers().map(receiver))
}

/// Judges a figure of the time for 16K points on 64 nodes, in both readings of that time.
fn judge_time(
    results: &Results,
    judged: &mut Judged,
    passes: impl Fn(f64) -> bool,
    shown: impl Fn(f64) -> String,
) {
    for Candidate { name, config, settings } in candidates() {
        begin(judged, settings[0].1, &name);
        for (reading, is_whole) in READINGS {
            judged.reading(reading);
            for (setting, program) in &settings {
                let Some(run) = results.get(*program, config, COMPARED_N, MANY) else { continue };
                let around = if is_whole { run.dealing + run.gathering } else { 0.0 };
                let time = run.total() + around;
                judged.check(passes(time), format!("{setting}{}", shown(time)));
            }
        }
    }
}

pub(super) fn ten_milliseconds(results: &Results, judged: &mut Judged) {
    let ms = |time: f64| results.ms(time);
    judge_time(results, judged, |time| about(ms(time), 10.0), |time| format!("{:.1} ms", ms(time)));
    let free = results.if_asks_are_free(|_, time| Some(format!("{:.1} ms", ms(time(MANY)?))));
    judged.perhaps(free);
}

pub(super) fn seventy_percent(results: &Results, judged: &mut Judged) {
    let efficiency = |time: f64| results.efficiency_of(time, COMPARED_N, MANY).unwrap_or(f64::NAN);
    let shown = |time: f64| format!("{:.0}%", 100.0 * efficiency(time));
    judge_time(results, judged, |time| about(efficiency(time), 0.7), shown);
    judged.perhaps(results.if_asks_are_free(|_, time| Some(shown(time(MANY)?))));
}

/// Returns the receiver's runs on several nodes, each with N and P.
fn counted(results: &Results, program: Program, config: Config) -> Vec<(&Measured, u64, u64)> {
    let pairs = RECEIVER_N.into_iter().flat_map(|n| SEVERAL.map(|p| (n, p)));
    let run = |(n, p)| Some((results.get(program, config, n, p)?, n as u64, p as u64));
    pairs.filter_map(run).collect()
}

pub(super) fn tokens_and_butterflies(results: &Results, judged: &mut Judged) {
    type Count = fn(&Measured) -> u64;
    type Stated = fn(u64, u64) -> u64;
    let clauses: [(&str, Count, Stated); 2] = [
        ("2(P-1)N tokens", |run| run.requests, |n, p| 2 * (p - 1) * n),
        ("N log P butterflies", |run| run.half_butterflies, |n, p| n * u64::from(p.ilog2())),
    ];
    for (clause, count, stated) in clauses {
        judged.clause(clause);
        for (program, config, name) in receivers() {
            let all = counted(results, program, config);
            let example = results.get(program, config, COMPARED_N, MANY).map(count).unwrap_or_default();
            let finding =
                |right| format!("in {right} of {} runs; 2^14 points on 64 nodes: {example}", all.len());
            begin(judged, program, &name).each(&all, |(run, n, p)| count(run) == stated(*n, *p), finding);
        }
    }
}

pub(super) fn twice_the_computations(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let all = counted(results, program, config);
        // The least number of butterflies is (N / 2) log P.
        let times = |run: &Measured, n: u64, p: u64| {
            2.0 * run.half_butterflies as f64 / (n as f64 * f64::from(p.ilog2()))
        };
        let at = |nodes: u64| all.iter().find(|(.., p)| *p == nodes).map(|(run, n, p)| times(run, *n, *p));
        let [few, many] = [2, MANY as u64].map(|p| at(p).unwrap_or(f64::NAN));
        let finding = |right| {
            let all = all.len();
            format!("a factor of 2 in {right} of {all} runs; {few:.0} on 2 nodes, {many:.0} on 64")
        };
        let is_two = |(run, n, p): &(&Measured, u64, u64)| (times(run, *n, *p) - 2.0).abs() < 1e-9;
        begin(judged, program, &name).each(&all, is_two, finding);
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

/// Returns the receiver's asks on each node for 16K points, by the formula of the paper, on 2 nodes and on
/// 64.
pub(in crate::simulate) fn tokens_a_node() -> [usize; 2] {
    [2, MANY].map(|p| 2 * (p - 1) * COMPARED_N / p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paper_s_tokens_a_node_grow_with_the_nodes() {
        assert_eq!(tokens_a_node(), [16_384, 32_256]);
    }
}
