//! Errors of reading CSV.

use std::io;

/// Reason why a CSV file cannot be read, as one sentence about "the file". Lines and columns count from 1.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// The file has no row of samples.
    #[error("it holds no sample")]
    NoSample,
    /// The table has more than two columns, and no option chooses.
    #[error(
        "line {line} has {columns} columns{names}; one column (real) or two (real, imaginary) can be read, or those that --column and --imaginary choose{}",
        hint(*.spectrum)
    )]
    Columns {
        line: u64,
        columns: usize,
        /// Names of the columns, in parentheses after a space; empty for a row of numbers.
        names: String,
        /// Whether the first cell marks a spectrum that this program wrote.
        spectrum: bool,
    },
    /// A column chosen by number does not exist.
    #[error("column {column} was requested, but line {line} has {columns} columns")]
    NoColumn { line: u64, columns: usize, column: usize },
    /// A column chosen by name does not exist.
    #[error("line {line} has no column '{name}'{names}")]
    NoName {
        line: u64,
        name: String,
        /// Names of the columns, in parentheses after a space.
        names: String,
    },
    /// Several columns have the chosen name.
    #[error("line {line} has two columns '{name}', {first} and {second}; a number chooses one")]
    SameName { line: u64, name: String, first: usize, second: usize },
    /// A row is wider or narrower than the first.
    #[error("line {line} has {found} columns where the lines before have {expected}{hint}")]
    Ragged {
        line: u64,
        found: usize,
        expected: usize,
        /// Remedy after a semicolon, or empty.
        hint: String,
    },
    /// A cell is not a number.
    #[error("line {line}, column {column}: '{text}' is not a number{hint}")]
    NotANumber {
        line: u64,
        column: usize,
        /// Cell, cut after 30 characters and escaped for a terminal.
        text: String,
        /// Remedy after a semicolon, or empty.
        hint: String,
    },
    /// Other options can read the line.
    #[error("line {line} is '{text}', where {options} finds numbers")]
    OtherNotation {
        line: u64,
        /// Line, cut after 30 characters and escaped for a terminal.
        text: String,
        /// Options, as on the command line.
        options: String,
    },
    /// Each row is either a number with a decimal comma or two whole numbers.
    #[error(
        "its rows, like '{text}' on line {line}, may be numbers with decimal commas or pairs of whole numbers; --decimal , reads numbers, and --decimal . reads pairs"
    )]
    DecimalCommas {
        line: u64,
        /// Text of the line.
        text: String,
    },
    /// A value is missing, and no option replaces it.
    #[error(
        "line {line}, column {column}: the value is missing ({text}); --missing zero, linear or nan replaces it{hint}"
    )]
    Missing {
        line: u64,
        column: usize,
        /// Cell in quotes, or a statement that it is empty.
        text: String,
        /// Another remedy after a semicolon, or empty.
        hint: String,
    },
    /// A missing value at an end of the series cannot be interpolated.
    #[error(
        "line {line}: the missing value cannot be interpolated without a value {side} it; use --missing zero or nan"
    )]
    NoNeighbour {
        line: u64,
        /// `before` or `after`.
        side: &'static str,
    },
    /// A blank line is between rows of several columns.
    #[error("line {0} is blank and rows follow; inside a series no line is skipped")]
    Blank(u64),
    /// A comment is between rows.
    #[error("line {0} is a comment and rows follow; inside a series no line is skipped")]
    Comment(u64),
    /// A quote is not closed before the end of the file.
    #[error("the quote that opens on line {0} is never closed")]
    Unclosed(u64),
    /// A cell continues after its closing quote.
    #[error("line {line}, column {column}: the cell goes on after its closing quote")]
    AfterQuote { line: u64, column: usize },
    /// The line has a NUL, which no text has.
    #[error(
        "line {0} holds a NUL byte, so it is no text; text in UTF-16 needs a byte order mark at its start"
    )]
    Nul(u64),
    /// A text in UTF-16 has an odd number of bytes.
    #[error("the file is cut short: its UTF-16 text ends within a character")]
    HalfUnit,
    /// There is no memory for the samples or for a line.
    #[error("there is not enough memory for line {0} and the samples before it")]
    Memory(u64),
    /// The operating system failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

fn hint(spectrum: bool) -> &'static str {
    if spectrum { "; to invert a spectrum, keep it as .npy, which is always whole" } else { "" }
}

/// Returns the first 30 characters of a text, escaped for a terminal.
pub(in crate::io) fn shown(text: &[u8]) -> String {
    let text: String = String::from_utf8_lossy(text).chars().take(30).flat_map(char::escape_debug).collect();
    text.replace("\\\"", "\"").replace("\\'", "'")
}
