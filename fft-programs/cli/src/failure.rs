//! What can go wrong in a command of `earth-fft`, beside what can in any command.

use earth_console::Failure;

use crate::peers::BenchFftError;
use crate::peers::cases::NoCase;

/// Why a command of `earth-fft` has nothing to tell.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    /// Both the spectrum and the summary would go to standard output.
    #[error("'-o -' and '--json' would both print on standard output")]
    TwoResults,
    /// Wisdom would go to standard output, where the summary goes.
    #[error("wisdom cannot go to standard output; give it the name of a file, like 'wisdom.json'")]
    WisdomOnStdout,
    /// A file that is no wisdom, or none for here.
    #[error("cannot use the wisdom '{name}': {why}")]
    Wisdom {
        /// The file's name.
        name: String,
        /// Why it cannot be used.
        why: String,
    },
    /// A file without rates, or with none for here.
    #[error("cannot use the rates '{name}': {why}")]
    Rates {
        /// The file's name.
        name: String,
        /// Why they cannot be used.
        why: String,
    },
    /// A file that is no report of `bench-fft`.
    #[error("cannot show the report '{name}': {why}")]
    Report {
        /// The file's name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::TwoResults | Refused::WisdomOnStdout => Self::usage(refused),
            _ => Self::work(refused),
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
