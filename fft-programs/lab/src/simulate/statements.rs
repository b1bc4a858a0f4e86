//! The twenty statements of the paper as rows: what it says, by what rule it is judged, what we get.
//!
//! What the paper says is told in our words. Which statement is reproduced by which variant of the receiver
//! is part of the row; none is promised.

mod counts;
mod receiver;
mod sender;

use std::collections::BTreeSet;

use super::figures;
use super::judge::Results;
use super::measured::Point;
use super::subject::Subject;
use crate::statements::{self, Row, Statement};

/// All statements, judged on what there is.
pub(super) fn judged(results: &Results) -> Vec<Row> {
    statements::judged(&STATEMENTS, results)
}

/// The figures that the statements speak of.
const FIGURES: [Subject; 5] = [Subject::Fig8, Subject::Fig10, Subject::Fig11, Subject::Fig12, Subject::Fig13];

/// The runs that the statements are judged on: those of the figures, and the sequential ones.
pub(super) fn points() -> BTreeSet<Point> {
    FIGURES.into_iter().filter_map(figures::chart).flat_map(|chart| chart.points()).collect()
}

const STATEMENTS: [Statement<Results>; 20] = [
    Statement {
        says: "16K points on 64 nodes of 140 MHz take 10 ms, with either program",
        section: None,
        rule: "the total time at 140 MHz is within a factor of 1.25 of 10 ms",
        judge: counts::ten_milliseconds,
    },
    Statement {
        says: "the absolute speed-up on 64 nodes is about 70% of 64",
        section: None,
        rule: "the row kernel's time on one node over 64 times the total time is within a factor of 1.25 of 0.7",
        judge: counts::seventy_percent,
    },
    Statement {
        says: "the receiver makes 2(P-1)N tokens",
        section: None,
        rule: "asks are counted in every run with P > 1 and are exactly that",
        judge: counts::tokens,
    },
    Statement {
        says: "the receiver computes N log P butterflies",
        section: None,
        rule: "half butterflies, one output each, are counted in every run with P > 1 and are exactly that",
        judge: counts::butterflies,
    },
    Statement {
        says: "the receiver's multithreaded phase on 64 nodes is near-linear in N up to 2^15",
        section: None,
        rule: "each doubling of N multiplies it by 1.7 to 2.3",
        judge: receiver::phase_linear_in_n,
    },
    Statement {
        says: "the receiver's total time falls as P grows",
        section: None,
        rule: "each doubling of P from 1 to 64 makes it less, for each N",
        judge: receiver::falls_with_nodes,
    },
    Statement {
        says: "the receiver's total time is near-linear in N for each P",
        section: None,
        rule: "each doubling of N multiplies it by 1.7 to 2.3, for each P",
        judge: receiver::total_linear_in_n,
    },
    Statement {
        says: "the receiver does poorly on few processors, and well on many",
        section: None,
        rule: "for 16K points, less than half of the nodes' time is what a sequential program needs at P = 2 and 4, more at 64",
        judge: receiver::poor_on_few,
    },
    Statement {
        says: "the sender is better on few processors; on 64 both are about equal",
        section: None,
        rule: "for 16K points, the sender (B = 16 and B = P) is faster at P = 2 and 4, and within a factor of 1.25 at 64",
        judge: receiver::sender_better_on_few,
    },
    Statement {
        says: "SPN beats DUAL for the receiver",
        section: None,
        rule: "its total time is less, for each N and P",
        judge: receiver::spn_beats_dual,
    },
    Statement {
        says: "SPN beats DUAL for the sender, most on few processors",
        section: None,
        rule: "its total time is less, for each N, B and P; and DUAL/SPN is greater on one node than on 64",
        judge: sender::spn_beats_dual,
    },
    Statement {
        says: "between SPN and DUAL the receiver's time differs considerably as P grows",
        section: None,
        rule: "for each N the difference is more than 10% at P = 64, and more than at 2",
        judge: receiver::difference_grows,
    },
    Statement {
        says: "with B = 16 the sender's time is least on the largest machines, for all N",
        section: None,
        rule: "of all P its least total time is at 64 or 120",
        judge: sender::least_at_large,
    },
    Statement {
        says: "for N = 2^12 and B = 256 the time no longer changes past 16 nodes",
        section: None,
        rule: "at P = 32, 64 and 120 it is within 5% of that at 16",
        judge: sender::flat_past_sixteen,
    },
    Statement {
        says: "for N = 2^12, B = 4 and 16, the time falls steadily",
        section: None,
        rule: "each doubling of P from 1 to 64 makes it less",
        judge: sender::falls_steadily,
    },
    Statement {
        says: "on 32 nodes B = 4 is slightly slower than B = 16",
        section: None,
        rule: "it is slower, by a factor of at most 1.25",
        judge: sender::four_slightly_slower,
    },
    Statement {
        says: "the best result has 16 threads on 16 nodes",
        section: None,
        rule: "B = 256 at P = 16 is the best of figure 11; and it is the best B of those on 16 nodes",
        judge: sender::best_at_sixteen,
    },
    Statement {
        says: "for N = 64 and B = 16 the time falls linearly to 4 nodes and is flat from 8",
        section: None,
        rule: "each doubling to 4 nodes divides it by 1.7 to 2.3; at 16 to 120 it is within 5% of that at 8",
        judge: sender::linear_to_four,
    },
    Statement {
        says: "a thread is at most one iteration ahead of its mate, so a flag of one bit is enough",
        section: None,
        rule: "the largest lead that the order of exchanges allows, found by letting all threads but a late one run, is at most 1",
        judge: counts::one_ahead,
    },
    Statement {
        says: "the receiver's processors are never idle",
        section: None,
        rule: "execution units work at least 95% of the total time, for 16K points, at P = 2 to 64",
        judge: receiver::never_idle,
    },
];

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
