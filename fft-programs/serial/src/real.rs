//! Real transforms: real numbers to the part of their spectrum that tells the rest, and back.
//!
//! The spectrum of real numbers is its own mirror image, `X[-k] = conj X[k]`, so of the last dimension, of `n` numbers,
//! the first `n/2 + 1` points are kept. The last dimension is transformed between numbers and points (see
//! `real_lines.rs`), and the others between points, where they are. Forward, the last dimension comes first; the inverse
//! makes the same passes the other way round.
//!
//! *Cost.* Half of a complex transform if the last dimension is even.

use std::fmt;

use earth_kernels::{Direction, Real};
use num_complex::Complex;

use crate::error::{CallError, PlanError, enough_scratch};
use crate::facts::PassFacts;
use crate::kernels::{Kernels, Shelf};
use crate::passes::lines::{Job, Lines};
use crate::passes::real_lines::RealLines;
use crate::shape::{Array, Extent, Layout, Shape, apart};
use crate::steps::{self, At, Axis, Step};

/// The plan of a transform of real numbers into their spectrum, with any factor. Any number of threads may use it.
#[derive(Debug)]
pub struct RealForwardPlan<T: Real>(Plan<T>);

/// The plan of a transform of spectra into real numbers, with any factor. Any number of threads may use it.
///
/// The imaginary parts that are zero in the spectrum of real numbers are not read. In one dimension these are the parts
/// of the first point and, for an even length, of the last one; in more the parts that the transforms of the other
/// dimensions have made of these points.
#[derive(Debug)]
pub struct RealInversePlan<T: Real>(Plan<T>);

impl<T: Real> RealForwardPlan<T> {
    /// Plans transforms of real numbers that lie as `input` says into points that lie as `output` says. The shape is
    /// that of the numbers: the output has `n/2 + 1` points in a last dimension of `n`. Numbers of the input may overlap
    /// if it is kept.
    ///
    /// # Errors
    ///
    /// [`PlanError::Shape`] if there is no such transform, [`PlanError::Kernel`] if there are no rows of a length.
    pub fn new<K: Kernels<T>>(
        shape: &Shape,
        input: &Layout,
        output: &Layout,
        kernels: &K,
    ) -> Result<Self, PlanError<K::Error>> {
        Plan::new(shape, (input, Array::Input), (output, Array::Output), kernels).map(Self)
    }

    /// The points of scratch that a call needs.
    pub fn scratch_len(&self) -> usize {
        self.0.scratch
    }

    /// What the passes do, in their order, in place or from one array to another.
    pub fn passes(&self, in_place: bool) -> Vec<PassFacts> {
        self.0.passes(in_place)
    }

    /// Transforms from one array to another, every point times `factor`. What is left in the scratch is unspecified.
    ///
    /// # Errors
    ///
    /// [`CallError`] if a slice has another length; the slices are unchanged then.
    pub fn process(
        &self,
        factor: T,
        input: &[T],
        output: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        self.0.check(input.len(), output.len(), scratch.len())?;
        self.forward(factor, Some(input), output, scratch);
        Ok(())
    }

    /// Transforms in place, every point times `factor`: the real and imaginary parts of a line's points, by turns, come
    /// where its numbers were. Lines have to begin at the same places, as they do if the numbers lie as
    /// [`Shape::padded`] says and the points as [`Shape::spectrum`] does.
    ///
    /// # Errors
    ///
    /// [`CallError`] if a slice has another length, or the lines begin elsewhere; the slices are unchanged then.
    pub fn process_padded(
        &self,
        factor: T,
        data: &mut [T],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        let points = self.0.check_padded(data, scratch.len())?;
        self.forward(factor, None, points, scratch);
        Ok(())
    }

    fn forward(&self, factor: T, input: Option<&[T]>, output: &mut [Complex<T>], scratch: &mut [Complex<T>]) {
        if let Some(row) = self.0.single_row() {
            return row.rows_forward(factor, input, output, 1, scratch);
        }
        steps::walk(&self.0.steps, At::BEGIN, &mut |pass: &Pass<T>, at| match pass {
            Pass::Real(lines) => lines.forward(factor, input, output, at, scratch),
            Pass::Complex(lines) => lines.here(Job::unscaled(Direction::Forward), output, at, scratch),
        });
    }
}

impl<T: Real> RealInversePlan<T> {
    /// Plans transforms of points that lie as `input` says into real numbers that lie as `output` says. The shape is
    /// that of the numbers: the input has `n/2 + 1` points in a last dimension of `n`.
    ///
    /// # Errors
    ///
    /// [`PlanError::Shape`] if there is no such transform, [`PlanError::Kernel`] if there are no rows of a length.
    pub fn new<K: Kernels<T>>(
        shape: &Shape,
        input: &Layout,
        output: &Layout,
        kernels: &K,
    ) -> Result<Self, PlanError<K::Error>> {
        let mut plan = Plan::new(shape, (output, Array::Output), (input, Array::Input), kernels)?;
        apart(&shape.axes(output, shape.lengths[shape.lengths.len() - 1], Array::Output)?, Array::Output)?;
        steps::reverse(&mut plan.steps);
        Ok(Self(plan))
    }

    /// The points of scratch that a call needs.
    pub fn scratch_len(&self) -> usize {
        self.0.scratch
    }

    /// What the passes do, in their order, in place or from one array to another.
    pub fn passes(&self, in_place: bool) -> Vec<PassFacts> {
        self.0.passes(in_place)
    }

    /// Transforms from one array to another, every number times `factor`. What is left in the input and in the scratch
    /// is unspecified.
    ///
    /// # Errors
    ///
    /// [`CallError`] if a slice has another length; the slices are unchanged then.
    pub fn process(
        &self,
        factor: T,
        input: &mut [Complex<T>],
        output: &mut [T],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        self.0.check(output.len(), input.len(), scratch.len())?;
        self.inverse(factor, input, Some(output), scratch);
        Ok(())
    }

    /// Transforms in place, every number times `factor`: what [`RealForwardPlan::process_padded`] does, the other way
    /// round. What is left in the numbers that fill up a line is unspecified.
    ///
    /// # Errors
    ///
    /// [`CallError`] if a slice has another length, or the lines begin elsewhere; the slices are unchanged then.
    pub fn process_padded(
        &self,
        factor: T,
        data: &mut [T],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        let points = self.0.check_padded(data, scratch.len())?;
        self.inverse(factor, points, None, scratch);
        Ok(())
    }

    fn inverse(
        &self,
        factor: T,
        input: &mut [Complex<T>],
        mut output: Option<&mut [T]>,
        scratch: &mut [Complex<T>],
    ) {
        if let Some(row) = self.0.single_row() {
            return row.rows_inverse(factor, input, output, 1, scratch);
        }
        steps::walk(&self.0.steps, At::BEGIN, &mut |pass: &Pass<T>, at| match pass {
            Pass::Real(lines) => lines.inverse(factor, input, output.as_deref_mut(), at, scratch),
            Pass::Complex(lines) => lines.here(Job::unscaled(Direction::Inverse), input, at, scratch),
        });
    }
}

/// What both directions have in common. The first array of its axes is that of the numbers, the second one that of the
/// spectrum.
struct Plan<T: Real> {
    shape: Shape,
    numbers: Extent,
    spectrum: Extent,
    /// Whether every line's numbers begin where its points do.
    padded: bool,
    /// Whether the only pass is a single row.
    single: bool,
    steps: Vec<Step<Pass<T>>>,
    scratch: usize,
}

enum Pass<T: Real> {
    Real(RealLines<T>),
    Complex(Lines<T>),
}

impl<T: Real> Plan<T> {
    /// Plans passes in the order of a forward transform. The points of the spectrum must lie apart, in either direction,
    /// since most passes work on them where they are.
    fn new<K: Kernels<T>>(
        shape: &Shape,
        numbers: (&Layout, Array),
        spectrum: (&Layout, Array),
        kernels: &K,
    ) -> Result<Self, PlanError<K::Error>> {
        shape.check()?;
        let len = shape.lengths[shape.lengths.len() - 1];
        let from = shape.axes(numbers.0, len, numbers.1)?;
        let to = shape.axes(spectrum.0, len / 2 + 1, spectrum.1)?;
        apart(&to, spectrum.1)?;
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
        let mut shelf = Shelf::new(kernels);
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
        let steps =
            steps::plan(dimensions, loops, size_of::<Complex<T>>(), &mut pass).map_err(PlanError::Kernel)?;
        let scratch = steps::most(&steps, &|pass: &Pass<T>| match pass {
            Pass::Real(lines) => lines.scratch_len(),
            Pass::Complex(lines) => lines.scratch_len(),
        });
        let single = matches!(&steps[..], [Step::Pass(Pass::Real(lines))] if lines.is_single_row());
        let numbers = Extent::of(&from, shape, numbers.0, numbers.1);
        let spectrum = Extent::of(&to, shape, spectrum.0, spectrum.1);
        Ok(Self { shape: shape.clone(), numbers, spectrum, padded, single, steps, scratch })
    }

    /// What the passes do, in their order.
    fn passes(&self, in_place: bool) -> Vec<PassFacts> {
        steps::facts(&self.steps, [1, 1], &|pass: &Pass<T>| match pass {
            Pass::Real(lines) if in_place => lines.facts(),
            Pass::Real(lines) => lines.facts().apart(),
            Pass::Complex(lines) => lines.facts(),
        })
    }

    /// The pass of a plan that is a single row of neighbours: to go through the passes would take longer than a short
    /// transform.
    fn single_row(&self) -> Option<&RealLines<T>> {
        match &self.steps[..] {
            [Step::Pass(Pass::Real(lines))] if self.single => Some(lines),
            _ => None,
        }
    }

    fn check(&self, numbers: usize, spectrum: usize, scratch: usize) -> Result<(), CallError> {
        self.numbers.check(numbers)?;
        self.spectrum.check(spectrum)?;
        enough_scratch(scratch, self.scratch)
    }

    /// The points of an array that has both.
    fn check_padded<'a>(&self, data: &'a mut [T], scratch: usize) -> Result<&'a mut [Complex<T>], CallError> {
        if !self.padded {
            return Err(CallError::OtherLayout);
        }
        // The numbers of a line are fewer than those of its points.
        let needed = self.spectrum.as_numbers();
        needed.check(data.len())?;
        enough_scratch(scratch, self.scratch)?;
        Ok(bytemuck::cast_slice_mut(&mut data[..needed.span()]))
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

impl<T: Real> Plan<T> {
    /// Writes the shape, and a line for each pass.
    fn write(&self, what: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, scratch) = (&self.shape, self.scratch);
        write!(f, "real {what} transform of {shape} numbers of {}, {scratch} points of scratch:", T::NAME)?;
        steps::write(&self.steps, 1, f)
    }
}

impl<T: Real> fmt::Debug for Plan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("real", &T::NAME).field("shape", &self.shape).finish_non_exhaustive()
    }
}

/// The shape, and a line for each pass.
impl<T: Real> fmt::Display for RealForwardPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write("forward", f)
    }
}

/// The shape, and a line for each pass.
impl<T: Real> fmt::Display for RealInversePlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.write("inverse", f)
    }
}
