//! Settings of the process: effort, wisdom, and the number of threads.

use std::cell::Cell;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::{LazyLock, Mutex, PoisonError};

use earth_fft::{Effort, Wisdom};
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;

use crate::errors::value_error;
use crate::planned::{cache, planner};

thread_local! {
    static WORKERS: Cell<usize> = const { Cell::new(1) };
}

/// The number of processors, which negative numbers of workers count from.
static PROCESSORS: LazyLock<usize> =
    LazyLock::new(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get));

/// Returns the effort of this name.
pub(crate) fn effort_of(name: &str) -> PyResult<Effort> {
    match name {
        "estimate" => Ok(Effort::Estimate),
        "measure" => Ok(Effort::Measure),
        "patient" => Ok(Effort::Patient),
        _ => Err(value_error(format!("effort must be 'estimate', 'measure' or 'patient', not {name:?}"))),
    }
}

/// Returns the number of threads for an argument `workers`.
pub(crate) fn threads(workers: Option<isize>) -> PyResult<usize> {
    match workers {
        None => Ok(WORKERS.get()),
        Some(0) => Err(value_error("workers must not be zero")),
        Some(count) if count > 0 => Ok(count.cast_unsigned()),
        Some(count) => {
            let most = *PROCESSORS;
            let left = (most + 1).checked_sub(count.unsigned_abs()).filter(|left| *left > 0);
            left.ok_or_else(|| value_error(format!("workers value out of range: {count} is below -{most}")))
        }
    }
}

/// Calls `work` with another default of `workers` in this thread.
pub(crate) fn with_workers<T>(count: usize, work: impl FnOnce() -> T) -> T {
    let before = WORKERS.replace(count);
    let result = work();
    WORKERS.set(before);
    result
}

/// Return the default of `workers` in this thread, which is 1 unless `set_workers` sets it.
#[pyfunction]
pub(crate) fn get_workers() -> usize {
    WORKERS.get()
}

/// A context in which `workers` has another default.
#[pyclass(frozen, name = "_Workers", module = "earth_fft")]
#[derive(Debug)]
pub(crate) struct Workers {
    count: usize,
    before: Mutex<usize>,
}

#[pymethods]
impl Workers {
    fn __enter__(&self) {
        *self.before.lock().unwrap_or_else(PoisonError::into_inner) = WORKERS.replace(self.count);
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyAny>) {
        WORKERS.set(*self.before.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// Set the default of `workers` in this thread, within a `with` block.
///
///     with earth_fft.set_workers(2):
///         y = earth_fft.fft2(x)
///
/// Raises ValueError for 0, and for fewer than minus the number of processors.
#[pyfunction]
pub(crate) fn set_workers(workers: isize) -> PyResult<Workers> {
    Ok(Workers { count: threads(Some(workers))?, before: Mutex::new(1) })
}

/// Set the effort of later plans: "estimate", "measure" or "patient".
///
/// "estimate", the default, plans by rules. "measure" runs some forty transforms of each new
/// plan's size and keeps the fastest plan. "patient" runs more. Only plans of two or more
/// workers have alternatives to measure. Plans in the cache are dropped.
///
/// Raises ValueError for another name.
#[pyfunction]
pub(crate) fn set_effort(effort: &str) -> PyResult<()> {
    planner::set_effort(effort_of(effort)?);
    cache::clear();
    Ok(())
}

/// Return the effort of plans: "estimate", "measure" or "patient".
#[pyfunction]
pub(crate) fn get_effort() -> &'static str {
    match planner::effort() {
        Effort::Estimate => "estimate",
        Effort::Measure => "measure",
        Effort::Patient => "patient",
    }
}

fn read(path: &Path) -> PyResult<Wisdom> {
    let text = std::fs::read_to_string(path)?;
    text.parse().map_err(|error: earth_fft::MeasurementsError| value_error(error.to_string()))
}

/// Read measured plans from a file that `save_wisdom` wrote, and return their number.
///
/// Later plans of these problems are the measured ones. Plans in the cache are dropped.
///
/// Raises OSError if the file cannot be read, and ValueError if it is no wisdom of this computer.
#[expect(clippy::needless_pass_by_value, reason = "PyO3 makes the path")]
#[pyfunction]
pub(crate) fn load_wisdom(path: PathBuf) -> PyResult<usize> {
    let read = read(&path)?;
    if !planner::learn(&read) {
        return Err(PyOSError::new_err("the process was forked while another thread changed the settings"));
    }
    cache::clear();
    Ok(read.len())
}

/// Write all measured plans to a file, and return their number.
///
/// Plans that are in the file stay there, so several programs may save to one file.
///
/// Raises OSError if the file cannot be written, and ValueError if it has other contents.
#[expect(clippy::needless_pass_by_value, reason = "PyO3 makes the path")]
#[pyfunction]
pub(crate) fn save_wisdom(path: PathBuf) -> PyResult<usize> {
    let wisdom = planner::wisdom();
    if path.exists() {
        wisdom.merge(&read(&path)?);
    }
    std::fs::write(&path, wisdom.to_string())?;
    Ok(wisdom.len())
}

/// Forget all measured plans, and drop the plans in the cache.
#[pyfunction]
pub(crate) fn forget_wisdom() {
    planner::forget();
    cache::clear();
}
