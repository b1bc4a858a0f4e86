//! The errors of libraries and of their plans.

use std::fmt;
use std::path::PathBuf;

use earth_kernels::RowShapeError;

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
        /// The loader's message.
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
        /// The part that is missing.
        part: &'static str,
    },
    /// The library is there, but does not transform numbers of this precision.
    #[error("no {precision} with {}: {because}", path.display())]
    NoPrecision {
        /// `f32` or `f64`.
        precision: &'static str,
        /// The library.
        path: PathBuf,
        /// The reason that the half of it for this precision cannot be used.
        because: Box<LibraryError>,
    },
    /// The library has no threads of its own.
    #[error("{} has no threads: {because}", path.display())]
    NoThreads {
        /// The library.
        path: PathBuf,
        /// The functions or files that are missing.
        because: String,
    },
    /// There are no such rows.
    #[error(transparent)]
    Shape(#[from] RowShapeError),
    /// A transform of no points, or by no threads.
    #[error("there is no transform of {problem} points by {threads} threads")]
    Nothing {
        /// The lengths.
        problem: String,
        /// The threads.
        threads: usize,
    },
    /// A number that the interface cannot be told.
    #[error("{what} of {value} is past {}, the most that FFTW's interface takes", i32::MAX)]
    TooLarge {
        /// The meaning of the number.
        what: &'static str,
        /// The number.
        value: usize,
    },
    /// Another thread was planning as this process was forked.
    #[error("{} was planning as this process was forked, and can plan nothing here", path.display())]
    Forked {
        /// The library.
        path: PathBuf,
    },
    /// The memory to plan on cannot be had.
    #[error("planning for {points} points needs as much memory again, and there is not enough")]
    NoMemory {
        /// The points of the arrays that the plan is for.
        points: usize,
    },
    /// The library makes no such plan.
    #[error("{} makes no plan for {what}", path.display())]
    NoPlan {
        /// The library.
        path: PathBuf,
        /// The transform that the plan was for.
        what: String,
    },
    /// What another process learned is not taken.
    #[error("{} does not take what was learned before, which is of another build of it, or damaged", path.display())]
    NoWisdom {
        /// The library.
        path: PathBuf,
    },
    /// A plan got arrays of another kind, or one where two were planned, or two where one was.
    #[error("a plan of {planned} got {given}")]
    OtherArrays {
        /// The arrays that it is for.
        planned: &'static str,
        /// Those that were given.
        given: &'static str,
    },
    /// An array with fewer elements than planned.
    #[error("an array of {given} elements where {needed} were planned")]
    Short {
        /// Its points, or its real numbers.
        given: usize,
        /// As many as were planned.
        needed: usize,
    },
    /// An array does not begin where vector instructions want it.
    #[error("an array for {} begins at a multiple of 16 bytes", path.display())]
    Misaligned {
        /// The library.
        path: PathBuf,
    },
}

/// A library that is nowhere where it was looked for.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct NotFound {
    /// The name of the library: `fftw` or `mkl`.
    pub library: &'static str,
    /// The names it could have.
    pub names: &'static [&'static str],
    /// The folders that were searched, after the loader of the system was asked.
    pub folders: Vec<PathBuf>,
    /// The files that were found but cannot be used, each with the reason.
    pub unfit: Vec<LibraryError>,
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} was not found: the system's loader knows no {}",
            self.library,
            self.names.join(" or ")
        )?;
        let folders: Vec<_> = self.folders.iter().map(|folder| folder.display().to_string()).collect();
        write!(f, ", and none is in {}", folders.join(", "))?;
        self.unfit.iter().try_for_each(|error| write!(f, "; {error}"))
    }
}
