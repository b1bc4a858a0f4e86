//! Errors of libraries and their plans.

use std::fmt;
use std::path::PathBuf;

use earth_kernels::RowShapeError;

/// Reason why a library cannot be used, or why it makes no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LibraryError {
    /// Library that was not found in any searched place.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// File that the system's loader rejects.
    #[error("cannot load {}: {because}", path.display())]
    Load {
        /// File, or library name that was passed to the loader.
        path: PathBuf,
        /// Message of the loader.
        because: String,
    },
    /// Library without a required function.
    #[error("{} has no {symbol}, which is part of FFTW's interface", path.display())]
    MissingSymbol {
        /// Path of the library.
        path: PathBuf,
        /// Name of the function.
        symbol: String,
    },
    /// MKL without a part that it needs. MKL would end the process.
    #[error("{} cannot run without {part} in the same folder", path.display())]
    Incomplete {
        /// Path of the library.
        path: PathBuf,
        /// Name of the missing part.
        part: &'static str,
    },
    /// Library without transforms in this precision.
    #[error("{} has no transforms in {precision}: {because}", path.display())]
    NoPrecision {
        /// Precision: `f32` or `f64`.
        precision: &'static str,
        /// Path of the library.
        path: PathBuf,
        /// Reason why its functions for this precision cannot be used.
        because: Box<LibraryError>,
    },
    /// Library without threads of its own.
    #[error("{} has no threads: {because}", path.display())]
    NoThreads {
        /// Path of the library.
        path: PathBuf,
        /// Missing functions or files.
        because: String,
    },
    /// Transform that FFTW 2 is not used for.
    #[error(
        "FFTW 2 is used for complex points in double precision only, and for matrices without gaps between rows"
    )]
    NotByFftw2,
    /// Invalid layout of rows.
    #[error(transparent)]
    Shape(#[from] RowShapeError),
    /// Transform of no points, or on no threads.
    #[error("a transform of {problem} points on {threads} threads: at least 1 point and 1 thread are needed")]
    EmptyTransform {
        /// Lengths of the transform.
        problem: String,
        /// Number of threads.
        threads: usize,
    },
    /// Number that exceeds the `int` of the interface.
    #[error("{what} of {value} is past {}, the most that FFTW's interface takes", i32::MAX)]
    TooLarge {
        /// Meaning of the number.
        what: &'static str,
        /// Value of the number.
        value: usize,
    },
    /// Process that was forked while another thread was planning.
    #[error("{} cannot plan here: another thread was planning when this process was forked", path.display())]
    Forked {
        /// Path of the library.
        path: PathBuf,
    },
    /// Allocation failure for the memory of planning.
    #[error("not enough memory: planning for {points} points needs memory for as many points again")]
    NoMemory {
        /// Number of points in the arrays of the plan.
        points: usize,
    },
    /// Transform for which the library returns no plan.
    #[error("{} makes no plan for {what}", path.display())]
    NoPlan {
        /// Path of the library.
        path: PathBuf,
        /// Transform of the plan.
        what: String,
    },
    /// Wisdom of another process that the library rejects.
    #[error("{} does not accept the saved wisdom: it is from another build of the library, or damaged", path.display())]
    NoWisdom {
        /// Path of the library.
        path: PathBuf,
    },
    /// Arrays of another kind than planned: points or real numbers, in place or out of place.
    #[error("the plan is for {planned}, not for {given}")]
    ArraysMismatch {
        /// Arrays of the plan.
        planned: &'static str,
        /// Arrays of the call.
        given: &'static str,
    },
    /// Array with fewer elements than planned.
    #[error("an array of {given} elements: the plan needs at least {needed}")]
    Short {
        /// Number of its points, or of its real numbers.
        given: usize,
        /// Minimum number of elements.
        needed: usize,
    },
    /// Array whose alignment differs from the plan's.
    #[error("an array for {} does not begin at a multiple of 16 bytes", path.display())]
    Misaligned {
        /// Path of the library.
        path: PathBuf,
    },
}

/// Library that was not found in any searched place.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct NotFound {
    /// Name of the library: `fftw`, `fftw2` or `mkl`.
    pub library: &'static str,
    /// Possible file names.
    pub names: &'static [&'static str],
    /// Folders that were searched after the system's loader.
    pub folders: Vec<PathBuf>,
    /// Files that were found but cannot be used, each with the reason.
    pub unfit: Vec<LibraryError>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} was not found: the system's loader does not find {}",
            self.library,
            self.names.join(" or ")
        )?;
        let folders: Vec<_> = self.folders.iter().map(|folder| folder.display().to_string()).collect();
        write!(f, ", and none is in {}", folders.join(", "))?;
        self.unfit.iter().try_for_each(|error| write!(f, "; {error}"))
    }
}
