//! A plan as an object of Python: for programs that repeat a transform of one shape.
//!
//! A call checks its arrays and runs the plan. C-contiguous arrays take the plan of the object. Other
//! strides, and an output that is the input, take a plan of the cache.
#![expect(clippy::doc_markdown, reason = "the documentation is Python's help")]

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use earth_fft::{Direction, Effort, Norm};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arguments::{Axes, Lengths, norm as norm_of};
use crate::array::dtype::{self, Dtype};
use crate::array::{Array, Fill, List, Shape, View};
use crate::errors::value_error;
use crate::planned::planner;
use crate::planned::{Kind, Mode, Planned, Problem};
use crate::settings;

/// A transform of arrays of one shape and dtype.
///
/// plan(x, out=None, overwrite_x=False) transforms x. Any number of threads may call one plan.
#[pyclass(frozen, name = "Plan", module = "earth_fft")]
pub(crate) struct PlanObject {
    kind: Kind,
    direction: Direction,
    norm: Norm,
    threads: usize,
    effort: Effort,
    /// Lengths of the transform: of the real numbers, if there are any.
    lengths: List,
    axes: List,
    shapes: [List; 2],
    dtypes: [Dtype; 2],
    /// The plan of C-contiguous arrays.
    planned: Option<Arc<Planned>>,
}

/// Plan transforms of arrays of one shape.
///
/// shape    lengths of the complex array for kind "c2c", and of the real array for
///          "r2c" and "c2r".
/// dtype    dtype of x: complex64 or complex128, for "r2c" float32 or float64.
///          Default: double precision.
/// axes     the transformed axes. Default: all. The last of them has half a
///          spectrum in the complex array of "r2c" and "c2r".
/// kind     "c2c" complex to complex, "r2c" real to complex, "c2r" complex to real.
/// inverse  whether "c2c" transforms inversely.
/// norm     "backward", "ortho" or "forward", as for fft and ifft.
/// workers  most threads of a call, as for fft.
/// effort   "estimate", "measure" or "patient". Default: the effort of set_effort.
///
/// Returns a Plan.
///
/// Raises ValueError for axes and lengths that do not fit, and for other kinds, norms and efforts.
/// Raises TypeError for a dtype that the kind does not have.
#[expect(clippy::too_many_arguments, reason = "SciPy's functions have these arguments")]
#[pyfunction]
#[pyo3(
    signature = (
        shape, dtype=None, axes=Axes::All, kind="c2c", inverse=false, norm=None, workers=None, effort=None
    ),
    text_signature =
        "(shape, dtype=None, axes=None, kind='c2c', inverse=False, norm=None, workers=None, effort=None)"
)]
pub(crate) fn plan<'py>(
    py: Python<'py>,
    shape: &Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
    axes: Axes<'py>,
    kind: &str,
    inverse: bool,
    norm: Option<&Bound<'py, PyAny>>,
    workers: Option<isize>,
    effort: Option<&str>,
) -> PyResult<PlanObject> {
    let kind = match kind {
        "c2c" => Kind::Complex,
        "r2c" => Kind::Forward,
        "c2r" => Kind::Inverse,
        _ => return Err(value_error(format!("kind must be 'c2c', 'r2c' or 'c2r', not {kind:?}"))),
    };
    let usual = if kind == Kind::Forward { Dtype::Float64 } else { Dtype::Complex128 };
    let dtype = dtype.map_or(Ok(usual), dtype::dtype_of)?;
    if dtype.is_complex() == (kind == Kind::Forward) {
        let needed = if kind == Kind::Forward { "real" } else { "complex" };
        return Err(PyTypeError::new_err(format!("dtype must be a {needed} dtype, not {}", dtype.name())));
    }
    let lengths = crate::arguments::integers(shape, "shape")?;
    let resolved = Lengths::Many { s: None, axes }.resolve(py, &lengths, false)?;
    if resolved.axes.is_empty() {
        return Err(value_error("a plan needs at least one axis"));
    }
    if lengths.iter().any(|length| *length < 0) {
        return Err(value_error(format!("shape must have no negative lengths, but is {}", Shape(&lengths))));
    }
    let last = resolved.axes[resolved.axes.len() - 1].cast_unsigned();
    let mut half = lengths.clone();
    half[last] = half[last] / 2 + 1;
    let (shapes, other) = match kind {
        Kind::Forward => ([lengths.clone(), half], dtype.complex()),
        Kind::Inverse => ([half, lengths.clone()], dtype.real()),
        Kind::Complex | Kind::Real(_) => ([lengths.clone(), lengths.clone()], dtype),
    };
    let direction = if inverse { Direction::Inverse } else { Direction::Forward };
    let (norm, threads) = (norm_of(norm)?, settings::threads(workers)?);
    let effort = effort.map_or_else(|| Ok(planner::effort()), settings::effort_of)?;
    let (axes, dtypes) = (resolved.axes, [dtype, other]);
    let object =
        PlanObject { kind, direction, norm, threads, effort, lengths, axes, shapes, dtypes, planned: None };
    if object.lengths.contains(&0) {
        return Ok(object);
    }
    let strides = object.shapes.each_ref().map(|shape| contiguous(shape));
    let planned = object.problem(Mode::Apart, &strides[0], &strides[1]).planned(py)?;
    Ok(PlanObject { planned: Some(planned), ..object })
}

/// Returns the strides of a C-contiguous array.
fn contiguous(shape: &[isize]) -> List {
    let mut strides = List::from_slice(shape);
    let mut stride = 1;
    for (place, length) in strides.iter_mut().zip(shape).rev() {
        *place = stride;
        // An array that is too large is refused later.
        stride = stride.saturating_mul(*length);
    }
    strides
}

impl PlanObject {
    fn problem<'a>(&'a self, mode: Mode, input: &'a [isize], output: &'a [isize]) -> Problem<'a> {
        Problem {
            kind: self.kind,
            mode,
            direction: self.direction,
            norm: self.norm,
            threads: self.threads,
            effort: self.effort,
            lengths: &self.lengths,
            axes: &self.axes,
            input,
            output,
            is_double: self.dtypes[0].is_double(),
        }
    }

    fn input<'py>(&self, x: &Bound<'py, PyAny>) -> PyResult<Array<'py>> {
        let [needed, _] = self.dtypes;
        let Some(x) = Array::exact(x).filter(|x| x.dtype() == needed) else {
            let text =
                format!("x must be an aligned ndarray of dtype {} in native byte order", needed.name());
            return Err(PyTypeError::new_err(text));
        };
        if x.lengths() != &self.shapes[0][..] {
            let (given, needed) = (Shape(x.lengths()), Shape(&self.shapes[0]));
            return Err(value_error(format!("x has the shape {given} where {needed} is needed")));
        }
        Ok(x)
    }

    /// Runs the plan of the object, or a plan of the cache for other strides and modes.
    ///
    /// # Safety
    ///
    /// The arrays of the views are alive, writeable as the mode needs, and do not meet unless the mode is in
    /// place.
    unsafe fn run(&self, py: Python<'_>, mode: Mode, is_usual: bool, views: [&View; 2]) -> PyResult<()> {
        let [input, output] = views;
        if output.is_empty() {
            return Ok(());
        }
        match &self.planned {
            // SAFETY: the arrays are C-contiguous and have the shapes and dtypes of the plan.
            Some(planned) if is_usual => unsafe { planned.run(py, input, output) },
            _ => {
                let planned = self.problem(mode, input.strides(), output.strides()).planned(py)?;
                // SAFETY: the plan was made for these strides.
                unsafe { planned.run(py, input, output) }
            }
        }
    }
}

#[pymethods]
impl PlanObject {
    /// Transform x, an aligned ndarray of the plan's shape and dtype with any strides.
    ///
    /// out          array for the result, of its shape and dtype with any strides. It may
    ///              be x itself for kind "c2c".
    /// overwrite_x  whether x may be overwritten. Saves "c2r" a copy.
    ///
    /// Returns out, or a new array.
    ///
    /// Raises TypeError for other dtypes, and ValueError for other shapes.
    #[pyo3(signature = (x, out=None, overwrite_x=false))]
    fn __call__<'py>(
        &self,
        x: &Bound<'py, PyAny>,
        out: Option<&Bound<'py, PyAny>>,
        overwrite_x: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = x.py();
        let x = self.input(x)?;
        let input = x.view();
        let mut mode = Mode::Apart;
        let new = || Array::new(py, &self.shapes[1], self.dtypes[1], Fill::Empty);
        let (target, copied_to) = match out {
            None => (new()?, None),
            Some(out) => {
                let out = Array::output(out, &self.shapes[1], self.dtypes[1])?;
                let own = out.view();
                if !own.meets(&input) {
                    (out, None)
                } else if self.kind == Kind::Complex
                    && own.is_same(&input)
                    && (out.is_c_contiguous() || out.is_f_contiguous())
                {
                    mode = Mode::InPlace;
                    (out, None)
                } else {
                    (new()?, Some(out))
                }
            }
        };
        if overwrite_x && self.kind == Kind::Inverse && x.is_writeable() && x.is_c_contiguous() {
            mode = Mode::Scratch;
        }
        let output = target.view();
        let is_usual = mode == Mode::Apart && x.is_c_contiguous() && target.is_c_contiguous();
        // SAFETY: `x` and `target` live and are distinct, or are one array in the mode in place. Input that
        // is written to is writeable.
        unsafe { self.run(py, mode, is_usual, [&input, &output])? };
        match copied_to {
            None => Ok(target.into_object()),
            Some(out) => {
                out.assign(&target)?;
                Ok(out.into_object())
            }
        }
    }

    /// Time calls without Python: return the seconds that this number of calls takes, on
    /// C-contiguous arrays. benchmarks.py compares them with calls from Python.
    fn seconds(&self, x: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>, calls: usize) -> PyResult<f64> {
        let py = x.py();
        let x = self.input(x)?;
        let out = Array::output(out, &self.shapes[1], self.dtypes[1])?;
        let (input, output) = (x.view(), out.view());
        if !(x.is_c_contiguous() && out.is_c_contiguous()) || output.meets(&input) {
            return Err(value_error("x and out must be two C-contiguous arrays"));
        }
        let begun = Instant::now();
        for _ in 0..calls {
            // SAFETY: both arrays live, are contiguous, and do not meet.
            unsafe { self.run(py, Mode::Apart, true, [&input, &output])? };
        }
        Ok(begun.elapsed().as_secs_f64())
    }

    /// The shape of x.
    #[getter]
    fn input_shape(&self) -> Vec<isize> {
        self.shapes[0].to_vec()
    }

    /// The shape of the result.
    #[getter]
    fn output_shape(&self) -> Vec<isize> {
        self.shapes[1].to_vec()
    }

    /// The name of the dtype of x.
    #[getter]
    fn input_dtype(&self) -> &'static str {
        self.dtypes[0].name()
    }

    /// The name of the dtype of the result.
    #[getter]
    fn output_dtype(&self) -> &'static str {
        self.dtypes[1].name()
    }

    /// Most threads of a call.
    #[getter]
    fn workers(&self) -> usize {
        self.threads
    }

    fn __repr__(&self) -> String {
        let [input, output] = self.shapes.each_ref().map(|shape| Shape(shape));
        let [from, to] = self.dtypes.map(Dtype::name);
        format!("<earth_fft.Plan {from} {input} to {to} {output}, axes {}>", Shape(&self.axes))
    }

    /// The steps of the plan.
    fn __str__(&self) -> String {
        self.planned.as_ref().map_or_else(|| "no elements".to_owned(), |planned| planned.text())
    }
}

impl fmt::Debug for PlanObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.__repr__())
    }
}
