//! How a table is read.

use std::num::NonZeroUsize;

use super::cell::Decimal;
use super::rows::Separator;
use super::samples::Missing;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Its place, from 1.
    Number(NonZeroUsize),
    /// Its cell in the header.
    Name(String),
}

/// How a table is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The character between cells. By default it is a comma, or a semicolon if `decimal` is a comma.
    pub separator: Option<Separator>,
    /// The decimal point. By default it is a point.
    pub decimal: Option<Decimal>,
    /// The column of the samples or of their real parts. By default the first of one or two.
    pub column: Option<Column>,
    /// The column of the imaginary parts. By default the second of two, if `column` is not given.
    pub imaginary: Option<Column>,
    /// The number of lines at the start that are left out.
    pub skip_rows: u64,
    /// How a missing value is replaced.
    pub missing: Missing,
}

/// The separator of a table with such numbers, if none was asked for.
pub(in crate::io) fn default_separator(decimal: Decimal) -> Separator {
    Separator::Character(if decimal == Decimal::Comma { b';' } else { b',' })
}

impl Options {
    pub(in crate::io) fn separator(&self) -> Separator {
        self.separator.unwrap_or(default_separator(self.decimal()))
    }

    pub(in crate::io) fn decimal(&self) -> Decimal {
        self.decimal.unwrap_or_default()
    }

    /// Whether the options say that a table has two columns or more, or none with a decimal comma.
    pub(in crate::io) fn decide_commas(&self) -> bool {
        let second = |column: &Column| matches!(column, Column::Number(number) if number.get() > 1);
        self.separator.is_some()
            || self.decimal.is_some()
            || self.imaginary.is_some()
            || self.column.as_ref().is_some_and(second)
    }
}
