//! Judgement of the paper's statements.
//!
//! "Much" means twice, and "close" means [about](earth_report::statements::ABOUT) equal. A cause is checked
//! against the run that removes it. The paper compares its model with its own simulator, and does not state
//! how many loads an element of it may have under way, nor whether its elements keep in step. Statements on
//! the model's error are therefore read once for each [behaviour](super::results::BEHAVIOURS).

mod errors;
mod factors;
mod memory;
mod more;
mod rates;
mod stages;

use earth_report::numbers::extent;
use earth_report::statements::{Statements, judges};

use super::results::Results;
pub(super) use errors::mean_error;
use errors::{close, error_of_many, error_of_some, speed_ups, too_long, too_short, trend};
use factors::{pieces, straddles};
pub(super) use memory::{bound_by_issue, share_of_peak};
use memory::{far_below, memory, together};
use more::{best, loses, more_elements};
use rates::{radix_4, radix_8, rates};
use stages::{first_stages, near_factors};

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
        far_below,
        together,
        speed_ups,
        straddles,
        trend,
    ],
};

pub(super) fn signed(share: f64) -> String {
    format!("{:+.0}%", 100.0 * share)
}

pub(super) fn from_to(values: &[f64], shown: fn(f64) -> String) -> String {
    let [least, most] = extent(values.iter().copied()).map(shown);
    if least == most { least } else { format!("{least} to {most}") }
}
