//! The two halves of the interface.

use earth_kernels::{InBoth, Real};

/// One half of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Precision {
    Double,
    Single,
}

impl InBoth for Precision {
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

    /// The bytes of a complex number.
    pub(crate) fn point_bytes(self) -> usize {
        match self {
            Self::Double => 16,
            Self::Single => 8,
        }
    }

    /// The beginning of the names of its functions.
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Self::Double => "fftw_",
            Self::Single => "fftwf_",
        }
    }

    /// The stem of the names of its files, where a precision has a file of its own.
    pub(crate) fn stem(self) -> &'static str {
        match self {
            Self::Double => "fftw3",
            Self::Single => "fftw3f",
        }
    }
}
