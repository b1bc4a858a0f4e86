//! The protocol of a backend of `scipy.fft`.
//!
//! SciPy calls [`__ua_function__`] with one of its functions and the arguments. The function of this module
//! with the same name does the work. It returns `NotImplemented` for other functions, for longdouble, and for
//! arrays of other libraries.

use std::sync::LazyLock;

use earth_signal::ProcessLock;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{PyTypeInfo, intern};

use crate::array;
use crate::errors::Unsupported;
use crate::settings;

/// Calls that the backend took.
static CALLS: LazyLock<ProcessLock<u64>> = LazyLock::new(ProcessLock::default);

/// The functions by their names.
static FUNCTIONS: PyOnceLock<Py<PyDict>> = PyOnceLock::new();

/// Sets the functions of the backend.
pub(crate) fn register(functions: &Bound<'_, PyDict>) {
    let _ = FUNCTIONS.set(functions.py(), functions.clone().unbind());
}

/// Returns the workers of `scipy.fft.set_workers`.
fn workers(py: Python<'_>) -> usize {
    static GET: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let get =
        GET.get_or_try_init(py, || Ok::<_, PyErr>(py.import("scipy.fft")?.getattr("get_workers")?.unbind()));
    get.and_then(|get| get.call0(py)?.extract(py)).unwrap_or(1)
}

/// Call the function of this module that has the name of SciPy's function.
///
/// Returns NotImplemented if there is none, or if it does not take the array.
#[pyfunction]
pub(crate) fn __ua_function__<'py>(
    method: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: &Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = method.py();
    let not_implemented = || Ok(py.NotImplemented().into_bound(py));
    let name = method.getattr(intern!(py, "__name__"))?;
    let Some(functions) = FUNCTIONS.get(py) else { return not_implemented() };
    let Some(function) = functions.bind(py).get_item(name.cast::<PyString>()?)? else {
        return not_implemented();
    };
    let x = match args.get_item(0) {
        Ok(x) => Some(x),
        Err(_) => kwargs.get_item(intern!(py, "x"))?,
    };
    if x.is_some_and(|x| array::is_foreign(&x)) {
        return not_implemented();
    }
    let result = settings::with_workers(workers(py), || function.call(args, Some(kwargs)));
    match result {
        Err(error) if error.get_type(py).is(Unsupported::type_object(py)) => not_implemented(),
        result => {
            if let Some(mut calls) = CALLS.lock() {
                *calls += 1;
            }
            result
        }
    }
}

/// Return the number of calls that the backend took from scipy.fft.
#[pyfunction]
pub(crate) fn backend_calls() -> u64 {
    CALLS.lock().map_or(0, |calls| *calls)
}
