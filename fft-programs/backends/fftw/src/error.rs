//! What can go wrong with a library and its plans.

use std::path::PathBuf;

use earth_kernels::RowShapeError;

use crate::search::NotFound;

/// Why a library cannot be used, or makes no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LibraryError {
    /// It is nowhere where it was looked for.
    #[error(transparent)]
    NotFound(#[from] NotFound),
    /// The system's loader does not take the file.
    #[error("cannot load {}: {because}", path.display())]
    Load {
        /// The file, or the name by which the loader was asked.
        path: PathBuf,
        /// What the loader says.
        because: String,
    },
    /// The file is a library, but this function is not in it.
    #[error("{} has no {symbol}, which is part of FFTW's interface", path.display())]
    MissingSymbol {
        /// The library.
        path: PathBuf,
        /// The function.
        symbol: String,
    },
    /// MKL is there but for a part of it, without which it would end the process.
    #[error("{} is of no use without {part} beside it", path.display())]
    Incomplete {
        /// The library.
        path: PathBuf,
        /// What is missing.
        part: &'static str,
    },
    /// The library is there, but does not transform numbers of this precision.
    #[error("no {precision} with {}: {because}", path.display())]
    NoPrecision {
        /// `f32` or `f64`.
        precision: &'static str,
        /// The library.
        path: PathBuf,
        /// What is wrong with the half of it that would.
        because: Box<LibraryError>,
    },
    /// The library has no threads of its own.
    #[error("{} has no threads: {because}", path.display())]
    NoThreads {
        /// The library.
        path: PathBuf,
        /// What is missing.
        because: String,
    },
    /// There are no such rows.
    #[error(transparent)]
    Shape(#[from] RowShapeError),
    /// A matrix without points, or to be transformed by no threads.
    #[error("there is no transform of a matrix of {rows} x {cols} by {threads} threads")]
    Nothing {
        /// Its rows.
        rows: usize,
        /// Its columns.
        cols: usize,
        /// The threads.
        threads: usize,
    },
    /// A number that the interface cannot be told.
    #[error("{what} of {value} is past {}, the most that FFTW's interface takes", i32::MAX)]
    TooLarge {
        /// What the number is.
        what: &'static str,
        /// The number.
        value: usize,
    },
    /// The memory to plan on cannot be had.
    #[error("planning for {points} points needs as much memory again, and there is not enough")]
    NoMemory {
        /// How many points the arrays have that the plan is for.
        points: usize,
    },
    /// The library makes no such plan.
    #[error("{} makes no plan for {what}", path.display())]
    NoPlan {
        /// The library.
        path: PathBuf,
        /// What the plan was for.
        what: String,
    },
    /// The matrix does not begin where vector instructions want it.
    #[error("a matrix for {} begins at a multiple of 16 bytes", path.display())]
    Misaligned {
        /// The library.
        path: PathBuf,
    },
}
