//! Content of one cell of a table: a number, a missing value, or a word.
//!
//! A number is decimal, with or without a sign, a point and an exponent (`e`, `E`, or Fortran's `d`, `D`), or
//! `inf` or `infinity` in any case. A complex number has one of the usual forms: `1+2j`, `(1+2j)`, `1 - 2i`.
//! Spaces around a number are ignored. Thousands separators are not read. A missing value is an empty cell,
//! NaN, one of [`MISSING`], or a spreadsheet's error: a `#` and capitals that end with `!` or `?`.

use std::fmt;

use num_complex::Complex;

/// Words for a missing value, in lower case. A sign before them is ignored.
pub const MISSING: [&str; 23] = [
    "na", "n/a", "n.a.", "<na>", "null", "nil", "none", "missing", "\\n", "-", "--", "–", "—", ".", "?",
    "#n/a", "#n/a n/a", "#na", "#n/d", "#nv", "1.#qnan", "1.#ind", "nan(ind)",
];

/// Character between the whole part of a number and its fraction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decimal {
    /// As in 0.5.
    #[default]
    Point,
    /// As in 0,5.
    Comma,
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Point => ".",
            Self::Comma => ",",
        })
    }
}

/// Content of a cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::io) enum Cell {
    /// Real number.
    Number(f64),
    /// Complex number.
    Complex(Complex<f64>),
    /// Missing value.
    Missing,
    /// Any other text.
    Word,
}

impl Cell {
    /// Parses the text of a cell.
    pub(in crate::io) fn of(text: &[u8], decimal: Decimal) -> Self {
        let Ok(text) = std::str::from_utf8(text) else { return Self::Word };
        let text = text.trim();
        match (decimal, text.contains('.')) {
            // A point between groups of digits is not read. Words for a missing value may contain one.
            (Decimal::Comma, true) => {
                if is_missing(text) {
                    Self::Missing
                } else {
                    Self::Word
                }
            }
            (Decimal::Comma, false) if text.contains(',') => Self::of_text(&text.replace(',', ".")),
            _ => Self::of_text(text),
        }
    }

    fn of_text(text: &str) -> Self {
        if let Some(number) = number(text) {
            return if number.is_nan() { Self::Missing } else { Self::Number(number) };
        }
        if is_missing(text) {
            return Self::Missing;
        }
        match complex(text) {
            Some(number) if number.is_nan() => Self::Missing,
            Some(number) => Self::Complex(number),
            None => Self::Word,
        }
    }
}

/// Whether a trimmed text stands for a missing value.
pub(in crate::io) fn is_missing(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).filter(|rest| !rest.is_empty()).unwrap_or(text);
    let lower = unsigned.to_lowercase();
    let is_error = |rest: &str| {
        rest.ends_with(['!', '?'])
            && !rest.contains(|letter: char| letter.is_whitespace() || letter.is_lowercase())
    };
    text.is_empty()
        || MISSING.contains(&lower.as_str())
        || text.strip_prefix('#').is_some_and(|rest| rest.len() > 1 && is_error(rest))
}

fn number(text: &str) -> Option<f64> {
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    match text.strip_prefix(['+', '-']).unwrap_or(text).bytes().next()? {
        // Older C libraries of Windows wrote infinity in this way.
        b'1' if text.to_ascii_lowercase().ends_with("1.#inf") => text.replace("1.#", "").parse().ok(),
        b'0'..=b'9' | b'.' => text.replace(['d', 'D'], "e").parse().ok(),
        _ => None,
    }
}

fn complex(text: &str) -> Option<Complex<f64>> {
    let inner = text.strip_prefix('(').map_or(Some(text), |rest| rest.strip_suffix(')'))?;
    let parts = inner.strip_suffix(['i', 'j', 'I', 'J'])?;
    parts.ends_with(|last: char| last.is_alphanumeric() || last == '.').then_some(())?;
    inner.to_ascii_lowercase().parse().ok()
}
