//! Statements about causes. Each is checked against the run that removes the cause.

use earth::Config;
use earth_report::statements::{FLAT, Judged};

use super::sender::SLOWER_P;
use crate::simulate::chart::CONFIGS;
use crate::simulate::charts::dual::HANDED_OVER;
use crate::simulate::charts::experiments::{N, P};
use crate::simulate::charts::figures::{BLOCKS_N, NODES};
use crate::simulate::judge::{MANY, Results, begin, begin_sender, receivers, span};
use crate::simulate::measured::Point;
use crate::simulate::program::Program;

pub(super) fn latencies_hidden(results: &Results, judged: &mut Judged) {
    for (program, config, name) in receivers() {
        let base = results.total(program, config, N, P);
        let at = |&(_, setup): &(f64, usize)| {
            let point = Point { setup, ..Point::at(program, config, N, P) };
            Some(results.time(&point)? / base?)
        };
        let ratios: Vec<_> = results.others.latencies.iter().filter_map(at).collect();
        let finding = |_| format!("x {} of the time", span(&ratios));
        begin(judged, program, &name).each(&ratios, |&ratio| ratio <= 1.0 + FLAT, finding);
    }
}

pub(super) fn communication_degrades_nothing(results: &Results, judged: &mut Judged) {
    let Some(setup) = results.others.free_messages else { return };
    for (program, config, name) in receivers() {
        let point = Point::at(program, config, N, MANY);
        let (Some(time), Some(free)) = (results.time(&point), results.time(&Point { setup, ..point })) else {
            continue;
        };
        let ratio = time / free;
        let found = format!("x {ratio:.2} of the time with free messages");
        begin(judged, program, &name).check(ratio <= 1.0 + FLAT, found);
    }
}

/// For each program and cost of work: counts the machines whose DUAL is slower by more than 5%, and how many
/// of these are no longer slower with a free hand-over.
pub(super) fn hand_over_is_the_cause(results: &Results, judged: &mut Judged) {
    let works = ["the profile's work", "tuned work"];
    for program in HANDED_OVER {
        let name = match program {
            Program::Tree => "tree",
            Program::Shared => "shared",
            _ => "sender",
        };
        begin(judged, program, name);
        for (work, [usual, free]) in works.into_iter().zip(results.others.hand_overs.iter().copied()) {
            let ratios = |p| {
                let time = |config, setup| results.time(&Point { setup, ..Point::at(program, config, N, p) });
                let spn = time(Config::Spn, usual)?;
                Some([time(Config::Dual, usual)? / spn, time(Config::Dual, free)? / spn])
            };
            let slower = NODES.into_iter().filter_map(ratios).filter(|[as_is, _]| *as_is > 1.0 + FLAT);
            let slower: Vec<_> = slower.collect();
            let [before, after] =
                [0, 1].map(|at| span(&slower.iter().map(|pair| pair[at]).collect::<Vec<_>>()));
            let finding =
                |_| format!("{work}: DUAL/SPN {before} where DUAL is slower, {after} with a free hand-over");
            judged.each(&slower, |[_, without]| *without <= 1.0 + FLAT, finding);
        }
    }
}

/// Tests what makes blocks of 4 points slower than blocks of 16.
pub(super) fn switches_are_the_cause(results: &Results, judged: &mut Judged) {
    let (Some(switches), Some(messages)) = (results.others.free_switches, results.others.free_messages)
    else {
        return;
    };
    for config in CONFIGS {
        let ratio = |setup| {
            let time = |block| {
                results
                    .time(&Point { setup, ..Point::at(Program::Sender(block), config, BLOCKS_N, SLOWER_P) })
            };
            Some(time(4)? / time(16)?)
        };
        let ratios = [0, switches, messages].map(ratio);
        let [Some(usual), Some(switches), Some(messages)] = ratios else { continue };
        let found = format!(
            "B = 4 takes x {usual:.3} of the time of B = 16, x {switches:.3} with free switches, x {messages:.3} with free messages"
        );
        begin_sender(judged, config).check_if(usual > 1.0 + FLAT, switches <= 1.0 + FLAT, found);
    }
}
