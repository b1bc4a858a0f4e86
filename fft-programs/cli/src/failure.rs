//! Failures of commands of `earth-fft`, in addition to the failures of any command.

use std::fmt::Display;
use std::path::Path;
use std::{fs, io};

use earth_console::Failure;

use crate::bench_fft::peers::BenchFftError;
use crate::bench_fft::peers::cases::NoCase;

/// Reason why a command of `earth-fft` has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    /// Both the spectrum and the summary would go to standard output.
    #[error("'-o -' and '--json' would both print on standard output")]
    TwoResults,
    /// Wisdom would go to standard output, where the summary goes.
    #[error("wisdom cannot go to standard output; give it the name of a file, like 'wisdom.json'")]
    WisdomOnStdout,
    /// The file cannot be read, or its content cannot be used here.
    #[error("cannot {purpose} '{name}': {why}")]
    File { purpose: &'static str, name: String, why: String },
}

impl CliError {
    /// Reads a file and parses its text. `purpose` completes the message of an error, for example
    /// `use the wisdom`. Returns `absent` if there is no file and a value is given.
    pub(super) fn read<V, E: Display>(
        purpose: &'static str,
        path: &Path,
        absent: Option<V>,
        parse: impl FnOnce(&str) -> Result<V, E>,
    ) -> Result<V, Failure> {
        let refused =
            |why: String| Failure::work(Self::File { purpose, name: path.display().to_string(), why });
        match (fs::read_to_string(path), absent) {
            (Ok(text), _) => parse(&text).map_err(|why| refused(why.to_string())),
            (Err(error), Some(absent)) if error.kind() == io::ErrorKind::NotFound => Ok(absent),
            (Err(error), _) => Err(refused(error.to_string())),
        }
    }
}

impl From<CliError> for Failure {
    fn from(refused: CliError) -> Self {
        match refused {
            CliError::TwoResults | CliError::WisdomOnStdout => Self::usage(refused),
            CliError::File { .. } => Self::work(refused),
        }
    }
}

impl From<NoCase> for Failure {
    fn from(error: NoCase) -> Self {
        Self::usage(error)
    }
}

impl From<BenchFftError> for Failure {
    fn from(error: BenchFftError) -> Self {
        Self::work(error)
    }
}
