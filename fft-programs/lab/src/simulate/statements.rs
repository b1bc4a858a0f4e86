//! The statements of the paper: their words and sections, the rules by which they are judged, and their judges.
//!
//! The words are ours. A row says which variant of the receiver reproduces its statement, if any does.

mod counts;
mod receiver;
mod sender;
mod structure;

use std::collections::BTreeSet;

use super::chart::CONFIGS;
use super::experiments::{asks_free, latencies, with_latency};
use super::judge::{Others, Results};
use super::measured::Point;
use super::program::Program;
use super::setups::Setups;
use super::subject::Subject;
use super::{dual, figures};
use crate::statements::{self, Row, Statement};

/// All statements, judged on these results.
pub(super) fn judged(results: &Results) -> Vec<Row> {
    statements::judged(&STATEMENTS, results)
}

/// The figures that the statements speak of.
const FIGURES: [Subject; 5] = [Subject::Fig8, Subject::Fig10, Subject::Fig11, Subject::Fig12, Subject::Fig13];

/// The runs that the statements are judged on, of figures and experiments, and the places of the costs of the experiments.
pub(super) fn needs(setups: &mut Setups) -> (BTreeSet<Point>, Others) {
    let figures = FIGURES.into_iter().filter_map(figures::chart);
    let mut points: BTreeSet<_> = figures.flat_map(|chart| chart.points()).collect();
    for config in CONFIGS {
        let blocks = sender::one_thread_a_node();
        let point = |(p, block)| Point::at(Program::Sender(block), config, figures::BLOCKS_N, p);
        points.extend(blocks.map(point));
    }
    // On one node blocks of 16 are run for the smaller numbers of points, too.
    for config in CONFIGS {
        points.extend(figures::RECEIVER_N.map(|n| Point::at(Program::Sender(16), config, n, 1)));
    }
    let experiments = [Subject::Latency, Subject::HandOver, Subject::FreeAsks, Subject::SuSpeed];
    points.extend(
        experiments.into_iter().filter_map(|of| super::chart_of(of, setups)).flat_map(|of| of.points()),
    );
    let given = setups.given().clone();
    let latencies = latencies().into_iter().map(|factor| {
        let name = format!("latency x {factor}, {} cycles a flop", given.work.flop);
        (factor, setups.with(name, with_latency(&given, factor)))
    });
    let latencies = latencies.collect();
    let hand_overs = dual::hand_overs(setups).map(|(_, setups)| setups).into();
    let su_speeds = dual::su_speeds(setups);
    (points, Others { latencies, free_asks: Some(asks_free(setups)), su_speeds, hand_overs })
}

const STATEMENTS: [Statement<Results>; 30] = [
    Statement {
        says: "16K points on 64 nodes of 140 MHz take 10 ms, with either program",
        section: Some("abstract, 6"),
        rule: "the total time at 140 MHz is within a factor of 1.25 of 10 ms",
        judge: counts::ten_milliseconds,
    },
    Statement {
        says: "the absolute speed-up on 64 nodes is about 70% of 64",
        section: Some("5.2"),
        rule: "the row kernel's time on one node over 64 times the total time is within a factor of 1.25 of 0.7",
        judge: counts::seventy_percent,
    },
    Statement {
        says: "the receiver makes 2(P-1)N tokens and computes N log P butterflies",
        section: Some("2.1, 3.1"),
        rule: "asks and half butterflies, one output each, are counted in every run with P > 1 and are exactly these",
        judge: counts::tokens_and_butterflies,
    },
    Statement {
        says: "the receiver's multithreaded phase on 64 nodes is near-linear in N up to 2^15",
        section: Some("5.1, figure 7"),
        rule: "each doubling of N multiplies it by 1.7 to 2.3",
        judge: receiver::phase_linear_in_n,
    },
    Statement {
        says: "the receiver's total time falls as P grows",
        section: Some("5.1, figure 8"),
        rule: "each doubling of P from 1 to 64 makes it less, for each N",
        judge: receiver::falls_with_nodes,
    },
    Statement {
        says: "the receiver's total time is near-linear in N for each P",
        section: Some("5.1, figure 9"),
        rule: "each doubling of N multiplies it by 1.7 to 2.3, for each P",
        judge: receiver::total_linear_in_n,
    },
    Statement {
        says: "the receiver does poorly on few processors, and well on many",
        section: Some("5.1, 6"),
        rule: "for 16K points, less than half of the nodes' time is what a sequential program needs at P = 2 and 4, more at 64",
        judge: receiver::poor_on_few,
    },
    Statement {
        says: "the sender is better on few processors; on 64 both are about equal",
        section: Some("5.2, figure 13"),
        rule: "for 16K points, the sender (B = 16 and B = P) is faster at P = 2 and 4, and within a factor of 1.25 at 64",
        judge: receiver::sender_better_on_few,
    },
    Statement {
        says: "SPN beats DUAL for the receiver",
        section: Some("5.1"),
        rule: "of the total times that differ by more than 5%, for each N and each P from 2 on, SPN's is the lesser",
        judge: receiver::spn_beats_dual,
    },
    Statement {
        says: "SPN beats DUAL for the sender, most on few processors",
        section: Some("5.2, figure 10"),
        rule: "of the total times that differ by more than 5%, for each N, B and P up to 64, SPN's is the lesser; of DUAL/SPN on one node and on 64, where they differ by more than 0.05, the one on one node is greater",
        judge: sender::spn_beats_dual,
    },
    Statement {
        says: "between SPN and DUAL the receiver's time differs considerably as P grows",
        section: Some("5.1"),
        rule: "for each N DUAL takes more than 10% longer at P = 64, and more so than at 2",
        judge: receiver::difference_grows,
    },
    Statement {
        says: "with B = 16 the sender's time is least on the largest machines in both cases, for all N",
        section: Some("5.2, figure 10"),
        rule: "for each N, of all P the least total times of SPN and of DUAL are both at 64 or 120",
        judge: sender::least_at_large,
    },
    Statement {
        says: "for N = 2^12 and B = 256 the time no longer changes past 16 nodes",
        section: Some("5.2, figure 11"),
        rule: "at P = 32, 64 and 120 it is within 5% of that at 16",
        judge: sender::flat_past_sixteen,
    },
    Statement {
        says: "for N = 2^12, B = 4 and 16, the time falls steadily",
        section: Some("5.2, figure 11"),
        rule: "each doubling of P from 1 to 64 makes it less",
        judge: sender::falls_steadily,
    },
    Statement {
        says: "on 32 nodes B = 4 is slightly slower than B = 16",
        section: Some("5.2, figure 11"),
        rule: "it is slower, by a factor of at most 1.25",
        judge: sender::four_slightly_slower,
    },
    Statement {
        says: "the best result has 16 threads on 16 nodes; one thread a node is best",
        section: Some("5.2, 6"),
        rule: "for N = 2^12, B = 256 at P = 16 is the best of figure 11 up to 64 nodes; at P = 16, 32 and 64, B = N/P is faster than the best of 4, 16 and 256, if they differ by more than 5%",
        judge: sender::best_at_sixteen,
    },
    Statement {
        says: "for N = 64 and B = 16 the time falls linearly to 4 nodes and is flat from 8",
        section: Some("5.2, figure 12"),
        rule: "each doubling to 4 nodes divides it by 1.7 to 2.3; at 16 to 120 it is within 5% of that at 8",
        judge: sender::linear_to_four,
    },
    Statement {
        says: "a thread is at most one iteration ahead of its mate, so a flag of one bit is enough",
        section: Some("3.2"),
        rule: "the largest lead that the order of exchanges allows, found by letting all threads but a late one run, is at most 1",
        judge: structure::one_ahead,
    },
    Statement {
        says: "the receiver's processors are never idle",
        section: Some("2.1, 5.1"),
        rule: "execution units work at least 95% of the total time, for 16K points, at P = 2 to 64",
        judge: receiver::never_idle,
    },
    Statement {
        says: "the receiver's speed-up is near-linear in P",
        section: Some("6"),
        rule: "each doubling of P from 1 to 64 divides the total time by 1.7 to 2.3, for each N",
        judge: receiver::speedup_near_linear,
    },
    Statement {
        says: "the receiver hides latencies",
        section: Some("2.1, 5.1"),
        rule: "at a quarter to 16 times the latency the total time is at most 5% more",
        judge: receiver::latencies_hidden,
    },
    Statement {
        says: "one node is close to a sequential program",
        section: Some("4"),
        rule: "on one node the total time is within a factor of 1.25 of the row kernel's, for N of 2^10 to 2^15",
        judge: receiver::like_sequential_on_one_node,
    },
    Statement {
        says: "each node has the same number of the receiver's asks",
        section: Some("2.1"),
        rule: "the asks are followed by the order that the program has: each node gets as many, for each P",
        judge: structure::as_many_asks_on_each_node,
    },
    Statement {
        says: "a node has 2^i N/P asks at level i",
        section: Some("2.1"),
        rule: "the asks are followed by the order that the program has: each node gets as many, at each level, for each P",
        judge: structure::doubling_asks,
    },
    Statement {
        says: "if there are more nodes than N/B threads, only N/B nodes work",
        section: Some("3.2, 5.2"),
        rule: "for N = 64 and B = 16, fibers run on 4 nodes at P = 8 to 64",
        judge: counts::as_many_nodes_as_threads,
    },
    Statement {
        says: "DUAL loses because the EU must hand operations over to the SU",
        section: Some("5.1, 5.2"),
        rule: "where DUAL is more than 5% slower it no longer is if the hand-over costs nothing, at the profile's work and at tuned work",
        judge: receiver::hand_over_is_the_cause,
    },
    Statement {
        says: "local stages come first, then the exchange",
        section: Some("5.2"),
        rule: "the other threads need no more different sums of a block's contiguous points than it has points",
        judge: structure::local_stages_first,
    },
    Statement {
        says: "threads on one node need not synchronise",
        section: Some("3.2"),
        rule: "no block is consumed before it is produced, if each thread runs to its end before the next one",
        judge: structure::no_synchronisation_on_one_node,
    },
    Statement {
        says: "a node of the receiver has N/P contiguous points",
        section: Some("5.1"),
        rule: "the other nodes need no more different sums of them than it has points, so that local stages can make them",
        judge: structure::contiguous_points,
    },
    Statement {
        says: "butterflies a + b w^j and a - b w^j, j by the place in the block, from the first exchange on make a transform",
        section: Some("2.2, figure 4"),
        rule: "for N = 4 to 16 the values are those of the definition, in any order",
        judge: structure::plus_minus_is_a_transform,
    },
];

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
