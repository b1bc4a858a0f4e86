//! Rows for other programs, as CSV.

use std::io;

use serde::Serialize;

use crate::statements::Row;

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

/// Column of statements: its name, and its cell of a row, which may be missing.
type Column = (&'static str, fn(&Row) -> Option<String>);

const COLUMNS: [Column; 9] = [
    ("number", |row| Some(row.number.to_string())),
    ("statement", |row| Some(row.statement.to_owned())),
    ("section", |row| Some(row.section.to_owned())),
    ("rule", |row| Some(row.rule.to_owned())),
    ("verdict", |row| Some(row.verdict.words().to_owned())),
    ("passed", |row| Some(row.passed[0].to_string())),
    ("checks", |row| Some(row.passed[1].to_string())),
    ("found", |row| Some(row.found.clone())),
    ("why", |row| row.why.clone()),
];

/// Writes statements, with the columns that have at least one cell.
pub fn statements(rows: &[Row]) -> Written {
    let columns = COLUMNS.into_iter().filter(|(_, cell)| rows.iter().any(|row| cell(row).is_some()));
    let (header, cells): (Vec<_>, Vec<_>) = columns.unzip();
    under(&header, rows.iter().map(|row| cells.iter().map(|cell| cell(row)).collect::<Vec<_>>()))
}
