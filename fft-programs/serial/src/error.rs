//! Errors of plans and calls.

use std::fmt;

/// Array of a transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Array {
    /// Array that is transformed.
    Input,
    /// Array of the results.
    Output,
    /// Array that is both input and output.
    InPlace,
}

/// Reason why shape and layouts describe no valid transform.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ShapeError {
    /// No dimensions, or too many.
    #[error("a transform has 1 to 3 dimensions, not {0}")]
    Dimensions(usize),
    /// Dimension of length 0.
    #[error("dimension {0} has length 0")]
    NoPoints(usize),
    /// Number of strides that differs from the number of dimensions.
    #[error("the {array} has {strides} strides for {dimensions} dimensions")]
    Strides {
        /// Array with the strides.
        array: Array,
        /// Number of strides.
        strides: usize,
        /// Number of dimensions.
        dimensions: usize,
    },
    /// Stride of 0.
    #[error("the {0} has a stride of 0")]
    NoStride(Array),
    /// Array that is too large for the address space.
    #[error("the {0} spans more points than any memory holds")]
    TooLarge(Array),
    /// Written array with two elements at the same address.
    #[error("elements of the {0} overlap")]
    Overlap(Array),
}

/// Reason why no plan is made. `E` is the error of the kernels.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlanError<E> {
    /// Invalid shape or layout.
    #[error(transparent)]
    Shape(#[from] ShapeError),
    /// Missing kernel.
    #[error("{0}")]
    Kernel(E),
}

/// Reason why a call was refused. The arrays are unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CallError {
    /// Array that is too short, or longer than the array of a plan without gaps.
    #[error("the {array} has {given} elements where {needed} are needed")]
    Length {
        /// Array with the wrong length.
        array: Array,
        /// Number of its elements.
        given: usize,
        /// Number of elements from the first used element to the last one.
        needed: usize,
    },
    /// Scratch that is too short.
    #[error("the scratch has {given} points where {needed} are needed")]
    Scratch {
        /// Number of points in the scratch.
        given: usize,
        /// Number of points that the plan requires.
        needed: usize,
    },
    /// Wrong number of rows.
    #[error("{given} rows where {needed} are needed")]
    Rows {
        /// Number of rows of the call.
        given: usize,
        /// Number of rows that the plan requires.
        needed: usize,
    },
    /// Row with the wrong length.
    #[error("row {row} has {given} points where {needed} are needed")]
    Uneven {
        /// Index of the row.
        row: usize,
        /// Number of points in this row.
        given: usize,
        /// Number of points of the plan's rows or of the first row.
        needed: usize,
    },
    /// Transform in place by a plan whose input and output layouts differ.
    #[error("a transform in place needs the same layout for its input and its output")]
    LayoutMismatch,
    /// Call of a real plan in the direction that was not planned.
    #[error("the plan is for real transforms in the other direction")]
    DirectionMismatch,
}

/// Checks that the scratch is long enough.
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
