//! Arguments of Python: lengths, axes, norms.

use earth_fft::Norm;
use pyo3::exceptions::PyNotImplementedError;
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::array::{List, Shape};
use crate::errors::{axis_error, value_error};

/// The arguments `n` and `axis`, or `s` and `axes`.
#[derive(Clone, Debug)]
pub(crate) enum Lengths<'a, 'py> {
    One { n: Option<isize>, axis: isize },
    Many { s: Option<&'a Bound<'py, PyAny>>, axes: Axes<'py> },
}

/// The argument `axes`: an integer, integers, or `None` for all axes.
#[derive(Clone, Debug)]
pub(crate) enum Axes<'py> {
    /// The default of two-dimensional transforms.
    LastTwo,
    Given(Bound<'py, PyAny>),
    All,
}

impl<'py> FromPyObject<'_, 'py> for Axes<'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        Ok(if object.is_none() { Self::All } else { Self::Given(object.to_owned()) })
    }
}

/// The transformed axes of an array, and the length of the transform along each.
#[derive(Clone, Debug)]
pub(crate) struct Resolved {
    pub(crate) lengths: List,
    pub(crate) axes: List,
}

/// Returns the norm of this name.
///
/// # Errors
///
/// `ValueError`.
pub(crate) fn norm(name: Option<&Bound<'_, PyAny>>) -> PyResult<Norm> {
    let Some(name) = name else { return Ok(Norm::Backward) };
    let text = name.cast::<PyString>().ok().map(ToString::to_string);
    match text.as_deref() {
        Some("backward") => Ok(Norm::Backward),
        Some("ortho") => Ok(Norm::Ortho),
        Some("forward") => Ok(Norm::Forward),
        _ => {
            let text = "norm must be 'backward', 'ortho' or 'forward'";
            Err(value_error(format!("{text}, not {}", name.repr()?)))
        }
    }
}

/// Returns the norm of the transform in the other direction with the same scale.
pub(crate) fn flipped(norm: Norm) -> Norm {
    match norm {
        Norm::Backward => Norm::Forward,
        Norm::Ortho => Norm::Ortho,
        Norm::Forward => Norm::Backward,
    }
}

/// Refuses the argument `plan` of SciPy's functions.
///
/// # Errors
///
/// `NotImplementedError` if it is given.
pub(crate) fn no_plan(plan: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
    match plan {
        None => Ok(()),
        Some(_) => Err(PyNotImplementedError::new_err(
            "plan must be None: call a precomputed plan of earth_fft.plan itself",
        )),
    }
}

/// Returns an integer, or integers.
pub(crate) fn integers(object: &Bound<'_, PyAny>, name: &str) -> PyResult<List> {
    if let Ok(number) = object.extract::<isize>() {
        return Ok(List::from_slice(&[number]));
    }
    let all = object.try_iter().and_then(|numbers| numbers.map(|number| number?.extract()).collect());
    all.map_err(|_| value_error(format!("{name} must be an integer or a sequence of integers")))
}

/// Returns an axis that counts from the front.
fn axis_of(py: Python<'_>, axis: isize, rank: usize) -> PyResult<isize> {
    let from_front = if axis < 0 { axis + rank.cast_signed() } else { axis };
    if (0..rank.cast_signed()).contains(&from_front) {
        Ok(from_front)
    } else {
        Err(axis_error(py, axis, rank))
    }
}

impl Lengths<'_, '_> {
    /// Returns the axes and lengths of a transform of an array of this shape. With `is_half`, the last axis
    /// of the array has half a spectrum.
    ///
    /// # Errors
    ///
    /// `ValueError` for lengths below one and for wrong numbers of axes, and `AxisError` for axes that the
    /// array does not have.
    pub(crate) fn resolve(&self, py: Python<'_>, shape: &[isize], is_half: bool) -> PyResult<Resolved> {
        let rank = shape.len();
        let resolved = match self {
            Self::One { n, axis } => {
                let axis = axis_of(py, *axis, rank)?;
                let have = shape[axis.cast_unsigned()];
                let usual = if is_half { 2 * (have - 1) } else { have };
                let lengths = List::from_slice(&[n.unwrap_or(usual)]);
                Resolved { lengths, axes: List::from_slice(&[axis]) }
            }
            Self::Many { s, axes } => many(py, *s, axes, shape, is_half)?,
        };
        if resolved.lengths.iter().any(|length| *length < 1) {
            let lengths = Shape(&resolved.lengths);
            return Err(value_error(format!("the lengths of a transform must be at least 1, not {lengths}")));
        }
        Ok(resolved)
    }
}

fn many(
    py: Python<'_>,
    s: Option<&Bound<'_, PyAny>>,
    axes: &Axes<'_>,
    shape: &[isize],
    is_half: bool,
) -> PyResult<Resolved> {
    let rank = shape.len();
    let lengths = s.map(|s| integers(s, "s")).transpose()?;
    let axes: List = match (axes, &lengths) {
        (Axes::LastTwo, _) => {
            [-2, -1].iter().map(|axis| axis_of(py, *axis, rank)).collect::<PyResult<_>>()?
        }
        (Axes::Given(axes), _) => {
            integers(axes, "axes")?.iter().map(|axis| axis_of(py, *axis, rank)).collect::<PyResult<_>>()?
        }
        (Axes::All, Some(lengths)) if lengths.len() > rank => {
            let (given, text) = (lengths.len(), "s has more lengths than x has axes");
            return Err(value_error(format!("{text}: {given} lengths, {rank} axes")));
        }
        (Axes::All, Some(lengths)) => ((rank - lengths.len()).cast_signed()..rank.cast_signed()).collect(),
        (Axes::All, None) => (0..rank.cast_signed()).collect(),
    };
    if axes.iter().enumerate().any(|(at, axis)| axes[..at].contains(axis)) {
        return Err(value_error("axes must be different from each other"));
    }
    let own = |axis: &isize| shape[axis.cast_unsigned()];
    let lengths = match lengths {
        Some(lengths) if lengths.len() != axes.len() => {
            let (lengths, axes) = (lengths.len(), axes.len());
            return Err(value_error(format!("s and axes must have equal lengths, not {lengths} and {axes}")));
        }
        Some(lengths) => lengths
            .iter()
            .zip(&axes)
            .map(|(length, axis)| if *length == -1 { own(axis) } else { *length })
            .collect(),
        None => {
            let mut lengths: List = axes.iter().map(own).collect();
            if let (Some(last), true) = (lengths.last_mut(), is_half) {
                *last = 2 * (*last - 1);
            }
            lengths
        }
    };
    Ok(Resolved { lengths, axes })
}
