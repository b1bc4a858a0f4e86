//! The slices that a call brings.

use earth_kernels::Real;
use earth_serial::Extent;
use num_complex::Complex;

/// What a caller gave: the input and the output of one call.
#[derive(Debug)]
pub enum Slices<'a, T: Real> {
    /// Complex points that are replaced.
    InPlace(&'a mut [Complex<T>]),
    /// Complex points, and where their transform goes.
    OutOfPlace(&'a [Complex<T>], &'a mut [Complex<T>]),
    /// Real numbers, and where their spectrum goes.
    RealToComplex(&'a [T], &'a mut [Complex<T>]),
    /// A spectrum, which is scratch, and where its real numbers go.
    ComplexToReal(&'a mut [Complex<T>], &'a mut [T]),
    /// Rows of real numbers, filled up to the length of their spectra, that are replaced by them or replace them.
    Padded(&'a mut [T]),
}

impl<T: Real> Slices<'_, T> {
    /// Whether the arrays of a call have the lengths that a problem's input and output need; `points` is the one of complex
    /// points, if only one is.
    pub(crate) fn fit(&self, [input, output]: [Extent; 2], points: Extent) -> bool {
        let both = |given: usize, taken: usize| input.check(given).is_ok() && output.check(taken).is_ok();
        match self {
            Self::InPlace(data) => output.check(data.len()).is_ok(),
            Self::OutOfPlace(from, to) => both(from.len(), to.len()),
            Self::RealToComplex(from, to) => both(from.len(), to.len()),
            Self::ComplexToReal(from, to) => both(from.len(), to.len()),
            Self::Padded(data) => points.as_numbers().check(data.len()).is_ok(),
        }
    }
}
