//! Placement of members, and the functions that can be members.

use std::ops::Range;

use crate::{Eu, NodeId, Reply, Threaded, Wire};

/// A function whose instances work together. Its last argument is the reply for its result.
pub trait Member: Threaded<Args: MemberArgs> {}
impl<F: Threaded<Args: MemberArgs>> Member for F {}

/// The arguments of a member: its input, and last the reply for its result.
///
/// The input is `()` for no argument before the reply, the argument itself for one, and a tuple for two to
/// six.
pub trait MemberArgs: Wire {
    /// The input of a member.
    type Given: Wire;
    /// The value that a member puts to its reply.
    type Output: Wire;

    /// Joins input and reply to the arguments.
    fn join(given: Self::Given, out: Reply<Self::Output>) -> Self;
}

macro_rules! member_args {
    ($(($($name:ident)*) => $given:tt;)+) => {$(
        #[allow(non_snake_case, reason = "a tuple's parts are named by their types")]
        impl<$($name: Wire,)* Output: Wire> MemberArgs for ($($name,)* Reply<Output>,) {
            type Given = $given;
            type Output = Output;
            fn join($given: Self::Given, out: Reply<Output>) -> Self {
                ($($name,)* out,)
            }
        }
    )+};
}
member_args! {
    () => ();
    (A) => A;
    (A B) => (A, B);
    (A B C) => (A, B, C);
    (A B C D) => (A, B, C, D);
    (A B C D E) => (A, B, C, D, E);
    (A B C D E F) => (A, B, C, D, E, F);
}

/// The input of a member, without its reply: `()`, a value, or a tuple of values.
pub type Given<F> = <<F as Threaded>::Args as MemberArgs>::Given;

/// The value that a member puts to its reply.
pub type Output<F> = <<F as Threaded>::Args as MemberArgs>::Output;

/// A non-empty range of nodes. Members are distributed round-robin over them: member `i` is on the node `i`
/// modulo their number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Wire)]
pub struct Group {
    first: u32,
    /// Number of nodes after the first, so that an empty group cannot be represented.
    others: u32,
}

impl Group {
    /// Returns the group of all nodes of the machine.
    pub fn all(eu: &Eu<impl Sized>) -> Self {
        Group { first: 0, others: eu.nodes() as u32 - 1 }
    }

    /// Returns the group of the nodes `nodes.start..nodes.end`. Whether the machine has them is checked when
    /// a member is started.
    ///
    /// # Panics
    ///
    /// If the range is empty.
    pub fn new(nodes: Range<NodeId>) -> Self {
        let (first, end) = (nodes.start.index(), nodes.end.index());
        assert!(first < end, "a group has at least one node, not {first}..{end}");
        Group { first: first as u32, others: (end - 1 - first) as u32 }
    }

    /// Returns the number of nodes.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(self) -> usize {
        self.others as usize + 1
    }

    /// Returns the node of member `member`.
    pub fn node_of(self, member: usize) -> NodeId {
        NodeId::new(self.first as usize + member % self.len())
    }
}
