//! Answers to threads outside of a run: their places, and the addresses of these places.
//!
//! The address of an answer is a [`Reply`](super::address::Reply), as the address of an inlet is. Its frame
//! has a number that no frame has. Frame and place have the same generation. The entry has the number of the
//! place. So an answer travels as any value does: through queues, through bytes, and between ranks.

use std::sync::Arc;

use earth_signal::{Answers, PlaceId};

use super::address::{EntryRef, FrameId, FrameRef};
use super::error::Error;
use super::value::{ReadValue, Value};

/// Number of the frame in the address of an answer. [Gates](crate::node::domain::is_gate) have the reserved
/// numbers below it.
pub(crate) const ANSWER: u32 = FrameId::ROOT.number() - 1;

/// A value, or the reason why there will be none.
pub(crate) type Outcome = Result<Value, Box<Error>>;

/// Places of the answers of one run. Each may have a function that reads the value from bytes.
pub(crate) type AnswerPlaces = Answers<Outcome, ReadValue>;

/// Places of a run's answers, as the nodes of the run see them.
#[derive(Clone)]
pub(crate) struct AnswerDesk {
    pub(crate) places: Arc<AnswerPlaces>,
    /// The one node whose process has the places, or `None` if all nodes share memory with them.
    pub(crate) home: Option<u32>,
}

impl AnswerDesk {
    /// Whether node `own` fills the place with this address.
    pub(crate) fn is_here(&self, to: EntryRef, own: u32) -> bool {
        self.home.is_none() || to.node() == own
    }

    /// Returns the function that reads the value of an answer from bytes.
    pub(crate) fn reader(&self, to: EntryRef) -> Option<ReadValue> {
        self.places.note(place(to)?)
    }
}

/// Returns the address of a place; messages for it go to `node`.
pub(crate) fn address(PlaceId { number, generation }: PlaceId, node: u32) -> EntryRef {
    let id = FrameId::new(ANSWER, generation);
    let id = id.unwrap_or_else(|| unreachable!("the generation of a place in use is odd"));
    EntryRef::new(FrameRef { node, id }, number)
}

/// Returns the place with this address, if it is the address of an answer.
pub(crate) fn place(to: EntryRef) -> Option<PlaceId> {
    let id = to.id();
    (id.number() == ANSWER).then(|| PlaceId { number: to.number(), generation: id.generation() })
}
