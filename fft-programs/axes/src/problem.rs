//! Description of a transform along axes.

use earth_fft::{Direction, Elements, Norm};

use crate::axis::{Axis, Extent};
use crate::error::AxesError;

/// A transform along some axes, for each place along the others.
///
/// The last transformed axis of a real transform is the axis whose spectrum has `n/2 + 1` points. Without
/// transformed axes, elements are copied.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct AxesProblem {
    pub(crate) elements: Elements,
    pub(crate) direction: Direction,
    pub(crate) norm: Norm,
    pub(crate) transformed: Vec<Axis>,
    pub(crate) repeated: Vec<Axis>,
    pub(crate) memory: Memory,
    pub(crate) keeps_input: bool,
    pub(crate) copied: bool,
}

/// Relation between the memory of the output and the memory of the input.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Memory {
    Separate,
    /// Both begin at the same address.
    Same,
    Overlapping,
}

impl Memory {
    /// Returns whether the whole input must be copied before the output is written.
    pub(crate) fn needs_whole(self, same_layout: bool) -> bool {
        match self {
            Self::Separate => false,
            Self::Same => !same_layout,
            Self::Overlapping => true,
        }
    }
}

impl AxesProblem {
    /// Returns the transform of complex points.
    pub fn complex(direction: Direction, transformed: &[Axis], repeated: &[Axis]) -> Self {
        Self {
            elements: Elements::ComplexToComplex,
            direction,
            norm: Norm::default(),
            transformed: transformed.to_vec(),
            repeated: repeated.to_vec(),
            memory: Memory::Separate,
            keeps_input: false,
            copied: false,
        }
    }

    /// Returns the transform of real numbers into half of their spectrum.
    pub fn real_to_complex(transformed: &[Axis], repeated: &[Axis]) -> Self {
        let complex = Self::complex(Direction::Forward, transformed, repeated);
        Self { elements: Elements::RealToComplex, ..complex }
    }

    /// Returns the transform of half spectra into real numbers. The input is scratch unless
    /// [`keep_input`](Self::keep_input) is set.
    pub fn complex_to_real(transformed: &[Axis], repeated: &[Axis]) -> Self {
        let complex = Self::complex(Direction::Inverse, transformed, repeated);
        Self { elements: Elements::ComplexToReal, ..complex }
    }

    /// Sets the normalization. Default: [`Norm::Backward`].
    #[must_use]
    pub fn norm(self, norm: Norm) -> Self {
        Self { norm, ..self }
    }

    /// Makes the output replace the input, which begins at the same address.
    #[must_use]
    pub fn in_place(self) -> Self {
        Self { memory: Memory::Same, ..self }
    }

    /// Lets input and output overlap in any way: the whole input is copied before the output is written.
    #[must_use]
    pub fn overlapping(self) -> Self {
        Self { memory: Memory::Overlapping, ..self }
    }

    /// Leaves the input of complex-to-real transforms unchanged.
    #[must_use]
    pub fn keep_input(self) -> Self {
        Self { keeps_input: true, ..self }
    }

    /// Returns whether the input of a complex-to-real transform stays unchanged.
    pub fn keeps_input(&self) -> bool {
        self.keeps_input
    }

    /// Always copies, for arrays that [`AxesPlan::copying`](crate::AxesPlan::copying) takes.
    #[must_use]
    pub fn copied(self) -> Self {
        Self { copied: true, ..self }
    }

    /// Returns the number of elements of the last of these axes in the input and in the output.
    pub(crate) fn lasts(&self, transformed: &[Axis]) -> [usize; 2] {
        let last = transformed.last().map_or(1, |axis| axis.length);
        match self.elements {
            Elements::ComplexToComplex => [last; 2],
            Elements::RealToComplex => [last, last / 2 + 1],
            Elements::ComplexToReal => [last / 2 + 1, last],
        }
    }

    /// Returns all axes of the input (0) or of the output (1) with their number of elements in that array,
    /// the transformed axes last.
    pub(crate) fn axes_of(&self, array: usize) -> Vec<Axis> {
        let mut axes = [&self.repeated[..], &self.transformed[..]].concat();
        if let (Some(last), false) = (axes.last_mut(), self.transformed.is_empty()) {
            last.length = self.lasts(&self.transformed)[array];
        }
        axes
    }

    /// Returns the extents of the input and of the output.
    ///
    /// # Errors
    ///
    /// [`AxesError::TooLarge`].
    pub fn extents(&self) -> Result<[Extent; 2], AxesError> {
        let extent = |array: usize| {
            Extent::of(self.axes_of(array).into_iter().map(|axis| (axis.length, axis.strides()[array])))
        };
        Ok([extent(0)?, extent(1)?])
    }
}
