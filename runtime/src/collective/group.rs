//! Where members live, and what can be one.

use std::ops::Range;

use crate::program::Main;
use crate::unit::eu::Eu;
use crate::unit::function::Threaded;
use crate::vocabulary::address::NodeId;
use crate::vocabulary::wire::Wire;

/// A function of which several instances work together: one whose last argument is the reply for what it
/// says, as that of a [main](Main) function is.
pub trait Member: Threaded<Args: Main<Input: Wire, Output: Wire>> {}
impl<F: Threaded<Args: Main<Input: Wire, Output: Wire>>> Member for F {}

/// What a member is started with, besides its reply: nothing, a value, or a tuple of values.
pub type Given<F> = <<F as Threaded>::Args as Main>::Input;

/// The value that a member puts to its reply.
pub type Said<F> = <<F as Threaded>::Args as Main>::Output;

/// The nodes of a range, at least one. Members are dealt round them: member `i` lives on the node
/// `i` modulo their number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Wire)]
pub struct Group {
    first: u32,
    /// How many come after the first: a group without a node cannot be said.
    others: u32,
}

impl Group {
    /// All nodes of the machine.
    pub fn all(eu: &Eu<impl Sized>) -> Self {
        Group { first: 0, others: eu.nodes() as u32 - 1 }
    }

    /// The nodes `nodes.start..nodes.end`. Whether the machine has them is found out
    /// when a member is started.
    ///
    /// # Panics
    ///
    /// If the range is empty.
    pub fn new(nodes: Range<NodeId>) -> Self {
        let (first, end) = (nodes.start.index(), nodes.end.index());
        assert!(first < end, "a group has at least one node, not {first}..{end}");
        Group { first: first as u32, others: (end - 1 - first) as u32 }
    }

    /// How many nodes it has.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(self) -> usize {
        self.others as usize + 1
    }

    /// The node of member `member`.
    pub fn node_of(self, member: usize) -> NodeId {
        NodeId::new(self.first as usize + member % self.len())
    }
}
