//! Errors of plans and calls.

use earth_fft::{PlanError, TransformError};
use earth_memory::NoMemory;

/// Why a problem has no plan, or why a call failed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum AxesError {
    /// A transformed axis has no elements.
    #[error("an axis of the transform has no elements")]
    NoElements,
    /// The transform has a length that its kind does not have.
    #[error("{kind} of {length} numbers does not exist")]
    Length {
        /// The kind of transform.
        kind: &'static str,
        /// The number of real numbers.
        length: usize,
    },
    /// The arrays do not fit into memory.
    #[error("the arrays are larger than the address space")]
    TooLarge,
    /// Two elements of the output have the same address.
    #[error("elements of the output overlap")]
    Overlap,
    /// A slice of a call is shorter or longer than the plan's array.
    #[error("the {array} has {given} elements where {needed} are needed")]
    Slice {
        /// `input`, `output` or `array`.
        array: &'static str,
        /// Elements of the slice.
        given: usize,
        /// Elements from the first to the last of the plan's array.
        needed: usize,
    },
    /// The call is of another kind than the plan.
    #[error("the plan is for another call: {0}")]
    Call(&'static str),
    /// Planning failed.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The transform failed.
    #[error(transparent)]
    Transform(#[from] TransformError),
    /// A copy needs more memory than the system has.
    #[error(transparent)]
    NoMemory(#[from] NoMemory),
}
