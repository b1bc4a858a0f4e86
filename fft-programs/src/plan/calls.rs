//! The calls of plans on the caller's slices.

use num_complex::Complex;

use super::{Plan, TransformError};
use crate::precision::Precision;
use crate::problem::{ComplexToReal, RealToComplex, Slices};

/// Plan of a [`Problem`](crate::Problem) of real numbers in the precision `T`. See
/// [`Planner::plan_real_to_complex`](crate::Planner::plan_real_to_complex).
pub type RealToComplexPlan<T> = Plan<T, RealToComplex>;

/// Plan of a [`Problem`](crate::Problem) of spectra of real numbers in the precision `T`. See
/// [`Planner::plan_complex_to_real`](crate::Planner::plan_complex_to_real).
pub type ComplexToRealPlan<T> = Plan<T, ComplexToReal>;

impl<T: Precision> Plan<T> {
    /// Transforms in place.
    ///
    /// ```
    /// use earth_fft::{Complex, Direction, Planner, Problem};
    ///
    /// let problem = Problem::complex(&[2, 3]);
    /// let planner = Planner::new();
    /// let there = planner.plan::<f32>(&problem)?;
    /// let back = planner.plan::<f32>(&problem.direction(Direction::Inverse))?;
    /// let mut points = [1.0, 0.0, 2.0, 0.0, 0.0, 3.0].map(Complex::from);
    /// there.process(&mut points)?;
    /// assert_eq!(points[0], Complex::from(6.0));
    /// back.process(&mut points)?;
    /// assert!((points[5] - Complex::from(3.0)).norm() < 1e-6);
    /// # Ok::<(), earth_fft::TransformError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TransformError::Call`], with the slice unchanged, if the problem's output has another layout than
    /// its input, or if the slice has another number of elements than the problem. The call does not
    /// transform chunks: plan a [`batch`](crate::Problem::batch) for that. Only a slice whose
    /// [`Layout`](crate::Layout) has gaps may be longer, because its end is a gap.
    /// [`TransformError::Machine`] if the machine failed during the transform.
    pub fn process(&self, points: &mut [Complex<T>]) -> Result<(), TransformError> {
        self.call(Slices::InPlace(points))
    }

    /// Transforms in place with the caller's scratch of at least [`scratch_len`](Self::scratch_len) points.
    /// The contents of the scratch are unspecified afterwards.
    ///
    /// # Errors
    ///
    /// The errors of [`process`](Self::process), or if the scratch is too short.
    pub fn process_with_scratch(
        &self,
        points: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) -> Result<(), TransformError> {
        self.call_with(Slices::InPlace(points), scratch)
    }

    /// Transforms from one slice to another.
    ///
    /// # Errors
    ///
    /// The errors of [`process`](Self::process), but the output may have any layout.
    pub fn process_out_of_place(
        &self,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
    ) -> Result<(), TransformError> {
        self.call(Slices::OutOfPlace(input, output))
    }
}

impl<T: Precision> Plan<T, RealToComplex> {
    /// Transforms numbers, which are unchanged, into points.
    ///
    /// ```
    /// use earth_fft::{Complex, Planner, Problem};
    ///
    /// let plan = Planner::new().plan_real_to_complex(&Problem::real_to_complex(&[4]))?;
    /// let mut spectrum = [Complex::default(); 3];
    /// plan.process(&[1.0, 2.0, 3.0, 4.0], &mut spectrum)?;
    /// assert_eq!(spectrum, [Complex::new(10.0, 0.0), Complex::new(-2.0, 2.0), Complex::new(-2.0, 0.0)]);
    /// # Ok::<(), earth_fft::TransformError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TransformError::Call`], with the slices unchanged, if a slice has another number of elements than
    /// the problem's array. [`TransformError::Machine`] if the machine failed during the transform.
    pub fn process(&self, input: &[T], output: &mut [Complex<T>]) -> Result<(), TransformError> {
        self.call(Slices::RealToComplex(input, output))
    }

    /// Transforms numbers with the caller's scratch of at least [`scratch_len`](Self::scratch_len) points.
    /// The contents of the scratch are unspecified afterwards.
    ///
    /// # Errors
    ///
    /// The errors of [`process`](Self::process), or if the scratch is too short.
    pub fn process_with_scratch(
        &self,
        input: &[T],
        output: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) -> Result<(), TransformError> {
        self.call_with(Slices::RealToComplex(input, output), scratch)
    }

    /// Transforms in place: the points of each row replace its numbers, as interleaved real and imaginary
    /// parts. The numbers of the problem are `padded`, or are one row.
    ///
    /// ```
    /// use earth_fft::{Planner, Problem};
    ///
    /// let planner = Planner::new();
    /// let there = planner.plan_real_to_complex(&Problem::real_to_complex(&[2, 3]).padded())?;
    /// let back = planner.plan_complex_to_real(&Problem::complex_to_real(&[2, 3]).padded())?;
    /// // Two rows of three numbers and one more.
    /// let mut data = [1.0, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0];
    /// there.process_padded(&mut data)?;
    /// assert_eq!((data[0], data[4]), (21.0, -9.0));
    /// back.process_padded(&mut data)?;
    /// assert!((data[0] - 1.0_f64).abs() < 1e-12 && (data[6] - 6.0).abs() < 1e-12);
    /// # Ok::<(), earth_fft::TransformError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TransformError::Call`], with the slices unchanged, if the slice has another length, or if rows of
    /// numbers and rows of points start at different places. [`TransformError::Machine`] if the machine
    /// failed during the transform.
    pub fn process_padded(&self, data: &mut [T]) -> Result<(), TransformError> {
        self.call(Slices::Padded(data))
    }
}

impl<T: Precision> Plan<T, ComplexToReal> {
    /// Transforms points into numbers. The input is scratch: its contents are unspecified afterwards.
    /// Imaginary parts that are zero in every spectrum of real numbers are not read.
    ///
    /// ```
    /// use earth_fft::{Complex, Planner, Problem};
    ///
    /// let plan = Planner::new().plan_complex_to_real(&Problem::complex_to_real(&[4]))?;
    /// let mut spectrum = [Complex::new(10.0, 0.0), Complex::new(-2.0, 2.0), Complex::new(-2.0, 0.0)];
    /// let mut numbers = [0.0; 4];
    /// plan.process(&mut spectrum, &mut numbers)?;
    /// assert_eq!(numbers, [1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), earth_fft::TransformError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`TransformError::Call`], with the slices unchanged, if a slice has another number of elements than
    /// the problem's array. [`TransformError::Machine`] if the machine failed during the transform.
    pub fn process(&self, input: &mut [Complex<T>], output: &mut [T]) -> Result<(), TransformError> {
        self.call(Slices::ComplexToReal(input, output))
    }

    /// Transforms points with the caller's scratch of at least [`scratch_len`](Self::scratch_len) points. The
    /// contents of the scratch are unspecified afterwards.
    ///
    /// # Errors
    ///
    /// The errors of [`process`](Self::process), or if the scratch is too short.
    pub fn process_with_scratch(
        &self,
        input: &mut [Complex<T>],
        output: &mut [T],
        scratch: &mut [Complex<T>],
    ) -> Result<(), TransformError> {
        self.call_with(Slices::ComplexToReal(input, output), scratch)
    }

    /// Transforms in place, as the inverse of [`RealToComplexPlan::process_padded`]. The contents of the
    /// padding of a row are unspecified afterwards.
    ///
    /// # Errors
    ///
    /// [`TransformError::Call`], with the slices unchanged, if the slice has another length, or if rows of
    /// numbers and rows of points start at different places. [`TransformError::Machine`] if the machine
    /// failed during the transform.
    pub fn process_padded(&self, data: &mut [T]) -> Result<(), TransformError> {
        self.call(Slices::Padded(data))
    }
}
