//! Transforms of one line of real numbers to real numbers, by transforms of the library.
//!
//! | kind | by | cost beside it |
//! |---|---|---|
//! | half-complex, Hartley | a real transform of n numbers | one pass |
//! | cosine and sine 2 and 3 | a real transform of n numbers in Makhoul's order | two passes |
//! | cosine and sine 4, n even | a complex transform of n/2 points | two passes |
//! | cosine and sine 4, n odd | a complex transform of 2n points, half of them zeros | two passes |
//! | cosine 1 | a real transform of 2 (n - 1) numbers, mirrored | two passes |
//! | sine 1 | a real transform of 2 (n + 1) numbers, mirrored with the other sign | two passes |
//!
//! A sine transform is the cosine transform of reversed numbers, or of numbers with alternating signs.
//! Results have FFTW's definitions and scale: a transform and its inverse multiply by n for half-complex and
//! Hartley transforms, by 2 (n - 1) for cosine 1, by 2 (n + 1) for sine 1, and by 2n for all others.
//!
//! *When it loses.* Transforms 1 and the odd transform 4 compute twice or four times as much as needed.

use std::f64::consts::PI;

use earth_fft::{Complex, ComplexToRealPlan, Norm, Plan, Planner, Precision, Problem, RealToComplexPlan};
use earth_memory::try_room;

use crate::error::AxesError;

/// A transform of real numbers to the same number of real numbers. The names count as in `SciPy`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RealTransform {
    /// The discrete Fourier transform: real parts from the front, imaginary parts from the back.
    HalfComplex,
    /// The inverse of `HalfComplex`.
    FromHalfComplex,
    /// Sums of the numbers times cosine plus sine.
    Hartley,
    /// Cosine transform 1, which has at least two numbers.
    Cosine1,
    /// Cosine transform 2, known as the DCT.
    Cosine2,
    /// Cosine transform 3, the inverse of 2.
    Cosine3,
    /// Cosine transform 4.
    Cosine4,
    /// Sine transform 1.
    Sine1,
    /// Sine transform 2.
    Sine2,
    /// Sine transform 3, the inverse of 2.
    Sine3,
    /// Sine transform 4.
    Sine4,
}

use RealTransform::{
    Cosine1, Cosine2, Cosine3, Cosine4, FromHalfComplex, HalfComplex, Hartley, Sine1, Sine2, Sine3, Sine4,
};

impl RealTransform {
    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            HalfComplex => "a half-complex transform",
            FromHalfComplex => "an inverse half-complex transform",
            Hartley => "a Hartley transform",
            Cosine1 => "a cosine transform 1",
            Cosine2 => "a cosine transform 2",
            Cosine3 => "a cosine transform 3",
            Cosine4 => "a cosine transform 4",
            Sine1 => "a sine transform 1",
            Sine2 => "a sine transform 2",
            Sine3 => "a sine transform 3",
            Sine4 => "a sine transform 4",
        }
    }

    /// Returns the number of points of the Fourier transform that the transform is part of: a transform and
    /// its inverse multiply by it.
    pub fn period(self, length: usize) -> usize {
        match self {
            HalfComplex | FromHalfComplex | Hartley => length,
            Cosine1 => 2 * length.saturating_sub(1),
            Sine1 => 2 * (length + 1),
            Cosine2 | Cosine3 | Cosine4 | Sine2 | Sine3 | Sine4 => 2 * length,
        }
    }
}

/// Plan of the transforms of lines.
#[derive(Debug)]
pub(crate) struct LinePlan<T: Precision> {
    kind: RealTransform,
    length: usize,
    by: By<T>,
    /// Factors of cosine transforms 2 to 4.
    factors: Vec<Complex<T>>,
}

/// The transform of the library.
#[derive(Debug)]
enum By<T: Precision> {
    Forward(RealToComplexPlan<T>),
    Inverse(ComplexToRealPlan<T>),
    Complex(Plan<T>),
}

/// Memory of a line's transform.
#[derive(Debug)]
pub(crate) struct Scratch<T: Precision> {
    numbers: Vec<T>,
    points: Vec<Complex<T>>,
}

impl<T: Precision> LinePlan<T> {
    /// Plans lines of `length` numbers.
    ///
    /// # Errors
    ///
    /// No numbers, one number in a cosine transform 1, or an error of the planner.
    pub(crate) fn new(planner: &Planner, kind: RealTransform, length: usize) -> Result<Self, AxesError> {
        if length == 0 {
            return Err(AxesError::NoElements);
        }
        if kind == Cosine1 && length == 1 {
            return Err(AxesError::Length { kind: kind.name(), length });
        }
        if length > isize::MAX as usize / 64 {
            return Err(AxesError::TooLarge);
        }
        let by = match kind {
            HalfComplex | Hartley | Cosine1 | Cosine2 | Sine1 | Sine2 => {
                let length = if matches!(kind, Cosine1 | Sine1) { kind.period(length) } else { length };
                By::Forward(planner.plan_real_to_complex(&Problem::real_to_complex(&[length]))?)
            }
            FromHalfComplex | Cosine3 | Sine3 => {
                let problem = Problem::complex_to_real(&[length]).norm(Norm::Forward);
                By::Inverse(planner.plan_complex_to_real(&problem)?)
            }
            Cosine4 | Sine4 => {
                let points = if length.is_multiple_of(2) { length / 2 } else { 2 * length };
                By::Complex(planner.plan(&Problem::complex(&[points]))?)
            }
        };
        // Factor k is exp(-i pi (step k + first) / parts).
        let n = length as f64;
        let (count, step, first, parts) = match kind {
            Cosine2 | Cosine3 | Sine2 | Sine3 => (length / 2 + 1, 1.0, 0.0, 2.0 * n),
            Cosine4 | Sine4 if length.is_multiple_of(2) => (length / 2, 8.0, 1.0, 8.0 * n),
            // Even factors multiply the numbers, odd ones the points.
            Cosine4 | Sine4 => (2 * length, 1.0, 0.0, 4.0 * n),
            HalfComplex | FromHalfComplex | Hartley | Cosine1 | Sine1 => (0, 0.0, 0.0, 1.0),
        };
        let mut factors = try_room(count, "factors")?;
        factors.extend((0..count).map(|k| {
            let (sin, cos) = (-PI * ((step * k as f64 + first) / parts)).sin_cos();
            Complex::new(T::of(cos), T::of(sin))
        }));
        Ok(Self { kind, length, by, factors })
    }

    /// Returns memory for the transform of a line.
    pub(crate) fn scratch(&self) -> Result<Scratch<T>, AxesError> {
        let (numbers, points) = match &self.by {
            By::Forward(plan) => (plan.problem().lengths()[0], plan.problem().lengths()[0] / 2 + 1),
            By::Inverse(_) => (self.length, self.length / 2 + 1),
            By::Complex(plan) => (0, plan.problem().lengths()[0]),
        };
        Ok(Scratch {
            numbers: earth_memory::try_filled(T::zero(), numbers, "scratch")?,
            points: earth_memory::try_filled(T::zero().into(), points, "scratch")?,
        })
    }

    /// Transforms a line.
    pub(crate) fn process(&self, line: &mut [T], scratch: &mut Scratch<T>) -> Result<(), AxesError> {
        match self.kind {
            Sine2 => line.iter_mut().skip(1).step_by(2).for_each(|x| *x = -*x),
            Sine3 | Sine4 => line.reverse(),
            _ => {}
        }
        let Scratch { numbers, points } = scratch;
        match &self.by {
            By::Forward(plan) => {
                self.forward_numbers(line, numbers);
                plan.process(numbers, points)?;
                self.forward_results(points, line);
            }
            By::Inverse(plan) => {
                self.inverse_points(line, points);
                plan.process(points, numbers)?;
                self.inverse_results(numbers, line);
            }
            By::Complex(plan) if self.length.is_multiple_of(2) => {
                self.even_points(line, points);
                plan.process(points)?;
                self.even_results(points, line);
            }
            By::Complex(plan) => {
                self.odd_points(line, points);
                plan.process(points)?;
                self.odd_results(points, line);
            }
        }
        match self.kind {
            Sine2 => line.reverse(),
            Sine3 | Sine4 => line.iter_mut().skip(1).step_by(2).for_each(|x| *x = -*x),
            _ => {}
        }
        Ok(())
    }

    fn forward_numbers(&self, line: &[T], numbers: &mut [T]) {
        let (n, period) = (self.length, numbers.len());
        match self.kind {
            Cosine1 => {
                numbers[..n].copy_from_slice(line);
                for j in 1..n - 1 {
                    numbers[period - j] = line[j];
                }
            }
            Sine1 => {
                numbers[0] = T::zero();
                numbers[n + 1] = T::zero();
                for (j, x) in line.iter().enumerate() {
                    numbers[j + 1] = *x;
                    numbers[period - 1 - j] = -*x;
                }
            }
            Cosine2 | Sine2 => {
                for (j, x) in line.iter().enumerate() {
                    numbers[if j % 2 == 0 { j / 2 } else { n - 1 - j / 2 }] = *x;
                }
            }
            _ => numbers.copy_from_slice(line),
        }
    }

    fn forward_results(&self, points: &[Complex<T>], line: &mut [T]) {
        let n = self.length;
        match self.kind {
            Cosine1 => line.iter_mut().zip(points).for_each(|(y, point)| *y = point.re),
            Sine1 => line.iter_mut().zip(&points[1..]).for_each(|(y, point)| *y = -point.im),
            Cosine2 | Sine2 => {
                for (k, (point, factor)) in points.iter().zip(&self.factors).enumerate() {
                    let turned = *point * *factor;
                    // Exact for k = n/2, where both are the same result.
                    if k > 0 {
                        line[n - k] = -(turned.im + turned.im);
                    }
                    line[k] = turned.re + turned.re;
                }
            }
            Hartley => {
                for (k, point) in points.iter().enumerate() {
                    if k > 0 {
                        line[n - k] = point.re + point.im;
                    }
                    line[k] = point.re - point.im;
                }
            }
            _ => {
                for (k, point) in points.iter().enumerate() {
                    if k > 0 {
                        line[n - k] = point.im;
                    }
                    line[k] = point.re;
                }
            }
        }
    }

    fn inverse_points(&self, line: &[T], points: &mut [Complex<T>]) {
        let n = self.length;
        for (k, point) in points.iter_mut().enumerate() {
            let mirrored = if k == 0 { T::zero() } else { line[n - k] };
            *point = match self.kind {
                FromHalfComplex if 2 * k == n => line[k].into(),
                FromHalfComplex => Complex::new(line[k], mirrored),
                _ => Complex::new(line[k], -mirrored) * self.factors[k].conj(),
            };
        }
    }

    fn inverse_results(&self, numbers: &[T], line: &mut [T]) {
        if self.kind == FromHalfComplex {
            return line.copy_from_slice(numbers);
        }
        for (j, y) in line.iter_mut().enumerate() {
            *y = numbers[if j % 2 == 0 { j / 2 } else { self.length - 1 - j / 2 }];
        }
    }

    fn even_points(&self, line: &[T], points: &mut [Complex<T>]) {
        for (j, (point, factor)) in points.iter_mut().zip(&self.factors).enumerate() {
            *point = Complex::new(line[2 * j], line[self.length - 1 - 2 * j]) * *factor;
        }
    }

    fn even_results(&self, points: &[Complex<T>], line: &mut [T]) {
        for (k, (point, factor)) in points.iter().zip(&self.factors).enumerate() {
            let turned = *point * *factor;
            line[2 * k] = turned.re + turned.re;
            line[self.length - 1 - 2 * k] = -(turned.im + turned.im);
        }
    }

    fn odd_points(&self, line: &[T], points: &mut [Complex<T>]) {
        points.fill(T::zero().into());
        for (j, x) in line.iter().enumerate() {
            points[j] = self.factors[2 * j].scale(*x);
        }
    }

    fn odd_results(&self, points: &[Complex<T>], line: &mut [T]) {
        for (k, y) in line.iter_mut().enumerate() {
            let turned = points[k] * self.factors[2 * k + 1];
            *y = turned.re + turned.re;
        }
    }
}
