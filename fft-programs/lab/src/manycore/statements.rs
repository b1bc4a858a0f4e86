//! Judgement of the paper's statements.
//!
//! A figure of the paper is met if ours is [about](earth_report::statements::ABOUT) equal; "much" means
//! twice, "close" means about equal. A cause is checked against the run that removes it. All margins equal
//! the other papers' margins and were fixed beforehand. If one of our [estimates](super::chip::ESTIMATES),
//! halved or doubled, changes the result of a check, the check gives no verdict.

mod errors;
mod rates;
mod stages;

use earth_report::numbers::extent;
use earth_report::statements::{Judged, Statements, judges};

use super::chip::{Change, ESTIMATES};
use super::results::Results;
use errors::{close, error_of_many, error_of_some, too_long, too_short};
use rates::{best, loses, more_elements, radix_4, radix_8, rates};
use stages::{first_stages, memory, near_factors, pieces};

/// Most cores with a close model, according to the paper; below, the paper's "many" cores.
const SOME: usize = 16;
const MANY: usize = 64;

pub(super) const STATEMENTS: Statements<Results> = Statements {
    table: include_str!("statements.md"),
    judges: judges![
        error_of_some,
        error_of_many,
        too_long,
        too_short,
        first_stages,
        near_factors,
        memory,
        rates,
        close,
        radix_4,
        radix_8,
        more_elements,
        loses,
        pieces,
        best,
    ],
};

pub(super) fn signed(share: f64) -> String {
    format!("{:+.0}%", 100.0 * share)
}

fn from_to(values: &[f64], shown: fn(f64) -> String) -> String {
    let [least, most] = extent(values.iter().copied()).map(shown);
    format!("{least} to {most}")
}

/// Withdraws a verdict if one of our estimates changes the check of a value. `of` describes the value.
fn withdraw_if_estimates_matter(
    judged: &mut Judged,
    of: &str,
    value: impl Fn(Change) -> f64,
    met: impl Fn(f64) -> bool,
    shown: fn(f64) -> String,
) {
    let as_it_is = value(|_| {});
    let others = ESTIMATES.map(|(name, change)| (name, value(change)));
    let turning = others.iter().filter(|(_, value)| met(*value) != met(as_it_is));
    let turning: Vec<_> = turning.map(|(name, value)| format!("{name} gives {}", shown(*value))).collect();
    if turning.is_empty() {
        let range = from_to(&others.map(|(_, value)| value), shown);
        judged.because(format!("our estimates, halved and doubled, give {range} {of}"));
    } else {
        judged.cannot_be_told(format!(
            "it depends on what is not published: {of} it is {}, but {}",
            shown(as_it_is),
            turning.join(", ")
        ));
    }
}
