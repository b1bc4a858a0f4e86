//! The slices of a call.

use earth_kernels::Real;
use earth_serial::Extent;
use num_complex::Complex;

/// Input and output slices of one call.
#[derive(Debug)]
pub enum Slices<'a, T: Real> {
    /// Complex points that are transformed in place.
    InPlace(&'a mut [Complex<T>]),
    /// Complex points, and the memory of their transform.
    OutOfPlace(&'a [Complex<T>], &'a mut [Complex<T>]),
    /// Real numbers, and the memory of their spectrum.
    RealToComplex(&'a [T], &'a mut [Complex<T>]),
    /// A spectrum, which is scratch, and the memory of its real numbers.
    ComplexToReal(&'a mut [Complex<T>], &'a mut [T]),
    /// Rows of real numbers, padded to the length of their spectra, which replace them or are replaced.
    Padded(&'a mut [T]),
}

impl<T: Real> Slices<'_, T> {
    /// Returns whether the arrays of a call have the lengths that a problem's input and output need. `points`
    /// is the extent of the array of complex points in a real transform.
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
