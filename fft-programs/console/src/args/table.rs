//! How a table is read: options of the commands that take a signal.

use std::num::NonZeroUsize;

use clap::Args;

use crate::io::csv::{Column, Decimal, Missing, Options, Separator};

const HEADING: &str = "Reading a .csv";

/// Angle brackets are no part of a doc comment.
const MISSING_HELP: &str = "How a missing value is replaced

Missing are empty cells and these words, in upper or lower case:

NaN, NA, N/A, n.a., <NA>, null, nil, none, missing, \\N, ., ?, -, --,

#N/A, #NA, #NV, #N/D, #DIV/0! and other errors of spreadsheets,

1.#QNAN, 1.#IND, nan(ind), – and —.";

/// Which cells of a table are samples, and how they are written.
#[derive(Clone, Debug, Args)]
pub struct Table {
    /// Between cells: a character, tab or space [default: ,]
    ///
    /// With --decimal , the default is a semicolon.
    #[arg(long, value_name = "CHAR", value_parser = separator, requires = "input", help_heading = HEADING)]
    pub separator: Option<Separator>,

    /// The decimal point [default: .]
    #[arg(long, value_name = "CHAR", value_parser = decimal, requires = "input", help_heading = HEADING)]
    pub decimal: Option<Decimal>,

    /// Column of the samples, by its name in the header or from 1
    ///
    /// Without it, one column is real, and two are real and imaginary.
    #[arg(long, value_name = "NAME|N", value_parser = column, requires = "input", help_heading = HEADING)]
    pub column: Option<Column>,

    /// Column of their imaginary parts
    #[arg(long, value_name = "NAME|N", value_parser = column, requires = "column", help_heading = HEADING)]
    pub imaginary: Option<Column>,

    /// Leave out N lines at the start
    ///
    /// Then blank lines and comments (#) may come, then a header.
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

impl Table {
    /// The options as the reader takes them.
    pub fn options(&self) -> Options {
        let Self { separator, decimal, column, imaginary, skip_rows, missing } = self.clone();
        Options { separator, decimal, column, imaginary, skip_rows, missing }
    }

    /// The first option that was given.
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
}

fn separator(text: &str) -> Result<Separator, String> {
    match (text, text.as_bytes()) {
        ("tab" | "\\t" | "\t", _) => Ok(Separator::Character(b'\t')),
        ("space" | " ", _) => Ok(Separator::Blanks),
        // A number, a quote and a comment must remain what they are.
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
