//! Description of a transform: lengths, batch, memory layouts, direction and normalization, as plain data.
//!
//! A problem does not say how it is solved: the [`Planner`](crate::Planner) decides that, and checks the
//! problem once. The precision is the type of the plan.

mod data;
mod elements;
mod kind;
mod rows;
pub(crate) mod shape;
mod slices;
mod untyped;

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

pub use data::Data;
pub(crate) use data::{Arrays, as_numbers};
use earth_kernels::Direction;
use earth_serial::{Layout, Shape};
pub use elements::Elements;
pub use kind::{ComplexToComplex, ComplexToReal, Kind, RealToComplex};
pub(crate) use rows::Rows;
pub use slices::Slices;
pub use untyped::UntypedProblem;

use crate::distributed::sides;

/// Why a problem is invalid.
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
/// Its [kind](Kind) is a type parameter:
///
/// ```compile_fail,E0308
/// use earth_fft::{Planner, Problem};
///
/// let plan = Planner::new().plan::<f64>(&Problem::real_to_complex(&[8]));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Problem<K: Kind = ComplexToComplex> {
    untyped: UntypedProblem,
    kind: PhantomData<K>,
}

impl<K: Kind> Deref for Problem<K> {
    type Target = UntypedProblem;

    fn deref(&self) -> &UntypedProblem {
        &self.untyped
    }
}

/// Normalization: the divisor of a transform of n points. The names are `SciPy`'s.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub enum Norm {
    /// Divides the inverse by n and leaves the forward transform unscaled.
    #[default]
    Backward,
    /// Divides both by the square root of n.
    Ortho,
    /// Divides the forward transform by n and leaves the inverse unscaled.
    Forward,
}

impl Problem {
    /// Returns the forward transform of complex points, with 1 to 3 dimensions of these lengths, the
    /// outermost first. Input and output are contiguous, the normalization is [`Norm::Backward`].
    pub fn complex(lengths: &[usize]) -> Self {
        Self::new(lengths, Direction::Forward)
    }

    /// Sets the direction.
    #[must_use]
    pub fn direction(self, direction: Direction) -> Self {
        self.with(|problem| UntypedProblem { direction, ..problem })
    }

    /// Sets the layout of both input and output.
    #[must_use]
    pub fn layout(self, layout: Layout) -> Self {
        self.input(layout.clone()).output(layout)
    }
}

impl Problem<RealToComplex> {
    /// Returns the forward transform of real numbers, with 1 to 3 dimensions of these lengths, the outermost
    /// first. The output has the first `n/2 + 1` points of a last dimension of `n`. Input and output are
    /// contiguous, the normalization is [`Norm::Backward`].
    pub fn real_to_complex(lengths: &[usize]) -> Self {
        Self::new(lengths, Direction::Forward)
    }

    /// Sets FFTW's layout for a real transform in place: each row of the last dimension is padded to
    /// `2 (n/2 + 1)` numbers, and its points replace them.
    #[must_use]
    pub fn padded(self) -> Self {
        let [input, output] = [self.shape.padded(), self.shape.spectrum()];
        self.input(input).output(output)
    }
}

impl Problem<ComplexToReal> {
    /// Returns the inverse transform into real numbers, with 1 to 3 dimensions of these lengths, the
    /// outermost first. The input has the first `n/2 + 1` points of a last dimension of `n`. Input and output
    /// are contiguous, the normalization is [`Norm::Backward`].
    pub fn complex_to_real(lengths: &[usize]) -> Self {
        Self::new(lengths, Direction::Inverse)
    }

    /// Sets FFTW's layout for a real transform in place: each row of the last dimension is padded to
    /// `2 (n/2 + 1)` numbers, which replace its points.
    #[must_use]
    pub fn padded(self) -> Self {
        let [input, output] = [self.shape.spectrum(), self.shape.padded()];
        self.input(input).output(output)
    }
}

impl<K: Kind> Problem<K> {
    fn new(lengths: &[usize], direction: Direction) -> Self {
        let (shape, norm, elements) = (Shape::new(lengths), Norm::default(), K::ELEMENTS);
        let untyped = UntypedProblem { shape, input: None, output: None, direction, norm, elements };
        Self { untyped, kind: PhantomData }
    }

    /// Returns the problem of an array as large as the share of one rank, with rows of the same length. A
    /// series becomes rows of its matrix.
    pub(crate) fn share(&self, ranks: usize) -> Self {
        let (mut lengths, mut batch) = (self.lengths().to_vec(), self.shape.batch);
        match &mut lengths[..] {
            [points] => {
                let [rows, cols] = sides(*points);
                (*points, batch) = (cols, batch.saturating_mul(rows.div_ceil(ranks)));
            }
            lengths => lengths.iter_mut().take(1).for_each(|length| *length = length.div_ceil(ranks)),
        }
        Self::new(&lengths, self.direction).batch(batch)
    }

    /// Returns the problem with its kind as a value.
    pub(crate) fn untyped(self) -> UntypedProblem {
        self.untyped
    }

    fn with(self, change: impl FnOnce(UntypedProblem) -> UntypedProblem) -> Self {
        Self { untyped: change(self.untyped), ..self }
    }

    /// Sets the number of transforms. Their arrays are contiguous unless a [`layout`](Self::layout) sets
    /// another distance.
    #[must_use]
    pub fn batch(self, batch: usize) -> Self {
        self.with(|problem| UntypedProblem { shape: problem.shape.batch(batch), ..problem })
    }

    /// Sets the normalization.
    #[must_use]
    pub fn norm(self, norm: Norm) -> Self {
        self.with(|problem| UntypedProblem { norm, ..problem })
    }

    /// Sets the layout of the input. If the output has another layout, there is no transform in place.
    #[must_use]
    pub fn input(self, layout: Layout) -> Self {
        self.with(|problem| UntypedProblem { input: Some(layout), ..problem })
    }

    /// Sets the layout of the output.
    #[must_use]
    pub fn output(self, layout: Layout) -> Self {
        self.with(|problem| UntypedProblem { output: Some(layout), ..problem })
    }
}

impl Norm {
    /// Returns the factor that multiplies a transform of this number of points.
    pub fn factor(self, direction: Direction, points: f64) -> f64 {
        match (self, direction) {
            (Self::Backward, Direction::Forward) | (Self::Forward, Direction::Inverse) => 1.0,
            (Self::Backward, Direction::Inverse) | (Self::Forward, Direction::Forward) => 1.0 / points,
            (Self::Ortho, _) => 1.0 / points.sqrt(),
        }
    }
}

/// Writes `backward`, `ortho` or `forward`.
impl fmt::Display for Norm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Backward => "backward",
            Self::Ortho => "ortho",
            Self::Forward => "forward",
        })
    }
}

/// Writes for example `8 times 256 x 300 points, inverse, ortho`, and each layout that is not the default.
impl<K: Kind> fmt::Display for Problem<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.untyped.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_describes_itself() {
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
