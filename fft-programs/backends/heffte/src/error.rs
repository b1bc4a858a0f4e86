//! Errors of heFFTe and of its plans.

use earth_memory::NoMemory;
use earth_mpi_library::LibraryError;

/// Why heFFTe cannot be used, or makes no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum HeffteError {
    /// The library cannot be used in this process.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// The library was built without FFTW.
    #[error("libheffte was built without FFTW")]
    NoFftw,
    /// Arrays of other dimensions than two or three.
    #[error("heFFTe transforms arrays of two or three dimensions, not of {0}")]
    Dimensions(usize),
    /// More points than heFFTe counts.
    #[error("{0:?} points are past what heFFTe takes")]
    TooLarge(Vec<usize>),
    /// Boxes that do not fill the array, that overlap, or that are empty.
    #[error("the boxes of the ranks do not divide {0:?} points into one piece for each rank")]
    NoTiling(Vec<usize>),
    /// The library makes no plan on some rank.
    #[error("libheffte makes no plan for {0:?}")]
    NoPlan(Vec<usize>),
    /// Too little memory for the points or the workspace.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
}
