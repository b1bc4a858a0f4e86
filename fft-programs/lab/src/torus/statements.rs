//! Judgement of the paper's statements.
//!
//! A figure of the paper is met if ours is [about](earth_report::statements::ABOUT) equal; "slightly" and "up
//! to" mean the same factor. A cause is checked against the run that removes it. All margins equal the other
//! papers' margins.
//!
//! The paper does not give the order in which its base sends. Each statement on the base is judged in
//! [several orders](super::cases::BASES), as readings of the sentence.
//!
//! 1. [`base`] has the statements on the base's share of the peak;
//! 2. [`phased`] has those on the time of phases, and [`pattern`] those on their partners;
//! 3. [`overlap`] has those on overlap, and [`scaling`] those on many nodes.

mod base;
mod overlap;
mod pattern;
mod phased;
mod scaling;

use earth_report::statements::{Statements, judges};

use super::results::Results;
use base::{better, largest, many, over_product, parts, peak};
use overlap::{formula, large_only, no_gain};
use pattern::{byte_hops, links, partners};
use phased::{barriers, few, groups, planes, seconds, share_and_rate, special};
use scaling::{drops, limit, linear, moves, saturates, scales, weak_limit};

pub(super) const STATEMENTS: Statements<Results> = Statements {
    table: include_str!("statements.md"),
    judges: judges![
        largest,
        parts,
        peak,
        share_and_rate,
        better,
        no_gain,
        barriers,
        few,
        many,
        links,
        byte_hops,
        partners,
        drops,
        scales,
        saturates,
        limit,
        planes,
        seconds,
        over_product,
        formula,
        groups,
        special,
        moves,
        linear,
        weak_limit,
        large_only,
    ],
};

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
