//! What can go wrong in a command of the laboratory, beside what can in any command.

use earth_console::Failure;
use earth_fft::TransformError;

use crate::compare::CompareError;
use crate::pfft::study::{BenchError, RunError};
use crate::simulate::SimulateError;

/// Why a command of the laboratory has nothing to tell.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    /// The paper on Blue Gene/L is asked for with what does not apply to it.
    #[error(
        "torus and torus-pattern are shown alone: they take --profile, --work and --out PAGE.md, and no other option"
    )]
    TorusAlone,
    /// The paper on many-cores is asked for with what does not apply to it.
    #[error("manycore and manycore-stages are shown alone: they take --out PAGE.md, and no other option")]
    ManycoreAlone,
    /// An array that the programs of the papers do not transform is to be compared.
    #[error(
        "the programs that are compared transform a series or a matrix, and this is {}",
        earth_console::failure::array(lengths)
    )]
    NotCompared {
        /// The lengths of its dimensions.
        lengths: Vec<usize>,
    },
    /// A profile that is neither built in nor a file.
    #[error("there is no profile '{name}': it is {known}, or the name of a file that ends in .toml")]
    UnknownProfile {
        /// The name that was asked for.
        name: String,
        /// The names of the profiles that are built in.
        known: String,
    },
    /// A profile's file cannot be used.
    #[error("cannot read the profile '{name}': {why}")]
    Profile {
        /// The file.
        name: String,
        /// Why it cannot be used.
        why: String,
    },
    /// A file of speed functions that are not those to be measured.
    #[error(
        "'{name}' holds speed functions of other groups or another kernel; give another file with -o, or --force to begin anew"
    )]
    OtherSubject {
        /// The file.
        name: String,
    },
    /// Repetitions that make no mean.
    #[error("a mean needs a confidence below 1, and at least 2 and at most --max-repetitions repetitions")]
    Unreliable,
    /// The measurement is of no use.
    #[error("nothing was measured: {0}")]
    Measuring(String),
    /// Nowhere to save speed functions.
    #[error("there is no folder for the user's data; name a file with -o")]
    NoPlace,
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::TorusAlone
            | Refused::ManycoreAlone
            | Refused::UnknownProfile { .. }
            | Refused::Unreliable => Self::usage(refused),
            _ => Self::work(refused),
        }
    }
}

impl From<SimulateError> for Failure {
    fn from(error: SimulateError) -> Self {
        match error {
            SimulateError::Machine(TransformError::Machine(earth::Error::Cancelled)) => Self::Interrupted,
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
