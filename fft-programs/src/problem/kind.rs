//! What is transformed into what, as the type of a problem: a plan for points cannot be made of a problem of numbers. With
//! it come the passes of one thread, and the slices that a call brings, of each kind.

use std::fmt::{self, Debug};
use std::hash::Hash;

use bytemuck::Pod;
use bytemuck::allocation::try_cast_vec;
use earth::{Block, Element, ShapeError};
use earth_kernels::{Direction, Real};
use earth_memory::{NoMemory, try_collected};
use earth_serial::{
    CallError, ComplexPlan, Extent, Layout, PassFacts, RealForwardPlan, RealInversePlan, Shape,
};
use num_complex::Complex;

use crate::dataflow::Done;
use crate::kernel::Planned;
use crate::plan::TransformError;
use crate::planner::PlanError;

/// What a [`Problem`](crate::Problem) transforms into what. There are three kinds.
pub trait Kind: Sealed + Copy + Eq + Hash + Debug + Send + Sync + 'static {
    /// An element of the input in the precision `T`: a complex point or a real number.
    type Input<T: Real>: Element;
    /// An element of the output.
    type Output<T: Real>: Element;
}

/// Complex points into as many, in either direction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ComplexToComplex {}

/// Real numbers into the first half of their spectrum: `n/2 + 1` points of a last dimension of `n` numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RealToComplex {}

/// The first half of a spectrum into the real numbers that have it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ComplexToReal {}

impl Kind for ComplexToComplex {
    type Input<T: Real> = Complex<T>;
    type Output<T: Real> = Complex<T>;
}

impl Kind for RealToComplex {
    type Input<T: Real> = T;
    type Output<T: Real> = Complex<T>;
}

impl Kind for ComplexToReal {
    type Input<T: Real> = Complex<T>;
    type Output<T: Real> = T;
}

/// Complex points, and real numbers if a kind has any.
type Arrays<T> = (Block<Complex<T>>, Option<Block<T>>);

/// What the crate asks of a kind.
pub trait Sealed {
    /// Which array has real numbers: 0 the input, 1 the output, or none.
    const NUMBERS: Option<usize>;

    /// Where input and output lie unless a problem says otherwise: without gaps.
    fn usual(shape: &Shape) -> [Layout; 2];

    /// Plans the passes of one thread over an input and an output that lie as told.
    ///
    /// # Errors
    ///
    /// [`PlanError::Problem`] and [`PlanError::Kernel`].
    fn steps<T: Real>(
        shape: &Shape,
        layouts: [&Layout; 2],
        kernels: &Planned<'_>,
    ) -> Result<Steps<T>, PlanError>;

    /// The arrays of a run, of so many rows and columns of points and of real numbers: the input, or a phantom, and what
    /// its output needs beside it. Without `numbers` these are the parts of the points, and replace them or are replaced.
    ///
    /// # Errors
    ///
    /// An input of another number of elements, sides that no block has, or memory that is short.
    fn arrays<T: Real>(
        input: Option<Vec<Self::Input<T>>>,
        points: [usize; 2],
        numbers: Option<[usize; 2]>,
    ) -> Result<Arrays<T>, TransformError>
    where
        Self: Kind;

    /// The output of a run.
    fn output<T: Real>(done: Done<T>) -> Block<Self::Output<T>>
    where
        Self: Kind;

    /// Writes what transforms of this shape are.
    fn write(shape: &Shape, direction: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

/// The passes of one thread, by the kind of the problem.
#[derive(Debug)]
pub enum Steps<T: Real> {
    /// Complex points to complex points, in either direction.
    Complex(ComplexPlan<T>),
    /// Real numbers to complex points.
    Forward(RealForwardPlan<T>),
    /// Complex points to real numbers.
    Inverse(RealInversePlan<T>),
}

/// What a caller gave: the input and the output of one call.
#[derive(Debug)]
pub(crate) enum Slices<'a, T: Real> {
    /// Complex points that are replaced.
    InPlace(&'a mut [Complex<T>]),
    /// Complex points, and where their transform goes.
    OutOfPlace(&'a [Complex<T>], &'a mut [Complex<T>]),
    /// Real numbers, and where their spectrum goes.
    RealToComplex(&'a [T], &'a mut [Complex<T>]),
    /// A spectrum, which is scratch, and where its real numbers go.
    ComplexToReal(&'a mut [Complex<T>], &'a mut [T]),
    /// Rows of real numbers, filled up to the length of their spectra, that are replaced by them or replace them.
    Padded(&'a mut [T]),
}

impl<T: Real> Slices<'_, T> {
    /// Whether the arrays of a call have the lengths that a problem's input and output need; `points` is the one of complex
    /// points, if only one is.
    pub(crate) fn fit(&self, [input, output]: [Extent; 2], points: Extent) -> bool {
        let both = |given: usize, taken: usize| input.check(given).is_ok() && output.check(taken).is_ok();
        match self {
            Self::InPlace(data) => output.check(data.len()).is_ok(),
            Self::OutOfPlace(from, to) => both(from.len(), to.len()),
            Self::RealToComplex(from, to) => both(from.len(), to.len()),
            Self::ComplexToReal(from, to) => both(from.len(), to.len()),
            Self::Padded(data) => points.as_numbers().check(data.len()).is_ok(),
        }
    }
}

impl<T: Real> Steps<T> {
    /// What the passes do, in their order, in place or from one array to another.
    pub(crate) fn passes(&self, in_place: bool) -> Vec<PassFacts> {
        match self {
            Self::Complex(plan) => plan.passes(in_place),
            Self::Forward(plan) => plan.passes(in_place),
            Self::Inverse(plan) => plan.passes(in_place),
        }
    }

    /// The points of scratch that a call needs.
    pub(crate) fn scratch_len(&self) -> usize {
        match self {
            Self::Complex(plan) => plan.scratch_len(),
            Self::Forward(plan) => plan.scratch_len(),
            Self::Inverse(plan) => plan.scratch_len(),
        }
    }

    /// Transforms what a call brings, every element times `factor`. Real transforms have a direction of their own.
    ///
    /// # Errors
    ///
    /// [`CallError`] if a slice is too short, or there is no such transform in place; nothing has been written then.
    ///
    /// # Panics
    ///
    /// If the call is one of another kind of problem.
    #[inline]
    pub(crate) fn process(
        &self,
        direction: Direction,
        factor: T,
        slices: Slices<'_, T>,
        scratch: &mut [Complex<T>],
    ) -> Result<(), CallError> {
        match (self, slices) {
            (Self::Complex(plan), Slices::InPlace(points)) => {
                plan.process(direction, factor, points, scratch)
            }
            (Self::Complex(plan), Slices::OutOfPlace(input, output)) => {
                plan.process_into(direction, factor, input, output, scratch)
            }
            (Self::Forward(plan), Slices::RealToComplex(input, output)) => {
                plan.process(factor, input, output, scratch)
            }
            (Self::Forward(plan), Slices::Padded(data)) => plan.process_padded(factor, data, scratch),
            (Self::Inverse(plan), Slices::ComplexToReal(input, output)) => {
                plan.process(factor, input, output, scratch)
            }
            (Self::Inverse(plan), Slices::Padded(data)) => plan.process_padded(factor, data, scratch),
            _ => unreachable!("the calls of a plan are of the kind of its problem"),
        }
    }
}

/// The shape, and a line for each pass.
impl<T: Real> fmt::Display for Steps<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Complex(plan) => fmt::Display::fmt(plan, f),
            Self::Forward(plan) => fmt::Display::fmt(plan, f),
            Self::Inverse(plan) => fmt::Display::fmt(plan, f),
        }
    }
}

/// The input of a run as so many rows and columns; without one a phantom.
fn block<E: Element>([rows, cols]: [usize; 2], input: Option<Vec<E>>) -> Result<Block<E>, ShapeError> {
    match input {
        Some(input) => Block::from_vec(rows, cols, input),
        None => Block::phantom(rows, cols),
    }
}

/// What the output of a run needs: zeros, or a phantom if the input is one.
fn beside<E: Element>(
    input: &Block<impl Element>,
    [rows, cols]: [usize; 2],
) -> Result<Block<E>, TransformError> {
    let phantom = Block::phantom(rows, cols)?;
    Ok(if input.is_phantom() { phantom } else { Block::try_zeroed(rows, cols, "the output")? })
}

/// The elements of a vector as others of the same bytes. They are copied if the vector's room is no whole number of those.
fn cast<A: Pod, B: Pod>(elements: Vec<A>) -> Result<Vec<B>, NoMemory> {
    try_cast_vec(elements).or_else(|(_, elements)| {
        let cast: &[B] = bytemuck::cast_slice(&elements);
        try_collected(cast.iter().copied(), "a copy of the points")
    })
}

/// Rows of real and imaginary parts by turns as points, which are not copied unless the vector has room for an odd number
/// of them.
fn as_points<T: Real>(parts: Block<T>) -> Result<Block<Complex<T>>, TransformError> {
    let sides = [parts.rows(), parts.cols() / 2];
    Ok(block(sides, (!parts.is_phantom()).then(|| cast(parts.into_vec())).transpose()?)?)
}

/// Rows of points as their real and imaginary parts by turns.
pub(crate) fn as_numbers<T: Real>(points: Block<Complex<T>>) -> Result<Block<T>, TransformError> {
    let sides = [points.rows(), points.cols().saturating_mul(2)];
    Ok(block(sides, (!points.is_phantom()).then(|| cast(points.into_vec())).transpose()?)?)
}

impl Sealed for ComplexToComplex {
    const NUMBERS: Option<usize> = None;

    fn usual(shape: &Shape) -> [Layout; 2] {
        [shape.contiguous(), shape.contiguous()]
    }

    fn steps<T: Real>(
        shape: &Shape,
        [input, output]: [&Layout; 2],
        kernels: &Planned<'_>,
    ) -> Result<Steps<T>, PlanError> {
        Ok(Steps::Complex(ComplexPlan::new(shape, input, output, kernels)?))
    }

    fn arrays<T: Real>(
        input: Option<Vec<Complex<T>>>,
        points: [usize; 2],
        _: Option<[usize; 2]>,
    ) -> Result<Arrays<T>, TransformError> {
        Ok((block(points, input)?, None))
    }

    fn output<T: Real>(done: Done<T>) -> Block<Complex<T>> {
        done.spectrum
    }

    fn write(shape: &Shape, direction: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if direction == Direction::Forward { "forward" } else { "inverse" };
        write!(f, "{shape} points, {direction}")
    }
}

impl Sealed for RealToComplex {
    const NUMBERS: Option<usize> = Some(0);

    fn usual(shape: &Shape) -> [Layout; 2] {
        [shape.contiguous(), shape.spectrum()]
    }

    fn steps<T: Real>(
        shape: &Shape,
        [input, output]: [&Layout; 2],
        kernels: &Planned<'_>,
    ) -> Result<Steps<T>, PlanError> {
        Ok(Steps::Forward(RealForwardPlan::new(shape, input, output, kernels)?))
    }

    fn arrays<T: Real>(
        input: Option<Vec<T>>,
        points: [usize; 2],
        numbers: Option<[usize; 2]>,
    ) -> Result<Arrays<T>, TransformError> {
        let Some(numbers) = numbers else {
            let [rows, cols] = points;
            return Ok((as_points(block([rows, cols.saturating_mul(2)], input)?)?, None));
        };
        let numbers = block(numbers, input)?;
        Ok((beside(&numbers, points)?, Some(numbers)))
    }

    fn output<T: Real>(done: Done<T>) -> Block<Complex<T>> {
        done.spectrum
    }

    fn write(shape: &Shape, _: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{shape} real numbers to complex points")
    }
}

impl Sealed for ComplexToReal {
    const NUMBERS: Option<usize> = Some(1);

    fn usual(shape: &Shape) -> [Layout; 2] {
        [shape.spectrum(), shape.contiguous()]
    }

    fn steps<T: Real>(
        shape: &Shape,
        [input, output]: [&Layout; 2],
        kernels: &Planned<'_>,
    ) -> Result<Steps<T>, PlanError> {
        Ok(Steps::Inverse(RealInversePlan::new(shape, input, output, kernels)?))
    }

    fn arrays<T: Real>(
        input: Option<Vec<Complex<T>>>,
        points: [usize; 2],
        numbers: Option<[usize; 2]>,
    ) -> Result<Arrays<T>, TransformError> {
        let points = block(points, input)?;
        let numbers = numbers.map(|numbers| beside(&points, numbers)).transpose()?;
        Ok((points, numbers))
    }

    fn output<T: Real>(done: Done<T>) -> Block<T> {
        // There are as many numbers as the points have parts, so they fit where these are.
        done.numbers.unwrap_or_else(|| as_numbers(done.spectrum).unwrap_or_else(|error| panic!("{error}")))
    }

    fn write(shape: &Shape, _: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "complex points to {shape} real numbers")
    }
}
