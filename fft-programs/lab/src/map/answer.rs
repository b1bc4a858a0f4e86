//! JSON of the map. Field names are the keys.

use serde::Serialize;

use super::crossing::{Crossing, Place};
use super::grid::{Axis, Case};
use super::rows::{Row, Site};
use super::runs::Results;
use crate::compare::Equal;

/// All rows of the map.
#[derive(Debug, Serialize)]
pub struct Answer {
    schema: u32,
    rows: Vec<Line>,
}

/// A row. Times are nanoseconds.
#[derive(Debug, Serialize)]
struct Line {
    machine: String,
    is_simulated: bool,
    axis: Axis,
    row: String,
    equal: Equal,
    case: Case,
    ratios: Vec<Place>,
    crossings: Vec<Crossing>,
    predicted: Vec<Crossing>,
}

impl Answer {
    pub(super) fn of(results: &Results) -> Self {
        let line = |row: Row| Line {
            machine: results.name(row.site).trim_matches('`').to_owned(),
            is_simulated: matches!(row.site, Site::Simulated(_)),
            axis: row.axis,
            row: row.name,
            equal: row.equal,
            case: row.case,
            ratios: row.places,
            crossings: row.found,
            predicted: row.predicted,
        };
        let rows = results.sites().into_iter().flat_map(|site| results.all_rows(site)).map(line).collect();
        Self { schema: 1, rows }
    }
}
