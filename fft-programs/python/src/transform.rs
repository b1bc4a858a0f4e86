//! Fourier transforms of any object: conversion, cropping and padding, the output, and the call of the plan.
//!
//! | case | copies |
//! |---|---|
//! | float32, float64, complex64, complex128, any strides | none by this layer |
//! | other dtypes, misaligned or byte-swapped arrays | one conversion |
//! | a transform longer than the array | one copy into zeros |
//! | a transform shorter than the array | none: the strides stay |
//! | an output that overlaps the input in another way than in place | the result is copied |

use earth_fft::{Direction, Effort, Norm};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::arguments::{Lengths, Resolved, flipped, norm as norm_of};
use crate::array::dtype::Dtype;
use crate::array::moves;
use crate::array::{Array, Fill, List, View};
use crate::errors::value_error;
use crate::planned::planner;
use crate::planned::{Kind, Mode, Problem};
use crate::settings;

/// A Fourier transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Operation {
    /// `fft`, `ifft`.
    Complex(Direction),
    /// `rfft`.
    Forward,
    /// `ihfft`.
    ForwardConjugated,
    /// `irfft`.
    Inverse,
    /// `hfft`.
    InverseConjugated,
}

/// A call of Python with its arguments.
#[derive(Clone, Debug)]
pub(crate) struct Call<'a, 'py> {
    pub(crate) x: &'a Bound<'py, PyAny>,
    pub(crate) lengths: Lengths<'a, 'py>,
    pub(crate) norm: Norm,
    pub(crate) overwrite: bool,
    pub(crate) threads: usize,
    pub(crate) effort: Effort,
    pub(crate) out: Option<&'a Bound<'py, PyAny>>,
}

/// An array with the memory that a transform reads.
#[derive(Debug)]
pub(crate) struct Input<'py> {
    pub(crate) array: Array<'py>,
    pub(crate) view: View,
    /// Whether the transform may overwrite it.
    pub(crate) is_scratch: bool,
    /// Whether the view is the whole array.
    pub(crate) is_whole: bool,
}

/// The array that a transform writes, and the caller's array that the result is copied to afterwards.
#[derive(Debug)]
pub(crate) struct Output<'py> {
    pub(crate) array: Array<'py>,
    pub(crate) copied_to: Option<Array<'py>>,
}

impl<'py> Output<'py> {
    /// Returns the caller's array, or the new one.
    pub(crate) fn finish(self) -> PyResult<Bound<'py, PyAny>> {
        match self.copied_to {
            None => Ok(self.array.into_object()),
            Some(out) => {
                out.assign(&self.array)?;
                Ok(out.into_object())
            }
        }
    }
}

impl<'py> Input<'py> {
    /// Returns an array with these lengths along some axes: cropped, or padded with zeros.
    pub(crate) fn fitted(array: Array<'py>, is_scratch: bool, wanted: &Resolved) -> PyResult<Self> {
        let py = array.py();
        let have = array.lengths();
        let along = |at: &isize| have[at.cast_unsigned()];
        if wanted.axes.iter().zip(&wanted.lengths).all(|(axis, length)| along(axis) == *length) {
            let view = array.view();
            return Ok(Self { array, view, is_scratch, is_whole: true });
        }
        let (mut lengths, mut kept) = (List::from_slice(have), List::from_slice(have));
        for (axis, length) in wanted.axes.iter().zip(&wanted.lengths) {
            let axis = axis.cast_unsigned();
            lengths[axis] = *length;
            kept[axis] = kept[axis].min(*length);
        }
        let cropped = array.view().cropped(&kept);
        if kept == lengths {
            return Ok(Self { array, view: cropped, is_scratch, is_whole: false });
        }
        let padded = Array::new(py, &lengths, array.dtype(), Fill::Zeros)?;
        let view = padded.view();
        // SAFETY: both arrays live, have one dtype, and the padded one is new.
        unsafe { moves::copy(py, &cropped, &view.clone().cropped(&kept)) };
        Ok(Self { array: padded, view, is_scratch: true, is_whole: true })
    }

    /// Returns whether the transform may replace the array.
    pub(crate) fn may_be_replaced(&self) -> bool {
        let is_dense = self.array.is_c_contiguous() || self.array.is_f_contiguous();
        self.is_scratch && self.is_whole && is_dense && self.array.is_writeable()
    }
}

impl<'a, 'py> Call<'a, 'py> {
    /// Returns a call with checked arguments, and the effort of the process.
    ///
    /// # Errors
    ///
    /// `ValueError` for another norm or number of workers.
    pub(crate) fn new(
        x: &'a Bound<'py, PyAny>,
        lengths: Lengths<'a, 'py>,
        norm: Option<&Bound<'py, PyAny>>,
        overwrite: bool,
        workers: Option<isize>,
        out: Option<&'a Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let (norm, threads, effort) = (norm_of(norm)?, settings::threads(workers)?, planner::effort());
        Ok(Self { x, lengths, norm, overwrite, threads, effort, out })
    }

    pub(crate) fn py(&self) -> Python<'py> {
        self.x.py()
    }

    /// Returns the array that the transform of `input` writes. `is_plain` tells that no pass follows the
    /// plan.
    pub(crate) fn output(
        &self,
        input: &View,
        lengths: &[isize],
        dtype: Dtype,
        fill: Fill,
        is_plain: bool,
    ) -> PyResult<Output<'py>> {
        let Some(out) = self.out else {
            return Ok(Output { array: Array::new(self.py(), lengths, dtype, fill)?, copied_to: None });
        };
        let out = Array::output(out, lengths, dtype)?;
        if (is_plain || out.is_c_contiguous()) && !out.view().meets(input) {
            return Ok(Output { array: out, copied_to: None });
        }
        Ok(Output { array: Array::new(self.py(), lengths, dtype, Fill::Empty)?, copied_to: Some(out) })
    }

    pub(crate) fn problem<'b>(
        &self,
        kind: Kind,
        mode: Mode,
        lengths: &'b [isize],
        axes: &'b [isize],
        [input, output]: [&'b View; 2],
    ) -> Problem<'b> {
        Problem {
            kind,
            mode,
            direction: Direction::Forward,
            norm: self.norm,
            threads: self.threads,
            effort: self.effort,
            lengths,
            axes,
            input: input.strides(),
            output: output.strides(),
            is_double: input.dtype().is_double(),
        }
    }

    /// Transforms.
    ///
    /// # Errors
    ///
    /// `TypeError` for arrays and outputs of other types, `ValueError` for axes and lengths that do not fit.
    pub(crate) fn transform(&self, operation: Operation) -> PyResult<Bound<'py, PyAny>> {
        let (array, is_copy) = Array::of(self.x)?;
        match operation {
            Operation::Complex(direction) => self.complex(array, is_copy, direction),
            Operation::Forward => self.forward(array, Mode::Apart, self.norm),
            Operation::ForwardConjugated => self.forward(array, Mode::ToConjugates, flipped(self.norm)),
            Operation::Inverse => self.inverse(array, is_copy, Mode::Apart, self.norm),
            Operation::InverseConjugated => {
                self.inverse(array, is_copy, Mode::FromConjugates, flipped(self.norm))
            }
        }
    }

    fn complex(&self, array: Array<'py>, is_copy: bool, direction: Direction) -> PyResult<Bound<'py, PyAny>> {
        let wanted = self.lengths.resolve(self.py(), array.lengths(), false)?;
        if wanted.axes.is_empty() {
            return Ok(self.x.clone());
        }
        if !array.dtype().is_complex() {
            let inverse = direction == Direction::Inverse;
            let (mode, norm) = if inverse {
                (Mode::MirroredConjugates, flipped(self.norm))
            } else {
                (Mode::Mirrored, self.norm)
            };
            return self.whole_spectrum(array, &wanted, mode, norm);
        }
        let input = Input::fitted(array, is_copy || self.overwrite, &wanted)?;
        let (view, dtype) = (&input.view, input.view.dtype());
        if self.out.is_none() && input.may_be_replaced() {
            let problem = self.problem(Kind::Complex, Mode::InPlace, view.lengths(), &wanted.axes, [view; 2]);
            self.run(&Problem { direction, ..problem }, view, view)?;
            return Ok(input.array.into_object());
        }
        if let Some(out) = self.out {
            let out = Array::output(out, view.lengths(), dtype)?;
            let own = out.view();
            if own.is_same(view) && (out.is_c_contiguous() || out.is_f_contiguous()) {
                let problem =
                    self.problem(Kind::Complex, Mode::InPlace, own.lengths(), &wanted.axes, [&own; 2]);
                self.run(&Problem { direction, ..problem }, &own, &own)?;
                return Ok(out.into_object());
            }
        }
        let is_fortran = input.array.is_f_contiguous() && !input.array.is_c_contiguous();
        let fill = if is_fortran { Fill::EmptyFortran } else { Fill::Empty };
        let output = self.output(view, view.lengths(), dtype, fill, true)?;
        let target = output.array.view();
        let problem = self.problem(Kind::Complex, Mode::Apart, view.lengths(), &wanted.axes, [view, &target]);
        self.run(&Problem { direction, ..problem }, view, &target)?;
        output.finish()
    }

    /// Transforms real numbers to their whole spectrum.
    fn whole_spectrum(
        &self,
        array: Array<'py>,
        wanted: &Resolved,
        mode: Mode,
        norm: Norm,
    ) -> PyResult<Bound<'py, PyAny>> {
        let input = Input::fitted(array, false, wanted)?;
        let (view, dtype) = (&input.view, input.view.dtype().complex());
        let output = self.output(view, view.lengths(), dtype, Fill::Empty, false)?;
        let target = output.array.view();
        let problem = self.problem(Kind::Forward, mode, view.lengths(), &wanted.axes, [view, &target]);
        self.run(&Problem { norm, ..problem }, view, &target)?;
        output.finish()
    }

    fn forward(&self, array: Array<'py>, mode: Mode, norm: Norm) -> PyResult<Bound<'py, PyAny>> {
        if array.dtype().is_complex() {
            return Err(PyTypeError::new_err("x must be real numbers, not complex numbers"));
        }
        let wanted = self.lengths.resolve(self.py(), array.lengths(), false)?;
        let Some(last) = wanted.axes.last().map(|axis| axis.cast_unsigned()) else { return Err(no_axes()) };
        let input = Input::fitted(array, false, &wanted)?;
        let view = &input.view;
        let mut lengths = List::from_slice(view.lengths());
        lengths[last] = lengths[last] / 2 + 1;
        let output = self.output(view, &lengths, view.dtype().complex(), Fill::Empty, mode == Mode::Apart)?;
        let target = output.array.view();
        let problem = self.problem(Kind::Forward, mode, view.lengths(), &wanted.axes, [view, &target]);
        self.run(&Problem { norm, ..problem }, view, &target)?;
        output.finish()
    }

    fn inverse(
        &self,
        array: Array<'py>,
        is_copy: bool,
        mode: Mode,
        norm: Norm,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (array, is_copy) = if array.dtype().is_complex() {
            (array, is_copy)
        } else {
            (array.converted(array.dtype().complex())?, true)
        };
        let wanted = self.lengths.resolve(self.py(), array.lengths(), true)?;
        let Some(last) = wanted.axes.last().map(|axis| axis.cast_unsigned()) else { return Err(no_axes()) };
        let mut half = wanted.clone();
        let length = half.lengths.last_mut().map_or(1, |last| std::mem::replace(last, *last / 2 + 1));
        let input = Input::fitted(array, is_copy || self.overwrite, &half)?;
        let view = &input.view;
        let mut lengths = List::from_slice(view.lengths());
        lengths[last] = length;
        let output = self.output(view, &lengths, view.dtype().real(), Fill::Empty, true)?;
        let target = output.array.view();
        let is_scratch = mode == Mode::Apart && input.may_be_replaced();
        let mode = if is_scratch { Mode::Scratch } else { mode };
        let problem = self.problem(Kind::Inverse, mode, &lengths, &wanted.axes, [view, &target]);
        self.run(&Problem { norm, ..problem }, view, &target)?;
        output.finish()
    }

    /// Plans and calls, unless there are no elements.
    pub(crate) fn run(&self, problem: &Problem<'_>, input: &View, output: &View) -> PyResult<()> {
        if output.is_empty() {
            return Ok(());
        }
        let plan = problem.planned(self.py())?;
        // SAFETY: the problem has the strides and lengths of the views, whose arrays the callers keep alive.
        // `output` gives arrays that do not meet the input, and only scratch is written to.
        unsafe { plan.run(self.py(), input, output) }
    }
}

fn no_axes() -> PyErr {
    value_error("a real transform needs at least one axis")
}
