//! The cosine and sine transforms as functions of Python. Their documentation is Python's `help`.
#![expect(clippy::doc_markdown, reason = "the documentation is Python's help")]

use pyo3::prelude::*;

use crate::arguments::{Axes, Lengths};
use crate::cosine::Cosine;
use crate::transform::Call;

/// Makes functions with the arguments `n` and `axis`.
macro_rules! along_one_axis {
    ($($(#[$doc:meta])* $name:ident: $is_sine:literal, $is_inverse:literal;)*) => {$(
        $(#[$doc])*
        #[expect(clippy::too_many_arguments, reason = "SciPy's functions have these arguments")]
        #[pyfunction]
        #[pyo3(
            signature = (
                x, r#type=2, n=None, axis=-1, norm=None, overwrite_x=false, workers=None,
                orthogonalize=None, *, out=None
            ),
            text_signature = "(x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, \
                orthogonalize=None, *, out=None)"
        )]
        pub(crate) fn $name<'py>(
            x: &Bound<'py, PyAny>,
            r#type: isize,
            n: Option<isize>,
            axis: isize,
            norm: Option<&Bound<'py, PyAny>>,
            overwrite_x: bool,
            workers: Option<isize>,
            orthogonalize: Option<bool>,
            out: Option<&Bound<'py, PyAny>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let call = Call::new(x, Lengths::One { n, axis }, norm, overwrite_x, workers, out)?;
            call.cosine(Cosine {
                is_sine: $is_sine,
                is_inverse: $is_inverse,
                number: r#type,
                is_orthogonal: orthogonalize,
            })
        }
    )*};
}

/// Makes functions with the arguments `s` and `axes`.
macro_rules! along_axes {
    ($($(#[$doc:meta])* $name:ident: $is_sine:literal, $is_inverse:literal;)*) => {$(
        $(#[$doc])*
        #[expect(clippy::too_many_arguments, reason = "SciPy's functions have these arguments")]
        #[pyfunction]
        #[pyo3(
            signature = (
                x, r#type=2, s=None, axes=Axes::All, norm=None, overwrite_x=false, workers=None, *,
                orthogonalize=None, out=None
            ),
            text_signature = "(x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, *, \
                orthogonalize=None, out=None)"
        )]
        pub(crate) fn $name<'py>(
            x: &Bound<'py, PyAny>,
            r#type: isize,
            s: Option<&Bound<'py, PyAny>>,
            axes: Axes<'py>,
            norm: Option<&Bound<'py, PyAny>>,
            overwrite_x: bool,
            workers: Option<isize>,
            orthogonalize: Option<bool>,
            out: Option<&Bound<'py, PyAny>>,
        ) -> PyResult<Bound<'py, PyAny>> {
            let call = Call::new(x, Lengths::Many { s, axes }, norm, overwrite_x, workers, out)?;
            call.cosine(Cosine {
                is_sine: $is_sine,
                is_inverse: $is_inverse,
                number: r#type,
                is_orthogonal: orthogonalize,
            })
        }
    )*};
}

along_one_axis! {
    /// Transform numbers along one axis by cosines.
    ///
    /// Type 2, the usual one, is
    ///
    ///     y[k] = 2 sum over j of x[j] cos(pi k (2j + 1) / 2n)
    ///
    /// Types 1 and 3 add the first number, and type 1 the last, without the factor 2:
    ///
    ///     1: y[k] = x[0] + (-1)^k x[n-1] + 2 sum over 0 < j < n-1 of
    ///               x[j] cos(pi j k / (n - 1))
    ///     3: y[k] = x[0] + 2 sum over j > 0 of x[j] cos(pi j (2k + 1) / 2n)
    ///     4: y[k] = 2 sum over j of x[j] cos(pi (2j + 1) (2k + 1) / 4n)
    ///
    /// x              array_like of any shape. float32 and float16 give float32,
    ///                complex numbers the transforms of both parts, and all other
    ///                dtypes float64.
    /// type           1, 2, 3 or 4. Type 1 needs at least two numbers.
    /// n, axis        length and axis, as for fft.
    /// norm           "backward" (no factor), "ortho" (1/sqrt(N)), "forward" (1/N).
    ///                N is 2 (n - 1) for type 1, and 2n for the others.
    /// overwrite_x    whether x may be overwritten.
    /// workers        most threads of the call.
    /// orthogonalize  whether the matrix is orthogonal, up to a factor. Default:
    ///                if the norm is "ortho".
    /// out            array for the result, of its shape and dtype.
    ///
    /// Returns an array of the shape of x, with n numbers along the axis.
    ///
    /// Raises ValueError for another type and for lengths that do not exist.
    dct: false, false;

    /// Transform numbers along one axis by the inverse of dct of the same type.
    ///
    /// The norm "backward" divides by N, "ortho" by sqrt(N), and "forward" by 1.
    /// See dct for the arguments.
    idct: false, true;

    /// Transform numbers along one axis by sines.
    ///
    /// Type 2, the usual one, is
    ///
    ///     y[k] = 2 sum over j of x[j] sin(pi (k + 1) (2j + 1) / 2n)
    ///
    /// The others are
    ///
    ///     1: y[k] = 2 sum over j of x[j] sin(pi (j + 1) (k + 1) / (n + 1))
    ///     3: y[k] = (-1)^k x[n-1] + 2 sum over j < n-1 of
    ///               x[j] sin(pi (j + 1) (2k + 1) / 2n)
    ///     4: y[k] = 2 sum over j of x[j] sin(pi (2j + 1) (2k + 1) / 4n)
    ///
    /// The N of the norm is 2 (n + 1) for type 1, and 2n for the others. See dct for
    /// shapes, dtypes and arguments.
    dst: true, false;

    /// Transform numbers along one axis by the inverse of dst of the same type.
    ///
    /// The norm "backward" divides by N, "ortho" by sqrt(N), and "forward" by 1.
    /// See dst for the transforms, and dct for the arguments.
    idst: true, true;
}

along_axes! {
    /// Transform numbers along several axes by cosines.
    ///
    /// The transform along each axis is dct. fftn describes s and axes. N is the
    /// product of the N of all axes. See dct for the other arguments.
    dctn: false, false;

    /// Transform numbers along several axes by the inverse of dctn.
    ///
    /// See dctn for the arguments.
    idctn: false, true;

    /// Transform numbers along several axes by sines.
    ///
    /// The transform along each axis is dst. fftn describes s and axes. N is the
    /// product of the N of all axes. See dct for the other arguments.
    dstn: true, false;

    /// Transform numbers along several axes by the inverse of dstn.
    ///
    /// See dstn for the arguments.
    idstn: true, true;
}
