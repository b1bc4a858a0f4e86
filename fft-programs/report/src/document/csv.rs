//! Rows for other programs, as CSV.

use std::io;

use serde::Serialize;

use crate::statements::{Cell, Row};

/// CSV text of rows. An error is possible only if they cannot be written to memory.
type Written = io::Result<Vec<u8>>;

/// Writes rows under the names of their fields.
pub fn records<R: Serialize>(rows: impl IntoIterator<Item = R>) -> Written {
    written(csv::Writer::from_writer(Vec::new()), rows)
}

/// Writes rows of nested tuples under a header.
pub fn under<R: Serialize>(header: &[&str], rows: impl IntoIterator<Item = R>) -> Written {
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    writer.write_record(header)?;
    written(writer, rows)
}

fn written<R: Serialize>(mut writer: csv::Writer<Vec<u8>>, rows: impl IntoIterator<Item = R>) -> Written {
    rows.into_iter().try_for_each(|row| writer.serialize(row))?;
    writer.into_inner().map_err(csv::IntoInnerError::into_error)
}

/// Writes statements, one row for each cell, or one without a cell.
pub fn statements(rows: &[Row]) -> Written {
    let header = [
        "number",
        "statement",
        "section",
        "rule",
        "verdict",
        "repeats",
        "clause",
        "program",
        "reading",
        "cell_verdict",
        "passed",
        "checks",
        "found",
        "turned",
        "why",
        "tell",
    ];
    let lines = rows.iter().flat_map(|row| {
        let cells = row.cells.iter().map(Some).chain(row.cells.is_empty().then_some(None));
        cells.map(move |cell| line(row, cell))
    });
    under(&header, lines)
}

/// Returns the line of a cell.
fn line(row: &Row, cell: Option<&Cell>) -> Vec<String> {
    let Row { number, statement, section, rule, verdict, why, tell, repeats, .. } = row;
    let of_row = [
        number.to_string(),
        (*statement).to_owned(),
        (*section).to_owned(),
        (*rule).to_owned(),
        verdict.words().to_owned(),
        repeats.map(|number| number.to_string()).unwrap_or_default(),
    ];
    let of_cell = cell.map_or_else(<[String; 8]>::default, |cell| {
        let turned: Vec<_> = cell.turned.iter().map(|turn| turn.change.words().replace('`', "")).collect();
        [
            cell.clause.clone(),
            cell.program.clone(),
            cell.reading.clone(),
            cell.verdict.words().to_owned(),
            cell.passed[0].to_string(),
            cell.passed[1].to_string(),
            cell.found.clone(),
            turned.join("; "),
        ]
    });
    let reasons = [why, tell].map(|text| text.clone().unwrap_or_default());
    of_row.into_iter().chain(of_cell).chain(reasons).collect()
}
