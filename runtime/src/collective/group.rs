//! Where members live, and what can be one.

use std::ops::Range;

use crate::{Eu, NodeId, Reply, Threaded, Wire};

/// A function of which several instances work together: one whose last argument is the reply for what it says.
pub trait Member: Threaded<Args: MemberArgs> {}
impl<F: Threaded<Args: MemberArgs>> Member for F {}

/// The arguments of a member: what it is given, and last the reply for what it says.
///
/// With one argument before the reply a member is given that, with two a pair, and so on up to six; with none it is
/// given `()`.
pub trait MemberArgs: Wire {
    /// What a member is started with.
    type Given: Wire;
    /// What it puts to its reply.
    type Said: Wire;

    /// The arguments, made of both.
    fn join(given: Self::Given, said: Reply<Self::Said>) -> Self;
}

macro_rules! member_args {
    ($(($($name:ident)*) => $given:tt;)+) => {$(
        #[allow(non_snake_case, reason = "a tuple's parts are named by their types")]
        impl<$($name: Wire,)* Said: Wire> MemberArgs for ($($name,)* Reply<Said>,) {
            type Given = $given;
            type Said = Said;
            fn join($given: Self::Given, said: Reply<Said>) -> Self {
                ($($name,)* said,)
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

/// What a member is started with, besides its reply: nothing, a value, or a tuple of values.
pub type Given<F> = <<F as Threaded>::Args as MemberArgs>::Given;

/// The value that a member puts to its reply.
pub type Said<F> = <<F as Threaded>::Args as MemberArgs>::Said;

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
