//! Statements of the paper: their texts, sections, rules and judges.
//!
//! The texts are ours. A row says which variant of the receiver reproduces its statement, if any does.

mod counts;
mod receiver;
mod sender;
mod structure;

use std::collections::BTreeSet;

use earth_report::statements::{Statements, judges};

use super::chart::CONFIGS;
use super::charts::experiments::{asks_free, latencies, with_latency};
use super::charts::{self, dual, figures};
use super::judge::{ExperimentSetups, Results};
use super::measured::Point;
use super::program::Program;
use super::setups::Setups;

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
        receiver::spn_beats_dual,
        sender::spn_beats_dual_on_few,
        receiver::difference_grows,
        sender::least_at_large,
        sender::flat_past_sixteen,
        sender::falls_steadily,
        sender::four_slightly_slower,
        sender::best_at_sixteen,
        sender::linear_to_four,
        structure::one_ahead,
        receiver::never_idle,
        receiver::speedup_near_linear,
        receiver::latencies_hidden,
        receiver::like_sequential_on_one_node,
        structure::as_many_asks_on_each_node,
        structure::doubling_asks,
        counts::as_many_nodes_as_threads,
        receiver::hand_over_is_the_cause,
        structure::local_stages_first,
        structure::no_synchronisation_on_one_node,
        structure::contiguous_points,
        structure::plus_minus_is_a_transform,
    ],
};

/// Figures that the statements mention, and experiments on their causes.
const CHARTS: [&str; 9] =
    ["fig8", "fig10", "fig11", "fig12", "fig13", "latency", "hand-over", "free-asks", "su-speed"];

/// Returns the runs that decide the statements, from figures and experiments, and the setups of the
/// experiments.
pub(super) fn needs(setups: &mut Setups) -> (BTreeSet<Point>, ExperimentSetups) {
    // The first name of equal costs stays, so the order of this list determines the names.
    let chart = |name| charts::all().find(|chart| chart.name == name);
    let mut points = BTreeSet::new();
    for chart in CHARTS.into_iter().filter_map(chart) {
        points.extend(chart.drawn(setups).points());
    }
    for config in CONFIGS {
        let blocks = sender::one_thread_a_node();
        let point = |(p, block)| Point::at(Program::Sender(block), config, figures::BLOCKS_N, p);
        points.extend(blocks.map(point));
    }
    // On one node, blocks of 16 are also run for the smaller numbers of points.
    for config in CONFIGS {
        points.extend(figures::RECEIVER_N.map(|n| Point::at(Program::Sender(16), config, n, 1)));
    }
    let given = setups.given().clone();
    let latencies = latencies().into_iter().map(|factor| {
        let name = format!("latency x {factor}, {} cycles a flop", given.work.flop);
        (factor, setups.with(name, with_latency(&given, factor)))
    });
    let latencies = latencies.collect();
    let hand_overs = dual::hand_overs(setups).map(|(_, setups)| setups).into();
    let su_speeds = dual::su_speeds(setups);
    (points, ExperimentSetups { latencies, free_asks: Some(asks_free(setups)), su_speeds, hand_overs })
}

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
