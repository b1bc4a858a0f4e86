//! Exceptions.

use earth_axes::AxesError;
use earth_fft::{PlanError, TransformError};
use pyo3::create_exception;
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

create_exception!(
    earth_fft,
    Unsupported,
    PyTypeError,
    "The library does not have this transform.\n\nA backend of scipy.fft then lets the next backend do it."
);

/// Returns a `ValueError`.
pub(crate) fn value_error(text: impl Into<String>) -> PyErr {
    PyValueError::new_err(text.into())
}

/// Returns NumPy's `AxisError`, which is a `ValueError` and an `IndexError`.
pub(crate) fn axis_error(py: Python<'_>, axis: isize, rank: usize) -> PyErr {
    static TYPE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let found = TYPE.get_or_try_init(py, || {
        let module = py.import("numpy.exceptions").or_else(|_| py.import("numpy"))?;
        Ok::<_, PyErr>(module.getattr("AxisError")?.unbind())
    });
    match found.and_then(|class| class.call1(py, (axis, rank))) {
        Ok(error) => PyErr::from_value(error.into_bound(py)),
        Err(error) => error,
    }
}

/// Returns the exception of a failed plan or call.
pub(crate) fn failed(error: &AxesError) -> PyErr {
    match error {
        AxesError::NoMemory(_)
        | AxesError::Transform(TransformError::NoMemory(_))
        | AxesError::Plan(PlanError::TooLittleMemory { .. } | PlanError::NoMemory(_)) => {
            PyMemoryError::new_err(error.to_string())
        }
        AxesError::Transform(_) | AxesError::Call(_) | AxesError::Slice { .. } => {
            PyRuntimeError::new_err(error.to_string())
        }
        _ => value_error(error.to_string()),
    }
}
