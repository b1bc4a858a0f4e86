//! Why no plan is made, and why a call does nothing.

use std::fmt;

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
}

/// Why no plan is made. `E` is the error of the kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError<E> {
    /// There is no such transform.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// There is no kernel for it.
    #[error("{0}")]
    Kernel(E),
}

/// Why a call does nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CallError {
    /// An array that is too short, or longer than a plan without gaps transforms.
    #[error("the {array} has {given} elements where {needed} are needed")]
    Length {
        /// The array.
        array: Array,
        /// The elements that it has.
        given: usize,
        /// The elements from the first that is used to the last.
        needed: usize,
    },
    /// A scratch that is too short.
    #[error("the scratch has {given} points where {needed} are needed")]
    Scratch {
        /// The points that it has.
        given: usize,
        /// The points that the plan says.
        needed: usize,
    },
    /// Other rows than a column has points.
    #[error("{given} rows are given of columns of {needed} points")]
    Rows {
        /// The rows that are given.
        given: usize,
        /// The points of a column.
        needed: usize,
    },
    /// A row of another length.
    #[error("row {row} has {given} points where {needed} are needed")]
    Uneven {
        /// The row.
        row: usize,
        /// Its points.
        given: usize,
        /// The points that the plan or the first row has.
        needed: usize,
    },
    /// In place, but what comes out does not lie where what goes in does.
    #[error("a transform in place needs an output that lies as its input does")]
    OtherLayout,
    /// A call of a real plan in the direction that was not planned.
    #[error("the plan is for real transforms in the other direction")]
    OtherDirection,
}

/// Whether there is as much scratch as is needed.
pub(crate) fn enough_scratch(given: usize, needed: usize) -> Result<(), CallError> {
    if given < needed { Err(CallError::Scratch { given, needed }) } else { Ok(()) }
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
