//! Rows of a table in a text, each with its cells.
//!
//! A row is a line, or several lines if quotes contain line ends. A cell may be in quotes, in which two
//! quotes stand for one; blanks around the quotes are ignored. Blank lines and comments are not rows. A
//! comment begins with `#`, unless its first cell is a word for a missing value, like `#N/A`.
//! [`Rows::passed`] reports the skipped lines, because the rows around them decide whether they are allowed.
//!
//! The crate `csv` skips blank lines and comments without a report and does not count lines that end with CR.
//! It also takes the rest of a file for a cell whose quote is not closed.

use std::borrow::Cow;
use std::fmt;
use std::io::Read;
use std::ops::Range;

use super::cell::is_missing;
use super::error::CsvError;
use super::text::Lines;

/// Separator of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// One ASCII character.
    Character(u8),
    /// Any number of spaces and tabs; spaces and tabs at the ends of a line are ignored.
    Blanks,
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Character(b'\t') => f.write_str("tab"),
            Self::Character(character @ (b',' | b':')) => write!(f, "{}", char::from(*character)),
            Self::Character(character) => write!(f, "'{}'", char::from(*character)),
            Self::Blanks => f.write_str("space"),
        }
    }
}

impl Separator {
    /// Whether the byte separates cells.
    fn is(self, byte: u8) -> bool {
        match self {
            Self::Character(character) => byte == character,
            Self::Blanks => matches!(byte, b' ' | b'\t'),
        }
    }

    /// Whether the byte is ignored next to a cell.
    fn is_beside(self, byte: u8) -> bool {
        byte.is_ascii_whitespace() && self != Self::Character(byte)
    }

    /// Returns the end of the run of such bytes that begins at `at`.
    fn past_blanks(self, text: &[u8], at: usize) -> usize {
        at + text[at..].iter().take_while(|&&byte| self.is_beside(byte)).count()
    }
}

/// Lines without cells between two rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::io) struct Skipped {
    /// Number of blank lines.
    pub(in crate::io) blank: u64,
    /// Line number of the first comment.
    pub(in crate::io) comment: Option<u64>,
}

/// Reader of rows, one after the other.
pub(in crate::io) struct Rows<R> {
    lines: Lines<R>,
    separator: Separator,
    /// Line at which the row begins.
    line: u64,
    text: Vec<u8>,
    cells: Vec<Range<usize>>,
    passed: Skipped,
}

impl<R: Read> Rows<R> {
    /// Creates a reader of the rows of `source` after its first `skipped` lines.
    pub(in crate::io) fn of(source: R, separator: Separator, skipped: u64) -> Result<Self, CsvError> {
        let mut lines = Lines::of(source)?;
        let mut text = Vec::new();
        for _ in 0..skipped {
            text.clear();
            if !lines.append_to(&mut text)? {
                break;
            }
        }
        Ok(Self { lines, separator, line: 0, text, cells: Vec::new(), passed: Skipped::default() })
    }

    /// Reads the next row. Returns false if there is none.
    ///
    /// # Errors
    ///
    /// The errors of [`Lines::append_to`], quotes that are not closed, and quotes around only a part of a
    /// cell.
    pub(in crate::io) fn next(&mut self) -> Result<bool, CsvError> {
        self.passed = Skipped::default();
        loop {
            self.text.clear();
            if !self.lines.append_to(&mut self.text)? {
                return Ok(false);
            }
            self.line = self.lines.number();
            let begin = self.separator.past_blanks(&self.text, 0);
            match self.text.get(begin) {
                None => self.passed.blank += 1,
                Some(b'#') if !self.begins_with_missing() => {
                    self.passed.comment.get_or_insert(self.line);
                }
                Some(_) => break,
            }
        }
        self.cut()?;
        Ok(true)
    }

    fn begins_with_missing(&self) -> bool {
        let cell =
            self.text.split(|&byte| self.separator.is(byte)).find(|cell| !cell.trim_ascii().is_empty());
        cell.and_then(|cell| str::from_utf8(cell).ok()).is_some_and(|cell| is_missing(cell.trim()))
    }

    /// Returns the line at which the row begins, from 1.
    pub(in crate::io) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the lines without cells between the previous row and this row or the end.
    pub(in crate::io) fn passed(&self) -> Skipped {
        self.passed
    }

    /// Returns the number of cells, at least 1.
    pub(in crate::io) fn width(&self) -> usize {
        self.cells.len()
    }

    /// Returns the bytes of a cell. In quotes, two quotes stand for one.
    pub(in crate::io) fn cell(&self, column: usize) -> &[u8] {
        &self.text[self.cells[column].clone()]
    }

    /// Returns the text of a cell, for people and comparisons.
    pub(in crate::io) fn name(&self, column: usize) -> Cow<'_, str> {
        let text = String::from_utf8_lossy(self.cell(column).trim_ascii());
        if text.contains("\"\"") { Cow::Owned(text.replace("\"\"", "\"")) } else { text }
    }

    /// Returns the row as in the file.
    pub(in crate::io) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Finds the cells, and reads more lines while a quote is open.
    fn cut(&mut self) -> Result<(), CsvError> {
        let separator = self.separator;
        let is_character = separator != Separator::Blanks;
        self.cells.clear();
        let mut at = 0;
        loop {
            at = separator.past_blanks(&self.text, at);
            if self.text.get(at) == Some(&b'"') {
                let end = self.closing_quote(at + 1)?;
                self.cells.push(at + 1..end);
                at = if is_character { separator.past_blanks(&self.text, end + 1) } else { end + 1 };
                if self.text.get(at).is_some_and(|&byte| !separator.is(byte)) {
                    return Err(CsvError::AfterQuote { line: self.line, column: self.cells.len() });
                }
            } else {
                let rest = &self.text[at..];
                let end = rest.iter().position(|&byte| separator.is(byte)).unwrap_or(rest.len());
                self.cells.push(at..at + rest[..end].trim_ascii_end().len());
                at += end;
            }
            if !is_character {
                at = separator.past_blanks(&self.text, at);
            }
            if at == self.text.len() {
                return Ok(());
            }
            at += usize::from(is_character);
        }
    }

    /// Returns the position of the quote that closes the cell whose content begins at `from`.
    fn closing_quote(&mut self, from: usize) -> Result<usize, CsvError> {
        let line = self.lines.number();
        let mut from = from;
        loop {
            if let Some(offset) = self.text[from..].iter().position(|&byte| byte == b'"') {
                let quote = from + offset;
                if self.text.get(quote + 1) != Some(&b'"') {
                    return Ok(quote);
                }
                from = quote + 2;
            } else {
                self.text.try_reserve(1).map_err(|_| CsvError::Memory(line))?;
                self.text.push(b'\n');
                from = self.text.len();
                if !self.lines.append_to(&mut self.text)? {
                    return Err(CsvError::Unclosed(line));
                }
            }
        }
    }
}
