//! What is transformed and where it lies, as plain data: a [`Shape`], a [`Layout`] of each array, and the checks.
//!
//! *Overlap.* Elements of an array that is written must lie apart. Sorted by stride, an axis whose stride is greater than
//! all that the smaller ones span overlaps nothing, and is done with. What is left after that is decided exactly if it
//! is two axes: `i s = j t` has its least solution at `t / gcd` and `s / gcd`. More than two axes whose spans interlock
//! and of which no two collide are refused: nobody lays out an array so, and to decide it is a search.

use std::fmt;

/// The most points of an array: one has up to 16 bytes, and no object more than `isize::MAX`.
const MOST: usize = isize::MAX as usize / 16;

/// How many points a transform has in each dimension, and how many transforms there are.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Shape {
    /// The length of each dimension, 1 to 3 of them, the outermost first.
    pub lengths: Vec<usize>,
    /// The number of transforms.
    pub batch: usize,
}

/// Where the elements of an array lie: distances in elements of that array.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// From an element to its neighbour in each dimension. That of a dimension of length 1 does not count.
    pub strides: Vec<usize>,
    /// From a transform of a batch to the next. It does not count if there is one.
    pub distance: usize,
}

/// An array of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Array {
    /// The points that are transformed.
    Input,
    /// Their transform.
    Output,
    /// Both in one.
    InPlace,
}

/// Why there is no such transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ShapeError {
    /// No dimension, or too many.
    #[error("a transform has 1 to 3 dimensions, not {0}")]
    Dimensions(usize),
    /// A dimension without points.
    #[error("dimension {0} has length 0")]
    NoPoints(usize),
    /// An empty batch.
    #[error("a batch has at least one transform")]
    NoTransforms,
    /// Strides for other dimensions.
    #[error("the {array} has {strides} strides for {dimensions} dimensions")]
    Strides {
        /// The array.
        array: Array,
        /// How many strides were given.
        strides: usize,
        /// How many dimensions there are.
        dimensions: usize,
    },
    /// Neighbours at one place.
    #[error("the {0} has a stride of 0")]
    NoStride(Array),
    /// More than can be.
    #[error("the {0} spans more points than any memory holds")]
    TooLarge(Array),
    /// Two elements that are written at one place.
    #[error("elements of the {0} overlap")]
    Overlap(Array),
    /// Elements of which it is not known whether two are at one place.
    #[error(
        "the strides of the {0} interlock in three or more axes, which is refused because it may overlap"
    )]
    Interlocked(Array),
}

/// An axis of an array: a dimension or the batch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Span {
    pub(crate) count: usize,
    pub(crate) stride: usize,
}

impl Shape {
    /// One transform.
    pub fn new(lengths: &[usize]) -> Self {
        Self { lengths: lengths.to_vec(), batch: 1 }
    }

    /// So many of it.
    #[must_use]
    pub fn batch(self, batch: usize) -> Self {
        Self { batch, ..self }
    }

    /// The layout without gaps: rows after rows, transforms after transforms.
    pub fn contiguous(&self) -> Layout {
        Layout::rows(&self.lengths, self.lengths.last().copied().unwrap_or(1))
    }

    /// The layout without gaps of the spectrum of real numbers: `n/2 + 1` points for a last dimension of `n`.
    pub fn spectrum(&self) -> Layout {
        Layout::rows(&self.lengths, self.lengths.last().map_or(1, |last| last / 2 + 1))
    }

    /// The layout of real numbers that are transformed in place: rows of the last dimension are filled up to
    /// `2 (n/2 + 1)` numbers, which is what their spectrum takes.
    pub fn padded(&self) -> Layout {
        Layout::rows(&self.lengths, self.lengths.last().map_or(1, |last| (last / 2 + 1).saturating_mul(2)))
    }

    /// The points of all transforms, of which the last dimension has `last`.
    fn points(&self, last: usize) -> Option<usize> {
        let outer = self.lengths.split_last().map_or(&[][..], |(_, outer)| outer);
        outer.iter().try_fold(self.batch.checked_mul(last)?, |points, n| points.checked_mul(*n))
    }

    /// Checks that there is a transform of this shape, whatever its layouts.
    ///
    /// # Errors
    ///
    /// [`ShapeError`]: other than 1 to 3 dimensions, one without points, no transforms, or more points than any memory
    /// holds.
    pub fn check(&self) -> Result<(), ShapeError> {
        if !(1..=3).contains(&self.lengths.len()) {
            return Err(ShapeError::Dimensions(self.lengths.len()));
        }
        if let Some(dimension) = self.lengths.iter().position(|n| *n == 0) {
            return Err(ShapeError::NoPoints(dimension));
        }
        if self.batch == 0 {
            return Err(ShapeError::NoTransforms);
        }
        let most = self.lengths.last().and_then(|last| self.points(*last));
        if most.is_some_and(|points| points <= MOST) {
            Ok(())
        } else {
            Err(ShapeError::TooLarge(Array::Input))
        }
    }

    /// The axes of an array whose last dimension has `last` elements, the batch first. An axis of one element has the
    /// stride 1.
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
    /// Rows of the last dimension that begin `row` elements apart, one after another: those of an array whose leading
    /// dimension is `row`.
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

/// The elements from the first to the last one.
pub(crate) fn span(axes: &[Span]) -> Option<usize> {
    axes.iter().try_fold(1_usize, |span, axis| (axis.count - 1).checked_mul(axis.stride)?.checked_add(span))
}

/// Whether the elements of an array that is written lie apart. The array must have a span.
pub(crate) fn apart(axes: &[Span], array: Array) -> Result<(), ShapeError> {
    let mut axes: Vec<_> = axes.iter().filter(|axis| axis.count > 1).copied().collect();
    axes.sort_by_key(|axis| axis.stride);
    while let Some((last, smaller)) = axes.split_last() {
        if span(smaller).is_none_or(|span| last.stride < span) {
            break;
        }
        axes.pop();
    }
    let pairs = axes.iter().enumerate().flat_map(|(i, a)| axes[..i].iter().map(move |b| (a, b)));
    for (a, b) in pairs {
        let divisor = greatest_common_divisor(a.stride, b.stride);
        if b.stride / divisor < a.count && a.stride / divisor < b.count {
            return Err(ShapeError::Overlap(array));
        }
    }
    if axes.len() > 2 { Err(ShapeError::Interlocked(array)) } else { Ok(()) }
}

fn greatest_common_divisor(a: usize, b: usize) -> usize {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

impl fmt::Display for Array {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Input => "input",
            Self::Output => "output",
            Self::InPlace => "array",
        })
    }
}

/// `256 x 300`, and `8 times 256 x 300` for a batch.
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
