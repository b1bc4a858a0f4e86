//! Shapes and layouts of transforms, as plain data, and their checks.
//!
//! *Overlap.* No two elements of a written array may have the same address. The check sorts the axes by
//! stride. It removes each axis whose stride is at least the span of the axes with smaller strides: such an
//! axis makes no overlap. The remaining axes interlock. Two elements have the same address if the steps
//! between them add up to a distance of 0, with fewer steps along each axis than the axis has elements. A
//! search tries all steps along all axes except the two longest. A linear Diophantine equation then gives the
//! steps along these two. *Cost.* At most the square root of the number of elements.

use std::fmt;

use crate::error::CallError;
pub use crate::error::{Array, ShapeError};

/// Largest number of points in an array: a point has up to 16 bytes, and no object has more than `isize::MAX`
/// bytes.
const MOST: usize = isize::MAX as usize / 16;

/// Lengths of a transform, and the number of transforms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// Length of each dimension, 1 to 3 of them, the outermost first.
    pub lengths: Vec<usize>,
    /// Number of transforms.
    pub batch: usize,
}

/// Positions of the elements of an array: distances in elements of that array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// Distance between adjacent elements in each dimension. It is ignored for a dimension of length 1.
    pub strides: Vec<usize>,
    /// Distance between consecutive transforms of a batch. It is ignored if there is only one.
    pub distance: usize,
}

/// Number of elements that a call needs in an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    array: Array,
    /// Number of elements from the first used element to the last one.
    span: usize,
    /// Largest number of elements that a call may pass.
    most: usize,
}

/// Axis of an array: a dimension or the batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) count: usize,
    pub(crate) stride: usize,
}

impl Shape {
    /// Creates the shape of one transform.
    pub fn new(lengths: &[usize]) -> Self {
        Self { lengths: lengths.to_vec(), batch: 1 }
    }

    /// Returns the shape with another number of transforms.
    #[must_use]
    pub fn batch(self, batch: usize) -> Self {
        Self { batch, ..self }
    }

    /// Returns the layout without gaps, in row-major order, transform after transform.
    pub fn contiguous(&self) -> Layout {
        Layout::rows(&self.lengths, self.lengths.last().copied().unwrap_or(1))
    }

    /// Returns the layout without gaps of the spectrum of real numbers: `n/2 + 1` points for a last dimension
    /// of `n`.
    pub fn spectrum(&self) -> Layout {
        Layout::rows(&self.lengths, self.lengths.last().map_or(1, |last| last / 2 + 1))
    }

    /// Returns the layout of real numbers that are transformed in place. Rows of the last dimension are
    /// padded to `2 (n/2 + 1)` numbers, the size of their spectrum.
    pub fn padded(&self) -> Layout {
        Layout::rows(&self.lengths, self.lengths.last().map_or(1, |last| (last / 2 + 1).saturating_mul(2)))
    }

    /// Returns the number of points in all transforms, with `last` points in the last dimension.
    fn points(&self, last: usize) -> Option<usize> {
        let outer = self.lengths.split_last().map_or(&[][..], |(_, outer)| outer);
        outer.iter().try_fold(self.batch.checked_mul(last)?, |points, n| points.checked_mul(*n))
    }

    /// Checks that the shape is valid, independent of its layouts.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if there are not 1 to 3 dimensions, if a length is 0, or if the points exceed the
    /// address space.
    pub fn check(&self) -> Result<(), ShapeError> {
        if !(1..=3).contains(&self.lengths.len()) {
            return Err(ShapeError::Dimensions(self.lengths.len()));
        }
        if let Some(dimension) = self.lengths.iter().position(|n| *n == 0) {
            return Err(ShapeError::NoPoints(dimension));
        }
        let most = self.lengths.last().and_then(|last| self.points(*last));
        if most.is_some_and(|points| points <= MOST) {
            Ok(())
        } else {
            Err(ShapeError::TooLarge(Array::Input))
        }
    }

    /// Returns the axes of an array whose last dimension has `last` elements, the batch first. An axis of one
    /// element has stride 1.
    pub(crate) fn axes(&self, layout: &Layout, last: usize, array: Array) -> Result<Vec<Span>, ShapeError> {
        let (strides, dimensions) = (layout.strides.len(), self.lengths.len());
        if strides != dimensions {
            return Err(ShapeError::Strides { array, strides, dimensions });
        }
        let counts =
            [self.batch].into_iter().chain(self.lengths[..dimensions - 1].iter().copied()).chain([last]);
        let strides = [layout.distance].into_iter().chain(layout.strides.iter().copied());
        let axis = |(count, stride)| Span { count, stride: if count == 1 { 1 } else { stride } };
        let axes: Vec<_> = counts.zip(strides).map(axis).collect();
        if axes.iter().any(|axis| axis.stride == 0) {
            return Err(ShapeError::NoStride(array));
        }
        match span(&axes) {
            Some(span) if span <= MOST => Ok(axes),
            _ => Err(ShapeError::TooLarge(array)),
        }
    }
}

impl Layout {
    /// Returns the layout of contiguous rows that begin `row` elements apart: `row` is the leading dimension
    /// of the array.
    ///
    /// ```
    /// # use earth_serial::Layout;
    /// let planes = Layout::rows(&[5, 3, 4], 10);
    /// assert_eq!((planes.strides, planes.distance), (vec![30, 10, 1], 150));
    /// ```
    pub fn rows(lengths: &[usize], row: usize) -> Self {
        let mut strides = vec![1; lengths.len()];
        let mut next = row;
        for (stride, length) in strides.iter_mut().zip(lengths).rev().skip(1) {
            *stride = next;
            next = next.saturating_mul(*length);
        }
        Self { strides, distance: next }
    }
}

impl Extent {
    /// Returns the extent of an array with this layout, whose last dimension has `last` elements.
    ///
    /// # Errors
    ///
    /// [`ShapeError`] if the layout is invalid.
    pub fn new(shape: &Shape, layout: &Layout, last: usize, array: Array) -> Result<Self, ShapeError> {
        let axes = shape.axes(layout, last, array)?;
        Ok(Self::of(&axes, shape, layout, array))
    }

    pub(crate) fn of(axes: &[Span], shape: &Shape, layout: &Layout, array: Array) -> Self {
        let span = span(axes).unwrap_or(usize::MAX);
        let elements = axes.iter().try_fold(1_usize, |elements, axis| elements.checked_mul(axis.count));
        // A padded layout of one dimension differs from other layouts only in its distance. So the distance
        // is compared there even in a batch of one.
        let padded = shape.padded();
        let is_padded = layout.strides == padded.strides
            && (layout.distance == padded.distance || shape.batch == 1 && shape.lengths.len() > 1);
        let most = match elements {
            _ if is_padded => padded.distance.saturating_mul(shape.batch),
            Some(elements) if elements == span => span,
            _ => usize::MAX,
        };
        Self { array, span, most }
    }

    /// Returns the extent in real numbers, two for each point, for a call that transforms in place.
    #[must_use]
    pub fn as_numbers(self) -> Self {
        let [span, most] = [self.span, self.most].map(|points| points.saturating_mul(2));
        Self { array: Array::InPlace, span, most }
    }

    /// Returns the number of elements from the first used element to the last one.
    pub fn span(&self) -> usize {
        self.span
    }

    /// Checks the number of elements in the array of a call.
    ///
    /// * Fewer elements than the span are always an error.
    /// * More elements than the span are an error if the layout has no gaps, or if it is
    ///   [padded](Shape::padded). With other gaps, the rest of the slice is a gap.
    ///
    /// # Errors
    ///
    /// [`CallError::Length`].
    #[inline]
    pub fn check(&self, given: usize) -> Result<(), CallError> {
        self.check_as(self.array, given)
    }

    /// Checks the array of a call that transforms it in place, as [`check`](Self::check) does.
    #[inline]
    pub(crate) fn check_in_place(&self, given: usize) -> Result<(), CallError> {
        self.check_as(Array::InPlace, given)
    }

    #[inline]
    fn check_as(&self, array: Array, given: usize) -> Result<(), CallError> {
        if (self.span..=self.most).contains(&given) {
            Ok(())
        } else {
            Err(CallError::Length { array, given, needed: self.span })
        }
    }
}

/// Returns the number of elements from the first to the last one.
pub(crate) fn span(axes: &[Span]) -> Option<usize> {
    if axes.iter().any(|axis| axis.count == 0) {
        return Some(0);
    }
    axes.iter().try_fold(1_usize, |span, axis| (axis.count - 1).checked_mul(axis.stride)?.checked_add(span))
}

/// Checks that no two elements of an array have the same address. The array must have a span.
pub(crate) fn apart(axes: &[Span], array: Array) -> Result<(), ShapeError> {
    if are_apart(axes.iter().copied()) { Ok(()) } else { Err(ShapeError::Overlap(array)) }
}

/// Returns whether all elements of an array have different addresses. `lengths` are the numbers of elements
/// along the axes, `strides` their distances. The array must fit into memory.
pub fn elements_are_disjoint(lengths: &[usize], strides: &[usize]) -> bool {
    are_apart(lengths.iter().zip(strides).map(|(&count, &stride)| Span { count, stride }))
}

fn are_apart(axes: impl Iterator<Item = Span>) -> bool {
    let mut axes: Vec<_> = axes.filter(|axis| axis.count > 1).collect();
    axes.sort_by_key(|axis| axis.stride);
    while let Some((last, smaller)) = axes.split_last() {
        if span(smaller).is_none_or(|span| last.stride < span) {
            break;
        }
        axes.pop();
    }
    axes.sort_by_key(|axis| axis.count);
    !meets(&axes, 0, false)
}

/// Returns whether steps along the axes can add up to `distance`, with fewer steps along each axis than it
/// has elements. If `moved` is false, at least one step is needed.
fn meets(axes: &[Span], distance: i128, moved: bool) -> bool {
    match axes {
        [] => moved && distance == 0,
        [one] => {
            let (steps, rest) = (distance / one.stride as i128, distance % one.stride as i128);
            rest == 0 && steps.abs() < one.count as i128 && (moved || steps != 0)
        }
        [a, b] => two_meet(*a, *b, distance, moved),
        [first, rest @ ..] => {
            // Exchanging the two elements negates all steps, so only one sign is tried.
            let least = if moved { 1 - first.count as i128 } else { 0 };
            (least..first.count as i128)
                .any(|steps| meets(rest, distance - steps * first.stride as i128, moved || steps != 0))
        }
    }
}

/// Returns whether `x` steps along the first axis and `y` along the second add up to `distance`:
/// `x a + y b = distance`.
fn two_meet(a: Span, b: Span, distance: i128, moved: bool) -> bool {
    let ([a, b], [most_x, most_y]) = (
        [a.stride, b.stride].map(|stride| stride as i128),
        [a.count, b.count].map(|count| count as i128 - 1),
    );
    let (divisor, of_a) = bezout(a, b);
    if distance % divisor != 0 {
        return false;
    }
    let [a, b, distance] = [a, b, distance].map(|number| number / divisor);
    // All solutions are `x + k b` and `y - k a`. Start with the smallest x that is at least `-most_x`, then
    // take the first k for which y is small enough.
    let first = (distance % b * (of_a % b)).rem_euclid(b);
    let least_x = first - (first + most_x).div_euclid(b) * b;
    let y = (distance - least_x * a) / b;
    let turns = (y - most_y + a - 1).div_euclid(a).max(0);
    let (mut x, mut y) = (least_x + turns * b, y - turns * a);
    if !moved && x == 0 && y == 0 {
        (x, y) = (x + b, y - a);
    }
    x <= most_x && y >= -most_y
}

/// Returns the greatest common divisor `g` of `a` and `b`, and an `x` with `a x + b y = g` for some `y`
/// (extended Euclid).
fn bezout(a: i128, b: i128) -> (i128, i128) {
    let ([mut left, mut right], [mut of_left, mut of_right]) = ([a, b], [1, 0]);
    while right != 0 {
        let times = left / right;
        (left, right) = (right, left - times * right);
        (of_left, of_right) = (of_right, of_left - times * of_right);
    }
    (left, of_left)
}

/// Formats the shape as `256 x 300`, or `8 times 256 x 300` for a batch.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.batch != 1 {
            write!(f, "{} times ", self.batch)?;
        }
        for (dimension, length) in self.lengths.iter().enumerate() {
            write!(f, "{}{length}", if dimension == 0 { "" } else { " x " })?;
        }
        Ok(())
    }
}
