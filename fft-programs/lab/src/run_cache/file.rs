//! File of finished runs, so that a report that was interrupted goes on with the runs that are left.
//!
//! Simulated runs hold for the build of this program. Measured runs hold for this computer, and for builds of
//! this version.

use std::collections::HashMap;
use std::fs::File;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::{self, Write as _};
use std::path::Path;

use earth_fft::computer::{self, Computer};
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

/// First line of a file of measured runs.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origin {
    version: String,
    debug_assertions: bool,
    computer: Computer,
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
    /// The runs were measured elsewhere.
    #[error("the measurements in '{name}' do not hold here: {why}")]
    Elsewhere {
        /// Name of the file.
        name: String,
        /// Difference.
        why: String,
    },
}

impl Origin {
    fn here() -> Self {
        Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            debug_assertions: cfg!(debug_assertions),
            computer: computer::here(),
        }
    }

    /// Returns a reason why measurements of this origin do not hold here.
    fn differs(&self) -> Option<String> {
        let here = Self::here();
        if self.version != here.version {
            return Some(format!("they are of version {}, and this is {}", self.version, here.version));
        }
        if self.debug_assertions != here.debug_assertions {
            return Some("one build has debug assertions, and the other has none".to_owned());
        }
        self.computer.check(&here.computer).err().map(|other| other.to_string())
    }
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

    /// Reads the measured runs of `path`, or creates the file.
    ///
    /// # Errors
    ///
    /// Returns an error if the file cannot be read or written, has a line that is not a run, or was measured
    /// on another computer or by another version.
    pub fn measured(path: &Path) -> Result<Self, RunFileError> {
        Self::begun(path, &Origin::here(), |there: &Origin, name| {
            let why = there.differs()?;
            Some(RunFileError::Elsewhere { name: name.to_owned(), why })
        })
    }

    fn of_build(path: &Path, build: io::Result<u64>) -> Result<Self, RunFileError> {
        let failed = |source| RunFileError::File { name: path.display().to_string(), source };
        let first = Build { build: build.map_err(failed)? };
        Self::begun(path, &first, |there, name| {
            (*there != first).then(|| RunFileError::Build { name: name.to_owned() })
        })
    }

    /// Reads the runs of a file whose first line `refuse` accepts, or creates the file with the line `first`.
    fn begun<F: Serialize + DeserializeOwned>(
        path: &Path,
        first: &F,
        refuse: impl FnOnce(&F, &str) -> Option<RunFileError>,
    ) -> Result<Self, RunFileError> {
        let name = path.display().to_string();
        let failed = |source| RunFileError::File { name: name.clone(), source };
        let mut refuse = Some(refuse);
        let mut file = lines::open(path).map_err(failed)?;
        let bytes = lines::whole_lines(&mut file).map_err(failed)?;
        let mut kept = Kept::default();
        for (line, bytes) in (1..).zip(bytes.split_inclusive(|&byte| byte == b'\n')) {
            let wrong = |why: serde_json::Error| RunFileError::Line {
                name: name.clone(),
                line,
                why: why.to_string(),
            };
            if let Some(refuse) = refuse.take() {
                let there: F = serde_json::from_slice(bytes).map_err(wrong)?;
                if let Some(refused) = refuse(&there, &name) {
                    return Err(refused);
                }
                continue;
            }
            let Line { run, result, seconds } = serde_json::from_slice(bytes).map_err(wrong)?;
            kept.results.insert(run.to_string(), result.to_string());
            kept.seconds += seconds;
        }
        if bytes.is_empty() {
            write(&mut file, first).map_err(failed)?;
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
        let line = || -> io::Result<Line> {
            Ok(Line { run: serde_json::to_value(run)?, result: serde_json::to_value(result)?, seconds })
        };
        let Some((name, file)) = &mut kept.file else { return Ok(()) };
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
    fn measurements_of_another_computer_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.jsonl");
        RunFile::measured(&path).unwrap().add(&3, &1.5, 0.0).unwrap();
        assert_eq!(RunFile::measured(&path).unwrap().result(&3), Some(1.5));
        let text = std::fs::read_to_string(&path).unwrap();
        let refused = |from: &str, to: &str| {
            std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
            RunFile::measured(&path).unwrap_err().to_string()
        };
        let other = refused("\"architecture\":\"", "\"architecture\":\"not-");
        assert!(other.contains("do not hold here: it was measured on another computer"), "{other}");
        assert!(refused("\"version\":\"", "\"version\":\"9").contains("they are of version 9"));
        std::fs::write(&path, "{\"build\":1}\n").unwrap();
        assert!(RunFile::measured(&path).unwrap_err().to_string().contains("line 1"));
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
