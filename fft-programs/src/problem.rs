//! What is to be transformed: lengths, batch, where the points lie, direction and normalisation, as plain data.
//!
//! A problem says nothing about how: that is a [`Planner`](crate::Planner)'s, which checks it once. The precision is the
//! type of the plan.

mod kind;

use std::fmt;
use std::marker::PhantomData;

use earth_kernels::Direction;
use earth_serial::{Array, Extent, Layout, Shape};
pub use kind::{ComplexToComplex, ComplexToReal, Kind, RealToComplex};
pub(crate) use kind::{Slices, Steps, as_numbers};

/// Why there is no such transform.
pub use earth_serial::ShapeError as ProblemError;

/// One or more transforms of 1 to 3 dimensions, of complex points or between these and real numbers.
///
/// ```
/// use earth_fft::{Direction, Norm, Problem};
///
/// let problem = Problem::complex(&[256, 300]).batch(8).direction(Direction::Inverse).norm(Norm::Ortho);
/// assert_eq!(problem.to_string(), "8 times 256 x 300 points, inverse, ortho");
/// let problem = Problem::real_to_complex(&[256, 300]);
/// assert_eq!(problem.to_string(), "256 x 300 real numbers to complex points, backward");
/// ```
///
/// Its [kind](Kind) is its type:
///
/// ```compile_fail,E0308
/// use earth_fft::{Planner, Problem};
///
/// let plan = Planner::new().plan::<f64>(&Problem::real_to_complex(&[8]));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Problem<K: Kind = ComplexToComplex> {
    shape: Shape,
    input: Option<Layout>,
    output: Option<Layout>,
    direction: Direction,
    norm: Norm,
    kind: PhantomData<K>,
}

/// How the rows of an array lie, one behind another.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Rows {
    /// How many rows there are.
    pub(crate) count: usize,
    /// The elements of a row, a line or a plane, with those between the lines of a plane.
    pub(crate) cols: usize,
    /// The elements from the beginning of a row to that of the next.
    pub(crate) distance: usize,
    /// Of planes whose lines have gaps behind them the elements of a line, and those from its beginning to that of the
    /// next.
    pub(crate) line: Option<[usize; 2]>,
}

impl Rows {
    /// Rows without gaps.
    pub(crate) fn dense([count, cols]: [usize; 2]) -> Self {
        Self { count, cols, distance: cols, line: None }
    }

    /// Whether there are no gaps, neither between rows nor in them.
    pub(crate) fn is_dense(self) -> bool {
        self.distance == self.cols && self.line.is_none()
    }

    pub(crate) fn sides(&self) -> [usize; 2] {
        [self.count, self.cols]
    }

    /// The elements from the first to the last.
    pub(crate) fn span(&self) -> usize {
        self.count
            .checked_sub(1)
            .map_or(0, |last| last.saturating_mul(self.distance).saturating_add(self.cols))
    }

    /// The lines of an array, or those parts of its rows that have no gaps: where each begins, and its elements.
    pub(crate) fn lines(self) -> impl Iterator<Item = (usize, usize)> {
        let [len, distance] = self.line.unwrap_or([self.cols, self.cols.max(1)]);
        (0..self.count).flat_map(move |row| {
            (0..self.cols).step_by(distance).map(move |at| (row * self.distance + at, len))
        })
    }
}

/// By what a transform of n points is divided. The names are those of `SciPy`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Norm {
    /// The inverse by n, the forward one by nothing.
    #[default]
    Backward,
    /// Both by the square root of n.
    Ortho,
    /// The forward one by n, the inverse by nothing.
    Forward,
}

impl Problem {
    /// The forward transform of complex points, 1 to 3 dimensions of these lengths, the outermost first: one array without
    /// gaps, [`Norm::Backward`].
    pub fn complex(lengths: &[usize]) -> Self {
        Self::new(lengths, Direction::Forward)
    }

    /// Sets the direction.
    #[must_use]
    pub fn direction(self, direction: Direction) -> Self {
        Self { direction, ..self }
    }

    /// Sets where points lie before and after.
    #[must_use]
    pub fn layout(self, layout: Layout) -> Self {
        Self { input: Some(layout.clone()), output: Some(layout), ..self }
    }
}

impl Problem<RealToComplex> {
    /// The forward transform of real numbers, 1 to 3 dimensions of these lengths, the outermost first, into the first
    /// `n/2 + 1` points of a last dimension of `n`: both without gaps, [`Norm::Backward`].
    pub fn real_to_complex(lengths: &[usize]) -> Self {
        Self::new(lengths, Direction::Forward)
    }

    /// Has numbers lie as FFTW has them for a transform in place: rows of the last dimension are filled up to
    /// `2 (n/2 + 1)` numbers, and their points come to the same places.
    #[must_use]
    pub fn padded(self) -> Self {
        Self { input: Some(self.shape.padded()), output: Some(self.shape.spectrum()), ..self }
    }
}

impl Problem<ComplexToReal> {
    /// The inverse transform into real numbers, 1 to 3 dimensions of these lengths, of the first `n/2 + 1` points of a
    /// last dimension of `n`: both without gaps, [`Norm::Backward`].
    pub fn complex_to_real(lengths: &[usize]) -> Self {
        Self::new(lengths, Direction::Inverse)
    }

    /// Has numbers lie as FFTW has them for a transform in place: rows of the last dimension are filled up to
    /// `2 (n/2 + 1)` numbers, and come to the places of their points.
    #[must_use]
    pub fn padded(self) -> Self {
        Self { input: Some(self.shape.spectrum()), output: Some(self.shape.padded()), ..self }
    }
}

impl<K: Kind> Problem<K> {
    fn new(lengths: &[usize], direction: Direction) -> Self {
        let (norm, kind) = (Norm::default(), PhantomData);
        Self { shape: Shape::new(lengths), input: None, output: None, direction, norm, kind }
    }

    /// So many of it: one behind another, unless a [`layout`](Self::layout) says otherwise.
    #[must_use]
    pub fn batch(self, batch: usize) -> Self {
        Self { shape: self.shape.batch(batch), ..self }
    }

    /// Sets by what the result is divided.
    #[must_use]
    pub fn norm(self, norm: Norm) -> Self {
        Self { norm, ..self }
    }

    /// Sets where the input lies. If points lie elsewhere afterwards there is no transform in place.
    #[must_use]
    pub fn input(self, layout: Layout) -> Self {
        Self { input: Some(layout), ..self }
    }

    /// Sets where the output lies.
    #[must_use]
    pub fn output(self, layout: Layout) -> Self {
        Self { output: Some(layout), ..self }
    }

    /// The length of each dimension, the outermost first: of real numbers, if there are any.
    pub fn lengths(&self) -> &[usize] {
        &self.shape.lengths
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Where input and output lie.
    pub(crate) fn layouts(&self) -> [Layout; 2] {
        let [input, output] = K::usual(&self.shape);
        [self.input.clone().unwrap_or(input), self.output.clone().unwrap_or(output)]
    }

    /// The extents of the input and of the output, and of the one that has complex points.
    pub(crate) fn extents(&self) -> Result<([Extent; 2], Extent), ProblemError> {
        let last = self.lengths().last().copied().unwrap_or(1);
        let layouts = self.layouts();
        let extent = |at: usize, array| {
            let is_spectrum = K::NUMBERS.is_some_and(|numbers| numbers != at);
            Extent::new(&self.shape, &layouts[at], if is_spectrum { last / 2 + 1 } else { last }, array)
        };
        let extents = [extent(0, Array::Input)?, extent(1, Array::Output)?];
        Ok((extents, extents[K::NUMBERS.map_or(1, |numbers| 1 - numbers)]))
    }

    /// The same problem without dimensions of one element, but for the last one of real numbers; at least one is left.
    pub(crate) fn squeezed(&self) -> Self {
        let (lengths, last) = (self.lengths(), self.lengths().len().saturating_sub(1));
        let mut kept: Vec<_> =
            (0..lengths.len()).filter(|&at| lengths[at] != 1 || K::NUMBERS.is_some() && at == last).collect();
        if kept.is_empty() {
            kept.extend(lengths.first().map(|_| 0));
        }
        let of = |values: &[usize]| kept.iter().filter_map(|&at| values.get(at).copied()).collect::<Vec<_>>();
        let layout = |layout: &Layout| Layout { strides: of(&layout.strides), ..*layout };
        let shape = Shape { lengths: of(lengths), batch: self.shape.batch };
        let [input, output] = [&self.input, &self.output].map(|given| given.as_ref().map(layout));
        Self { shape, input, output, ..self.clone() }
    }

    /// Whether input and output lie without gaps.
    pub(crate) fn is_dense(&self) -> bool {
        let [input, output] = K::usual(&self.shape);
        self.lies(0, &input) && self.lies(1, &output)
    }

    /// Whether it is a single array of rows one behind another, with gaps or without, where points become points in the
    /// same places.
    pub(crate) fn is_one_array(&self) -> bool {
        let [input, output] = self.layouts();
        let alike = K::NUMBERS.is_some() || input.strides == output.strides;
        self.shape.batch == 1 && alike && [0, 1].iter().all(|&array| self.rows(array).is_some())
    }

    /// The rows of the input, 0, or of the output, 1, along its first dimension. `None` if there are no dimensions, if the
    /// elements of a line are no neighbours, or if lines or rows interlock.
    fn rows(&self, array: usize) -> Option<Rows> {
        let (layout, mut lengths) = (&self.layouts()[array], self.lengths().to_vec());
        if K::NUMBERS.is_some_and(|numbers| numbers != array) {
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

    /// The rows of the complex points of a single array.
    pub(crate) fn rows_of_points(&self) -> Option<Rows> {
        self.rows(K::NUMBERS.map_or(0, |numbers| 1 - numbers))
    }

    /// The rows of the real numbers of a single array, if there are any.
    pub(crate) fn rows_of_numbers(&self) -> Option<Rows> {
        self.rows(K::NUMBERS?)
    }

    /// Whether the result can lie where the input does: points, or real numbers each line of which begins where that of
    /// its spectrum does.
    pub(crate) fn is_in_place(&self) -> bool {
        let Some(numbers) = K::NUMBERS else { return true };
        let layouts = self.layouts();
        let [numbers, points] = [numbers, 1 - numbers].map(|array| layouts[array].strides.split_last());
        let (Some((_, numbers)), Some((_, points))) = (numbers, points) else { return false };
        numbers.iter().zip(points).all(|(numbers, points)| *numbers == points.saturating_mul(2))
    }

    /// Whether it is a single array of real numbers whose rows are filled up to the length of their spectra: that of a
    /// series, too, though it has no second row which would begin elsewhere.
    pub(crate) fn is_padded(&self) -> bool {
        let usual = K::usual(&self.shape);
        let padded = |array: usize| {
            let (is, so) = (&self.layouts()[array], self.shape.padded());
            let alike = is.strides == so.strides && (is.strides.len() > 1 || is.distance == so.distance);
            alike && self.lies(1 - array, &usual[1 - array])
        };
        self.is_one_array() && K::NUMBERS.is_some_and(padded)
    }

    /// Whether the input, 0, or the output, 1, lies so.
    fn lies(&self, array: usize, so: &Layout) -> bool {
        let layout = &self.layouts()[array];
        layout.strides == so.strides && (self.shape.batch == 1 || layout.distance == so.distance)
    }

    /// The complex points and the real numbers of all transforms, if input and output lie without gaps.
    pub(crate) fn elements(&self) -> [usize; 2] {
        let usual = K::usual(&self.shape).map(|layout| layout.distance.saturating_mul(self.shape.batch));
        match K::NUMBERS {
            None => [usual[0], 0],
            Some(numbers) => [usual[1 - numbers], usual[numbers]],
        }
    }

    /// The points of one transform, if they can be counted.
    pub(crate) fn points(&self) -> Option<usize> {
        self.lengths().iter().try_fold(1_usize, |points, length| points.checked_mul(*length))
    }

    pub(crate) fn to(&self) -> Direction {
        self.direction
    }

    /// By what the result is multiplied.
    pub(crate) fn factor(&self) -> f64 {
        self.norm.factor(self.direction, self.points().unwrap_or(usize::MAX) as f64)
    }

    pub(crate) fn normalisation(&self) -> Norm {
        self.norm
    }
}

impl Norm {
    /// By what a transform of so many points is multiplied.
    pub fn factor(self, direction: Direction, points: f64) -> f64 {
        match (self, direction) {
            (Self::Backward, Direction::Forward) | (Self::Forward, Direction::Inverse) => 1.0,
            (Self::Backward, Direction::Inverse) | (Self::Forward, Direction::Forward) => 1.0 / points,
            (Self::Ortho, _) => 1.0 / points.sqrt(),
        }
    }
}

/// `backward`, `ortho` or `forward`.
impl fmt::Display for Norm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Backward => "backward",
            Self::Ortho => "ortho",
            Self::Forward => "forward",
        })
    }
}

/// `8 times 256 x 300 points, inverse, ortho`, and the layouts that are not the usual ones.
impl<K: Kind> fmt::Display for Problem<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        K::write(&self.shape, self.direction, f)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_tells_what_it_is() {
        let strided = |strides: &[usize], distance| Layout { strides: strides.to_vec(), distance };
        let line = || Problem::complex(&[30]);
        for (problem, said) in [
            (line(), "30 points, forward, backward"),
            (line().layout(strided(&[2], 60)), "30 points, forward, backward, its strides [2]"),
            (
                line().batch(4).input(strided(&[4], 1)),
                "4 times 30 points, forward, backward, input strides [4] and distance 1",
            ),
            (line().output(strided(&[3], 1)), "30 points, forward, backward, output strides [3]"),
        ] {
            assert_eq!(problem.to_string(), said);
        }
        assert_eq!(
            Problem::real_to_complex(&[4, 6]).norm(Norm::Ortho).padded().to_string(),
            "4 x 6 real numbers to complex points, ortho, input strides [8, 1], output strides [4, 1]"
        );
        assert_eq!(
            Problem::complex_to_real(&[5]).batch(2).to_string(),
            "complex points to 2 times 5 real numbers, backward"
        );
    }

    #[test]
    fn both_directions_together_divide_by_the_points() {
        for norm in [Norm::Backward, Norm::Ortho, Norm::Forward] {
            let factors = [Direction::Forward, Direction::Inverse].map(|to| norm.factor(to, 16.0));
            assert!((factors[0] * factors[1] - 1.0 / 16.0).abs() < 1e-15, "{norm}: {factors:?}");
        }
        assert!((Norm::Ortho.factor(Direction::Forward, 16.0) - 0.25).abs() < 1e-15);
    }

    #[test]
    fn dense_is_without_gaps() {
        let matrix = || Problem::complex(&[4, 6]);
        let layout = |row, distance| Layout { strides: vec![row, 1], distance };
        for dense in [
            matrix(),
            matrix().batch(2),
            matrix().batch(2).layout(layout(6, 24)),
            matrix().input(layout(6, 9)),
        ] {
            assert!(dense.is_dense(), "{dense}");
        }
        for other in [
            matrix().input(layout(8, 32)),
            matrix().output(layout(8, 32)),
            matrix().batch(2).layout(layout(6, 25)),
        ] {
            assert!(!other.is_dense(), "{other}");
        }
    }

    #[test]
    fn padded_is_filled_up_to_the_length_of_the_spectrum() {
        let there = |lengths: &[usize]| Problem::real_to_complex(lengths);
        let layout = |strides: &[usize], distance| Layout { strides: strides.to_vec(), distance };
        for lengths in [&[6][..], &[7], &[1, 6], &[5, 7], &[2, 3, 4]] {
            let back = Problem::complex_to_real(lengths);
            assert!(there(lengths).padded().is_padded() && back.clone().padded().is_padded());
            assert!(!there(lengths).is_padded() && !back.is_padded(), "{lengths:?}");
            assert!(!there(lengths).padded().batch(2).is_padded());
        }
        assert!(there(&[4, 6]).input(layout(&[8, 1], 0)).is_padded(), "where a second array would begin");
        assert!(!there(&[4, 6]).input(layout(&[10, 1], 40)).is_padded());
        assert!(!there(&[4, 6]).padded().output(layout(&[5, 1], 0)).is_padded(), "gaps behind points");
        assert!(!Problem::complex(&[4, 6]).input(layout(&[8, 1], 32)).is_padded());
    }
}
