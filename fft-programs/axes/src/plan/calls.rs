//! Calls of plans of transforms along axes.

use earth_fft::{Elements, Precision};
use num_complex::Complex;

use super::{AxesPlan, Method, Parts};
use crate::copies::{Source, Target};
use crate::error::AxesError;
use crate::packed::AnyPlan;
use crate::parts::{in_one_buffer, in_place, in_place_by_two_buffers, in_two_buffers};

impl<T: Precision> AxesPlan<T> {
    /// Checks the elements that a call was given.
    fn check(array: &'static str, given: usize, needed: usize) -> Result<(), AxesError> {
        if given < needed { Err(AxesError::Slice { array, given, needed }) } else { Ok(()) }
    }

    fn check_both(&self, input: usize, output: usize) -> Result<(), AxesError> {
        Self::check("input", input, self.extents[0].span)?;
        Self::check("output", output, self.extents[1].span)
    }

    /// Transforms complex points in place. The first point of the slice is the lowest address of
    /// [`extent_in_place`](Self::extent_in_place).
    ///
    /// # Errors
    ///
    /// Too few points, a plan for another call, and [`AxesError::Transform`].
    pub fn in_place(&self, points: &mut [Complex<T>]) -> Result<(), AxesError> {
        let whole = self.extent_in_place();
        Self::check("array", points.len(), whole.span)?;
        match &self.method {
            Method::Nothing => Ok(()),
            Method::Direct(direct) => {
                let AnyPlan::Complex(plan) = &direct.plan else { return Err(OTHER) };
                direct.each(|[_, range]| plan.process(&mut points[range]))
            }
            Method::Copied { origins, parts } => {
                let origins = self.moved(*origins);
                in_place(parts, points, origins, |packed, points| Ok(packed.complex(points)?))
            }
        }
    }

    /// Returns origins in the array of a call in place, where input and output begin at one address.
    fn moved(&self, origins: [usize; 2]) -> [usize; 2] {
        let whole = self.extent_in_place();
        let units = self.extents_in_units();
        [0, 1].map(|array| {
            let more = whole.origin - units[array].origin;
            let each = if units[array] == self.extents[array] { 1 } else { 2 };
            origins[array] + more / each
        })
    }

    /// Transforms complex points from one slice to another.
    ///
    /// # Errors
    ///
    /// Too few points, a plan for another call, and [`AxesError::Transform`].
    pub fn out_of_place(&self, input: &[Complex<T>], output: &mut [Complex<T>]) -> Result<(), AxesError> {
        self.check_both(input.len(), output.len())?;
        match &self.method {
            Method::Nothing => Ok(()),
            Method::Direct(direct) => {
                let AnyPlan::Complex(plan) = &direct.plan else { return Err(OTHER) };
                direct.each(|[from, to]| plan.process_out_of_place(&input[from], &mut output[to]))
            }
            Method::Copied { .. } => self.copying(input, output),
        }
    }

    /// Transforms real numbers to points.
    ///
    /// # Errors
    ///
    /// Too few elements, a plan for another call, and [`AxesError::Transform`].
    pub fn forward(&self, numbers: &[T], points: &mut [Complex<T>]) -> Result<(), AxesError> {
        self.check_both(numbers.len(), points.len())?;
        match &self.method {
            Method::Nothing => Ok(()),
            Method::Direct(direct) => {
                let AnyPlan::Forward(plan) = &direct.plan else { return Err(OTHER) };
                direct.each(|[from, to]| plan.process(&numbers[from], &mut points[to]))
            }
            Method::Copied { .. } => self.copying_forward(numbers, points),
        }
    }

    /// Transforms points, which are scratch, to real numbers.
    ///
    /// # Errors
    ///
    /// Too few elements, a plan for another call, and [`AxesError::Transform`].
    pub fn inverse(&self, points: &mut [Complex<T>], numbers: &mut [T]) -> Result<(), AxesError> {
        self.check_both(points.len(), numbers.len())?;
        match &self.method {
            Method::Nothing => Ok(()),
            Method::Direct(direct) => {
                let AnyPlan::Inverse(plan) = &direct.plan else { return Err(OTHER) };
                direct.each(|[from, to]| plan.process(&mut points[from], &mut numbers[to]))
            }
            Method::Copied { .. } => self.copying_inverse(points, numbers),
        }
    }

    /// Transforms points, which stay unchanged, to real numbers.
    ///
    /// # Errors
    ///
    /// Too few elements, a plan that does not [keep its input](crate::AxesProblem::keep_input), and
    /// [`AxesError::Transform`].
    pub fn inverse_keeping(&self, points: &[Complex<T>], numbers: &mut [T]) -> Result<(), AxesError> {
        self.check_both(points.len(), numbers.len())?;
        match &self.method {
            Method::Nothing => Ok(()),
            Method::Direct(_) => Err(OTHER),
            Method::Copied { .. } => self.copying_inverse(points, numbers),
        }
    }

    /// Transforms real numbers in place to points, or points to real numbers. The first number of the slice
    /// is the lowest address of [`extent_in_place`](Self::extent_in_place).
    ///
    /// # Errors
    ///
    /// Too few numbers, a plan for another call, and [`AxesError::Transform`].
    pub fn in_place_numbers(&self, data: &mut [T]) -> Result<(), AxesError> {
        Self::check("array", data.len(), self.extent_in_place().span)?;
        match (&self.method, self.problem.elements) {
            (_, Elements::ComplexToComplex) => Err(OTHER),
            (Method::Nothing, _) => Ok(()),
            (Method::Direct(direct), _) => {
                // The array of a call begins with its first point, and has two numbers for each point.
                let points = usize::from(self.problem.elements == Elements::RealToComplex);
                direct.each(|ranges| {
                    let range = &ranges[points];
                    let data = &mut data[2 * range.start..2 * range.end];
                    match &direct.plan {
                        AnyPlan::Forward(plan) => Ok(plan.process_padded(data)?),
                        AnyPlan::Inverse(plan) => Ok(plan.process_padded(data)?),
                        AnyPlan::Complex(_) => Err(OTHER),
                    }
                })
            }
            (Method::Copied { origins, parts }, Elements::RealToComplex) => {
                let (origins, skipped) = (self.moved(*origins), [0, self.extent_in_place().origin % 2]);
                let views = (same::<T> as _, points_mut::<T> as _);
                in_place_by_two_buffers(parts, data, origins, skipped, views, |packed, numbers, points| {
                    Ok(packed.forward(numbers, points)?)
                })
            }
            (Method::Copied { origins, parts }, Elements::ComplexToReal) => {
                let (origins, skipped) = (self.moved(*origins), [self.extent_in_place().origin % 2, 0]);
                let views = (points_of::<T> as _, same_mut::<T> as _);
                in_place_by_two_buffers(parts, data, origins, skipped, views, |packed, points, numbers| {
                    Ok(packed.inverse(points, numbers)?)
                })
            }
        }
    }

    /// Transforms complex points from any memory to any other, by copies. Position 0 is the lowest address of
    /// each [extent](Self::extents).
    ///
    /// # Errors
    ///
    /// A plan that does not [copy](crate::AxesProblem::copied), and [`AxesError::Transform`].
    pub fn copying(
        &self,
        input: &(impl Source<Complex<T>> + ?Sized),
        output: &mut (impl Target<Complex<T>> + ?Sized),
    ) -> Result<(), AxesError> {
        let (origins, parts) = self.copied(Elements::ComplexToComplex)?;
        in_one_buffer(parts, input, output, origins, |packed, points| Ok(packed.complex(points)?))
    }

    /// Transforms real numbers from any memory to points in any other, by copies.
    ///
    /// # Errors
    ///
    /// See [`copying`](Self::copying).
    pub fn copying_forward(
        &self,
        numbers: &(impl Source<T> + ?Sized),
        points: &mut (impl Target<Complex<T>> + ?Sized),
    ) -> Result<(), AxesError> {
        let (origins, parts) = self.copied(Elements::RealToComplex)?;
        in_two_buffers(parts, numbers, points, origins, |packed, numbers, points| {
            Ok(packed.forward(numbers, points)?)
        })
    }

    /// Transforms points from any memory, which stay unchanged, to real numbers in any other, by copies.
    ///
    /// # Errors
    ///
    /// See [`copying`](Self::copying).
    pub fn copying_inverse(
        &self,
        points: &(impl Source<Complex<T>> + ?Sized),
        numbers: &mut (impl Target<T> + ?Sized),
    ) -> Result<(), AxesError> {
        let (origins, parts) = self.copied(Elements::ComplexToReal)?;
        in_two_buffers(parts, points, numbers, origins, |packed, points, numbers| {
            Ok(packed.inverse(points, numbers)?)
        })
    }

    /// Returns the origins and the parts of a plan that copies elements of this kind.
    fn copied(&self, elements: Elements) -> Result<([usize; 2], &Parts<T>), AxesError> {
        match &self.method {
            _ if self.problem.elements != elements => Err(OTHER),
            Method::Copied { origins, parts } => Ok((*origins, parts)),
            Method::Nothing => Ok(([0; 2], &[])),
            Method::Direct(_) => Err(OTHER),
        }
    }
}

/// The error of a call of another kind.
const OTHER: AxesError = AxesError::Call("it has another kind of elements, or does not copy");

fn same<T>(data: &[T]) -> &[T] {
    data
}

fn same_mut<T>(data: &mut [T]) -> &mut [T] {
    data
}

/// Returns pairs of numbers as points. An odd last number is left out.
fn points_of<T: Precision>(data: &[T]) -> &[Complex<T>] {
    bytemuck::cast_slice(&data[..data.len() / 2 * 2])
}

fn points_mut<T: Precision>(data: &mut [T]) -> &mut [Complex<T>] {
    let even = data.len() / 2 * 2;
    bytemuck::cast_slice_mut(&mut data[..even])
}
