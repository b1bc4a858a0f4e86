//! Why a CSV file cannot be read.

use std::io;

/// Why a CSV file cannot be read; each is one sentence about "the file". Lines and columns count from 1.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// No row of samples.
    #[error("it holds no sample")]
    NoSample,
    /// More than two columns, and no option that chooses.
    #[error(
        "line {line} has {columns} columns{names}; one column (real) or two (real, imaginary) can be read, or those that --column and --imaginary choose{}",
        hint(*.spectrum)
    )]
    Columns {
        line: u64,
        columns: usize,
        /// The names of the columns, in parentheses after a space; empty for a row of numbers.
        names: String,
        /// Whether the first cell says that this is a spectrum that was written here.
        spectrum: bool,
    },
    /// A column that was chosen by a number and is not there.
    #[error("line {line} has {columns} columns, and column {column} was asked for")]
    NoColumn { line: u64, columns: usize, column: usize },
    /// A column that was chosen by a name and is not there.
    #[error("line {line} has no column '{name}'{names}")]
    NoName {
        line: u64,
        name: String,
        /// The names of the columns, in parentheses after a space.
        names: String,
    },
    /// A name of several columns.
    #[error("line {line} has two columns '{name}', {first} and {second}; a number chooses one")]
    SameName { line: u64, name: String, first: usize, second: usize },
    /// A row that is wider or narrower than the first.
    #[error("line {line} has {found} columns where the lines before have {expected}{hint}")]
    Ragged {
        line: u64,
        found: usize,
        expected: usize,
        /// A remedy after a semicolon, or empty.
        hint: String,
    },
    /// A cell that is no number.
    #[error("line {line}, column {column}: '{text}' is not a number{hint}")]
    NotANumber {
        line: u64,
        column: usize,
        /// The cell, cut after 30 characters and fit for a terminal.
        text: String,
        /// A remedy after a semicolon, or empty.
        hint: String,
    },
    /// A line that other options can read.
    #[error("line {line} is '{text}', where {options} finds numbers")]
    OtherNotation {
        line: u64,
        /// The line, cut after 30 characters and fit for a terminal.
        text: String,
        /// The options, as on the command line.
        options: String,
    },
    /// Rows that are a number with a decimal comma or two whole numbers.
    #[error(
        "its rows, like '{text}' on line {line}, may be numbers with decimal commas or pairs of whole numbers; --decimal , reads numbers, and --decimal . reads pairs"
    )]
    DecimalCommas {
        line: u64,
        /// Its text.
        text: String,
    },
    /// A missing value, and no option that says what stands for it.
    #[error(
        "line {line}, column {column}: the value is missing ({text}); --missing zero, linear or nan says what stands for it{hint}"
    )]
    Missing {
        line: u64,
        column: usize,
        /// The cell between quotes, or that it is empty.
        text: String,
        /// Another remedy after a semicolon, or empty.
        hint: String,
    },
    /// A missing value at an end of the series, which cannot be interpolated.
    #[error(
        "line {line}: the value is missing, and no value {side} it can be interpolated from; --missing zero or nan needs none"
    )]
    NoNeighbour {
        line: u64,
        /// `before` or `after`.
        side: &'static str,
    },
    /// A blank line between rows of several columns.
    #[error("line {0} is blank and rows follow; inside a series no line is skipped")]
    Blank(u64),
    /// A comment between rows.
    #[error("line {0} is a comment and rows follow; inside a series no line is skipped")]
    Comment(u64),
    /// A quote that is not closed before the end of the file.
    #[error("the quote that opens on line {0} is never closed")]
    Unclosed(u64),
    /// A cell that goes on after its closing quote.
    #[error("line {line}, column {column}: the cell goes on after its closing quote")]
    AfterQuote { line: u64, column: usize },
    /// A NUL, which no text has.
    #[error(
        "line {0} holds a NUL byte, so it is no text; text in UTF-16 needs a byte order mark at its start"
    )]
    Nul(u64),
    /// A text in UTF-16 of an odd number of bytes.
    #[error("the file is cut short: it is text in UTF-16, and its last character is half there")]
    HalfUnit,
    /// No memory for the samples or for a line.
    #[error("there is not enough memory for line {0} and the samples before it")]
    Memory(u64),
    /// The operating system failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

fn hint(spectrum: bool) -> &'static str {
    if spectrum { "; to invert a spectrum, keep it as .npy, which is always whole" } else { "" }
}

/// The first 30 characters of a text, fit for a terminal.
pub(in crate::io) fn shown(text: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(text).chars().take(30).flat_map(char::escape_debug).collect();
    text.replace("\\\"", "\"").replace("\\'", "'")
}
