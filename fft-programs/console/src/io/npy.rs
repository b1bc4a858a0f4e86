//! Reading and writing of `.npy` arrays of one to three dimensions (`NumPy` Enhancement Proposal 1, format
//! versions 1.0, 2.0 and 3.0).
//!
//! Reading has four steps. Each can refuse the file before the next one spends memory:
//!
//! 1. The length of the header is compared with `LONGEST_HEADER`.
//! 2. The lengths of the header's shape are multiplied with a check for overflow.
//! 3. The product is compared with the bytes that the file really has.
//! 4. Memory for the samples is allocated.
//!
//! If the size of the source is unknown (a pipe), the memory grows with the bytes that arrive. So a file of k
//! bytes costs at most 8 k bytes of samples (one-byte integers become doubles) and a constant. From a pipe it
//! costs up to twice that, as a vector grows. Reordering an array in Fortran order takes the samples twice.
//!
//! The header is a Python literal, parsed by `ndarray-npy`. That parser backtracks: its time doubles with
//! every level of nested brackets, so 50 bytes could keep it busy for hours. The header of a plain array
//! opens one brace and one parenthesis (and a bracket for the unit of a date). So any header with more than
//! three openings is refused before it is parsed.
//!
//! *Read:*
//!
//! * `bool` (as 0 and 1), every integer, `float16` (as `float32`), `float32`, `float64`, `complex64`,
//!   `complex128`;
//! * each spelling that `numpy.dtype` takes, either byte order, C or Fortran order, and headers of Python 2;
//! * shapes `(n,)`, a series; `(rows, cols)`, a matrix; and `(planes, rows, cols)`, an array of three
//!   dimensions. A single row or column is a matrix too: its transform equals the series', but the shape
//!   stays as given.
//!
//! In an array in Fortran order the first index is the fastest. It is reordered, so that rows are contiguous
//! whatever the source.
//!
//! *Refused:* no dimension, and more than three; long double, whose format differs between processors;
//! objects, strings, dates, records; and bytes after the last sample, which mean that the header is wrong or
//! that there is a second array.

pub(crate) mod decode;
pub(crate) mod error;

use std::io::{self, Read, Write};

use earth_fft::Precision;
use earth_memory::try_collected;
use ndarray_npy::npy::header::{self, Layout};
use num_complex::Complex;
use py_literal::Value;

use self::decode::{Dtype, decode};
use self::error::{LONGEST_HEADER, NpyError};
use super::fill::fill;
use crate::signal::{Note, Samples, Signal, Values};

/// The six bytes at the start of every `.npy` file.
pub const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Reads one array. `size` is the number of bytes that `source` will give, if known.
///
/// The source need not be buffered: after the header, reads are of 48 KiB.
pub fn read<R: Read>(mut source: R, size: Option<u64>) -> Result<Signal, NpyError> {
    let header = Header::read(&mut source, size)?;
    let Header { dtype, samples, first, .. } = header;
    let (mut read, note) = decode(&mut source, dtype, samples, first, size.is_some())?;
    if fill(&mut source, &mut [0])? == 1 {
        return Err(NpyError::Trailing(samples));
    }
    let lengths = header.lengths;
    if header.is_fortran {
        read = match read {
            Samples::F32(Values::Real(samples)) => Samples::F32(Values::Real(by_rows(samples, &lengths)?)),
            Samples::F64(Values::Real(samples)) => Samples::F64(Values::Real(by_rows(samples, &lengths)?)),
            Samples::F32(Values::Complex(samples)) => {
                Samples::F32(Values::Complex(by_rows(samples, &lengths)?))
            }
            Samples::F64(Values::Complex(samples)) => {
                Samples::F64(Values::Complex(by_rows(samples, &lengths)?))
            }
        };
    }
    Ok(Signal { samples: read, lengths, notes: note.into_iter().collect() })
}

/// Header of an array, which is checked and describes a file that can be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Header {
    dtype: Dtype,
    lengths: Vec<usize>,
    samples: usize,
    is_fortran: bool,
    first: u64,
}

impl Header {
    /// Reads everything before the first sample. `size` is the number of bytes that `source` will give, if
    /// known.
    ///
    /// # Errors
    ///
    /// A source that is no array which can be read, or has another `size` than its header announces.
    pub fn read<R: Read>(source: &mut R, size: Option<u64>) -> Result<Self, NpyError> {
        let (header, first) = read_header(source)?;
        let dtype = Dtype::of(&header.type_descriptor)?;
        let lengths = header.shape;
        if !(1..=3).contains(&lengths.len()) {
            return Err(NpyError::Shape(lengths));
        }
        let samples = lengths.iter().try_fold(1_usize, |samples, &length| samples.checked_mul(length));
        let counted = samples.and_then(|samples| {
            let bytes = (samples as u64).checked_mul(dtype.bytes())?;
            Some((samples, bytes.checked_add(first)?))
        });
        let Some((samples, needed)) = counted else {
            return Err(NpyError::TooLarge(lengths));
        };
        if samples == 0 {
            return Err(NpyError::NoSample);
        }
        match size {
            Some(found) if found < needed => return Err(NpyError::Truncated { needed, found }),
            Some(found) if found > needed => return Err(NpyError::Trailing(samples)),
            _ => {}
        }
        Ok(Self { dtype, lengths, samples, is_fortran: header.layout == Layout::Fortran, first })
    }

    /// Returns the lengths of the 1 to 3 dimensions, the outermost first.
    pub fn lengths(&self) -> &[usize] {
        &self.lengths
    }

    /// Whether the first index is the fastest.
    pub fn is_fortran(&self) -> bool {
        self.is_fortran
    }

    /// Whether the samples are read in single precision.
    pub fn is_single(&self) -> bool {
        self.dtype.is_single()
    }

    /// Returns the number of bytes before the first sample.
    pub fn first(&self) -> u64 {
        self.first
    }

    /// Returns the number of bytes of a sample.
    pub fn sample_bytes(&self) -> u64 {
        self.dtype.bytes()
    }

    /// Converts the bytes of whole samples, in the order of the file.
    ///
    /// # Errors
    ///
    /// Too little memory for the samples.
    pub fn decode(&self, mut bytes: &[u8]) -> Result<(Samples, Option<Note>), NpyError> {
        let samples = bytes.len() / self.dtype.bytes() as usize;
        decode(&mut bytes, self.dtype, samples, 0, true)
    }
}

/// Reorders an array whose first index is the fastest so that its last index is the fastest.
///
/// An array of `rows` is a matrix with a column for each position in a row, stored by columns. Its transpose
/// is stored by rows. Each row is an array of one dimension less that is still to be reordered.
fn by_rows<T: Copy>(mut samples: Vec<T>, lengths: &[usize]) -> Result<Vec<T>, NpyError> {
    let mut cols = samples.len();
    let mut other = Vec::new();
    for &rows in lengths {
        let points = cols;
        cols /= rows;
        if rows == 1 || cols == 1 {
            continue;
        }
        if other.is_empty() {
            let no_memory = |_| NpyError::Memory(samples.len());
            other = try_collected(samples.iter().copied(), "samples").map_err(no_memory)?;
        }
        for (columns, lines) in samples.chunks_exact(points).zip(other.chunks_exact_mut(points)) {
            transpose(columns, lines, [rows, cols]);
        }
        std::mem::swap(&mut samples, &mut other);
    }
    Ok(samples)
}

/// Writes the rows of a matrix that is stored by columns. It works on squares that fit in the L1 cache,
/// because a whole column of the target touches one cache line for each row.
fn transpose<T: Copy>(columns: &[T], lines: &mut [T], [rows, cols]: [usize; 2]) {
    const SIDE: usize = 32;
    for first_row in (0..rows).step_by(SIDE) {
        for first_col in (0..cols).step_by(SIDE) {
            for row in first_row..rows.min(first_row + SIDE) {
                for col in first_col..cols.min(first_col + SIDE) {
                    lines[row * cols + col] = columns[col * rows + row];
                }
            }
        }
    }
}

/// Reads everything before the first sample. Also returns the number of these bytes.
fn read_header<R: Read>(source: &mut R) -> Result<(header::Header, u64), NpyError> {
    let mut bytes = vec![0; 12];
    let found = fill(source, &mut bytes[..8])?;
    if found == 0 {
        return Err(NpyError::EmptyFile);
    }
    let magic = found.min(MAGIC.len());
    if bytes[..magic] != MAGIC[..magic] {
        return Err(NpyError::NotNpy);
    }
    if found < 8 {
        return Err(cut(8, found));
    }
    let prefix = match (bytes[6], bytes[7]) {
        (1, 0) => 10,
        (2 | 3, 0) => 12,
        (major, minor) => return Err(NpyError::Version { major, minor }),
    };
    bytes.truncate(prefix);
    let found = 8 + fill(source, &mut bytes[8..])?;
    if found < prefix {
        return Err(cut(prefix, found));
    }
    let length = bytes[8..].iter().rev().fold(0, |length, &byte| length << 8 | u32::from(byte));
    if length > LONGEST_HEADER {
        return Err(NpyError::HeaderTooLong(length));
    }
    let whole = prefix + length as usize;
    bytes.resize(whole, 0);
    let found = prefix + fill(source, &mut bytes[prefix..])?;
    if found < whole {
        return Err(cut(whole, found));
    }
    let brackets = bytes[prefix..].iter().filter(|byte| b"([{".contains(byte)).count();
    if brackets > 3 {
        return Err(NpyError::Structured);
    }
    if bytes.last() != Some(&b'\n') {
        // The definition requires it and the parser insists; NumPy does not.
        bytes.push(b'\n');
        bytes[8..prefix].copy_from_slice(&(length + 1).to_le_bytes()[..prefix - 8]);
    }
    let may_be_long = bytes[6] < 3;
    without_python_2(&mut bytes[prefix..], may_be_long);
    let header = header::Header::from_reader(&mut &bytes[..]).map_err(|_| NpyError::Header)?;
    Ok((header, whole as u64))
}

/// Overwrites with blanks the `u` before a string and, if there may be any, the `L` after a long integer.
/// Python 2 writes them, and the parser does not know them.
fn without_python_2(dictionary: &mut [u8], may_be_long: bool) {
    let mut quote = None;
    for at in 0..dictionary.len() {
        let beside = |offset: isize| at.checked_add_signed(offset).and_then(|at| dictionary.get(at)).copied();
        let (before, byte, after) = (beside(-1), dictionary[at], beside(1));
        match (quote, byte) {
            (None, b'\'' | b'"') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, b'L') if may_be_long && before.is_some_and(|byte| byte.is_ascii_hexdigit()) => {
                dictionary[at] = b' ';
            }
            (None, b'u' | b'U') if matches!(after, Some(b'\'' | b'"')) => dictionary[at] = b' ',
            _ => {}
        }
    }
}

fn cut(needed: usize, found: usize) -> NpyError {
    NpyError::Truncated { needed: needed as u64, found: found as u64 }
}

/// Writes the values of an array of these lengths as `complex64` or `complex128`, in this computer's byte
/// order and in C order, format version 1.0.
///
/// The sink should be buffered; it is not flushed.
pub fn write<T: Precision, W: Write>(
    mut sink: W,
    mut values: impl Iterator<Item = Complex<T>>,
    lengths: &[usize],
) -> io::Result<()> {
    write_header::<T, _>(&mut sink, lengths)?;
    values.try_for_each(|value| sink.write_all(bytemuck::bytes_of(&value)))
}

/// Writes everything before the first value, as [`write()`] does.
pub fn write_header<T: Precision, W: Write>(sink: W, lengths: &[usize]) -> io::Result<()> {
    let order = if cfg!(target_endian = "big") { '>' } else { '<' };
    let header = header::Header {
        type_descriptor: Value::String(format!("{order}c{}", size_of::<Complex<T>>())),
        layout: Layout::Standard,
        shape: lengths.to_vec(),
    };
    header.write(sink).map_err(io::Error::other)
}

#[cfg(test)]
#[path = "npy_tests.rs"]
mod tests;
