//! Signals and spectra as comma-separated text.
//!
//! Reading: one column is a real signal, two columns are real and imaginary parts. The first row is a header
//! if none of its fields is a number. Blank lines and lines that start with `#` are skipped, spaces around a
//! field are dropped, lines end in LF or CRLF, fields may be quoted. `nan`, `inf` and `infinity` (any case,
//! with a sign) are numbers, and so is `1e999`, which is infinite in double precision. A row of another width
//! than the first row's and a field that is no number are refused with the line number. Numbers are doubles.
//! The cost is 8 bytes a number, against at least two bytes of text, and one row.
//!
//! Writing: every number is the shortest text that reads back as the same value (of the spectrum's own
//! precision), in the header's order:
//!
//! * a spectrum has `frequency,re,im,amplitude`; the amplitude is |X\[k\]|, not normalised, as the transform
//!   itself;
//! * a signal, which is what an inverse transform makes, has `index,re,im`, or `time,re,im` in seconds when a
//!   rate is known.
//!
//! Frequencies are cycles a sample, or hertz when a rate is known. A whole spectrum stands in FFT order with
//! the upper half negative, as `numpy.fft.fftfreq` has it: for even N, row N/2 is -1/2. Half a spectrum is
//! rows 0 to N/2, as `numpy.fft.rfftfreq` has it: the last is +1/2.

use std::io::{self, Read, Write};

use ::csv::{ByteRecord, ReaderBuilder, Terminator, Trim};
use earth_fft::{Precision, magnitude};
use num_complex::Complex;

use crate::signal::{Note, Samples, Signal, Values};

/// Why a CSV file cannot be read; each is one sentence about "the file".
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// No row of numbers.
    #[error("it holds no sample")]
    NoSample,
    /// Neither one nor two columns.
    #[error("line {line} has {columns} columns; one column (real) or two (real, imaginary) can be read{}", hint(*.spectrum))]
    Columns {
        /// The line, from 1.
        line: u64,
        /// The number of columns there.
        columns: usize,
        /// Whether the first field says that this is a spectrum that was written here.
        spectrum: bool,
    },
    /// A row that is wider or narrower than the first.
    #[error("line {line} has {found} columns where the lines before have {expected}")]
    Ragged {
        /// The line, from 1.
        line: u64,
        /// The number of columns there.
        found: usize,
        /// The number of columns of the first row.
        expected: usize,
    },
    /// A field that is no number.
    #[error("line {line}, column {column}: '{text}' is not a number")]
    NotANumber {
        /// The line, from 1.
        line: u64,
        /// The column, from 1.
        column: usize,
        /// The field, cut after 30 characters and fit for a terminal.
        text: String,
    },
    /// The operating system failed.
    #[error("reading failed: {0}")]
    Io(#[from] io::Error),
}

fn hint(spectrum: bool) -> &'static str {
    if spectrum { "; to invert a spectrum, keep it as .npy, which is always whole" } else { "" }
}

/// Reads one signal. The source need not be buffered.
pub fn read<R: Read>(source: R) -> Result<Signal, CsvError> {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .comment(Some(b'#'))
        .terminator(Terminator::Any(b'\n'))
        .from_reader(source.chain(&b"\n"[..]));
    let (mut numbers, mut points) = (Vec::new(), Vec::new());
    let mut columns = None;
    let mut row = ByteRecord::new();
    let mut may_be_header = true;
    while reader.read_byte_record(&mut row).map_err(io_error)? {
        // A row's own position is before the blank lines in front of it; the reader's is after the row's end
        // of line, which the terminator above makes certain (a CR is trimmed like a space).
        let line = reader.position().line() - 1;
        if row.len() == 1 && row[0].is_empty() {
            continue;
        }
        let expected = *columns.get_or_insert(row.len());
        if expected > 2 {
            let spectrum = &row[0] == b"frequency";
            return Err(CsvError::Columns { line, columns: row.len(), spectrum });
        }
        if row.len() != expected {
            return Err(CsvError::Ragged { line, found: row.len(), expected });
        }
        let header = may_be_header && row.iter().all(|field| number(field).is_none());
        may_be_header = false;
        if header {
            continue;
        }
        let mut parts = [0.0; 2];
        for (column, (field, part)) in row.iter().zip(&mut parts).enumerate() {
            *part = number(field).ok_or_else(|| CsvError::NotANumber {
                line,
                column: column + 1,
                text: String::from_utf8_lossy(field).chars().take(30).flat_map(char::escape_debug).collect(),
            })?;
        }
        match expected {
            1 => numbers.push(parts[0]),
            _ => points.push(Complex::new(parts[0], parts[1])),
        }
    }
    let notes = if climbs_evenly(&points) { vec![Note::LooksLikeTime] } else { Vec::new() };
    let values = if points.is_empty() { Values::Real(numbers) } else { Values::Complex(points) };
    if values.is_empty() {
        return Err(CsvError::NoSample);
    }
    Ok(Signal { lengths: vec![values.len()], samples: Samples::F64(values), notes })
}

fn io_error(error: ::csv::Error) -> io::Error {
    match error.into_kind() {
        ::csv::ErrorKind::Io(error) => error,
        other => io::Error::other(format!("{other:?}")),
    }
}

fn number(field: &[u8]) -> Option<f64> {
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// Whether the real parts are at least eight and climb in steps that are equal to a millionth.
fn climbs_evenly(samples: &[Complex<f64>]) -> bool {
    let step = samples.get(1).map_or(0.0, |second| second.re - samples[0].re);
    samples.len() >= 8
        && step > 0.0
        && samples.windows(2).all(|pair| ((pair[1].re - pair[0].re) - step).abs() <= 1e-6 * step)
}

/// The kind of rows that a written file has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rows {
    /// Bins of a spectrum.
    Spectrum {
        /// Only rows 0 to N/2.
        half: bool,
    },
    /// Samples of a signal.
    Signal,
}

/// Writes `values` with a header; `rate` is in samples a second.
///
/// The sink need not be buffered, and is flushed.
pub fn write<T: Precision, W: Write>(
    sink: W,
    values: impl ExactSizeIterator<Item = Complex<T>>,
    rows: Rows,
    rate: Option<f64>,
) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(sink);
    let count = values.len();
    match rows {
        Rows::Spectrum { half } => {
            writer.write_record(["frequency", "re", "im", "amplitude"]).map_err(io_error)?;
            let shown = if half { count / 2 + 1 } else { count };
            for (bin, value) in values.enumerate().take(shown) {
                let frequency = frequency(bin, count, half) * rate.unwrap_or(1.0);
                writer.serialize((frequency, value.re, value.im, magnitude(value))).map_err(io_error)?;
            }
        }
        Rows::Signal => {
            writer
                .write_record([if rate.is_some() { "time" } else { "index" }, "re", "im"])
                .map_err(io_error)?;
            for (index, value) in values.enumerate() {
                match rate {
                    Some(rate) => writer.serialize((index as f64 / rate, value.re, value.im)),
                    None => writer.serialize((index, value.re, value.im)),
                }
                .map_err(io_error)?;
            }
        }
    }
    writer.flush()
}

/// The frequency of a bin in cycles a sample.
fn frequency(bin: usize, count: usize, half: bool) -> f64 {
    let negative = !half && bin >= count.div_ceil(2);
    let signed = if negative { -((count - bin) as f64) } else { bin as f64 };
    signed / count as f64
}

#[cfg(test)]
#[path = "csv_tests.rs"]
mod tests;
