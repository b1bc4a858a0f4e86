//! One value to many inlets, along a tree of nodes.
//!
//! 1. Whoever has the value and the addresses puts it to those on its own node.
//! 2. It cuts the rest, ordered by node, in two, and invokes `Broadcast` on the first node of the farther
//!    half with the value and that half's addresses; then again with what is left, until nothing is.
//! 3. `start` there does the same with its half.
//!
//! A binomial tree: who has the value goes on sending while those it sent to send already.
//!
//! # Cost
//!
//! P - 1 messages (one to each node but the caller's that any address is on), log2 P steps of depth rounded
//! down if each node has as many addresses, one put an address, always within a node. A fiber and an invoke a
//! node. The addresses travel too, 16 bytes each: P/2 log2 P of them in all.
//!
//! # When it loses
//!
//! A step costs more than a message: a function is started on the way. With few nodes, or a sender that has
//! nothing else to do, a put to each address arrives as early. A value is copied for each address and each
//! node; a large one is better [`Published`](crate::Published), whose copies within a process are handles.

use std::marker::PhantomData;

use super::gathered;
use crate::{Eu, Reply, Wire, threaded};

/// Puts a copy of `value` to each of `to`.
///
/// ```
/// use earth::collective::{Group, broadcast, everywhere};
/// use earth::{Eu, Machine, Reply, threaded};
///
/// struct Names;
///
/// #[threaded]
/// impl Names {
///     /// Tells every node the names of all.
///     fn start(out: Reply<usize>, eu: &mut Eu<Self>) -> Self {
///         let given = vec![out; eu.nodes()];
///         everywhere::<Node>(eu, Group::all(eu), given, eu.reply(Self::introduce().nodes));
///         Names
///     }
///
///     #[slot]
///     fn introduce(self, nodes: Vec<(String, Reply<Vec<String>>)>, eu: &mut Eu<Self>) {
///         let (names, doors): (_, Vec<_>) = nodes.into_iter().unzip();
///         broadcast(eu, &names, doors);
///     }
/// }
///
/// struct Node {
///     out: Reply<usize>,
/// }
///
/// #[threaded]
/// impl Node {
///     fn start(out: Reply<usize>, hello: Reply<(String, Reply<Vec<String>>)>, eu: &mut Eu<Self>) -> Self {
///         eu.put(hello, (format!("node {}", eu.node()), eu.reply(Self::count().names)));
///         Node { out }
///     }
///
///     #[slot]
///     fn count(self, names: Vec<String>, eu: &mut Eu<Self>) {
///         assert_eq!(names[eu.node().index()], format!("node {}", eu.node()));
///         if eu.node().index() == 0 {
///             eu.put(self.out, names.len());
///         }
///     }
/// }
///
/// assert_eq!(Machine::threads(3).run(Names::call)?.value, 3);
/// # Ok::<(), earth::Error>(())
/// ```
pub fn broadcast<T: Wire + Clone>(
    eu: &mut Eu<impl Sized>,
    value: &T,
    to: impl IntoIterator<Item = Reply<T>>,
) {
    let mut to = gathered(to);
    to.sort_by_key(|reply| reply.node());
    pass_on(eu, value, to);
}

/// Gives the value to the addresses of this node and sends the others, which are
/// ordered by node, on their way.
fn pass_on<T: Wire + Clone>(eu: &mut Eu<impl Sized>, value: &T, to: Vec<Reply<T>>) {
    let (here, mut away): (Vec<_>, Vec<_>) = to.into_iter().partition(|reply| reply.node() == eu.node());
    while !away.is_empty() {
        // Addresses of one node stay together.
        let node = away[away.len() / 2].node();
        let far = away.split_off(away.partition_point(|reply| reply.node() < node));
        if !seeded!(HalfNotTold) {
            eu.invoke(node, Broadcast::call(value.clone(), far));
        }
    }
    for reply in here {
        eu.put(reply, value.clone());
    }
}

/// Passes a value on to half of the nodes.
struct Broadcast<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Wire + Clone> Broadcast<T> {
    fn start(value: T, to: Vec<Reply<T>>, eu: &mut Eu<Self>) {
        pass_on(eu, &value, to);
    }
}
