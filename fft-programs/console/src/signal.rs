//! A signal as it was read: real or complex samples in the precision of their file, and what a careful reader would
//! want to be told.
//!
//! A file of single precision stays single; everything else becomes double. Real samples stay real, because half of
//! their spectrum says all, and is half the work.

use std::fmt;

use earth_fft::Precision;
use earth_memory::{NoMemory, try_collected};
use num_complex::Complex;

/// The samples of a signal, real or complex.
#[derive(Clone, Debug, PartialEq)]
pub enum Values<T> {
    /// Real numbers.
    Real(Vec<T>),
    /// Complex numbers.
    Complex(Vec<Complex<T>>),
}

impl<T: Precision> Values<T> {
    /// The number of samples, at least 1 in what readers return.
    pub fn count(&self) -> usize {
        match self {
            Self::Real(numbers) => numbers.len(),
            Self::Complex(points) => points.len(),
        }
    }

    /// The samples as complex numbers; those of real ones have the imaginary part 0.
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

    /// A copy of the samples as complex numbers.
    pub fn to_points(&self) -> Result<Vec<Complex<T>>, NoMemory> {
        match self {
            Self::Real(numbers) => widened(numbers),
            Self::Complex(points) => try_collected(points.iter().copied(), "a copy of the samples"),
        }
    }

    /// The number of samples with a NaN or an infinity in either part; one pass over the samples.
    fn non_finite(&self) -> usize {
        let is_finite = |number: T| number.widen().is_finite();
        match self {
            Self::Real(numbers) => numbers.iter().filter(|&&number| !is_finite(number)).count(),
            Self::Complex(points) => points.iter().filter(|z| !(is_finite(z.re) && is_finite(z.im))).count(),
        }
    }
}

/// Numbers as complex ones, whose imaginary part is 0.
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
    /// The number of samples, at least 1 in what readers return.
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

    /// The number of samples with a NaN or an infinity in either part; one pass over the samples.
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
    /// The samples in time order (or bins in FFT order, when a spectrum is to be inverted).
    pub samples: Samples,
    /// The lengths of their dimensions, 1 to 3 of them, the outermost first. Rows lie one after the other.
    pub lengths: Vec<usize>,
    /// Warnings of the reader for the user; each is one sentence.
    pub notes: Vec<Note>,
}

/// Something that a reader did or suspects; worth a word, not an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// The first row of a CSV file was taken as a header. This is no warning.
    Header {
        /// Its line.
        line: u64,
        /// The name of the column of the samples, or of their real parts.
        real: String,
        /// The name of the column of the imaginary parts.
        imaginary: Option<String>,
    },
    /// Samples of a CSV file had missing values.
    Replaced {
        /// The number of samples.
        count: usize,
        /// The line of the first.
        line: u64,
        /// A verb and what stands for the values.
        by: &'static str,
    },
    /// A few rows of a CSV file were taken as pairs, and may be numbers with decimal commas.
    MayBeDecimalCommas {
        /// The line of the first.
        line: u64,
        /// The text of the first.
        text: String,
    },
    /// The rows of a CSV file are half of the spectrum of a real signal.
    HalfSpectrum,
    /// Integers with no exact double: each became the nearest one.
    Rounded {
        /// How many samples changed.
        count: usize,
    },
    /// The first of two CSV columns climbs in equal steps, as a column of times would.
    LooksLikeTime,
    /// A picture in colours, of which the luminance was taken.
    Colours,
    /// Pixels that are not opaque, whose colours were taken as they are stored.
    Transparent {
        /// How many.
        count: usize,
    },
    /// An animation, of which one picture was taken.
    Animation {
        /// How many pictures it says it has.
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
            Self::Colours => f.write_str("the picture has colours, of which the luminance is taken"),
            Self::Transparent { count } => {
                write!(f, "{count} pixels are not opaque; their stored colours are taken as they are")
            }
            Self::Animation { pictures } => write!(
                f,
                "it is an animation of {pictures} pictures, of which the one is taken that shows when nothing moves"
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
