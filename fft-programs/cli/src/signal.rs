//! A signal as it was read: complex samples in the precision of their file, and what a careful reader would
//! want to be told.
//!
//! A file of single precision stays single; everything else becomes double. Real input is widened to complex
//! with a zero imaginary part and remembered as real, because the spectrum of a real signal is symmetric and
//! half of it says all.

use std::fmt;

use earth_fft::Precision;
use num_complex::Complex;

/// Complex samples in one of the two precisions.
#[derive(Clone, Debug, PartialEq)]
pub enum Samples {
    /// Single precision, 8 bytes a sample.
    F32(Vec<Complex<f32>>),
    /// Double precision, 16 bytes a sample.
    F64(Vec<Complex<f64>>),
}

impl Samples {
    /// The number of samples.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(samples) => samples.len(),
            Self::F64(samples) => samples.len(),
        }
    }

    /// Whether there is no sample. The readers never return such a signal.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of samples with a NaN or an infinity in either part; one pass over the samples.
    pub fn non_finite(&self) -> usize {
        fn count<T: Precision>(samples: &[Complex<T>]) -> usize {
            samples.iter().filter(|z| !(z.re.widen().is_finite() && z.im.widen().is_finite())).count()
        }
        match self {
            Self::F32(samples) => count(samples),
            Self::F64(samples) => count(samples),
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
    /// Whether the file held real numbers, so that every imaginary part is zero.
    pub was_real: bool,
    /// Warnings of the reader for the user; each is one sentence.
    pub notes: Vec<Note>,
}

/// Something that a reader did or suspects; worth a warning, not an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
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
            Self::LooksLikeTime => f.write_str(
                "the first column climbs in equal steps like a time axis, but is taken as the real part of each sample; \
                 remove it if it is not data",
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
        let samples = Samples::F64(vec![
            Complex::new(1.0, f64::NAN),
            Complex::new(f64::INFINITY, 0.0),
            Complex::new(f64::MAX, f64::MIN_POSITIVE),
        ]);
        assert_eq!(samples.non_finite(), 2);
        let single = Samples::F32(vec![Complex::new(f32::MAX, f32::NEG_INFINITY)]);
        assert_eq!(single.non_finite(), 1);
    }
}
