//! Options for reading a table, for the commands that take a signal.

use std::num::NonZeroUsize;

use clap::Args;

use super::cell::Decimal;
use super::rows::Separator;
use super::samples::Missing;

const HEADING: &str = "Reading a .csv";

/// A constant, because a doc comment cannot contain angle brackets.
const MISSING_HELP: &str = "How a missing value is replaced

Missing are empty cells and these words, in upper or lower case:

NaN, NA, N/A, n.a., <NA>, null, nil, none, missing, \\N, ., ?, -, --,

#N/A, #NA, #NV, #N/D, #DIV/0! and other errors of spreadsheets,

1.#QNAN, 1.#IND, nan(ind), – and —.";

/// Column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Position, from 1.
    Number(NonZeroUsize),
    /// Cell in the header.
    Name(String),
}

/// Columns of the samples and notation of their numbers. The comments of the fields are the help.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args)]
pub struct Options {
    /// Separator of cells: a character, tab or space [default: ,]
    ///
    /// With --decimal , the default is a semicolon.
    #[arg(long, value_name = "CHAR", value_parser = separator, requires = "input", help_heading = HEADING)]
    pub separator: Option<Separator>,

    /// The decimal point [default: .]
    #[arg(long, value_name = "CHAR", value_parser = decimal, requires = "input", help_heading = HEADING)]
    pub decimal: Option<Decimal>,

    /// Column of the samples: its name in the header, or its number from 1
    ///
    /// By default one column is real, and two are real and imaginary.
    #[arg(long, value_name = "NAME|N", value_parser = column, requires = "input", help_heading = HEADING)]
    pub column: Option<Column>,

    /// Column of the imaginary parts
    #[arg(long, value_name = "NAME|N", value_parser = column, requires = "column", help_heading = HEADING)]
    pub imaginary: Option<Column>,

    /// Skip N lines at the start
    ///
    /// Blank lines and comments (#) may follow, then a header.
    ///
    /// A header is a row with a word in a column of samples.
    #[arg(long, value_name = "N", default_value_t = 0, requires = "input", help_heading = HEADING)]
    pub skip_rows: u64,

    /// How a missing value is replaced
    #[arg(
        long,
        value_name = "HOW",
        value_enum,
        default_value_t,
        requires = "input",
        long_help = MISSING_HELP,
        help_heading = HEADING
    )]
    pub missing: Missing,
}

/// Returns the default separator of a table with numbers of this notation.
pub(in crate::io) fn default_separator(decimal: Decimal) -> Separator {
    Separator::Character(if decimal == Decimal::Comma { b';' } else { b',' })
}

impl Options {
    /// Returns the name of the first given option.
    pub fn given(&self) -> Option<&'static str> {
        let given = [
            (self.separator.is_some(), "--separator"),
            (self.decimal.is_some(), "--decimal"),
            (self.column.is_some(), "--column"),
            (self.skip_rows > 0, "--skip-rows"),
            (self.missing != Missing::Error, "--missing"),
        ];
        given.into_iter().find_map(|(is_given, option)| is_given.then_some(option))
    }

    pub(in crate::io) fn separator(&self) -> Separator {
        self.separator.unwrap_or(default_separator(self.decimal()))
    }

    pub(in crate::io) fn decimal(&self) -> Decimal {
        self.decimal.unwrap_or_default()
    }

    /// Whether the options settle if a table has several columns or numbers with decimal commas.
    pub(in crate::io) fn decide_commas(&self) -> bool {
        let second = |column: &Column| matches!(column, Column::Number(number) if number.get() > 1);
        self.separator.is_some()
            || self.decimal.is_some()
            || self.imaginary.is_some()
            || self.column.as_ref().is_some_and(second)
    }
}

fn separator(text: &str) -> Result<Separator, String> {
    match (text, text.as_bytes()) {
        ("tab" | "\\t" | "\t", _) => Ok(Separator::Character(b'\t')),
        ("space" | " ", _) => Ok(Separator::Blanks),
        // The separator must not be a character of a number, a quote or a comment.
        (_, &[byte]) if byte.is_ascii_punctuation() && !b"+-.\"#()".contains(&byte) => {
            Ok(Separator::Character(byte))
        }
        _ => Err("it is tab, space or one character that no number has, like ;".to_owned()),
    }
}

fn decimal(text: &str) -> Result<Decimal, String> {
    match text {
        "." => Ok(Decimal::Point),
        "," => Ok(Decimal::Comma),
        _ => Err("it is . or ,".to_owned()),
    }
}

fn column(text: &str) -> Result<Column, String> {
    let Ok(number) = text.parse() else { return Ok(Column::Name(text.to_owned())) };
    NonZeroUsize::new(number).map(Column::Number).ok_or_else(|| "columns count from 1".to_owned())
}
