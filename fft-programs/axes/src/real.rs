//! Transforms of real numbers to real numbers along axes.
//!
//! Parts are copied to packed memory. There each axis is transformed, line after line: some lines at a time
//! are copied to a buffer unless their numbers are contiguous. *Cost.* Two copies, and two more for each axis
//! but the last.

use std::fmt;
use std::sync::Arc;

use earth_fft::{Planner, Precision};
use earth_memory::try_filled;

use crate::axis::{Axis, Extent, joined};
use crate::copies::{Source, Target};
use crate::error::AxesError;
use crate::lines::{LinePlan, RealTransform};
use crate::parts::{Part, in_one_buffer, in_place, parts};
use crate::plan::are_disjoint;
use crate::problem::Memory;

/// Lines that are copied at a time, so that each cache line of the part is used whole.
const TOGETHER: usize = 16;

/// A transformed axis, and its transform.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct RealAxis {
    /// The axis.
    pub axis: Axis,
    /// Its transform.
    pub transform: RealTransform,
}

/// Transforms of real numbers to real numbers along some axes, for each place along the others.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RealProblem {
    transformed: Vec<RealAxis>,
    repeated: Vec<Axis>,
    memory: Memory,
}

/// Plan of a [`RealProblem`]. Any number of threads may call it at once. Results have FFTW's scale.
#[derive(Debug)]
pub struct RealPlan<T: Precision> {
    problem: RealProblem,
    extents: [Extent; 2],
    /// Positions of the first elements, from the lowest addresses.
    origins: [usize; 2],
    parts: Vec<(Part, Arc<Vec<LinesOfAxis<T>>>)>,
}

/// The lines along an axis of a part.
#[derive(Debug)]
struct LinesOfAxis<T: Precision> {
    plan: LinePlan<T>,
    length: usize,
    /// Distance between the numbers of a line.
    stride: usize,
}

impl RealProblem {
    /// Returns the transform from an input to an output.
    pub fn new(transformed: &[RealAxis], repeated: &[Axis]) -> Self {
        let (transformed, repeated) = (transformed.to_vec(), repeated.to_vec());
        Self { transformed, repeated, memory: Memory::Separate }
    }

    /// Makes the output replace the input, which begins at the same address.
    #[must_use]
    pub fn in_place(self) -> Self {
        Self { memory: Memory::Same, ..self }
    }

    /// Lets input and output overlap in any way: the whole input is copied before the output is written.
    #[must_use]
    pub fn overlapping(self) -> Self {
        Self { memory: Memory::Overlapping, ..self }
    }

    fn axes(&self) -> Vec<Axis> {
        let transformed = self.transformed.iter().map(|real| real.axis);
        self.repeated.iter().copied().chain(transformed).collect()
    }
}

impl<T: Precision> RealPlan<T> {
    /// Plans a problem by the settings of a planner.
    ///
    /// # Errors
    ///
    /// A transformed axis without elements, a length that a transform does not have, output elements that
    /// overlap, arrays larger than the address space, and the errors of the planner.
    pub fn new(planner: &Planner, problem: &RealProblem) -> Result<Self, AxesError> {
        let axes = problem.axes();
        let of = |array: usize| Extent::of(axes.iter().map(|axis| (axis.length, axis.strides()[array])));
        let extents = [of(0)?, of(1)?];
        let transformed: Vec<_> = problem.transformed.iter().map(|real| real.axis).collect();
        let (repeated, moved) = joined(&problem.repeated);
        let origins = [0, 1].map(|array| extents[array].origin.wrapping_add_signed(moved[array]));
        let lines = Arc::new(LinesOfAxis::all(planner, &problem.transformed)?);
        let mut planned = Vec::new();
        if extents[1].span > 0 {
            if !are_disjoint(&axes, 1) {
                return Err(AxesError::Overlap);
            }
            let same_layout = axes.iter().all(|axis| axis.length == 1 || axis.input == axis.output);
            let whole = problem.memory.needs_whole(same_layout);
            let last = transformed.last().map_or(1, |axis| axis.length);
            for part in parts(&repeated, &transformed, [last; 2], whole) {
                planned.push((part, Arc::clone(&lines)));
            }
        }
        Ok(Self { problem: problem.clone(), extents, origins, parts: planned })
    }

    /// Returns the problem.
    pub fn problem(&self) -> &RealProblem {
        &self.problem
    }

    /// Returns the extents of the input and of the output.
    pub fn extents(&self) -> [Extent; 2] {
        self.extents
    }

    /// Returns the extent of the array of a call in place.
    pub fn extent_in_place(&self) -> Extent {
        Extent::in_place(self.extents)
    }

    /// Transforms in place. The first number of the slice is the lowest address of
    /// [`extent_in_place`](Self::extent_in_place).
    ///
    /// # Errors
    ///
    /// Too few numbers, too little memory, and [`AxesError::Transform`].
    pub fn in_place(&self, numbers: &mut [T]) -> Result<(), AxesError> {
        let whole = self.extent_in_place();
        if numbers.len() < whole.span {
            return Err(AxesError::Slice { array: "array", given: numbers.len(), needed: whole.span });
        }
        let origins = [0, 1].map(|array| self.origins[array] + whole.origin - self.extents[array].origin);
        in_place(&self.parts, numbers, origins, |lines, packed| LinesOfAxis::process_all(lines, packed))
    }

    /// Transforms numbers from any memory to any other. Position 0 is the lowest address of each
    /// [extent](Self::extents).
    ///
    /// # Errors
    ///
    /// Too little memory, and [`AxesError::Transform`].
    ///
    /// # Panics
    ///
    /// If a slice is shorter than its extent.
    pub fn out_of_place(
        &self,
        input: &(impl Source<T> + ?Sized),
        output: &mut (impl Target<T> + ?Sized),
    ) -> Result<(), AxesError> {
        in_one_buffer(&self.parts, input, output, self.origins, |lines, packed| {
            LinesOfAxis::process_all(lines, packed)
        })
    }
}

impl<T: Precision> LinesOfAxis<T> {
    /// Plans all axes of packed memory.
    fn all(planner: &Planner, axes: &[RealAxis]) -> Result<Vec<Self>, AxesError> {
        let mut stride = 1;
        let mut all = Vec::new();
        for RealAxis { axis, transform } in axes.iter().rev() {
            let plan = LinePlan::new(planner, *transform, axis.length)?;
            all.push(Self { plan, length: axis.length, stride });
            stride *= axis.length;
        }
        Ok(all)
    }

    fn process_all(all: &[Self], packed: &mut [T]) -> Result<(), AxesError> {
        all.iter().try_for_each(|lines| lines.process(packed))
    }

    fn process(&self, packed: &mut [T]) -> Result<(), AxesError> {
        let mut scratch = self.plan.scratch()?;
        if self.stride == 1 {
            let mut lines = packed.chunks_exact_mut(self.length);
            return lines.try_for_each(|line| self.plan.process(line, &mut scratch));
        }
        // A row of neighbouring numbers is read at a time, one number for each line.
        let together = TOGETHER.min(self.stride);
        let mut lines = try_filled(T::zero(), together * self.length, "lines")?;
        for block in packed.chunks_exact_mut(self.length * self.stride) {
            for first in (0..self.stride).step_by(together) {
                let count = together.min(self.stride - first);
                let lines = &mut lines[..count * self.length];
                for (at, row) in block.chunks_exact(self.stride).enumerate() {
                    let places = lines[at..].iter_mut().step_by(self.length);
                    places.zip(&row[first..][..count]).for_each(|(place, number)| *place = *number);
                }
                for line in lines.chunks_exact_mut(self.length) {
                    self.plan.process(line, &mut scratch)?;
                }
                for (at, row) in block.chunks_exact_mut(self.stride).enumerate() {
                    let places = lines[at..].iter().step_by(self.length);
                    row[first..][..count].iter_mut().zip(places).for_each(|(number, place)| *number = *place);
                }
            }
        }
        Ok(())
    }
}

/// Writes the kind and length of the transform along each axis.
impl<T: Precision> fmt::Display for RealPlan<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "real numbers to real numbers, by copies:")?;
        self.problem.transformed.iter().try_for_each(|RealAxis { axis, transform }| {
            write!(f, "\n  {} of {} numbers", transform.name(), axis.length)
        })
    }
}
