//! Rows of a sweep in a CSV file. Each finished run is one line, which is written at once, so neither Ctrl-C
//! nor the end of the process loses it. If the process dies while it writes a line, the next sweep does that
//! run again.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use super::columns::{IDENTIFYING, header};
use crate::lines;

/// Rows of finished runs, and the file that gets further rows.
#[derive(Debug)]
pub struct Rows {
    /// Rows by the columns that identify their runs.
    found: HashMap<Vec<String>, Vec<String>>,
    /// Name of the file, and the file.
    file: Option<(String, File)>,
}

/// Error of reading or keeping rows.
#[derive(Debug, thiserror::Error)]
pub enum RowsError {
    /// The file cannot be read or written.
    #[error("cannot keep rows in '{name}': {source}")]
    File {
        /// Name of the file.
        name: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// Another process has the file.
    #[error("another sweep writes to '{name}'")]
    Taken {
        /// Name of the file.
        name: String,
    },
    /// The file has other columns than a sweep of this version.
    #[error("cannot resume from the rows in '{name}': their columns are not a sweep's; use another --out")]
    OtherColumns {
        /// Name of the file.
        name: String,
    },
    /// A line is not a row.
    #[error("cannot resume from the rows in '{name}': line {line}: {why}")]
    Line {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Error in the line.
        why: String,
    },
}

/// Returns a line of a CSV file.
fn line(cells: &[String]) -> io::Result<Vec<u8>> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(cells).map_err(io::Error::other)?;
    writer.into_inner().map_err(|error| io::Error::other(error.to_string()))
}

impl Rows {
    /// Creates rows in memory, without a file.
    pub fn in_memory() -> Self {
        Rows { found: HashMap::new(), file: None }
    }

    /// Reads the rows of a file, or creates the file with the names of the columns. Removes a last line that
    /// has no end.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, is being written by another process, or has other columns or a
    /// line that is not a row.
    pub fn open(path: &Path) -> Result<Self, RowsError> {
        let name = path.display().to_string();
        let failed = |source| RowsError::File { name: name.clone(), source };
        let mut file = lines::open(path).map_err(failed)?;
        if let Err(std::fs::TryLockError::WouldBlock) = file.try_lock() {
            return Err(RowsError::Taken { name });
        }
        let bytes = lines::whole_lines(&mut file).map_err(failed)?;
        let header = header();
        if bytes.is_empty() {
            file.write_all(&line(&header).map_err(failed)?).map_err(failed)?;
        }
        let mut found = HashMap::new();
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(&bytes[..]);
        for (index, record) in reader.records().enumerate() {
            let row = record.map_err(|error| RowsError::Line {
                name: name.clone(),
                line: index + 1,
                why: reason(&error),
            })?;
            let row: Vec<_> = row.iter().map(str::to_owned).collect();
            if index == 0 {
                if row != header {
                    return Err(RowsError::OtherColumns { name });
                }
            } else {
                found.insert(row[..IDENTIFYING].to_vec(), row);
            }
        }
        Ok(Rows { found, file: Some((name, file)) })
    }

    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Returns the row of a run.
    pub(super) fn get(&self, identity: &[String]) -> Option<&[String]> {
        self.found.get(identity).map(Vec::as_slice)
    }

    /// Adds a row, and writes it to the file.
    pub(super) fn add(&mut self, row: Vec<String>) -> Result<(), RowsError> {
        if let Some((name, file)) = &mut self.file {
            let written = line(&row).and_then(|line| file.write_all(&line));
            written.map_err(|source| RowsError::File { name: name.clone(), source })?;
        }
        self.found.insert(row[..IDENTIFYING].to_vec(), row);
        Ok(())
    }
}

/// Describes an error of a line.
fn reason(error: &csv::Error) -> String {
    match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("it has {len} cells, not {expected_len}")
        }
        csv::ErrorKind::Utf8 { .. } => "it is not UTF-8".to_owned(),
        _ => error.to_string(),
    }
}
