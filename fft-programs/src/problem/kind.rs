//! What is transformed into what, as the type of a problem: a plan for points cannot be made of a problem of numbers.

use std::fmt::{self, Debug};
use std::hash::Hash;

use earth_kernels::{Direction, Real};
use earth_serial::{ComplexPlan, Layout, RealForwardPlan, RealInversePlan, Shape};

use crate::plan::steps::{Planned, Steps};
use crate::planner::PlanError;

/// What a [`Problem`](crate::Problem) transforms into what. There are three kinds.
pub trait Kind: Sealed + Copy + Eq + Hash + Debug + Send + Sync + 'static {}

/// Complex points into as many, in either direction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ComplexToComplex {}

/// Real numbers into the first half of their spectrum: `n/2 + 1` points of a last dimension of `n` numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RealToComplex {}

/// The first half of a spectrum into the real numbers that have it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ComplexToReal {}

impl Kind for ComplexToComplex {}
impl Kind for RealToComplex {}
impl Kind for ComplexToReal {}

/// What the crate asks of a kind.
pub trait Sealed {
    /// Whether both input and output are complex points.
    const COMPLEX: bool;

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

    /// Writes what transforms of this shape are.
    fn write(shape: &Shape, direction: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl Sealed for ComplexToComplex {
    const COMPLEX: bool = true;

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

    fn write(shape: &Shape, direction: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if direction == Direction::Forward { "forward" } else { "inverse" };
        write!(f, "{shape} points, {direction}")
    }
}

impl Sealed for RealToComplex {
    const COMPLEX: bool = false;

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

    fn write(shape: &Shape, _: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{shape} real numbers to complex points")
    }
}

impl Sealed for ComplexToReal {
    const COMPLEX: bool = false;

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

    fn write(shape: &Shape, _: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "complex points to {shape} real numbers")
    }
}
