//! File of a study. Each finished step is written as one line immediately, so neither Ctrl-C nor the end of
//! the process loses it.
//!
//! The operating system has the line when the call that writes it returns. An unreadable line in the middle
//! is an error, because this program never leaves one.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use earth_papers::partition::Grouping;

use super::rows::further::{Efforts, Lengths, Transposes};
use super::rows::{Conditions, Entry, Groupings, Methods, Published, SCHEMA};
use crate::lines;

/// Rows measured so far, and the file that receives further rows.
#[derive(Debug)]
pub struct Journal {
    conditions: Conditions,
    entries: Vec<Entry>,
    /// Name of the file, and the file.
    file: Option<(String, File)>,
    differs: Option<String>,
}

/// Error of reading or keeping rows.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("cannot keep rows in '{name}': {source}")]
    File {
        /// Name of the file.
        name: String,
        /// Error of the operating system.
        source: io::Error,
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
    /// Another version of this program wrote the rows.
    #[error(
        "the rows in '{name}' have version {there} of the file format, and this program has version {SCHEMA}: use another \
         --out, and measure again"
    )]
    Schema {
        /// Name of the file.
        name: String,
        /// Version of the file.
        there: u64,
    },
    /// The rows are not comparable with new rows.
    #[error("the rows of '{name}' are of another study: {why}; use another --out, or --force")]
    Other {
        /// Name of the file.
        name: String,
        /// Difference of the conditions.
        why: String,
    },
}

impl Journal {
    /// Creates a journal in memory, without a file.
    pub fn in_memory(conditions: Conditions) -> Self {
        Self { conditions, entries: Vec::new(), file: None, differs: None }
    }

    /// Reads the rows of `path`, or creates the file. Rows that were measured under other conditions are an
    /// error. With `force` they are used as if the conditions were equal.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or written, has a line that is not a row, or has rows of
    /// other conditions.
    pub fn open(path: &Path, conditions: Conditions, force: bool) -> Result<Self, JournalError> {
        let name = path.display().to_string();
        let failed = |source| JournalError::File { name: name.clone(), source };
        let mut file = lines::open(path).map_err(failed)?;
        let bytes = lines::whole_lines(&mut file).map_err(failed)?;
        let (mut entries, mut differs) = (Vec::new(), None);
        let lines = bytes.split_inclusive(|&byte| byte == b'\n');
        for (index, line) in lines.enumerate() {
            let wrong = |why: String| JournalError::Line { name: name.clone(), line: index + 1, why };
            if let Some(there) = schema(line).filter(|&there| index == 0 && there != u64::from(SCHEMA)) {
                return Err(JournalError::Schema { name, there });
            }
            let entry: Entry = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
            match entry {
                Entry::Study(there) if index == 0 => {
                    differs = difference(&there, &conditions);
                    if let Some(why) = differs.clone().filter(|_| !force) {
                        return Err(JournalError::Other { name, why });
                    }
                }
                Entry::Study(_) => return Err(wrong("a second study begins here".to_owned())),
                _ if index == 0 => {
                    return Err(wrong("the first line must be the conditions of the study".to_owned()));
                }
                entry => entries.push(entry),
            }
        }
        let mut journal = Self { conditions, entries, file: Some((name.clone(), file)), differs };
        if bytes.is_empty() {
            let first = Entry::Study(journal.conditions.clone());
            journal.write(&first).map_err(failed)?;
        }
        Ok(journal)
    }

    /// Returns the conditions under which rows are measured.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// Returns the difference between this study's conditions and the conditions of rows that were used by
    /// force.
    pub fn differs(&self) -> Option<&str> {
        self.differs.as_deref()
    }

    /// Adds a row, and writes it to the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be written.
    pub fn add(&mut self, entry: Entry) -> Result<(), JournalError> {
        let kept = self.write(&entry);
        self.entries.push(entry);
        let name = || self.file.as_ref().map_or_else(String::new, |(name, _)| name.clone());
        kept.map_err(|source| JournalError::File { name: name(), source })
    }

    fn write(&mut self, entry: &Entry) -> io::Result<()> {
        let Some((_, file)) = &mut self.file else { return Ok(()) };
        let mut line = serde_json::to_vec(entry)?;
        line.push(b'\n');
        file.write_all(&line)
    }

    /// Returns the times of PFFT-LB at `n`, if they were measured with this version of the kernel. The last
    /// row wins.
    pub fn groupings(&self, kernel: &str, version: Option<&str>, n: usize) -> Option<&Groupings> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Groupings(row) if (row.kernel.as_str(), row.n) == (kernel, n) => {
                (row.version.as_deref() == version).then_some(row)
            }
            _ => None,
        })
    }

    /// Returns the times of all methods at `n`, if they were measured with this version of the kernel and
    /// these groups.
    pub fn methods(
        &self,
        kernel: &str,
        version: Option<&str>,
        n: usize,
        grouping: Grouping,
    ) -> Option<&Methods> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Methods(row) if (row.kernel.as_str(), row.n) == (kernel, n) => {
                (row.version.as_deref() == version && row.grouping() == grouping).then_some(row)
            }
            _ => None,
        })
    }

    /// Returns the times by planning effort at `n`, if they were measured with this version of the kernel.
    pub fn efforts(&self, kernel: &str, version: Option<&str>, n: usize) -> Option<&Efforts> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Efforts(row) if (row.kernel.as_str(), row.n) == (kernel, n) => {
                (row.version.as_deref() == version).then_some(row)
            }
            _ => None,
        })
    }

    /// Returns the times of the example's lengths, if they were measured with this version of the kernel.
    pub fn lengths(&self, kernel: &str, version: Option<&str>) -> Option<&Lengths> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Lengths(row) if row.kernel == kernel => (row.version.as_deref() == version).then_some(row),
            _ => None,
        })
    }

    /// Returns the times of transposes at `n`.
    pub fn transposes(&self, n: usize) -> Option<&Transposes> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::Transposes(row) if row.n == n => Some(row),
            _ => None,
        })
    }

    /// Returns the deviation of padding as published from the transform.
    pub fn published(&self) -> Option<Published> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::Published(row) => Some(*row),
            _ => None,
        })
    }
}

/// Returns the version of the file format in a line, whatever else the line has.
fn schema(line: &[u8]) -> Option<u64> {
    let line: serde_json::Value = serde_json::from_slice(line).ok()?;
    line.get("schema")?.as_u64()
}

/// Describes the first difference, as the end of a sentence.
fn difference(there: &Conditions, here: &Conditions) -> Option<String> {
    if let Err(other) = there.computer.check(&here.computer) {
        return Some(other.to_string());
    }
    let facts = |of: &Conditions| of.options().map(|(name, value, _)| (name, value)).into_iter();
    let differs = facts(there).zip(facts(here)).find(|(there, here)| there.1 != here.1);
    differs.map(|((fact, there), (_, here))| format!("{fact} was {there} there and is {here} here"))
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
