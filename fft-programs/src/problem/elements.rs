//! The kind of a transform as a value.

use std::fmt;

use earth_kernels::Direction;
use earth_serial::{Layout, Shape};

/// Element types of a problem's input and output: its [kind](crate::Kind) as a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Elements {
    /// Complex points into complex points.
    ComplexToComplex,
    /// Real numbers into the first half of their spectrum.
    RealToComplex,
    /// The first half of a spectrum into real numbers.
    ComplexToReal,
}

impl Elements {
    /// Returns which array has real numbers, if one does: 0 is the input, 1 the output.
    pub(crate) fn numbers(self) -> Option<usize> {
        match self {
            Self::ComplexToComplex => None,
            Self::RealToComplex => Some(0),
            Self::ComplexToReal => Some(1),
        }
    }

    /// Returns the default layouts of input and output, without gaps.
    pub(super) fn usual(self, shape: &Shape) -> [Layout; 2] {
        let of = |array: usize| {
            if self.numbers() == Some(1 - array) { shape.spectrum() } else { shape.contiguous() }
        };
        [of(0), of(1)]
    }

    /// Writes the element types, the shape, and the direction of complex transforms.
    pub(super) fn write(
        self,
        shape: &Shape,
        direction: Direction,
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match (self, direction) {
            (Self::ComplexToComplex, Direction::Forward) => write!(f, "{shape} points, forward"),
            (Self::ComplexToComplex, Direction::Inverse) => write!(f, "{shape} points, inverse"),
            (Self::RealToComplex, _) => write!(f, "{shape} real numbers to complex points"),
            (Self::ComplexToReal, _) => write!(f, "complex points to {shape} real numbers"),
        }
    }
}
