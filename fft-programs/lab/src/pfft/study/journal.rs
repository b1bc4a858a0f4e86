//! The file of a study: a line for each step that was finished, written as soon as it is, so that neither
//! Ctrl-C nor the end of the process loses one.
//!
//! A line is written by one call and is in the system's hands when that returns. If the process dies inside of it,
//! the file ends in a torn line, without an end of line: the next run cuts it off. A line in the middle
//! that cannot be read is an error, since nothing of ours leaves one.

use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;

use earth_papers::partition::Grouping;

use super::rows::{Conditions, Entry, Groupings, Methods, Published};

/// The rows that were measured so far, and the file that further ones are written to.
#[derive(Debug)]
pub struct Journal {
    conditions: Conditions,
    entries: Vec<Entry>,
    /// The file with its name.
    file: Option<(String, File)>,
    differs: Option<String>,
}

/// Why rows cannot be taken up or kept.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file cannot be read or written.
    #[error("cannot keep rows in '{name}': {source}")]
    File {
        /// The file.
        name: String,
        /// What the operating system said.
        source: io::Error,
    },
    /// A line is no row.
    #[error("cannot take up the rows of '{name}': line {line}: {why}")]
    Line {
        /// The file.
        name: String,
        /// The number of the line, from 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// The rows are not comparable with new ones.
    #[error("the rows of '{name}' are of another study: {why}; use another --out, or --force")]
    Other {
        /// The file.
        name: String,
        /// What differs.
        why: String,
    },
}

impl Journal {
    /// A journal that is kept in memory alone.
    pub fn in_memory(conditions: Conditions) -> Self {
        Self { conditions, entries: Vec::new(), file: None, differs: None }
    }

    /// Takes up the rows of `path`, or begins the file. Rows that were measured under other conditions are
    /// refused, unless `force`: then they count as if they were of these.
    ///
    /// # Errors
    ///
    /// If the file cannot be read or written, has lines that are no rows, or has rows of other conditions.
    pub fn open(path: &Path, conditions: Conditions, force: bool) -> Result<Self, JournalError> {
        let name = path.display().to_string();
        let failed = |source| JournalError::File { name: name.clone(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(failed)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(failed)?;
        let whole = bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole < bytes.len() {
            file.set_len(whole as u64).map_err(failed)?;
        }
        file.seek(SeekFrom::Start(whole as u64)).map_err(failed)?;

        let (mut entries, mut differs) = (Vec::new(), None);
        let lines = bytes[..whole].split_inclusive(|&byte| byte == b'\n');
        for (index, line) in lines.enumerate() {
            let wrong = |why: String| JournalError::Line { name: name.clone(), line: index + 1, why };
            let entry: Entry = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
            match entry {
                Entry::Study(there) if index == 0 => {
                    differs = difference(&there, &conditions);
                    if let Some(why) = differs.clone().filter(|_| !force) {
                        return Err(JournalError::Other { name, why });
                    }
                }
                Entry::Study(_) => return Err(wrong("a second study begins here".to_owned())),
                _ if index == 0 => return Err(wrong("it does not say of which study rows are".to_owned())),
                entry => entries.push(entry),
            }
        }
        let mut journal = Self { conditions, entries, file: Some((name.clone(), file)), differs };
        if whole == 0 {
            let first = Entry::Study(journal.conditions.clone());
            journal.write(&first).map_err(failed)?;
        }
        Ok(journal)
    }

    /// The conditions that rows are measured under.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// How the conditions of rows that were taken up by force differ from those of this study.
    pub fn differs(&self) -> Option<&str> {
        self.differs.as_deref()
    }

    /// Keeps a row.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
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

    /// The times of PFFT-LB at `n`, if they were measured with this version of the kernel; the last ones, if there are more.
    pub fn groupings(&self, kernel: &str, version: Option<&str>, n: usize) -> Option<&Groupings> {
        self.entries.iter().rev().find_map(|entry| match entry {
            Entry::Groupings(row) if (row.kernel.as_str(), row.n) == (kernel, n) => {
                (row.version.as_deref() == version).then_some(row)
            }
            _ => None,
        })
    }

    /// The times of all methods at `n`, if they were measured with this version of the kernel and these groups.
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

    /// How far padding as published is from the transform.
    pub fn published(&self) -> Option<Published> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::Published(row) => Some(*row),
            _ => None,
        })
    }
}

/// The first thing that differs, as the end of a sentence.
fn difference(there: &Conditions, here: &Conditions) -> Option<String> {
    if let Err(other) = there.computer.check(&here.computer) {
        return Some(other.to_string());
    }
    let facts = |of: &Conditions| {
        let options = of.options().map(|(name, value, _)| (name, value));
        std::iter::once(("the version of the file", of.schema.to_string())).chain(options)
    };
    let differs = facts(there).zip(facts(here)).find(|(there, here)| there.1 != here.1);
    differs.map(|((fact, there), (_, here))| format!("{fact} was {there} there and is {here} here"))
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod tests;
