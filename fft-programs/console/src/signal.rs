//! Signal as read from a file: real or complex samples in the precision of the file, and remarks for the
//! user.
//!
//! A file of single precision stays single, and everything else becomes double. Real samples stay real,
//! because half of their spectrum determines the rest, and takes half the work.

use std::fmt;

use earth_fft::Precision;
use earth_memory::{NoMemory, try_collected};
use num_complex::Complex;

/// Samples of a signal, real or complex.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<T> {
    /// Real numbers.
    Real(Vec<T>),
    /// Complex numbers.
    Complex(Vec<Complex<T>>),
}

impl<T: Precision> Values<T> {
    /// Returns the number of samples. Readers return at least 1.
    pub fn count(&self) -> usize {
        match self {
            Self::Real(numbers) => numbers.len(),
            Self::Complex(points) => points.len(),
        }
    }

    /// Returns the samples as complex numbers; real samples get the imaginary part 0.
    ///
    /// # Errors
    ///
    /// [`NoMemory`] for a copy of real samples.
    pub fn into_points(self) -> Result<Vec<Complex<T>>, NoMemory> {
        match self {
            Self::Real(numbers) => widened(&numbers),
            Self::Complex(points) => Ok(points),
        }
    }

    /// Returns a copy of the samples as complex numbers.
    pub fn to_points(&self) -> Result<Vec<Complex<T>>, NoMemory> {
        match self {
            Self::Real(numbers) => widened(numbers),
            Self::Complex(points) => try_collected(points.iter().copied(), "a copy of the samples"),
        }
    }

    /// Counts the samples with a NaN or an infinity in either part, in one pass.
    fn non_finite(&self) -> usize {
        let is_finite = |number: T| number.widen().is_finite();
        match self {
            Self::Real(numbers) => numbers.iter().filter(|&&number| !is_finite(number)).count(),
            Self::Complex(points) => points.iter().filter(|z| !(is_finite(z.re) && is_finite(z.im))).count(),
        }
    }
}

/// Returns the numbers as complex numbers with the imaginary part 0.
pub fn widened<T: Precision>(numbers: &[T]) -> Result<Vec<Complex<T>>, NoMemory> {
    try_collected(numbers.iter().copied().map(Complex::from), "the samples as complex numbers")
}

/// Samples in one of the two precisions.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// Single precision, 4 bytes a number.
    F32(Values<f32>),
    /// Double precision, 8 bytes a number.
    F64(Values<f64>),
}

impl Samples {
    /// Returns the number of samples. Readers return at least 1.
    pub fn count(&self) -> usize {
        match self {
            Self::F32(values) => values.count(),
            Self::F64(values) => values.count(),
        }
    }

    /// Whether the samples are real numbers.
    pub fn is_real(&self) -> bool {
        matches!(self, Self::F32(Values::Real(_)) | Self::F64(Values::Real(_)))
    }

    /// Counts the samples with a NaN or an infinity in either part, in one pass.
    pub fn non_finite(&self) -> usize {
        match self {
            Self::F32(values) => values.non_finite(),
            Self::F64(values) => values.non_finite(),
        }
    }
}

/// One signal, read from a file and not yet transformed.
#[derive(Clone, Debug, PartialEq)]
pub struct Signal {
    /// Samples in time order, or bins in FFT order for the inverse transform.
    pub samples: Samples,
    /// Lengths of the 1 to 3 dimensions, the outermost first. Samples are stored row by row.
    pub lengths: Vec<usize>,
    /// Warnings of the reader for the user, one sentence each.
    pub notes: Vec<Note>,
}

/// Remark of a reader on something that it did or suspects; not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The first row of a CSV file was taken as a header. This is not a warning.
    Header {
        /// Line number.
        line: u64,
        /// Name of the column of the samples, or of their real parts.
        real: String,
        /// Name of the column of the imaginary parts.
        imaginary: Option<String>,
    },
    /// Samples of a CSV file had missing values.
    Replaced {
        /// Number of samples.
        count: usize,
        /// Line number of the first.
        line: u64,
        /// Verb, and what replaced the values.
        by: &'static str,
    },
    /// A few rows of a CSV file were taken as pairs, but may be numbers with decimal commas.
    MayBeDecimalCommas {
        /// Line number of the first row.
        line: u64,
        /// Text of the first row.
        text: String,
    },
    /// The rows of a CSV file are half of the spectrum of a real signal.
    HalfSpectrum,
    /// Integers without an exact double were rounded to the nearest one.
    Rounded {
        /// Number of changed samples.
        count: usize,
    },
    /// The first of two CSV columns climbs in equal steps, as a column of times would.
    LooksLikeTime,
    /// The picture has colors, and its luminance was taken.
    Colors,
    /// Pixels are not opaque, and their stored colors were taken.
    Transparent {
        /// Number of such pixels.
        count: usize,
    },
    /// The file is an animation, and only its still picture was taken.
    Animation {
        /// Number of pictures by its header.
        pictures: usize,
    },
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rounded { count } => write!(
                f,
                "{count} integer samples are beyond 2^53 and were rounded to the nearest double"
            ),
            Self::Header { line, real, imaginary: None } => write!(f, "line {line} is taken as a header: '{real}'"),
            Self::Header { line, real, imaginary: Some(imaginary) } => write!(
                f,
                "line {line} is taken as a header: '{real}' is the real part, '{imaginary}' the imaginary part"
            ),
            Self::Replaced { count, line, by } => {
                write!(f, "missing values of {count} samples {by}, the first on line {line}")
            }
            Self::MayBeDecimalCommas { line, text } => write!(
                f,
                "rows like '{text}' on line {line} are taken as pairs, real and imaginary part; --decimal , reads them as \
                 numbers with decimal commas"
            ),
            Self::HalfSpectrum => f.write_str(
                "no frequency is negative, so this is half of a spectrum and is no signal by itself; --full writes both \
                 halves",
            ),
            Self::LooksLikeTime => f.write_str(
                "the first column climbs in equal steps like a time axis, but is taken as the real part of each sample; \
                 --column 2 reads the other column alone",
            ),
            Self::Colors => f.write_str("the picture has colors; their luminance is taken"),
            Self::Transparent { count } => {
                write!(f, "{count} pixels are not opaque; their stored colours are taken as they are")
            }
            Self::Animation { pictures } => write!(
                f,
                "it is an animation of {pictures} pictures; only its still picture is taken"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_is_non_finite_if_either_part_is() {
        let samples = Samples::F64(Values::Complex(vec![
            Complex::new(1.0, f64::NAN),
            Complex::new(f64::INFINITY, 0.0),
            Complex::new(f64::MAX, f64::MIN_POSITIVE),
        ]));
        assert_eq!(samples.non_finite(), 2);
        let single = Samples::F32(Values::Complex(vec![Complex::new(f32::MAX, f32::NEG_INFINITY)]));
        assert_eq!(single.non_finite(), 1);
        let real = Samples::F32(Values::Real(vec![f32::NAN, f32::MAX, -0.0, f32::INFINITY]));
        assert_eq!(real.non_finite(), 2);
    }
}
