//! Errors of reading `.npy` files.

use std::io;

/// Longest header that is read, in bytes. `NumPy` itself refuses longer ones, and a plain array needs 118.
pub(crate) const LONGEST_HEADER: u32 = 10_000;

/// Reason why a `.npy` file cannot be read, as one sentence about "the file".
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// The file has no bytes.
    #[error("the file is empty")]
    EmptyFile,
    /// The file has fewer bytes than the header announces, or ends inside the header.
    #[error("the file is cut short: {needed} bytes were announced and {found} are there")]
    Truncated {
        /// Number of bytes that the part read so far announces.
        needed: u64,
        found: u64,
    },
    /// The file does not start with [`MAGIC`](crate::io::npy::MAGIC).
    #[error("it is not a .npy file: the first six bytes are not \\x93NUMPY")]
    NotNpy,
    /// The format version is not 1.0, 2.0 or 3.0.
    #[error("it has .npy format version {major}.{minor}; versions 1.0, 2.0 and 3.0 can be read")]
    Version { major: u8, minor: u8 },
    /// The header is longer than [`LONGEST_HEADER`].
    #[error("its header claims {0} bytes, more than the {LONGEST_HEADER} that a plain array could need")]
    HeaderTooLong(u32),
    /// The header is not a Python dictionary with the three keys.
    #[error("its header is not the dictionary of descr, fortran_order and shape that it must be")]
    Header,
    /// The header has nested brackets: a structured dtype, or an attack.
    #[error("its elements are records; an array of plain numbers is needed")]
    Structured,
    /// The dtype is not a number of a known width. The text is the header's, cut after 20 characters and
    /// escaped for a terminal.
    #[error(
        "its elements have dtype '{0}'; booleans, integers of 1 to 8 bytes, float16, float32, float64, complex64 and complex128 can be read"
    )]
    Dtype(String),
    /// The dtype is long double, whose bytes differ between processors.
    #[error(
        "its elements have dtype '{dtype}', long double, whose bytes mean different numbers on different computers (in NumPy: a.astype('{shorter}'))"
    )]
    LongDouble {
        /// Dtype as the header spells it, cut after 20 characters and escaped for a terminal.
        dtype: String,
        /// Dtype of double precision.
        shorter: &'static str,
    },
    /// The array has no dimension or more than three.
    #[error(
        "its shape is ({}); an array of one to three dimensions is needed (in NumPy: {})",
        list(.0, ", "),
        if .0.len() == 4 { "a.ravel() or a[0]" } else { "a.ravel()" }
    )]
    Shape(Vec<usize>),
    /// The array has no samples.
    #[error("it holds no sample")]
    NoSample,
    /// The number of bytes overflows 64 bits.
    #[error("its header claims {} samples, more than any file can hold", list(.0, " x "))]
    TooLarge(Vec<usize>),
    /// Bytes follow the last sample.
    #[error("it goes on after its {0} samples; one array a file is needed")]
    Trailing(usize),
    /// There is no memory for the samples in the file.
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
