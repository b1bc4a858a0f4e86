//! Judgement of the paper's statements.
//!
//! A ratio of the paper is met if ours is [about](earth_report::statements::ABOUT) equal and is no
//! [flat](FLAT) gain. A cause is checked against the run that removes it. All margins equal the margins of
//! the other papers.
//!
//! *Rates.* Statements on speed are judged with one rate of the network for all numbers of ranks, and with
//! rates that fit the paper's times, as readings.
//!
//! *Real runs.* A simulated machine has no caches, and its FFTW is NEW-0 in one tile. Statements on caches,
//! on loops and on libraries are judged by [measured](super::measured) runs alone.
//!
//! 1. [`speed`]: times against FFTW and TH; [`parts`]: waiting, and the balance of work and exchange;
//! 2. [`tuning`]: searches and what they find; [`single`]: one parameter at a time;
//! 3. [`real`]: statements that real runs judge.

mod parts;
mod real;
mod single;
mod speed;
mod tuning;

use earth_report::numbers::extent;
use earth_report::statements::{FLAT, Statements, about, judges};

use super::cases::Group;
use super::machines::{Rate, Setting};
use super::results::Results;
pub(super) use single::{Varied, varied};
pub(super) use tuning::drawn;

use parts::{balance, rule, th_waits, wait_falls};
use real::{fftw_is_new0, general, layouts, patient, tiling, transposes, tunes_faster};
use single::{grows, polls, tiles, windows};
use speed::{cluster_gain, fast_network, fastest, hopper_gain, large_gain, slabs, th_gain};
use tuning::{ablation, crossed, differ, percentile, spread, th_tunes};

pub(super) const STATEMENTS: Statements<Results> = Statements {
    table: include_str!("statements.md"),
    judges: judges![
        fastest,
        cluster_gain,
        hopper_gain,
        large_gain,
        th_gain,
        wait_falls,
        th_waits,
        fftw_is_new0,
        transposes,
        tiling,
        balance,
        fast_network,
        spread,
        differ,
        percentile,
        crossed,
        tunes_faster,
        th_tunes,
        tiles,
        windows,
        polls,
        grows,
        layouts,
        patient,
        ablation,
        slabs,
        general,
        rule,
    ],
};

/// Returns whether a ratio of times is a gain of about the expected size.
fn is_gain(ratio: f64, expected: f64) -> bool {
    ratio > 1.0 + FLAT && about(ratio, expected)
}

/// Returns the settings of a panel of the paper's tables in a reading of the rates.
fn panel(results: &Results, group: Group, rate: Rate) -> Vec<Setting> {
    let of_group = results.settings().into_iter().filter(|setting| group.has(setting));
    of_group.map(|setting| setting.at(rate)).collect()
}

/// Returns the words for a range of ratios.
pub(super) fn range(values: impl IntoIterator<Item = f64>) -> String {
    let [least, most] = extent(values);
    format!("{least:.2} to {most:.2}")
}

#[cfg(test)]
#[path = "statements_tests.rs"]
mod tests;
