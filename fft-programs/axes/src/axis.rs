//! Axes of arrays, their extents, and equivalent axes that are fewer or have positive strides.

use crate::AxesError;

/// An axis that the input and the output have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Axis {
    /// Number of elements. A real transform counts its real numbers.
    pub length: usize,
    /// Distance between adjacent elements of the input, in elements of the input.
    pub input: isize,
    /// Distance between adjacent elements of the output, in elements of the output.
    pub output: isize,
}

impl Axis {
    /// Creates an axis of `length` elements with these strides.
    pub fn new(length: usize, input: isize, output: isize) -> Self {
        Self { length, input, output }
    }

    /// Returns the strides of the input and of the output.
    pub(crate) fn strides(self) -> [isize; 2] {
        [self.input, self.output]
    }
}

/// The memory of an array with signed strides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Extent {
    /// Position of the element with index 0 on every axis, from the element with the lowest address.
    pub origin: usize,
    /// Number of elements from the lowest address to the highest, both included. 0 without elements.
    pub span: usize,
}

impl Extent {
    /// Returns the extent of an array with these lengths and strides.
    ///
    /// # Errors
    ///
    /// [`AxesError::TooLarge`].
    pub fn of(axes: impl IntoIterator<Item = (usize, isize)>) -> Result<Self, AxesError> {
        let (mut origin, mut span, mut is_empty) = (0_usize, 1_usize, false);
        for (length, stride) in axes {
            is_empty |= length == 0;
            let reach = stride.unsigned_abs().checked_mul(length.saturating_sub(1));
            let reach = reach.ok_or(AxesError::TooLarge)?;
            let sum = span.checked_add(reach).filter(|span| isize::try_from(*span).is_ok());
            span = sum.ok_or(AxesError::TooLarge)?;
            if stride < 0 {
                origin += reach;
            }
        }
        Ok(if is_empty { Self::default() } else { Self { origin, span } })
    }

    /// Returns the extent of the array of a call in place, where the elements with index 0 of input and
    /// output have one address.
    pub(crate) fn in_place([input, output]: [Self; 2]) -> Self {
        let origin = input.origin.max(output.origin);
        let above = |extent: Self| extent.span.saturating_sub(extent.origin);
        Self { origin, span: origin.saturating_add(above(input).max(above(output))) }
    }
}

/// Returns repeated axes with the same places: without axes of length one, and with neighbouring axes joined
/// that are equally spaced in both arrays. The order may differ.
///
/// The second result tells how far the origins of the input and of the output move: an axis with no positive
/// stride is walked from its other end.
pub(crate) fn joined(axes: &[Axis]) -> (Vec<Axis>, [isize; 2]) {
    let mut moved = [0; 2];
    let mut kept: Vec<Axis> = Vec::new();
    for axis in axes.iter().filter(|axis| axis.length != 1) {
        let last = axis.length.saturating_sub(1).cast_signed();
        let [input, output] = axis.strides();
        if input <= 0 && output < 0 {
            moved = [moved[0] + input * last, moved[1] + output * last];
            kept.push(Axis { length: axis.length, input: -input, output: -output });
        } else {
            kept.push(*axis);
        }
    }
    kept.sort_by_key(|axis| std::cmp::Reverse((axis.output.unsigned_abs(), axis.input.unsigned_abs())));
    let mut joined: Vec<Axis> = Vec::new();
    for axis in kept {
        let steps = |stride: isize| stride.checked_mul(axis.length.cast_signed());
        match joined.last_mut() {
            Some(outer) if outer.strides().map(Some) == axis.strides().map(steps) => {
                *outer = Axis { length: outer.length * axis.length, ..axis };
            }
            _ => joined.push(axis),
        }
    }
    (joined, moved)
}

/// Places along axes: the positions of the input and of the output for each combination of indices. The last
/// axis moves first.
#[derive(Debug)]
pub(crate) struct Places<'a> {
    axes: &'a [Axis],
    indices: Vec<usize>,
    next: Option<[isize; 2]>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(axes: &'a [Axis]) -> Self {
        let next = axes.iter().all(|axis| axis.length > 0).then_some([0; 2]);
        Self { axes, indices: vec![0; axes.len()], next }
    }
}

impl Iterator for Places<'_> {
    type Item = [isize; 2];

    fn next(&mut self) -> Option<[isize; 2]> {
        let here = self.next?;
        let [mut input, mut output] = here;
        self.next = None;
        for (axis, index) in self.axes.iter().zip(&mut self.indices).rev() {
            *index += 1;
            if *index < axis.length {
                self.next = Some([input + axis.input, output + axis.output]);
                break;
            }
            *index = 0;
            let back = (axis.length - 1).cast_signed();
            (input, output) = (input - axis.input * back, output - axis.output * back);
        }
        Some(here)
    }
}
