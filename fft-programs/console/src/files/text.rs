//! Text files whose content a command uses.

use std::fmt::Display;
use std::path::Path;
use std::{fs, io};

use crate::Failure;

/// The file cannot be read, or its content cannot be used here.
#[derive(Debug, thiserror::Error)]
#[error("cannot {purpose} '{name}': {why}")]
struct Unusable {
    purpose: &'static str,
    name: String,
    why: String,
}

/// Reads a file and parses its text. `purpose` completes the message of an error, for example `use the
/// rates`. Returns `absent` if there is no file and a value is given.
///
/// # Errors
///
/// A file that cannot be read or parsed.
pub fn read_text<V, E: Display>(
    purpose: &'static str,
    path: &Path,
    absent: Option<V>,
    parse: impl FnOnce(&str) -> Result<V, E>,
) -> Result<V, Failure> {
    let refused = |why: String| Failure::work(Unusable { purpose, name: path.display().to_string(), why });
    match (fs::read_to_string(path), absent) {
        (Ok(text), _) => parse(&text).map_err(|why| refused(why.to_string())),
        (Err(error), Some(absent)) if error.kind() == io::ErrorKind::NotFound => Ok(absent),
        (Err(error), _) => Err(refused(error.to_string())),
    }
}
