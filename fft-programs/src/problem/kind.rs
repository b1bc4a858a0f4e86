//! What is transformed into what, as the type of a problem: a plan for points cannot be made of a problem of numbers.

use std::fmt::{self, Debug};
use std::hash::Hash;

use earth_kernels::Direction;
use earth_serial::{Layout, Shape};

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
    /// Where input and output lie unless a problem says otherwise: without gaps.
    fn usual(shape: &Shape) -> [Layout; 2];

    /// Writes what transforms of this shape are.
    fn write(shape: &Shape, direction: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

impl Sealed for ComplexToComplex {
    fn usual(shape: &Shape) -> [Layout; 2] {
        [shape.contiguous(), shape.contiguous()]
    }

    fn write(shape: &Shape, direction: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = if direction == Direction::Forward { "forward" } else { "inverse" };
        write!(f, "{shape} points, {direction}")
    }
}

impl Sealed for RealToComplex {
    fn usual(shape: &Shape) -> [Layout; 2] {
        [shape.contiguous(), shape.spectrum()]
    }

    fn write(shape: &Shape, _: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{shape} real numbers to complex points")
    }
}

impl Sealed for ComplexToReal {
    fn usual(shape: &Shape) -> [Layout; 2] {
        [shape.spectrum(), shape.contiguous()]
    }

    fn write(shape: &Shape, _: Direction, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "complex points to {shape} real numbers")
    }
}
