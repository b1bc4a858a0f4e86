//! Refusals of this command, in addition to the failures of any command.

use std::io;
use std::path::PathBuf;

use earth_console::Failure;
use earth_console::failure::sizes;

/// Reason why the command has no result, as one sentence without a full stop.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    /// The input or the output is a stream.
    #[error("ranks read and write at positions of files, so '-' is no input and no output; give a name")]
    Stream,
    /// The name ends in another format's extension.
    #[error("'{}' is no .npy, the only format that ranks can read and write", .0.display())]
    NotNpy(PathBuf),
    /// The input has no positions.
    #[error("cannot read '{}': it is no regular file, and ranks read at positions of one", .0.display())]
    InputInPlace(PathBuf),
    /// The output would be written in place.
    #[error("cannot write '{}': it is no regular file, and ranks write at positions of one", .0.display())]
    OutputInPlace(PathBuf),
    /// The input is in Fortran order.
    #[error(
        "cannot read '{}': it is in Fortran order, and ranks read C order only (in NumPy: np.ascontiguousarray(a))",
        .0.display()
    )]
    Fortran(PathBuf),
    /// A series was requested in transposed order.
    #[error("'{}' holds a series, and --transposed exchanges the first two axes of an array", .0.display())]
    TransposedSeries(PathBuf),
    /// The ranks of a computer, or a rank with a limit of its own, need more memory than there is.
    #[error(
        "the transform needs {needed} bytes of memory here and {available} are available; ranks on more computers need less each"
    )]
    Memory {
        /// Bytes that the ranks need.
        needed: u64,
        /// Bytes that are there.
        available: u64,
    },
    /// No library to compare with.
    #[error("neither FFTW-MPI nor heFFTe can be used, so there is nothing to compare with")]
    NoPeer,
    /// FFTW-MPI gives the ranks other shares of an array.
    #[error("{} points cannot be compared: FFTW-MPI gives the ranks other shares than this program", sizes(.0))]
    UnevenShares(Vec<usize>),
    /// The spectra of a peer and of this program differ.
    #[error("the spectra of {peer} and of this program differ by {error:e}")]
    OtherSpectrum {
        /// Name of the peer.
        peer: &'static str,
        /// Greatest relative error of a point.
        error: f64,
    },
    /// An array that would leave some rank without points.
    #[error("{} points have fewer rows along x or y than the job has ranks, so some rank would have no work", sizes(.0))]
    TooFewRows(Vec<usize>),
    /// The spectra of a program and of NEW differ.
    #[error("the spectra of {program} and of NEW differ by {error:e}")]
    OtherThanNew {
        /// Name of the program.
        program: &'static str,
        /// Greatest relative error of a point.
        error: f64,
    },
    /// A rank found another file than rank 0.
    #[error("its '{}' differs from the one of rank 0; all ranks must see the same files", .0.display())]
    OtherInput(PathBuf),
    /// A rank does not see the file that rank 0 has created.
    #[error("cannot open '{}', which rank 0 has created; all ranks must see its directory: {source}", path.display())]
    OutputUnseen {
        /// Temporary file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Stream | Refusal::NotNpy(_) => Self::usage(refusal),
            _ => Self::work(refusal),
        }
    }
}
