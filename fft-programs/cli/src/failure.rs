//! Failures of commands of `earth-fft`, in addition to the failures of any command.

use earth_console::Failure;

use crate::bench_fft::peers::BenchFftError;
use crate::bench_fft::peers::cases::NoCase;

/// Reason why a command of `earth-fft` has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum CliError {
    /// Both the spectrum and the summary would go to standard output.
    #[error("'-o -' and '--json' would both print on standard output")]
    TwoResults,
}

impl From<CliError> for Failure {
    fn from(refused: CliError) -> Self {
        Self::usage(refused)
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
