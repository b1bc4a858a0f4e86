//! Cosine and sine transforms of any object, with SciPy's scale.
//!
//! The library's transforms have FFTW's scale, which is SciPy's without `norm`. A factor for all numbers
//! makes the other norms. An orthogonal matrix needs a further factor at the first or last index of an axis,
//! before or after the transform. Complex numbers are pairs of real numbers along one more axis.
//!
//! *Cost.* One pass over the output for a norm, and a copy of the input if factors come before.

pub(crate) mod functions;

use std::f64::consts::{FRAC_1_SQRT_2, SQRT_2};

use earth_axes::RealTransform::{self, Cosine1, Cosine2, Cosine3, Cosine4, Sine1, Sine2, Sine3, Sine4};
use earth_fft::Norm;
use pyo3::prelude::*;

use crate::arguments::Resolved;
use crate::array::moves::{self, Factors};
use crate::array::{Array, Fill};
use crate::errors::value_error;
use crate::planned::{Kind, Mode};
use crate::transform::{Call, Input};

/// A cosine or sine transform.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cosine {
    pub(crate) is_sine: bool,
    pub(crate) is_inverse: bool,
    /// SciPy's argument `type`.
    pub(crate) number: isize,
    /// Whether the matrix is orthogonal. Default: if the norm is `ortho`.
    pub(crate) is_orthogonal: Option<bool>,
}

impl Cosine {
    /// Returns the transform without scale: the inverse of transform 2 is transform 3.
    fn transform(self) -> PyResult<RealTransform> {
        let number = match (self.number, self.is_inverse) {
            (2, true) => 3,
            (3, true) => 2,
            (number, _) => number,
        };
        Ok(match (number, self.is_sine) {
            (1, false) => Cosine1,
            (2, false) => Cosine2,
            (3, false) => Cosine3,
            (4, false) => Cosine4,
            (1, true) => Sine1,
            (2, true) => Sine2,
            (3, true) => Sine3,
            (4, true) => Sine4,
            _ => return Err(value_error(format!("type must be 1, 2, 3 or 4, not {number}"))),
        })
    }

    /// Returns the factors before and after the transform.
    fn factors(self, transform: RealTransform, norm: Norm, wanted: &Resolved) -> [Factors; 2] {
        let each = || wanted.axes.iter().zip(&wanted.lengths);
        let period =
            || each().map(|(_, length)| transform.period(length.cast_unsigned()) as f64).product::<f64>();
        let all = match (norm, self.is_inverse) {
            (Norm::Backward, false) | (Norm::Forward, true) => None,
            (Norm::Backward, true) | (Norm::Forward, false) => Some(period().recip()),
            (Norm::Ortho, _) => Some(period().sqrt().recip()),
        };
        let [mut before, mut after] = [Factors::default(), Factors { all, ..Factors::default() }];
        if self.is_orthogonal.unwrap_or(norm == Norm::Ortho) {
            for (axis, length) in each() {
                let axis = axis.cast_unsigned();
                let last = length - 1;
                let (early, late): (&[isize], &[isize]) = match transform {
                    Cosine1 => (&[0, last], &[0, last]),
                    Cosine2 => (&[], &[0]),
                    Cosine3 => (&[0], &[]),
                    Sine2 => (&[], &[last]),
                    Sine3 => (&[last], &[]),
                    _ => (&[], &[]),
                };
                before.at.extend(early.iter().map(|index| (axis, *index, SQRT_2)));
                after.at.extend(late.iter().map(|index| (axis, *index, FRAC_1_SQRT_2)));
            }
        }
        [before, after]
    }
}

impl<'py> Call<'_, 'py> {
    /// Transforms by cosines or sines.
    ///
    /// # Errors
    ///
    /// `ValueError` for another type, for axes and lengths that do not fit, and for a cosine transform 1 of
    /// one number. `TypeError` for outputs of other types.
    pub(crate) fn cosine(&self, cosine: Cosine) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py();
        let transform = cosine.transform()?;
        let (array, is_copy) = Array::of(self.x)?;
        let wanted = self.lengths.resolve(py, array.lengths(), false)?;
        if wanted.axes.is_empty() {
            return Ok(self.x.clone());
        }
        let [before, after] = cosine.factors(transform, self.norm, &wanted);
        let input = Input::fitted(array, is_copy || self.overwrite, &wanted)?;
        let kind = Kind::Real(transform);
        let source = input.view.clone().pairs();
        if self.out.is_none() && input.may_be_replaced() && input.array.is_c_contiguous() {
            let problem = self.problem(kind, Mode::InPlace, source.lengths(), &wanted.axes, [&source; 2]);
            // SAFETY: the array lives, and the caller let the transform overwrite it.
            unsafe { before.multiply(py, &source) };
            self.run(&problem, &source, &source)?;
            // SAFETY: as before.
            unsafe { after.multiply(py, &source) };
            return Ok(input.array.into_object());
        }
        let (lengths, dtype) = (input.view.lengths(), input.view.dtype());
        let output = self.output(&input.view, lengths, dtype, Fill::Empty, false)?;
        let target = output.array.view().pairs();
        if before.at.is_empty() {
            let problem = self.problem(kind, Mode::Apart, source.lengths(), &wanted.axes, [&source, &target]);
            self.run(&problem, &source, &target)?;
        } else {
            // SAFETY: the arrays live, and the output does not meet the input.
            unsafe {
                moves::copy(py, &source, &target);
                before.multiply(py, &target);
            }
            let problem = self.problem(kind, Mode::InPlace, target.lengths(), &wanted.axes, [&target; 2]);
            self.run(&problem, &target, &target)?;
        }
        // SAFETY: the output lives, and is new or the caller's own.
        unsafe { after.multiply(py, &target) };
        output.finish()
    }
}
