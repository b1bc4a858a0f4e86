//! Everything that can go wrong in a command, as one sentence and one exit code.

use std::error::Error;
use std::io;
use std::process::ExitCode;

use earth_fft::computer::OtherComputer;
use earth_fft::{PlanError, TransformError};
use earth_kernels::Verified;
use earth_memory::NoMemory;
use earth_papers::file::LoadError;

use crate::io::aside::WriteError;
use crate::io::{ReadError, UnknownFormat};
use crate::stop::{INTERRUPTED, OUT_OF_TIME, Stop};
use crate::terminal::stderr::say;

/// Why a command failed. Its text is one sentence without a full stop.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// What the command line alone shows to be wrong.
    #[error(transparent)]
    Usage(Box<dyn Error + Send + Sync>),
    /// What needed a file or a machine to be found out.
    #[error(transparent)]
    Work(Box<dyn Error + Send + Sync>),
    /// The user interrupted it.
    #[error("it was interrupted")]
    Interrupted,
    /// A variable of the environment that means nothing.
    #[error("{0}")]
    Environment(#[source] earth::Error),
    /// An extension that names no format.
    #[error(transparent)]
    Format(#[from] UnknownFormat),
    /// A page would go to standard output, where the tables go.
    #[error("the page cannot go to standard output, where the tables go; give it a name like 'report.html'")]
    PageOnStdout,
    /// A trace of no known form.
    #[error("'{name}' is no name for a trace: it ends in .json for Perfetto or in .svg for a picture")]
    TraceForm {
        /// The file's name.
        name: String,
    },
    /// What is no matrix is to become a picture.
    #[error("a .png holds a matrix and this is {}; a {} holds it", array(lengths), if lengths.len() == 1 { ".csv or a .npy" } else { ".npy" })]
    NoPicture {
        /// The lengths of its dimensions.
        lengths: Vec<usize>,
    },
    /// What is no series is to become a table of frequencies.
    #[error("a .csv holds a series and this is {}; a {} holds it", array(lengths), if lengths.len() == 2 { ".npy or a .png" } else { ".npy" })]
    NoTable {
        /// The lengths of its dimensions.
        lengths: Vec<usize>,
    },
    /// The input cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The output cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// There is no such transform.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The system refused memory.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
    /// No spectrum came back.
    #[error("the transform failed: {0}")]
    Transform(#[source] TransformError),
    /// A spectrum came back and it is wrong.
    #[error(
        "the spectrum is wrong: its relative error is {error:.1e} where at most {bound:.1e} is rounding; nothing was written"
    )]
    Wrong {
        /// The relative L2 error.
        error: f64,
        /// The largest that rounding explains.
        bound: f64,
    },
    /// Speed functions that cannot be read.
    #[error(transparent)]
    Speeds(#[from] LoadError),
    /// Speed functions of another computer.
    #[error("'{name}': {other}; with --force it is used all the same")]
    OtherComputer {
        /// The file.
        name: String,
        /// The fact that differs.
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
    /// What the command line alone shows to be wrong.
    pub fn usage(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Usage(error.into())
    }

    /// What needed a file or a machine to be found out.
    pub fn work(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Work(error.into())
    }

    /// 2 for what the command line or the environment alone shows to be wrong, 1 for the rest.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_)
            | Self::Environment(_)
            | Self::Format(_)
            | Self::PageOnStdout
            | Self::TraceForm { .. } => 2,
            // Groups and nodes that do not fit are wrong on the command line itself, whatever the files hold.
            Self::Plan(PlanError::Refused(refused)) => match refused.downcast_ref() {
                Some(
                    earth_papers::Error::NodesOfGroups { .. } | earth_papers::Error::TooManyGroups { .. },
                ) => 2,
                _ => 1,
            },
            _ => 1,
        }
    }

    /// Tells the user, who may know already, and gives the exit code of the process.
    pub fn end(&self, stop: &Stop) -> ExitCode {
        if self.is_broken_pipe() {
            return ExitCode::SUCCESS;
        }
        if !self.is_interruption() {
            say(self);
            return ExitCode::from(self.exit_code());
        }
        if stop.is_out_of_time() {
            say(OUT_OF_TIME);
            return ExitCode::from(1);
        }
        ExitCode::from(INTERRUPTED)
    }

    /// The failure of a spectrum that rounding does not explain. One that NaN or infinity went into has an error of
    /// NaN, which proves nothing.
    pub fn wrong(verified: &Verified) -> Option<Self> {
        let Verified { bound, .. } = *verified;
        let error = verified.relative_error();
        (error > bound).then_some(Self::Wrong { error, bound })
    }

    /// Whether the user interrupted it, who then needs no message.
    fn is_interruption(&self) -> bool {
        matches!(self, Self::Interrupted | Self::Transform(TransformError::Machine(earth::Error::Cancelled)))
    }

    /// Whether our reader went away, which is no failure of ours.
    fn is_broken_pipe(&self) -> bool {
        let (Self::Stdout(source) | Self::Write(WriteError { source, .. })) = self else {
            return false;
        };
        source.kind() == io::ErrorKind::BrokenPipe
    }
}

/// What an array of these lengths is called.
pub fn array(lengths: &[usize]) -> String {
    let what = ["a series", "a matrix", "an array"][lengths.len().clamp(1, 3) - 1];
    format!("{what} of {} samples", sizes(lengths))
}

/// The lengths of dimensions, for people.
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
