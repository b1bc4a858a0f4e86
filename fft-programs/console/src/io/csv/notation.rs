//! Guesses at the notation of a table's numbers, for errors that name the options which read it. No guess
//! changes a sample.

use std::io::Read;

use super::cell::{Cell, Decimal};
use super::error::{CsvError, shown};
use super::options::{Options, default_separator};
use super::rows::{Rows, Separator};
use crate::signal::Note;

/// Number of rows like `0,5` from which the file is an error; fewer rows are taken as pairs.
const DECISIVE_ROWS: usize = 3;

/// Counts of a row's cells in one notation.
#[derive(Default)]
struct Reading {
    width: usize,
    numbers: usize,
    words: usize,
    /// Words that contain a separator of another notation.
    torn: usize,
}

const SEPARATORS: [u8; 4] = [b';', b'\t', b'|', b','];

impl Reading {
    fn of(row: &[u8], separator: Separator, decimal: Decimal) -> Option<Self> {
        let mut rows = Rows::of(row, separator, 0).ok()?;
        rows.next().ok()?.then_some(())?;
        let mut reading = Self { width: rows.width(), ..Self::default() };
        for text in (0..rows.width()).map(|column| rows.cell(column)) {
            match Cell::of(text, decimal) {
                Cell::Number(_) | Cell::Complex(_) => reading.numbers += 1,
                Cell::Missing => {}
                Cell::Word => {
                    reading.words += 1;
                    reading.torn += usize::from(text.iter().any(|byte| SEPARATORS.contains(byte)));
                }
            }
        }
        Some(reading)
    }
}

/// Cells that a row must have in another notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::io) enum Wanted {
    /// Only numbers.
    Numbers,
    /// At least one number.
    Some,
    /// This number of cells; the row may be numbers already.
    Width(usize),
}

/// Returns the options that read a row as numbers, if there are any.
pub(in crate::io) fn remedy(row: &[u8], now: &Options, wanted: Wanted) -> Option<String> {
    let before = Reading::of(row, now.separator(), now.decimal()).unwrap_or_default();
    let is_better = |of: &Reading, separator: Separator| match (of.words, wanted) {
        (0, _) => of.numbers > 0 && (before.words > 0 || wanted == Wanted::Width(of.width)),
        (_, Wanted::Numbers) => false,
        _ if of.width == 1 || of.torn > 0 || separator == Separator::Blanks => false,
        _ => of.numbers > if before.torn > 0 { 0 } else { before.numbers },
    };
    let separators = SEPARATORS.map(Separator::Character).into_iter().chain([Separator::Blanks]);
    let mut ways =
        separators.flat_map(|separator| [(separator, Decimal::Point), (separator, Decimal::Comma)]);
    let (separator, decimal, width) = ways.find_map(|(separator, decimal)| {
        // Without quotes, a comma between cells is not a decimal comma.
        if (separator, decimal) == (Separator::Character(b','), Decimal::Comma) && !row.contains(&b'"') {
            return None;
        }
        let reading = Reading::of(row, separator, decimal).filter(|reading| is_better(reading, separator))?;
        Some((separator, decimal, reading.width))
    })?;
    let stays = width == 1 || now.separator.unwrap_or(default_separator(decimal)) == separator;
    let separator = (!stays).then(|| format!("--separator {separator}"));
    let decimal = (decimal != now.decimal()).then(|| format!("--decimal {decimal}"));
    Some(separator.into_iter().chain(decimal).collect::<Vec<_>>().join(" "))
}

/// Rows without a header that are either one number with a decimal comma or two whole numbers.
pub(in crate::io) struct CommaCheck {
    /// Whether all rows so far have this form.
    are_all: bool,
    rows: usize,
    /// Whether a fraction was not 0, so that the choice matters.
    matters: bool,
    line: u64,
    text: String,
}

impl CommaCheck {
    pub(in crate::io) fn new(undecided: bool) -> Self {
        Self { are_all: undecided, rows: 0, matters: false, line: 0, text: String::new() }
    }

    /// Returns the error for a row of one cell, if all rows before were like `0,5`: numbers without a
    /// fraction have no comma.
    pub(in crate::io) fn broken(&self, width: usize) -> Option<CsvError> {
        let is_number = self.are_all && self.rows > 0 && width == 1;
        is_number.then(|| CsvError::DecimalCommas { line: self.line, text: self.text.clone() })
    }

    pub(in crate::io) fn look_at<R: Read>(&mut self, row: &Rows<R>) {
        let fraction = if self.are_all { fraction(row.text()) } else { None };
        let Some(fraction) = fraction else {
            self.are_all = false;
            return;
        };
        if self.rows == 0 {
            (self.line, self.text) = (row.line(), shown(row.text()));
        }
        self.rows += 1;
        self.matters |= fraction.contains(|digit| digit != '0');
    }

    pub(in crate::io) fn end(self) -> Result<Option<Note>, CsvError> {
        let Self { are_all, rows, matters, line, text } = self;
        match are_all && matters {
            true if rows >= DECISIVE_ROWS => Err(CsvError::DecimalCommas { line, text }),
            true => Ok(Some(Note::MayBeDecimalCommas { line, text })),
            false => Ok(None),
        }
    }
}

/// Returns the digits after the comma of a line that is a number with a decimal comma. Points between groups
/// of three digits are ignored.
fn fraction(line: &[u8]) -> Option<&str> {
    let (whole, fraction) = str::from_utf8(line.trim_ascii()).ok()?.split_once(',')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (fraction, exponent) = fraction.split_once(['e', 'E']).unwrap_or((fraction, "0"));
    let mut groups = whole.strip_prefix(['+', '-']).unwrap_or(whole).split('.');
    let is_whole =
        groups.next().is_some_and(is_number) && groups.all(|group| group.len() == 3 && is_number(group));
    let is_exponent = is_number(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    (is_whole && is_number(fraction) && is_exponent).then_some(fraction)
}
