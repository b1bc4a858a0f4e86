//! Precisions of the interface.

use earth_kernels::{PerPrecision, Real};

/// Precision of a function of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Precision {
    Double,
    Single,
}

impl PerPrecision for Precision {
    type Of<T: Real> = Self;

    fn single() -> Self {
        Self::Single
    }

    fn double() -> Self {
        Self::Double
    }
}

impl Precision {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Double => "f64",
            Self::Single => "f32",
        }
    }

    /// Returns the size of a complex number, in bytes.
    pub(crate) fn point_bytes(self) -> usize {
        match self {
            Self::Double => 16,
            Self::Single => 8,
        }
    }

    /// Returns the prefix of the function names.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Double => "fftw_",
            Self::Single => "fftwf_",
        }
    }

    /// Returns the stem of the file names, if each precision has its own file.
    pub(crate) fn stem(self) -> &'static str {
        match self {
            Self::Double => "fftw3",
            Self::Single => "fftw3f",
        }
    }
}
