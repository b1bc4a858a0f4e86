//! The two halves of the interface.

use std::any::TypeId;

use earth_kernels::Real;

/// One half of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Precision {
    Double,
    Single,
}

impl Precision {
    /// The precision of a type. The type itself is compared, and not what it says of itself, since the answer
    /// decides how many bytes the library touches.
    pub(crate) fn of<T: Real>() -> Option<Self> {
        let real = TypeId::of::<T>();
        if real == TypeId::of::<f64>() {
            Some(Self::Double)
        } else if real == TypeId::of::<f32>() {
            Some(Self::Single)
        } else {
            None
        }
    }

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
