//! Failures of commands, each with one sentence and one exit code.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use earth_fft::computer::OtherComputer;
use earth_fft::{PlanError, TransformError};
use earth_kernels::Verified;
use earth_memory::NoMemory;
use earth_papers::file::LoadError;

use crate::io::atomic_output::WriteError;
use crate::io::{ReadError, UnknownFormat};
use crate::stop::{INTERRUPTED, OUT_OF_TIME, Stop};
use crate::terminal::stderr::print_message;

/// Reason why a command failed. Its text is one sentence without a full stop.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The command line alone is wrong.
    #[error(transparent)]
    Usage(Box<dyn Error + Send + Sync>),
    /// The error was found with the help of a file or a machine.
    #[error(transparent)]
    Work(Box<dyn Error + Send + Sync>),
    /// The user interrupted the command.
    #[error("it was interrupted")]
    Interrupted,
    /// An environment variable has an invalid value.
    #[error(transparent)]
    Environment(Box<dyn Error + Send + Sync>),
    /// The extension names no format.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// The page would go to standard output, where the tables go.
    #[error("the page cannot go to standard output, where the tables go; give it a name like 'report.html'")]
    PageOnStdout,
    /// The trace file has an unknown extension.
    #[error("a trace name ends in .json (for Perfetto) or .svg (a picture), not '{name}'")]
    UnknownTraceFormat {
        /// Name of the file.
        name: String,
    },
    /// The output is a picture, but the result is a series or has three dimensions.
    #[error("a .png holds a matrix and this is {}; a {} holds it", array(lengths), if lengths.len() == 1 { ".csv or a .npy" } else { ".npy" })]
    NotAMatrix {
        /// Lengths of its dimensions.
        lengths: Vec<usize>,
    },
    /// The output is a table of frequencies, but the result has two or three dimensions.
    #[error("a .csv holds a series and this is {}; a {} holds it", array(lengths), if lengths.len() == 2 { ".npy or a .png" } else { ".npy" })]
    NotASeries {
        /// Lengths of its dimensions.
        lengths: Vec<usize>,
    },
    /// The input cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The output cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The transform cannot be planned.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The system refused memory.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// The transform returned no spectrum.
    #[error("the transform failed: {0}")]
    Transform(#[source] TransformError),
    /// The transform returned a wrong spectrum.
    #[error(
        "the spectrum is wrong: its relative error {error:.1e} exceeds the rounding bound {bound:.1e}; nothing was written"
    )]
    Wrong {
        /// Relative L2 error.
        error: f64,
        /// Largest error that rounding explains.
        bound: f64,
    },
    /// The speed functions cannot be read.
    #[error(transparent)]
    Speeds(#[from] LoadError),
    /// The speed functions are from another computer.
    #[error("'{name}': {other}; --force uses it anyway")]
    OtherComputer {
        /// Name of the file.
        name: String,
        /// Fact that differs.
        other: OtherComputer,
    },
    /// The time budget cannot be watched.
    #[error("no thread could be started for --max-seconds: {0}")]
    NoTimer(#[source] io::Error),
    /// The summary cannot be printed.
    #[error("cannot write standard output: {0}")]
    Stdout(#[source] io::Error),
}

impl Failure {
    /// Creates a failure that the command line alone shows.
    pub fn usage(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Usage(error.into())
    }

    /// Creates a failure that was found with the help of a file or a machine.
    pub fn work(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Work(error.into())
    }

    /// Returns 2 if the command line or the environment alone is wrong, 1 otherwise.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_)
            | Self::Environment(_)
            | Self::Format(_)
            | Self::PageOnStdout
            | Self::UnknownTraceFormat { .. } => 2,
            // Groups and nodes that do not fit are an error of the command line, whatever the files hold.
            Self::Plan(PlanError::Refused(refused)) => match refused.downcast_ref() {
                Some(
                    earth_papers::Error::NodesOfGroups { .. } | earth_papers::Error::TooManyGroups { .. },
                ) => 2,
                _ => 1,
            },
            _ => 1,
        }
    }

    /// Prints the failure unless the user caused it, and returns the exit code of the process.
    pub fn end(&self, stop: &Stop) -> ExitCode {
        let (code, message) = self.outcome(stop);
        message.iter().for_each(print_message);
        ExitCode::from(code)
    }

    /// Returns the exit code of the process and the message of the failure. A failure that the user caused
    /// has no message.
    pub fn outcome(&self, stop: &Stop) -> (u8, Option<String>) {
        if self.is_broken_pipe() {
            (0, None)
        } else if !self.is_interruption() {
            (self.exit_code(), Some(self.to_string()))
        } else if stop.is_out_of_time() {
            (1, Some(OUT_OF_TIME.to_owned()))
        } else {
            (INTERRUPTED, None)
        }
    }

    /// Returns a failure if the relative error exceeds what rounding explains. NaN or infinity in the input
    /// makes the error NaN, which is no failure.
    pub fn wrong(verified: &Verified) -> Option<Self> {
        let Verified { bound, .. } = *verified;
        let error = verified.relative_error();
        (error > bound).then_some(Self::Wrong { error, bound })
    }

    /// Whether the user interrupted the command and so needs no message.
    fn is_interruption(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Transform(TransformError::Machine(earth::Error::Cancelled)))
    }

    /// Whether the reader closed the pipe, which is no failure of this program.
    fn is_broken_pipe(&self) -> bool {
        let (Self::Stdout(source) | Self::Write(WriteError { source, .. })) = self else {
            return false;
        };
        source.kind() == io::ErrorKind::BrokenPipe
    }
}

/// Returns the name of an array of these lengths.
pub fn array(lengths: &[usize]) -> String {
    let what = ["a series", "a matrix", "an array"][lengths.len().clamp(1, 3) - 1];
    format!("{what} of {} samples", sizes(lengths))
}

/// Returns the lengths of dimensions, for people.
pub fn sizes(lengths: &[usize]) -> String {
    lengths.iter().map(usize::to_string).collect::<Vec<_>>().join(" x ")
}

impl From<TransformError> for Failure {
    fn from(error: TransformError) -> Self {
        match error {
            TransformError::Plan(error) => error.into(),
            TransformError::NoMemory(error) => error.into(),
            error => Self::Transform(error),
        }
    }
}
