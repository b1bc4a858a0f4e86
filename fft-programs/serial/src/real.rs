//! Real transforms: real numbers to the non-redundant half of their spectrum, and back.
//!
//! The spectrum of real numbers is conjugate symmetric, `X[-k] = conj X[k]`. So only the first `n/2 + 1`
//! points of the last dimension, of `n` numbers, are stored. The last dimension is transformed between
//! numbers and points (see `real_lines.rs`). The other dimensions are transformed between points, in place.
//! Forward, the last dimension comes first. The inverse makes the same passes in reverse order.
//!
//! *Cost.* Half of a complex transform if the last dimension is even. If it is odd, between half and two
//! thirds for lengths with a factor up to 15, and a whole complex transform of this dimension for others.

use std::fmt;

use earth_kernels::{Direction, Real};
use num_complex::Complex;

use crate::error::{CallError, PlanError, enough_scratch};
use crate::facts::PassFacts;
use crate::kernels::{KernelCache, Kernels};
use crate::passes::lines::{Job, Lines};
use crate::passes::real_lines::RealLines;
use crate::shape::{Array, Extent, Layout, Shape, apart};
use crate::steps::{self, At, Axis, Step};

/// Plan of a transform of real numbers into their spectrum, or of spectra into real numbers, with any factor.
/// Any number of threads may use it.
///
/// An inverse transform does not read the imaginary parts that are zero in the spectrum of real numbers. In
/// one dimension these are the imaginary parts of the first point and, for an even length, of the last one.
/// In more dimensions they are the imaginary parts of these points after the transforms of the other
/// dimensions.
pub struct RealPlan<T: Real> {
    direction: Direction,
    shape: Shape,
    /// Extent of the array of real numbers.
    numbers: Extent,
    /// Extent of the array of the spectrum.
    spectrum: Extent,
    /// Whether the numbers of every line begin where its points begin.
    padded: bool,
    /// Whether the only pass is a single row.
    single: bool,
    /// In both directions, the `from` strides belong to the numbers and the `to` strides to the spectrum.
    steps: Vec<Step<Pass<T>>>,
    scratch: usize,
}

enum Pass<T: Real> {
    Real(RealLines<T>),
    Complex(Lines<T>),
}

impl<T: Real> RealPlan<T> {
    /// Plans transforms of real numbers into points, forward, or of points into real numbers, inverse.
    ///
    /// `shape` is the shape of the numbers. A last dimension of `n` numbers has `n/2 + 1` points. Numbers of
    /// the input may overlap if the transforms are out of place.
    ///
    /// # Errors
    ///
    /// [`PlanError::Shape`] if shape and layouts describe no valid transform, [`PlanError::Kernel`] if no row
    /// kernel exists for a length.
    pub fn new<K: Kernels<T>>(
        direction: Direction,
        shape: &Shape,
        input: &Layout,
        output: &Layout,
        kernels: &K,
    ) -> Result<Self, PlanError<K::Error>> {
        // The array of the numbers comes first.
        let (mut layouts, mut arrays) = ([input, output], [Array::Input, Array::Output]);
        if direction == Direction::Inverse {
            layouts.reverse();
            arrays.reverse();
        }
        shape.check()?;
        let len = shape.lengths[shape.lengths.len() - 1];
        let from = shape.axes(layouts[0], len, arrays[0])?;
        let to = shape.axes(layouts[1], len / 2 + 1, arrays[1])?;
        // Most passes work on the points in place, so elements of the spectrum must not overlap.
        apart(&to, arrays[1])?;
        if direction == Direction::Inverse {
            apart(&from, arrays[0])?;
        }
        let (last, outer) = (from.len() - 1, from.iter().zip(&to));
        let padded = from[last].stride == 1
            && to[last].stride == 1
            && outer.clone().take(last).all(|(from, to)| to.count == 1 || from.stride == 2 * to.stride);
        let axes: Vec<_> =
            outer.map(|(from, to)| Axis { count: to.count, from: from.stride, to: to.stride }).collect();
        let mut dimensions: Vec<_> = axes[1..last].iter().filter(|axis| axis.count > 1).copied().collect();
        dimensions.sort_by_key(|axis| std::cmp::Reverse(axis.to));
        dimensions.push(axes[last]);
        let loops = if shape.batch > 1 { &axes[..1] } else { &[] };
        let mut shelf = KernelCache::new(kernels);
        let mut pass = |axis: Axis, loops: &[Axis], first: bool| {
            if first {
                return RealLines::plan(len, axis, loops, &mut shelf).map(Pass::Real);
            }
            let of = |axis: Axis| Axis { from: axis.to, ..axis };
            let loops: Vec<_> = loops.iter().copied().map(of).collect();
            Lines::plan(of(axis), &loops, &mut shelf).map(Pass::Complex)
        };
        // An empty batch has no passes.
        let dimensions = if shape.batch == 0 { &[] } else { &dimensions[..] };
        let mut steps =
            steps::plan(dimensions, loops, size_of::<Complex<T>>(), &mut pass).map_err(PlanError::Kernel)?;
        if direction == Direction::Inverse {
            steps::reverse(&mut steps);
        }
        let scratch = steps::most(&steps, &|pass: &Pass<T>| match pass {
            Pass::Real(lines) => lines.scratch_len(),
            Pass::Complex(lines) => lines.scratch_len(),
        });
        let single = matches!(&steps[..], [Step::Pass(Pass::Real(lines))] if lines.is_single_row());
        let numbers = Extent::of(&from, shape, layouts[0], arrays[0]);
        let spectrum = Extent::of(&to, shape, layouts[1], arrays[1]);
        Ok(Self { direction, shape: shape.clone(), numbers, spectrum, padded, single, steps, scratch })
    }

    /// Returns the minimum scratch of a call, in points.
    pub fn scratch_len(&self) -> usize {
        self.scratch
    }

    /// Returns the facts of the passes, in order, for calls in place or out of place.
    pub fn passes(&self, in_place: bool) -> Vec<PassFacts> {
        steps::facts(&self.steps, [1, 1], &|pass: &Pass<T>| match pass {
            Pass::Real(lines) if in_place => lines.facts(),
            Pass::Real(lines) => lines.facts().apart(),
            Pass::Complex(lines) => lines.facts(),
        })
    }

    /// Transforms real numbers into their spectrum in another array and multiplies every point by `factor`.
    /// The contents of the scratch are unspecified afterwards.
    ///
    /// # Errors
    ///
    /// [`CallError`] if the plan is for inverse transforms, or if a slice has another length; the slices are
    /// unchanged then.
    pub fn forward(
        &self,
        factor: T,
        numbers: &[T],
        spectrum: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        self.check(Direction::Forward, numbers.len(), spectrum.len(), scratch.len())?;
        self.run_forward(factor, Some(numbers), spectrum, scratch);
        Ok(())
    }

    /// Transforms spectra into real numbers in another array and multiplies every number by `factor`. The
    /// contents of the spectra and of the scratch are unspecified afterwards.
    ///
    /// # Errors
    ///
    /// [`CallError`] if the plan is for forward transforms, or if a slice has another length; the slices are
    /// unchanged then.
    pub fn inverse(
        &self,
        factor: T,
        spectrum: &mut [Complex<T>],
        numbers: &mut [T],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        self.check(Direction::Inverse, numbers.len(), spectrum.len(), scratch.len())?;
        self.run_inverse(factor, spectrum, Some(numbers), scratch);
        Ok(())
    }

    /// Transforms in place, in the planned direction, and multiplies the results by `factor`.
    ///
    /// The real and imaginary parts of a line's points alternate in the memory of its numbers. The lines of
    /// numbers and points have to begin at the same addresses, as in [`Shape::padded`] and
    /// [`Shape::spectrum`]. An inverse transform leaves the padding of a line unspecified.
    ///
    /// # Errors
    ///
    /// [`CallError`] if a slice has another length, or if the lines begin at different addresses; the slices
    /// are unchanged then.
    pub fn process_padded(
        &self,
        factor: T,
        data: &mut [T],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        if !self.padded {
            return Err(CallError::LayoutMismatch);
        }
        // The points of a line need more room than its numbers.
        let needed = self.spectrum.as_numbers();
        needed.check(data.len())?;
        enough_scratch(scratch.len(), self.scratch)?;
        let points = bytemuck::cast_slice_mut(&mut data[..needed.span()]);
        match self.direction {
            Direction::Forward => self.run_forward(factor, None, points, scratch),
            Direction::Inverse => self.run_inverse(factor, points, None, scratch),
        }
        Ok(())
    }

    fn check(
        &self,
        direction: Direction,
        numbers: usize,
        spectrum: usize,
        scratch: usize,
    ) -> Result<(), CallError> {
        if direction != self.direction {
            return Err(CallError::DirectionMismatch);
        }
        self.numbers.check(numbers)?;
        self.spectrum.check(spectrum)?;
        enough_scratch(scratch, self.scratch)
    }

    /// Returns the pass of a plan that is a single contiguous row. It bypasses the iteration over passes,
    /// which would take longer than a short transform.
    fn single_row(&self) -> Option<&RealLines<T>> {
        match &self.steps[..] {
            [Step::Pass(Pass::Real(lines))] if self.single => Some(lines),
            _ => None,
        }
    }

    fn run_forward(
        &self,
        factor: T,
        numbers: Option<&[T]>,
        spectrum: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        if let Some(row) = self.single_row() {
            return row.rows_forward(factor, numbers, spectrum, 1, scratch);
        }
        steps::walk(&self.steps, At::BEGIN, &mut |pass: &Pass<T>, at| match pass {
            Pass::Real(lines) => lines.forward(factor, numbers, spectrum, at, scratch),
            Pass::Complex(lines) => lines.run(Job::unscaled(self.direction), None, spectrum, at, scratch),
        });
    }

    fn run_inverse(
        &self,
        factor: T,
        spectrum: &mut [Complex<T>],
        mut numbers: Option<&mut [T]>,
        scratch: &mut [Complex<T>],
    ) {
        if let Some(row) = self.single_row() {
            return row.rows_inverse(factor, spectrum, numbers, 1, scratch);
        }
        steps::walk(&self.steps, At::BEGIN, &mut |pass: &Pass<T>, at| match pass {
            Pass::Real(lines) => lines.inverse(factor, spectrum, numbers.as_deref_mut(), at, scratch),
            Pass::Complex(lines) => lines.run(Job::unscaled(self.direction), None, spectrum, at, scratch),
        });
    }
}

impl<T: Real> fmt::Display for Pass<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Real(lines) => lines.fmt(f),
            Self::Complex(lines) => lines.fmt(f),
        }
    }
}

/// Formats the shape, and a line for each pass.
impl<T: Real> fmt::Display for RealPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.direction == Direction::Forward { "forward" } else { "inverse" };
        let (shape, scratch) = (&self.shape, self.scratch);
        write!(f, "real {what} transform of {shape} numbers of {}, {scratch} points of scratch:", T::NAME)?;
        steps::write(&self.steps, 1, f)
    }
}

impl<T: Real> fmt::Debug for RealPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RealPlan").field("real", &T::NAME).field("shape", &self.shape).finish_non_exhaustive()
    }
}
