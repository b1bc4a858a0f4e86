//! Statements of the paper: their texts, sections, rules and judges.
//!
//! The texts are ours.

mod causes;
mod configurations;
mod counts;
mod receiver;
mod sender;
mod structure;
mod tokens;

use std::collections::BTreeSet;

use earth_report::statements::{Statements, judges};

use super::chart::CONFIGS;
use super::charts::dual::HANDED_OVER;
use super::charts::experiments::{
    N, P, asks_free, latencies, with_free_messages, with_free_switches, with_latency,
};
use super::charts::figures::{BLOCKS, BLOCKS_N, COMPARED_N, NODES, RECEIVER_N, SENDER_N, SMALL};
use super::charts::threads::{STOLEN_N, STOLEN_P, THREADS};
use super::charts::{self, dual, figures, threads};
use super::judge::{ExperimentSetups, FEW_AND_MANY, MANY, Results, VARIANTS};
use super::measured::Point;
use super::program::Program;
use super::setups::Setups;
use sender::SLOWER_P;

pub(super) use counts::tokens_a_node;

pub(super) const STATEMENTS: Statements<Results> = Statements {
    table: include_str!("statements.md"),
    judges: judges![
        counts::ten_milliseconds,
        counts::seventy_percent,
        counts::tokens_and_butterflies,
        receiver::phase_linear_in_n,
        receiver::falls_with_nodes,
        receiver::total_linear_in_n,
        receiver::poor_on_few,
        receiver::sender_better_on_few,
        configurations::spn_beats_dual,
        configurations::spn_beats_dual_on_few,
        configurations::difference_grows,
        configurations::alike_at_large,
        sender::flat_past_sixteen,
        sender::falls_steadily,
        sender::four_slightly_slower,
        sender::best_at_sixteen,
        sender::linear_to_four,
        structure::one_ahead,
        receiver::never_idle,
        receiver::speedup_near_linear,
        causes::latencies_hidden,
        receiver::like_sequential_on_one_node,
        structure::as_many_asks_on_each_node,
        structure::doubling_asks,
        counts::as_many_nodes_as_threads,
        causes::hand_over_is_the_cause,
        structure::local_stages_first,
        structure::no_synchronisation_on_one_node,
        structure::contiguous_points,
        structure::plus_minus_is_a_transform,
        counts::twice_the_computations,
        causes::communication_degrades_nothing,
        causes::switches_are_the_cause,
        tokens::idle_nodes_take_tokens,
        sender::two_or_three_threads,
    ],
};

/// Experiments whose results are reasons of verdicts, and decide none.
const REASONS: [&str; 2] = ["latency", "free-asks"];

/// Returns the runs that decide the statements and those that give reasons for verdicts, with the setups of
/// the experiments.
pub(super) fn needs(setups: &mut Setups) -> (BTreeSet<Point>, ExperimentSetups) {
    let mut points = BTreeSet::new();
    for name in REASONS {
        // The first name of equal costs stays, so the order of this list determines the names.
        let chart = charts::all().find(|chart| chart.name == name);
        points.extend(chart.into_iter().flat_map(|chart| chart.drawn(setups).points()));
    }
    let su_speeds = dual::su_speeds(setups);
    points.extend(dual::su_speed_points(&su_speeds));
    let (needed, checked) = checks(setups, &RECEIVER_N);
    points.extend(needed);
    (points, ExperimentSetups { free_asks: Some(asks_free(setups)), su_speeds, ..checked })
}

/// Returns the runs that decide the statements, with the setups of the experiments that do. `sizes` are the
/// receiver's numbers of points.
pub(super) fn checks(setups: &mut Setups, sizes: &[usize]) -> (BTreeSet<Point>, ExperimentSetups) {
    let given = setups.given().clone();
    let latencies = latencies().into_iter().map(|factor| {
        let name = format!("latency x {factor}, {} cycles a flop", given.work.flop);
        (factor, setups.with(name, with_latency(&given, factor)))
    });
    let latencies: Vec<_> = latencies.collect();
    let hand_overs: Vec<_> = dual::hand_overs(setups).map(|(_, setups)| setups).into();
    let free_switches = setups.with("switches free", with_free_switches(&given));
    let free_messages = setups.with("messages free", with_free_messages(&given));
    let mut points = BTreeSet::new();
    for config in CONFIGS {
        for (program, n) in
            VARIANTS.into_iter().flat_map(|(program, _)| sizes.iter().map(move |&n| (program, n)))
        {
            points.extend(NODES.map(|p| Point::at(program, config, n, p)));
        }
        for (program, setup) in
            VARIANTS.into_iter().flat_map(|(program, _)| latencies.iter().map(move |at| (program, at.1)))
        {
            points.insert(Point { setup, ..Point::at(program, config, N, P) });
        }
        for (program, _) in VARIANTS {
            points.insert(Point { setup: free_messages, ..Point::at(program, config, N, MANY) });
        }
        for (program, setup) in HANDED_OVER
            .into_iter()
            .flat_map(|program| hand_overs.concat().into_iter().map(move |setup| (program, setup)))
        {
            points.extend(NODES.map(|p| Point { setup, ..Point::at(program, config, N, p) }));
        }
        for n in STOLEN_N {
            points.extend(STOLEN_P.map(|p| Point::at(Program::Tokens, config, n, p)));
        }
        let sender = |block, n, p| Point::at(Program::Sender(block), config, n, p);
        points.extend(RECEIVER_N.map(|n| sender(16, n, 1)));
        points.extend(SENDER_N.into_iter().flat_map(|n| NODES.map(|p| sender(16, n, p))));
        let sizes = BLOCKS.map(|block| (BLOCKS_N, block)).into_iter().chain([SMALL]);
        points.extend(sizes.flat_map(|(n, block)| figures::sender_nodes().map(move |p| sender(block, n, p))));
        points.extend(FEW_AND_MANY.map(|p| sender(p, COMPARED_N, p)));
        points.extend(sender::one_thread_a_node().map(|(p, block)| sender(block, BLOCKS_N, p)));
        points.extend(THREADS.map(|threads| Point::at(threads::with_threads(threads), config, N, P)));
        for setup in [free_switches, free_messages] {
            points.extend([4, 16].map(|block| Point { setup, ..sender(block, BLOCKS_N, SLOWER_P) }));
        }
    }
    points.retain(|point| point.program.can(point.n, point.p));
    let bases: Vec<_> = points.iter().map(|point| Point { setup: 0, ..point.base() }).collect();
    points.extend(bases);
    let (free_switches, free_messages) = (Some(free_switches), Some(free_messages));
    (
        points,
        ExperimentSetups {
            latencies,
            hand_overs,
            free_switches,
            free_messages,
            ..ExperimentSetups::default()
        },
    )
}

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
