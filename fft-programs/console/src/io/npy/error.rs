//! Why a `.npy` file cannot be read.

use std::io;

/// The longest header that is read, in bytes; `NumPy` itself refuses more, and a plain array needs 118.
pub(crate) const LONGEST_HEADER: u32 = 10_000;

/// Why a `.npy` file cannot be read; each is one sentence about "the file".
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// Nothing at all.
    #[error("the file is empty")]
    EmptyFile,
    /// Fewer bytes than the header announces, or an end inside the header.
    #[error("the file is cut short: {needed} bytes were announced and {found} are there")]
    Truncated {
        /// The bytes that the part read so far says there must be.
        needed: u64,
        found: u64,
    },
    /// The file does not start with [`MAGIC`](crate::io::npy::MAGIC).
    #[error("it is not a .npy file: the first six bytes are not \\x93NUMPY")]
    NotNpy,
    /// A format version other than 1.0, 2.0 and 3.0.
    #[error("it has .npy format version {major}.{minor}; versions 1.0, 2.0 and 3.0 can be read")]
    Version { major: u8, minor: u8 },
    /// A header longer than [`LONGEST_HEADER`].
    #[error("its header claims {0} bytes, more than the {LONGEST_HEADER} that a plain array could need")]
    HeaderTooLong(u32),
    /// A header that is no Python dictionary with the three keys.
    #[error("its header is not the dictionary of descr, fortran_order and shape that it must be")]
    Header,
    /// A header with nested brackets: a structured dtype, or an attack.
    #[error("its elements are records; an array of plain numbers is needed")]
    Structured,
    /// A dtype that is no number of a known width: as the header spells it, cut after 20 characters and fit for a terminal.
    #[error(
        "its elements have dtype '{0}'; booleans, integers of 1 to 8 bytes, float16, float32, float64, complex64 and complex128 can be read"
    )]
    Dtype(String),
    /// Long double, whose bytes differ between processors.
    #[error(
        "its elements have dtype '{dtype}', long double, whose bytes mean different numbers on different computers (in NumPy: a.astype('{shorter}'))"
    )]
    LongDouble {
        /// The dtype as the header spells it, cut after 20 characters and fit for a terminal.
        dtype: String,
        /// The dtype of double precision.
        shorter: &'static str,
    },
    /// An array of no dimension or of more than three.
    #[error(
        "its shape is ({}); an array of one to three dimensions is needed (in NumPy: {})",
        list(.0, ", "),
        if .0.len() == 4 { "a.ravel() or a[0]" } else { "a.ravel()" }
    )]
    Shape(Vec<usize>),
    /// An array of no sample.
    #[error("it holds no sample")]
    NoSample,
    /// A shape whose bytes cannot be counted in 64 bits.
    #[error("its header claims {} samples, more than any file can hold", list(.0, " x "))]
    TooLarge(Vec<usize>),
    /// Bytes after the last sample.
    #[error("it goes on after its {0} samples; one array a file is needed")]
    Trailing(usize),
    /// No memory for the samples that are really there.
    #[error("there is not enough memory for its {0} samples")]
    Memory(usize),
    /// The operating system failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

fn list(shape: &[usize], separator: &str) -> String {
    let parts: Vec<String> = shape.iter().map(usize::to_string).collect();
    parts.join(separator)
}
