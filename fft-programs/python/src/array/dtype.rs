//! The dtypes that the library transforms, and the conversions to them.

use numpy::npyffi::NPY_TYPES;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::errors::Unsupported;

/// The dtypes that the library transforms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dtype {
    Float32,
    Float64,
    Complex64,
    Complex128,
}

use Dtype::{Complex64, Complex128, Float32, Float64};

impl Dtype {
    pub(crate) fn size(self) -> usize {
        match self {
            Float32 => 4,
            Float64 | Complex64 => 8,
            Complex128 => 16,
        }
    }

    pub(crate) fn is_complex(self) -> bool {
        matches!(self, Complex64 | Complex128)
    }

    pub(crate) fn is_double(self) -> bool {
        matches!(self, Float64 | Complex128)
    }

    /// Returns the dtype of complex numbers of the same precision.
    pub(crate) fn complex(self) -> Self {
        if self.is_double() { Complex128 } else { Complex64 }
    }

    /// Returns the dtype of real numbers of the same precision.
    pub(crate) fn real(self) -> Self {
        if self.is_double() { Float64 } else { Float32 }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Float32 => "float32",
            Float64 => "float64",
            Complex64 => "complex64",
            Complex128 => "complex128",
        }
    }

    /// Returns NumPy's type number.
    pub(crate) fn number(self) -> i32 {
        (match self {
            Float32 => NPY_TYPES::NPY_FLOAT,
            Float64 => NPY_TYPES::NPY_DOUBLE,
            Complex64 => NPY_TYPES::NPY_CFLOAT,
            Complex128 => NPY_TYPES::NPY_CDOUBLE,
        }) as i32
    }

    /// Returns the dtype of this type number, if the library transforms it.
    pub(crate) fn of(number: i32) -> Option<Self> {
        [Float64, Complex128, Float32, Complex64].into_iter().find(|dtype| dtype.number() == number)
    }

    /// Returns the dtype that numbers of this NumPy type are converted to: half precision to single, and
    /// integers and booleans to double precision.
    pub(crate) fn after_conversion(number: i32) -> PyResult<Self> {
        match Self::of(number) {
            Some(dtype) => Ok(dtype),
            None if number == NPY_TYPES::NPY_HALF as i32 => Ok(Float32),
            None if number == NPY_TYPES::NPY_LONGDOUBLE as i32
                || number == NPY_TYPES::NPY_CLONGDOUBLE as i32 =>
            {
                Err(Unsupported::new_err("earth_fft does not transform longdouble or clongdouble numbers"))
            }
            None => Ok(Float64),
        }
    }
}

/// Returns the dtype of an argument `dtype`.
///
/// # Errors
///
/// `TypeError` for a dtype that the library does not transform.
pub(crate) fn dtype_of(object: &Bound<'_, PyAny>) -> PyResult<Dtype> {
    let descriptor = object.py().import("numpy")?.getattr("dtype")?.call1((object,))?;
    let is_native = descriptor.getattr("isnative")?.is_truthy()?;
    let dtype = Dtype::of(descriptor.getattr("num")?.extract()?).filter(|_| is_native);
    dtype.ok_or_else(|| {
        let text = "dtype must be float32, float64, complex64 or complex128 in native byte order";
        PyTypeError::new_err(format!("{text}, not {descriptor}"))
    })
}
