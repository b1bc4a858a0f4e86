//! Errors of simulations.

use earth_fft::TransformError;
use earth_programs::ProgramError;

use super::file::RunFileError;

/// Error of a simulation.
#[derive(Debug, thiserror::Error)]
pub enum SimulateError {
    /// A simulated program ended with an error.
    #[error("the simulation failed: {0}")]
    Machine(#[source] TransformError),
    /// A simulated program's result differs from the row kernel's.
    #[error(
        "the simulated transform is wrong ({what}): its relative error is {error:.1e}, and rounding explains at most {bound:.1e}"
    )]
    Wrong {
        /// Description of the run.
        what: String,
        /// Relative L2 error.
        error: f64,
        /// Largest error that rounding explains.
        bound: f64,
    },
    /// A classic program ended with an error.
    #[error("the program failed: {0}")]
    Program(#[from] ProgramError),
    /// A program of another system failed.
    #[error("the peer failed: {0}")]
    Peer(String),
    /// The runs cannot be kept.
    #[error(transparent)]
    Runs(#[from] RunFileError),
}

impl SimulateError {
    /// Error of runs that were cancelled.
    pub const CANCELLED: Self = Self::Machine(TransformError::Machine(earth::Error::Cancelled));
}

impl From<earth::Error> for SimulateError {
    fn from(error: earth::Error) -> Self {
        Self::Machine(TransformError::Machine(error))
    }
}

impl From<TransformError> for SimulateError {
    fn from(error: TransformError) -> Self {
        Self::Machine(error)
    }
}
