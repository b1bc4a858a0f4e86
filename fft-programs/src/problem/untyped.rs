//! A problem whose kind is a value instead of a type.

use std::fmt;

use earth_kernels::Direction;
use earth_serial::{Array, Extent, Layout, Shape};

use super::elements::Elements;
use super::rows::Rows;
use super::{Norm, ProblemError};

/// A [`Problem`](super::Problem) of any kind, for programs that nodes run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct UntypedProblem {
    pub(super) shape: Shape,
    pub(super) input: Option<Layout>,
    pub(super) output: Option<Layout>,
    pub(super) direction: Direction,
    pub(super) norm: Norm,
    pub(super) elements: Elements,
}

impl UntypedProblem {
    /// Returns the element types of the input and the output.
    pub fn elements(&self) -> Elements {
        self.elements
    }

    /// Returns which array has real numbers, if one does: 0 is the input, 1 the output.
    pub(crate) fn numbers(&self) -> Option<usize> {
        self.elements.numbers()
    }

    /// Returns whether the input or the output has real numbers.
    pub fn is_real(&self) -> bool {
        self.numbers().is_some()
    }

    /// Returns the length of each dimension, the outermost first. A real transform counts its real numbers.
    pub fn lengths(&self) -> &[usize] {
        &self.shape.lengths
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the layouts of the input and of the output.
    pub(crate) fn layouts(&self) -> [Layout; 2] {
        let [input, output] = self.elements.usual(&self.shape);
        [self.input.clone().unwrap_or(input), self.output.clone().unwrap_or(output)]
    }

    /// Returns the extents of the input and of the output, and the extent of the array of complex points.
    pub(crate) fn extents(&self) -> Result<([Extent; 2], Extent), ProblemError> {
        let last = self.lengths().last().copied().unwrap_or(1);
        let layouts = self.layouts();
        let extent = |at: usize, array| {
            let is_spectrum = self.numbers().is_some_and(|numbers| numbers != at);
            Extent::new(&self.shape, &layouts[at], if is_spectrum { last / 2 + 1 } else { last }, array)
        };
        let extents = [extent(0, Array::Input)?, extent(1, Array::Output)?];
        Ok((extents, extents[self.numbers().map_or(1, |numbers| 1 - numbers)]))
    }

    /// Returns the problem without dimensions of length one. It keeps the last dimension of real numbers, and
    /// at least one dimension.
    pub(crate) fn squeezed(&self) -> Self {
        let (lengths, last) = (self.lengths(), self.lengths().len().saturating_sub(1));
        let mut kept: Vec<_> = (0..lengths.len())
            .filter(|&at| lengths[at] != 1 || self.numbers().is_some() && at == last)
            .collect();
        if kept.is_empty() {
            kept.extend(lengths.first().map(|_| 0));
        }
        let of = |values: &[usize]| kept.iter().filter_map(|&at| values.get(at).copied()).collect::<Vec<_>>();
        let layout = |layout: &Layout| Layout { strides: of(&layout.strides), ..*layout };
        let shape = Shape { lengths: of(lengths), batch: self.shape.batch };
        let [input, output] = [&self.input, &self.output].map(|given| given.as_ref().map(layout));
        Self { shape, input, output, ..self.clone() }
    }

    /// Returns the arrays of a batch as the rows of one array, whose outermost dimension is the batch.
    pub(crate) fn stacked(&self) -> Self {
        let outermost = |first: usize, of: &[usize]| [&[first], of].concat();
        let layout = |Layout { strides, distance }: Layout| Layout {
            strides: outermost(distance, &strides),
            distance: distance.saturating_mul(self.shape.batch),
        };
        let shape = Shape { lengths: outermost(self.shape.batch, self.lengths()), batch: 1 };
        let [input, output] = self.layouts().map(layout).map(Some);
        Self { shape, input, output, ..self.clone() }
    }

    /// Returns whether the input and the output have no gaps.
    pub fn is_dense(&self) -> bool {
        let [input, output] = self.elements.usual(&self.shape);
        self.lies(0, &input) && self.lies(1, &output)
    }

    /// Returns whether the problem is a single array of consecutive rows, with or without gaps. Input and
    /// output of complex points must have the same strides.
    pub fn is_one_array(&self) -> bool {
        let [input, output] = self.layouts();
        let same_layout = self.numbers().is_some() || input.strides == output.strides;
        self.shape.batch == 1 && same_layout && [0, 1].iter().all(|&array| self.rows(array).is_some())
    }

    /// Returns the rows of the input (0) or of the output (1) along its first dimension. `None` if there are
    /// no dimensions, if the elements of a line are not contiguous, or if lines or rows interleave.
    fn rows(&self, array: usize) -> Option<Rows> {
        let (layout, mut lengths) = (&self.layouts()[array], self.lengths().to_vec());
        if self.numbers().is_some_and(|numbers| numbers != array) {
            lengths.last_mut().map(|last| *last = *last / 2 + 1)?;
        }
        if lengths.len() != layout.strides.len() || layout.strides.last() != Some(&1) {
            return None;
        }
        let mut axes = lengths.iter().zip(&layout.strides).skip(1).rev();
        let cols = axes.try_fold(1_usize, |cols, (length, stride)| {
            let more = length.saturating_sub(1).saturating_mul(*stride);
            (*stride >= cols).then(|| cols.saturating_add(more))
        })?;
        let distance = layout.strides[0];
        let line = match lengths[..] {
            [_, _, len] if layout.strides[1] > len => Some([len, layout.strides[1]]),
            _ => None,
        };
        (distance >= cols).then_some(Rows { count: lengths[0], cols, distance, line })
    }

    /// Returns the rows of the complex points of a single array.
    pub(crate) fn rows_of_points(&self) -> Option<Rows> {
        self.rows(self.numbers().map_or(0, |numbers| 1 - numbers))
    }

    /// Returns the rows of the real numbers of a single array, if there are any.
    pub(crate) fn rows_of_numbers(&self) -> Option<Rows> {
        self.rows(self.numbers()?)
    }

    /// Returns whether the result can replace the input. Complex points always can. Each line of real numbers
    /// must start where the line of its spectrum does.
    pub(crate) fn is_in_place(&self) -> bool {
        let Some(numbers) = self.numbers() else { return true };
        let layouts = self.layouts();
        let [numbers, points] = [numbers, 1 - numbers].map(|array| layouts[array].strides.split_last());
        let (Some((_, numbers)), Some((_, points))) = (numbers, points) else { return false };
        numbers.iter().zip(points).all(|(numbers, points)| *numbers == points.saturating_mul(2))
    }

    /// Returns whether the problem is a single array of real numbers whose rows are padded to the length of
    /// their spectra. A series counts, too, if it is padded; it has no second row.
    pub fn is_padded(&self) -> bool {
        let usual = self.elements.usual(&self.shape);
        let padded = |array: usize| {
            let (is, so) = (&self.layouts()[array], self.shape.padded());
            let same_layout =
                is.strides == so.strides && (is.strides.len() > 1 || is.distance == so.distance);
            same_layout && self.lies(1 - array, &usual[1 - array])
        };
        self.is_one_array() && self.numbers().is_some_and(padded)
    }

    /// Returns whether the input (0) or the output (1) has this layout.
    fn lies(&self, array: usize, so: &Layout) -> bool {
        let layout = &self.layouts()[array];
        layout.strides == so.strides && (self.shape.batch == 1 || layout.distance == so.distance)
    }

    /// Returns the numbers of complex points and of real numbers of all transforms, if input and output have
    /// no gaps.
    pub(crate) fn counts(&self) -> [usize; 2] {
        let usual =
            self.elements.usual(&self.shape).map(|layout| layout.distance.saturating_mul(self.shape.batch));
        match self.numbers() {
            None => [usual[0], 0],
            Some(numbers) => [usual[1 - numbers], usual[numbers]],
        }
    }

    /// Returns the number of points of one transform, or `None` if it does not fit in a `usize`.
    pub fn points(&self) -> Option<usize> {
        self.lengths().iter().try_fold(1_usize, |points, length| points.checked_mul(*length))
    }

    /// Returns the direction.
    pub fn to(&self) -> Direction {
        self.direction
    }

    /// Returns the factor that multiplies the result.
    pub fn factor(&self) -> f64 {
        self.norm.factor(self.direction, self.points().unwrap_or(usize::MAX) as f64)
    }

    /// Returns the normalization.
    pub fn normalisation(&self) -> Norm {
        self.norm
    }

    /// Returns the longest side of an array of 2 or 3 dimensions, whose rows may be planes.
    pub fn longest_side(&self) -> Option<usize> {
        match self.lengths() {
            [rows, row @ ..] if !row.is_empty() => Some(row.iter().product::<usize>().max(*rows)),
            _ => None,
        }
    }
}

impl fmt::Display for UntypedProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.elements.write(&self.shape, self.direction, f)?;
        write!(f, ", {}", self.norm)?;
        let mut layout = |of: &str, Layout { strides, distance }: &Layout| {
            write!(f, ", {of} strides {strides:?}")?;
            if self.shape.batch == 1 { Ok(()) } else { write!(f, " and distance {distance}") }
        };
        match (&self.input, &self.output) {
            (Some(input), Some(output)) if input == output => layout("its", input),
            (input, output) => {
                input.as_ref().map_or(Ok(()), |input| layout("input", input))?;
                output.as_ref().map_or(Ok(()), |output| layout("output", output))
            }
        }
    }
}
