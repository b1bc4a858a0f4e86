//! The context in which the units of a run read bytes, and give answers to threads outside.

use super::answers::AnswerDesk;
use super::shared::SharedValues;
use super::value::ReadValue;
use super::wire::Undecodable;

/// The context for reading the bytes of a run; equal on all nodes.
#[derive(Clone)]
pub(crate) struct Decoding {
    /// Reads the value of the run.
    pub(crate) result: ReadValue,
    pub(crate) shared: SharedValues,
    /// The number of nodes. An address of a higher node is invalid.
    pub(crate) nodes: u32,
    /// The answers that threads outside of the run wait for.
    pub(crate) answers: Option<AnswerDesk>,
}

impl Decoding {
    /// Returns the context of a run that has no value.
    pub(crate) fn nothing() -> Self {
        Decoding { result: |_| Err(Undecodable), shared: SharedValues::default(), nodes: 0, answers: None }
    }
}
