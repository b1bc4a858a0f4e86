//! Complex transforms, in place or out of place.
//!
//! The order of the dimensions is free, so the plan sorts them by stride: the dimension with the smallest
//! stride becomes the rows. The first pass reads the input and writes the output. The other passes work on
//! the output in place. In a transform in place, all passes do. The directions differ only in the sign of the
//! kernels.

use std::fmt;
use std::sync::Arc;

use earth_kernels::{Direction, Real, RowKernel, scale};
use num_complex::Complex;

use crate::error::{CallError, PlanError, enough_scratch};
use crate::facts::PassFacts;
use crate::kernels::{KernelCache, Kernels};
use crate::passes::lines::{Job, Lines};
use crate::shape::{Array, Extent, Layout, Shape, apart};
use crate::steps::{self, At, Axis, Step};

/// Plan of a complex transform, in either direction, with any factor. Any number of threads may use it.
pub struct ComplexPlan<T: Real> {
    shape: Shape,
    /// Extents of the input and of the output.
    extents: [Extent; 2],
    /// Whether input and output have the same layout.
    same_layout: bool,
    /// Kernel of a plan that is a single contiguous row. It bypasses the passes, which would take longer than
    /// a short transform.
    row: Option<Arc<dyn RowKernel<T>>>,
    steps: Vec<Step<Pass<T>>>,
    scratch: usize,
}

struct Pass<T: Real> {
    lines: Lines<T>,
    /// Whether this pass reads the input.
    first: bool,
}

impl<T: Real> ComplexPlan<T> {
    /// Plans transforms from the layout `input` to the layout `output`. Transforms in place need equal
    /// layouts. Elements of the input may overlap if the transforms are out of place.
    ///
    /// # Errors
    ///
    /// [`PlanError::Shape`] if shape and layouts describe no valid transform, [`PlanError::Kernel`] if no row
    /// kernel exists for a length.
    pub fn new<K: Kernels<T>>(
        shape: &Shape,
        input: &Layout,
        output: &Layout,
        kernels: &K,
    ) -> Result<Self, PlanError<K::Error>> {
        shape.check()?;
        let last = shape.lengths[shape.lengths.len() - 1];
        let inputs = shape.axes(input, last, Array::Input)?;
        let outputs = shape.axes(output, last, Array::Output)?;
        apart(&outputs, Array::Output)?;
        let axes = inputs.iter().zip(&outputs);
        let axes: Vec<_> =
            axes.map(|(from, to)| Axis { count: to.count, from: from.stride, to: to.stride }).collect();
        // Dimensions of one point need no pass, but a plan needs at least one pass.
        let mut dimensions: Vec<_> = axes[1..].iter().filter(|axis| axis.count > 1).copied().collect();
        dimensions.sort_by_key(|axis| std::cmp::Reverse(axis.to));
        if dimensions.is_empty() {
            dimensions.push(Axis { count: 1, from: 1, to: 1 });
        }
        let batch = [axes[0]];
        let loops = if shape.batch > 1 { &batch[..] } else { &[] };
        let mut shelf = KernelCache::new(kernels);
        let mut pass = |axis: Axis, loops: &[Axis], first: bool| {
            // All passes except the first read and write the output.
            let of = |axis: Axis| if first { axis } else { Axis { from: axis.to, ..axis } };
            let loops: Vec<_> = loops.iter().copied().map(of).collect();
            Lines::plan(of(axis), &loops, &mut shelf).map(|lines| Pass { lines, first })
        };
        // An empty batch has no passes.
        let dimensions = if shape.batch == 0 { &[] } else { &dimensions[..] };
        let steps =
            steps::plan(dimensions, loops, size_of::<Complex<T>>(), &mut pass).map_err(PlanError::Kernel)?;
        let scratch = steps::most(&steps, &|pass: &Pass<T>| pass.lines.scratch_len());
        let extents = [
            Extent::of(&inputs, shape, input, Array::Input),
            Extent::of(&outputs, shape, output, Array::Output),
        ];
        let row = match &steps[..] {
            [Step::Pass(pass)] => pass.lines.single_row().cloned(),
            _ => None,
        };
        Ok(Self { shape: shape.clone(), extents, same_layout: inputs == outputs, row, steps, scratch })
    }

    /// Returns the minimum scratch of a call, in points.
    pub fn scratch_len(&self) -> usize {
        self.scratch
    }

    /// Returns the facts of the passes, in order, for calls in place or out of place.
    pub fn passes(&self, in_place: bool) -> Vec<PassFacts> {
        steps::facts(&self.steps, [1, 1], &|Pass { lines, first }: &Pass<T>| {
            let facts = lines.facts();
            if *first && !in_place { facts.apart() } else { facts }
        })
    }

    /// Transforms in place and multiplies every point by `factor`. The contents of the scratch are
    /// unspecified afterwards.
    ///
    /// # Errors
    ///
    /// [`CallError`] if a slice has another length, or if the layouts of input and output differ; the slices
    /// are unchanged then.
    pub fn process(
        &self,
        direction: Direction,
        factor: T,
        data: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        if !self.same_layout {
            return Err(CallError::LayoutMismatch);
        }
        self.extents[1].check_in_place(data.len())?;
        enough_scratch(scratch.len(), self.scratch)?;
        self.run(direction, factor, None, data, scratch);
        Ok(())
    }

    /// Transforms out of place and multiplies every point by `factor`. The contents of the scratch are
    /// unspecified afterwards.
    ///
    /// # Errors
    ///
    /// [`CallError`] if a slice has another length; the slices are unchanged then.
    pub fn process_into(
        &self,
        direction: Direction,
        factor: T,
        input: &[Complex<T>],
        output: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        self.extents[0].check(input.len())?;
        self.extents[1].check(output.len())?;
        enough_scratch(scratch.len(), self.scratch)?;
        self.run(direction, factor, Some(input), output, scratch);
        Ok(())
    }

    /// Transforms from `input` to `output`, or in place if `input` is `None`.
    #[inline]
    fn run(
        &self,
        direction: Direction,
        factor: T,
        input: Option<&[Complex<T>]>,
        output: &mut [Complex<T>],
        scratch: &mut [Complex<T>],
    ) {
        if let Some(row) = &self.row {
            let [of_input, of_output] = &self.extents;
            let output = &mut output[..of_output.span()];
            match input {
                Some(input) => row.transform_into(direction, &input[..of_input.span()], output, scratch),
                None => row.transform(direction, output, scratch),
            }
            if factor != T::one() {
                scale(output, factor);
            }
            return;
        }
        // Only the first pass multiplies by the factor and reads the input.
        steps::walk(&self.steps, At::BEGIN, &mut |Pass { lines, first }: &Pass<T>, at| {
            let job = Job { direction, factor: if *first { factor } else { T::one() } };
            lines.run(job, input.filter(|_| *first), output, at, scratch);
        });
    }
}

impl<T: Real> fmt::Display for Pass<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines.fmt(f)
    }
}

/// Formats the shape, and a line for each pass.
impl<T: Real> fmt::Display for ComplexPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (shape, scratch) = (&self.shape, self.scratch);
        write!(f, "complex transform of {shape} points of {}, {scratch} points of scratch:", T::NAME)?;
        steps::write(&self.steps, 1, f)
    }
}

impl<T: Real> fmt::Debug for ComplexPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ComplexPlan")
            .field("real", &T::NAME)
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}
