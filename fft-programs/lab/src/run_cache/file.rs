//! File of finished runs, so that a report that was interrupted goes on with the runs that are left.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::Path;

use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::lines;

/// File of finished runs, one a line. Without a file, nothing is kept.
#[derive(Debug, Default)]
pub struct RunFile {
    kept: Mutex<Kept>,
}

#[derive(Debug, Default)]
struct Kept {
    /// Results by run, both as JSON.
    results: HashMap<String, String>,
    /// Time of all runs of the file and since, in seconds.
    seconds: f64,
    /// Name of the file, and the file.
    file: Option<(String, File)>,
}

/// First line of the file.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Build {
    build: u64,
}

/// Other lines.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    run: serde_json::Value,
    result: serde_json::Value,
    seconds: f64,
}

/// Error of keeping runs.
#[derive(Debug, thiserror::Error)]
pub enum RunFileError {
    /// The file cannot be read or written.
    #[error("cannot keep runs in '{name}': {source}")]
    File {
        /// Name of the file.
        name: String,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A line is not a run.
    #[error("'{name}' is not a file of runs: line {line}: {why}")]
    Line {
        /// Name of the file.
        name: String,
        /// Number of the line, from 1.
        line: usize,
        /// Error in the line.
        why: String,
    },
    /// Another build of this program did the runs.
    #[error("the runs in '{name}' are of another build of this program: name another file, or remove it")]
    Build {
        /// Name of the file.
        name: String,
    },
}

impl RunFile {
    /// Reads the runs of `path`, or creates the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or written, has a line that is not a run, or is of another
    /// build of this program.
    pub fn open(path: &Path) -> Result<Self, RunFileError> {
        Self::of_build(path, build())
    }

    fn of_build(path: &Path, build: io::Result<u64>) -> Result<Self, RunFileError> {
        let name = path.display().to_string();
        let failed = |source| RunFileError::File { name: name.clone(), source };
        let first = Build { build: build.map_err(failed)? };
        let mut file = lines::open(path).map_err(failed)?;
        let bytes = lines::whole_lines(&mut file).map_err(failed)?;
        let mut kept = Kept::default();
        for (line, bytes) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
            let wrong = |why: serde_json::Error| RunFileError::Line {
                name: name.clone(),
                line,
                why: why.to_string(),
            };
            if line == 1 {
                let there: Build = serde_json::from_slice(bytes).map_err(wrong)?;
                if there != first {
                    return Err(RunFileError::Build { name });
                }
                continue;
            }
            let Line { run, result, seconds } = serde_json::from_slice(bytes).map_err(wrong)?;
            kept.results.insert(run.to_string(), result.to_string());
            kept.seconds += seconds;
        }
        if bytes.is_empty() {
            write(&mut file, &first).map_err(failed)?;
        }
        kept.file = Some((name, file));
        Ok(Self { kept: Mutex::new(kept) })
    }

    /// Returns the processor time that all runs took, in seconds.
    pub fn seconds(&self) -> f64 {
        self.kept.lock().seconds
    }

    pub(crate) fn result<K: Serialize, V: DeserializeOwned>(&self, run: &K) -> Option<V> {
        let key = serde_json::to_value(run).ok()?.to_string();
        let kept = self.kept.lock();
        serde_json::from_str(kept.results.get(&key)?).ok()
    }

    pub(crate) fn add<K: Serialize, V: Serialize>(
        &self,
        run: &K,
        result: &V,
        seconds: f64,
    ) -> Result<(), RunFileError> {
        let mut kept = self.kept.lock();
        kept.seconds += seconds;
        let Some((name, file)) = &mut kept.file else { return Ok(()) };
        let line = || -> io::Result<Line> {
            Ok(Line { run: serde_json::to_value(run)?, result: serde_json::to_value(result)?, seconds })
        };
        let written = line().and_then(|line| write(file, &line));
        written.map_err(|source| RunFileError::File { name: name.clone(), source })
    }
}

/// Writes a line in one call, so that the end of the process leaves whole lines.
fn write(file: &mut File, line: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(line)?;
    line.push(b'\n');
    file.write_all(&line)
}

/// Returns a number of this program's file: other code may have other results.
fn build() -> io::Result<u64> {
    let mut hasher = DefaultHasher::new();
    std::fs::read(std::env::current_exe()?)?.hash(&mut hasher);
    Ok(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_runs_are_there_when_the_file_is_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let open = |build| RunFile::of_build(&path, Ok(build));
        let first = open(1).unwrap();
        assert_eq!(first.result::<_, f64>(&3), None);
        first.add(&3, &(1.0 / 3.0), 0.5).unwrap();
        first.add(&5, &f64::MIN_POSITIVE, 0.25).unwrap();
        let again = open(1).unwrap();
        assert_eq!((again.result(&3), again.result(&5)), (Some(1.0 / 3.0), Some(f64::MIN_POSITIVE)));
        assert_eq!((again.result::<_, f64>(&4), again.seconds()), (None, 0.75));
        assert!(matches!(open(2), Err(RunFileError::Build { .. })));
    }

    #[test]
    fn a_line_that_is_cut_off_is_left_out_and_another_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        let whole = "{\"build\":1}\n{\"run\":3,\"result\":1.0,\"seconds\":0.5}\n";
        std::fs::write(&path, format!("{whole}{{\"run\":5,")).unwrap();
        let file = RunFile::of_build(&path, Ok(1)).unwrap();
        assert_eq!((file.result(&3), file.result::<_, f64>(&5)), (Some(1.0), None));
        file.add(&5, &2.0, 0.0).unwrap();
        assert_eq!(RunFile::of_build(&path, Ok(1)).unwrap().result(&5), Some(2.0));
        std::fs::write(&path, format!("{whole}3\n")).unwrap();
        let error = RunFile::of_build(&path, Ok(1)).unwrap_err().to_string();
        assert!(error.contains("line 3"), "{error}");
    }
}
