//! The Fourier transforms as functions of Python. Their documentation is Python's `help`.
#![expect(clippy::doc_markdown, reason = "the documentation is Python's help")]

use earth_fft::Direction::{Forward, Inverse};
use pyo3::prelude::*;

use crate::arguments::{Axes, Lengths, no_plan};
use crate::transform::{Call, Operation};

/// Makes functions with the arguments `n` and `axis`.
macro_rules! along_one_axis {
    ($($(#[$doc:meta])* $name:ident: $operation:expr;)*) => {$(
        $(#[$doc])*
        #[expect(clippy::too_many_arguments, reason = "SciPy's functions have these arguments")]
        #[pyfunction]
        #[pyo3(
            signature = (
                x, n=None, axis=-1, norm=None, overwrite_x=false, workers=None, *, plan=None, out=None
            ),
            text_signature =
                "(x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None)"
        )]
        pub(crate) fn $name<'py>(
            x: &Bound<'py, PyAny>,
            n: Option<isize>,
            axis: isize,
            norm: Option<&Bound<'py, PyAny>>,
            overwrite_x: bool,
            workers: Option<isize>,
            plan: Option<&Bound<'py, PyAny>>,
            out: Option<&Bound<'py, PyAny>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            no_plan(plan)?;
            let call = Call::new(x, Lengths::One { n, axis }, norm, overwrite_x, workers, out)?;
            call.transform($operation)
        }
    )*};
}

/// Makes functions with the arguments `s` and `axes`.
macro_rules! along_axes {
    ($axes:expr, $text:literal; $($(#[$doc:meta])* $name:ident: $operation:expr;)*) => {$(
        $(#[$doc])*
        #[expect(clippy::too_many_arguments, reason = "SciPy's functions have these arguments")]
        #[pyfunction]
        #[pyo3(
            signature = (
                x, s=None, axes=$axes, norm=None, overwrite_x=false, workers=None, *, plan=None, out=None
            ),
            text_signature = $text
        )]
        pub(crate) fn $name<'py>(
            x: &Bound<'py, PyAny>,
            s: Option<&Bound<'py, PyAny>>,
            axes: Axes<'py>,
            norm: Option<&Bound<'py, PyAny>>,
            overwrite_x: bool,
            workers: Option<isize>,
            plan: Option<&Bound<'py, PyAny>>,
            out: Option<&Bound<'py, PyAny>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            no_plan(plan)?;
            let call = Call::new(x, Lengths::Many { s, axes }, norm, overwrite_x, workers, out)?;
            call.transform($operation)
        }
    )*};
}

along_one_axis! {
    /// Transform complex or real numbers along one axis.
    ///
    /// y[k] = sum over j of x[j] exp(-2 pi i j k / n)
    ///
    /// x            array_like of any shape. float32, complex64 and float16 give
    ///              complex64. All other dtypes give complex128.
    /// n            length of the transform. x is cropped, or padded with zeros.
    ///              Default: the length of the axis.
    /// axis         the axis. Default: the last.
    /// norm         "backward" (no factor), "ortho" (1/sqrt(n)), "forward" (1/n).
    /// overwrite_x  whether x may be overwritten. A complex contiguous x then is
    ///              the result.
    /// workers      most threads of the call. Default: 1, or the number of set_workers.
    ///              Negative numbers count from the number of processors.
    /// plan         must be None.
    /// out          array for the result, of its shape and dtype, with any strides.
    ///
    /// Returns an array of the shape of x, with n points along the axis.
    ///
    /// Raises ValueError if n is below 1, AxisError if x does not have the axis,
    /// TypeError for longdouble numbers and for an out of another dtype.
    fft: Operation::Complex(Forward);

    /// Transform complex or real numbers along one axis, inversely.
    ///
    /// y[j] = sum over k of x[k] exp(2 pi i j k / n) / n
    ///
    /// The norm "backward" divides by n, "ortho" by sqrt(n), and "forward" by 1.
    /// See fft for shapes, dtypes and the other arguments.
    ifft: Operation::Complex(Inverse);

    /// Transform real numbers along one axis to the first half of their spectrum.
    ///
    /// x is an array_like of real numbers. float32 and float16 give complex64, all
    /// others complex128. The result has n//2 + 1 points along the axis.
    ///
    /// Raises TypeError for complex numbers. overwrite_x has no effect.
    /// See fft for the other arguments.
    rfft: Operation::Forward;

    /// Transform half a spectrum along one axis to real numbers.
    ///
    /// x is an array_like with n//2 + 1 points along the axis. The default of n is
    /// 2 (m - 1) for m points, so give n if it is odd. complex64 gives float32, and
    /// complex128 gives float64. The result has n numbers along the axis.
    ///
    /// The imaginary parts of point 0, and of point n/2 if n is even, are not read.
    /// See ifft for the norm, and fft for the other arguments.
    irfft: Operation::Inverse;

    /// Transform half of a signal with Hermitian symmetry to its real spectrum.
    ///
    /// x is an array_like with n//2 + 1 points along the axis. The result has n
    /// real numbers along the axis, 2 (m - 1) by default for m points.
    ///
    /// See fft for the norm and the other arguments.
    hfft: Operation::InverseConjugated;

    /// Transform a real spectrum to half of its signal with Hermitian symmetry.
    ///
    /// x is an array_like of real numbers. The result has n//2 + 1 points along the
    /// axis. Raises TypeError for complex numbers.
    ///
    /// See ifft for the norm, and fft for the other arguments.
    ihfft: Operation::ForwardConjugated;
}

along_axes! {
    Axes::LastTwo,
    "(x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, *, plan=None, out=None)";

    /// Transform complex or real numbers along two axes.
    ///
    /// This is fftn with other default axes.
    fft2: Operation::Complex(Forward);

    /// Transform complex or real numbers along two axes, inversely.
    ///
    /// This is ifftn with other default axes.
    ifft2: Operation::Complex(Inverse);

    /// Transform real numbers along two axes to half of their spectrum.
    ///
    /// This is rfftn with other default axes.
    rfft2: Operation::Forward;

    /// Transform half a spectrum along two axes to real numbers.
    ///
    /// This is irfftn with other default axes.
    irfft2: Operation::Inverse;

    /// Transform half of a signal with Hermitian symmetry along two axes.
    ///
    /// This is hfftn with other default axes.
    hfft2: Operation::InverseConjugated;

    /// Transform a real spectrum along two axes to half of its signal.
    ///
    /// This is ihfftn with other default axes.
    ihfft2: Operation::ForwardConjugated;
}

along_axes! {
    Axes::All,
    "(x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, plan=None, out=None)";

    /// Transform complex or real numbers along several axes.
    ///
    /// x            array_like of any shape. float32, complex64 and float16 give
    ///              complex64. All other dtypes give complex128.
    /// s            lengths of the transform along the axes, an integer or integers.
    ///              x is cropped, or padded with zeros. -1 is the length of the axis.
    ///              Default: the lengths of the axes.
    /// axes         the axes, an integer or integers. Default: the last len(s) axes,
    ///              or all.
    /// norm         "backward" (no factor), "ortho" (1/sqrt(n)), "forward" (1/n), for
    ///              the product n of the lengths.
    /// overwrite_x  whether x may be overwritten. A complex contiguous x then is
    ///              the result.
    /// workers      most threads of the call. Default: 1, or the number of set_workers.
    ///              Negative numbers count from the number of processors.
    /// plan         must be None.
    /// out          array for the result, of its shape and dtype, with any strides.
    ///
    /// Returns an array of the shape of x, with the lengths s along the axes. It has
    /// Fortran's order if x has. Without axes it is x.
    ///
    /// Raises ValueError for lengths below 1, equal axes, and an s that does not fit.
    /// Raises AxisError if x does not have an axis, and TypeError for longdouble
    /// numbers and for an out of another dtype.
    fftn: Operation::Complex(Forward);

    /// Transform complex or real numbers along several axes, inversely.
    ///
    /// The norm "backward" divides by the product n of the lengths, "ortho" by
    /// sqrt(n), and "forward" by 1. See fftn for the other arguments.
    ifftn: Operation::Complex(Inverse);

    /// Transform real numbers along several axes to half of their spectrum.
    ///
    /// x is an array_like of real numbers. float32 and float16 give complex64, all
    /// others complex128. The result has s[-1]//2 + 1 points along the last of the
    /// axes.
    ///
    /// Raises TypeError for complex numbers, and ValueError without axes.
    /// See fftn for the other arguments.
    rfftn: Operation::Forward;

    /// Transform half a spectrum along several axes to real numbers.
    ///
    /// x is an array_like with s[-1]//2 + 1 points along the last of the axes. The
    /// default of s[-1] is 2 (m - 1) for m points. complex64 gives float32, and
    /// complex128 gives float64.
    ///
    /// See ifftn for the norm, and fftn for the other arguments.
    irfftn: Operation::Inverse;

    /// Transform half of a signal with Hermitian symmetry to its real spectrum.
    ///
    /// x is an array_like with s[-1]//2 + 1 points along the last of the axes. The
    /// result has s[-1] real numbers there, 2 (m - 1) by default for m points.
    ///
    /// See fftn for the norm and the other arguments.
    hfftn: Operation::InverseConjugated;

    /// Transform a real spectrum to half of its signal with Hermitian symmetry.
    ///
    /// x is an array_like of real numbers. The result has s[-1]//2 + 1 points along
    /// the last of the axes.
    ///
    /// See ifftn for the norm, and fftn for the other arguments.
    ihfftn: Operation::ForwardConjugated;
}
