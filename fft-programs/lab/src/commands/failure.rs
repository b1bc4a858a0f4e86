//! Errors of the commands of `earth-lab`, in addition to the errors of every command.

use earth_console::Failure;
use earth_fft::TransformError;
use earth_programs::ProgramError;

use crate::compare::CompareError;
use crate::pfft::study::{BenchError, RunError};
use crate::run_cache::SimulateError;
use crate::sweep::SweepError;
use crate::tune::overlap::TuneError;

/// Error of a command of `earth-lab`.
#[derive(Debug, thiserror::Error)]
pub(super) enum LabError {
    /// The page of the EARTH paper is combined with arguments that do not apply to it.
    #[error(
        "earth cannot be combined with other subjects or options; it takes --profile, --work and --out PAGE.md"
    )]
    EarthAlone,
    /// The paper on Blue Gene/L is combined with arguments that do not apply to it.
    #[error(
        "torus and torus-pattern cannot be combined with other subjects or options; they take --profile, --work and --out PAGE.md"
    )]
    TorusAlone,
    /// The paper on many-cores is combined with arguments that do not apply to it.
    #[error(
        "manycore and manycore-stages cannot be combined with other subjects or options; they take --out PAGE.md"
    )]
    ManycoreAlone,
    /// The growth of distributed FFTs is combined with arguments that do not apply to it.
    #[error(
        "distributed and distributed-few cannot be combined with other subjects or options; they take --profile, --work and --out PAGE.md"
    )]
    GrowthAlone,
    /// The scale of the runtime is combined with arguments that do not apply to it.
    #[error(
        "scale and scale-few cannot be combined with other subjects or options; they take --profile, --work and --out PAGE.md"
    )]
    ScaleAlone,
    /// The paper on overlap is combined with arguments that do not apply to it.
    #[error(
        "overlap and overlap-short cannot be combined with other subjects or options; they take --out PAGE.md, and overlap takes --measured"
    )]
    OverlapAlone,
    /// Report of a measured job that cannot be used.
    #[error("cannot read the report '{name}': {why}")]
    Measured {
        /// Name of the file or folder.
        name: String,
        /// Reason.
        why: String,
    },
    /// Comparison of an array that the papers' programs do not transform.
    #[error("compare needs a series or a matrix, not {}", earth_console::failure::array(lengths))]
    NotCompared {
        /// Lengths of its dimensions.
        lengths: Vec<usize>,
    },
    /// Profile that is neither built in nor a file.
    #[error("there is no profile '{name}'; built in are {known}, and any other profile is a .toml file")]
    UnknownProfile {
        /// Name of the profile in the arguments.
        name: String,
        /// Names of the built-in profiles.
        known: String,
    },
    /// Profile file that cannot be used.
    #[error("cannot read the profile '{name}': {why}")]
    Profile {
        /// Name of the file.
        name: String,
        /// Reason.
        why: String,
    },
    /// Name of no program.
    #[error("there is no program '{name}'; cargo run -p earth-programs -- list names them")]
    NoSuchProgram {
        /// Name in the arguments.
        name: String,
    },
    /// File of speed functions of another subject than the one to be measured.
    #[error(
        "'{name}' holds speed functions of other groups or another kernel; give another file with -o, or --force to overwrite it"
    )]
    OtherSubject {
        /// Name of the file.
        name: String,
    },
    /// Numbers of repetitions, or a confidence, that give no mean.
    #[error("a mean needs a --confidence below 1 and a --min-repetitions from 2 to --max-repetitions")]
    Unreliable,
    /// Failed measurement.
    #[error("the measurement failed: {0}")]
    Measuring(String),
    /// File that is not an experiment.
    #[error("cannot read the experiment '{name}': {why}")]
    Experiment {
        /// Name of the file.
        name: String,
        /// Reason.
        why: String,
    },
    /// Plot of rows without times.
    #[error("there is nothing to draw, because steppers measure no time")]
    NothingToDraw,
    /// No folder in which to save speed functions.
    #[error("there is no folder for the user's data; name a file with -o")]
    NoPlace,
}

impl From<LabError> for Failure {
    fn from(refused: LabError) -> Self {
        match refused {
            LabError::EarthAlone
            | LabError::TorusAlone
            | LabError::ManycoreAlone
            | LabError::GrowthAlone
            | LabError::ScaleAlone
            | LabError::OverlapAlone
            | LabError::UnknownProfile { .. }
            | LabError::NoSuchProgram { .. }
            | LabError::Unreliable => Self::usage(refused),
            _ => Self::work(refused),
        }
    }
}

impl From<SimulateError> for Failure {
    fn from(error: SimulateError) -> Self {
        match error {
            SimulateError::Machine(TransformError::Machine(earth::Error::Cancelled))
            | SimulateError::Program(ProgramError::Machine(earth::Error::Cancelled)) => Self::Interrupted,
            error => Self::work(error),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Bench(BenchError::Transform(TransformError::Machine(earth::Error::Cancelled))) => {
                Self::Interrupted
            }
            error => Self::work(error),
        }
    }
}

impl From<SweepError> for Failure {
    fn from(error: SweepError) -> Self {
        if error.is_cancelled() { Self::Interrupted } else { Self::work(error) }
    }
}

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Transform(error) => error.into(),
            TuneError::Runs(error) => Self::work(error),
        }
    }
}

impl From<CompareError> for Failure {
    fn from(error: CompareError) -> Self {
        match error {
            CompareError::Transform(error) => error.into(),
            CompareError::Wrong(verified) => {
                Self::Wrong { error: verified.relative_error(), bound: verified.bound }
            }
        }
    }
}
