//! Reading of a table of samples.
//!
//! One column is a real signal, and two columns are real and imaginary parts. [`Options`] choose columns of a
//! wider table. The text may be UTF-8, or UTF-16 with a byte order mark. Lines end in LF, CR or CRLF. A cell
//! is a number, a missing value or a word. A single column may contain complex numbers like `1+2j`.
//!
//! The first row is a header if a chosen cell in it is a word, or if a column is chosen by its name. A
//! [`Note`] reports that. Blank lines and comments, which begin with `#`, may precede the first sample and
//! follow the last. Inside the series no line is skipped:
//!
//! * A missing value is an error with its line and column, unless [`Options::missing`] replaces it.
//! * A blank line is a missing value in a table of one column, and an error in a wider one.
//! * A row of another width than the first row's is an error with its line, and so is a word in a chosen
//!   cell.
//!
//! A file without a header whose rows are all like `0,5` is either numbers with decimal commas or pairs of
//! whole numbers. It is refused if it has three rows or more and no option decides. A shorter one is taken as
//! pairs, and a [`Note`] reports that.
//!
//! Numbers are doubles. The cost is 8 bytes a number, against at least two bytes of text, and one row.

use std::io::Read;

use num_complex::Complex;

use super::cell::Cell;
use super::error::{CsvError, shown};
use super::notation::{CommaCheck, Wanted, remedy};
pub use super::options::{Column, Options};
use super::rows::Rows;
use super::samples::{Missing, Series};
use crate::signal::{Note, Samples, Signal, Values};

/// Reads one signal. The source need not be buffered.
pub fn read<R: Read>(source: R, options: &Options) -> Result<Signal, CsvError> {
    let mut rows = Rows::of(source, options.separator(), options.skip_rows)?;
    if !rows.next()? {
        return Err(CsvError::NoSample);
    }
    let mut table = Table::of(&rows, options)?;
    let mut notes = Vec::new();
    if table.has_header {
        notes.push(table.header(&rows));
        if !rows.next()? {
            return Err(CsvError::NoSample);
        }
    }
    let mut series = Series::new(table.imaginary.is_some(), options.missing);
    let mut commas = CommaCheck::new(!(options.decide_commas() || table.has_header && table.width > 1));
    loop {
        table.pass(&rows, &mut series)?;
        if rows.width() != table.width {
            return Err(commas.broken(rows.width()).unwrap_or_else(|| table.ragged(&rows)));
        }
        commas.look_at(&rows);
        table.is_half &= rows.cell(0).first() != Some(&b'-');
        let sample = table.sample(&rows, &mut series)?;
        series.push(rows.line(), sample)?;
        table.begun = true;
        if !rows.next()? {
            break;
        }
    }
    notes.extend(commas.end()?);
    let (values, replaced) = series.end()?;
    notes.extend(replaced);
    if table.is_half && values.count() > 1 {
        notes.push(Note::HalfSpectrum);
    }
    if let (Values::Complex(points), None) = (&values, &options.column)
        && table.imaginary.is_some()
        && climbs_evenly(points)
    {
        notes.push(Note::LooksLikeTime);
    }
    Ok(Signal { lengths: vec![values.count()], samples: Samples::F64(values), notes })
}

/// Columns of the samples of a table, and the state of its reading.
struct Table<'a> {
    options: &'a Options,
    width: usize,
    real: usize,
    imaginary: Option<usize>,
    has_header: bool,
    /// Whether the first name is `frequency`, as in a spectrum that this program wrote, and no frequency is
    /// negative.
    is_half: bool,
    /// Whether a sample has been read.
    begun: bool,
}

impl<'a> Table<'a> {
    /// Creates the table whose first row is `row`.
    fn of<R: Read>(row: &Rows<R>, options: &'a Options) -> Result<Self, CsvError> {
        let (line, width) = (row.line(), row.width());
        let is_word = |column: usize| Cell::of(row.cell(column), options.decimal()) == Cell::Word;
        let other_notation = || {
            let options = remedy(row.text(), options, Wanted::Numbers)?;
            Some(CsvError::OtherNotation { line, text: shown(row.text()), options })
        };
        let is_spectrum = row.cell(0) == b"frequency";
        let real = match &options.column {
            Some(column) => find(row, column)?,
            None if width > 2 => {
                let has_words = (0..width).any(is_word);
                let names = if has_words { names(row) } else { String::new() };
                let columns = CsvError::Columns { line, columns: width, names, spectrum: is_spectrum };
                return Err(other_notation().filter(|_| has_words).unwrap_or(columns));
            }
            None => 0,
        };
        let imaginary = match &options.imaginary {
            Some(column) => Some(find(row, column)?),
            None => (options.column.is_none() && width == 2).then_some(1),
        };
        let by_name = [&options.column, &options.imaginary]
            .iter()
            .any(|column| matches!(column, Some(Column::Name(_))));
        let is_word = is_word(real) || imaginary.is_some_and(is_word);
        if is_word && let Some(error) = other_notation() {
            return Err(error);
        }
        let has_header = by_name || is_word;
        Ok(Self { options, width, real, imaginary, has_header, is_half: is_spectrum, begun: false })
    }

    fn header<R: Read>(&self, row: &Rows<R>) -> Note {
        let name = |column: usize| shown(row.name(column).as_bytes());
        Note::Header { line: row.line(), real: name(self.real), imaginary: self.imaginary.map(name) }
    }

    /// Checks the lines without cells before a row.
    fn pass<R: Read>(&self, row: &Rows<R>, series: &mut Series) -> Result<(), CsvError> {
        let passed = row.passed();
        if !self.begun {
            return Ok(());
        }
        if let Some(line) = passed.comment {
            return Err(CsvError::Comment(line));
        }
        for line in row.line() - passed.blank..row.line() {
            if self.width > 1 {
                return Err(CsvError::Blank(line));
            }
            if self.options.missing == Missing::Error {
                return Err(CsvError::Missing {
                    line,
                    column: 1,
                    text: "a blank line".to_owned(),
                    hint: String::new(),
                });
            }
            series.push(line, [None; 2])?;
        }
        Ok(())
    }

    /// Returns the parts of a row's sample, with `None` for a missing one.
    fn sample<R: Read>(&self, row: &Rows<R>, series: &mut Series) -> Result<[Option<f64>; 2], CsvError> {
        let part = |column: usize| match self.cell(row, column) {
            Cell::Number(number) => Ok(Some(number)),
            Cell::Missing if self.options.missing == Missing::Error => Err(self.missing(row, column)),
            Cell::Missing => Ok(None),
            Cell::Complex(_) | Cell::Word => Err(self.no_number(row, column)),
        };
        if let Some(imaginary) = self.imaginary {
            return Ok([part(self.real)?, part(imaginary)?]);
        }
        match self.cell(row, self.real) {
            Cell::Number(number) => Ok([Some(number), Some(0.0)]),
            Cell::Complex(number) => {
                series.make_complex(row.line())?;
                Ok([Some(number.re), Some(number.im)])
            }
            Cell::Missing | Cell::Word => Ok([part(self.real)?; 2]),
        }
    }

    fn cell<R: Read>(&self, row: &Rows<R>, column: usize) -> Cell {
        Cell::of(row.cell(column), self.options.decimal())
    }

    fn missing<R: Read>(&self, row: &Rows<R>, column: usize) -> CsvError {
        let (line, cell) = (row.line(), row.name(column));
        let may_be_header = !(self.begun || self.has_header || cell.is_empty());
        let hint = if may_be_header { begin_with(line + 1, "if this is a header, ") } else { String::new() };
        let text = if cell.is_empty() {
            "an empty cell".to_owned()
        } else {
            format!("'{}'", shown(cell.as_bytes()))
        };
        CsvError::Missing { line, column: column + 1, text, hint }
    }

    fn no_number<R: Read>(&self, row: &Rows<R>, column: usize) -> CsvError {
        let line = row.line();
        if let Some(options) = remedy(row.text(), self.options, Wanted::Some) {
            return CsvError::OtherNotation { line, text: shown(row.text()), options };
        }
        let other_is_number = self.options.column.is_none()
            && self.imaginary.is_some()
            && matches!(self.cell(row, 1 - column), Cell::Number(_));
        let hint = if other_is_number {
            format!("; --column {} reads the other column alone", 2 - column)
        } else if self.begun {
            String::new()
        } else {
            begin_with(line + 1, "")
        };
        CsvError::NotANumber { line, column: column + 1, text: shown(row.name(column).as_bytes()), hint }
    }

    fn ragged<R: Read>(&self, row: &Rows<R>) -> CsvError {
        let line = row.line();
        if let Some(options) = remedy(row.text(), self.options, Wanted::Width(self.width)) {
            return CsvError::OtherNotation { line, text: shown(row.text()), options };
        }
        let hint = if self.begun { String::new() } else { begin_with(line, "") };
        CsvError::Ragged { line, found: row.width(), expected: self.width, hint }
    }
}

/// Returns the position of a column in the first row.
fn find<R: Read>(row: &Rows<R>, column: &Column) -> Result<usize, CsvError> {
    let (line, columns) = (row.line(), row.width());
    match column {
        Column::Number(number) if number.get() <= columns => Ok(number.get() - 1),
        Column::Number(number) => Err(CsvError::NoColumn { line, columns, column: number.get() }),
        Column::Name(name) => {
            let mut found = (0..columns).filter(|&column| row.name(column) == name.trim());
            let shown = || shown(name.as_bytes());
            match (found.next(), found.next()) {
                (Some(place), None) => Ok(place),
                (Some(first), Some(second)) => {
                    Err(CsvError::SameName { line, name: shown(), first: first + 1, second: second + 1 })
                }
                (None, _) => Err(CsvError::NoName { line, name: shown(), names: names(row) }),
            }
        }
    }
}

/// Returns the cells of the first row, in parentheses after a space; at most the first ten.
fn names<R: Read>(row: &Rows<R>) -> String {
    let mut names: Vec<_> =
        (0..row.width().min(10)).map(|column| shown(row.name(column).as_bytes())).collect();
    if names.len() < row.width() {
        names.push("...".to_owned());
    }
    format!(" ({})", names.join(", "))
}

/// Returns a hint at the option that makes a file begin with this line.
fn begin_with(line: u64, condition: &str) -> String {
    format!("; {condition}--skip-rows {} begins with line {line}", line - 1)
}

/// Whether there are at least eight real parts and they climb in steps that are equal to a millionth.
fn climbs_evenly(samples: &[Complex<f64>]) -> bool {
    let step = samples.get(1).map_or(0.0, |second| second.re - samples[0].re);
    samples.len() >= 8
        && step > 0.0
        && samples.windows(2).all(|pair| ((pair[1].re - pair[0].re) - step).abs() <= 1e-6 * step)
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
