//! One value to many inlets, along a tree of nodes.
//!
//! 1. The caller puts the value to the addresses on its own node.
//! 2. It cuts the other addresses, ordered by node, in two, and invokes `Broadcast` on the first node of the
//!    second half, with the value and that half's addresses. It repeats this with the rest until no address
//!    is left.
//! 3. `start` on that node does the same with its half.
//!
//! This is a binomial tree: a node continues to send while its receivers already send.
//!
//! # Cost
//!
//! P - 1 messages: one to each node with an address, except the caller's. The depth is log2 P steps, rounded
//! down, if each node has equally many addresses. Each address costs one put, always within a node; each node
//! costs a fiber and an invoke. The addresses travel too, 16 bytes each: P/2 log2 P of them in total.
//!
//! # When it loses
//!
//! A step costs more than a message, because it starts a function. With few nodes, or an otherwise idle
//! sender, a put to each address arrives equally early. The value is copied for each address and each node. A
//! large value is better [`Published`](crate::Published): its copies within a process are handles.

use std::marker::PhantomData;

use super::gathered;
use crate::{Eu, Reply, Wire, threaded};

/// Puts a copy of `value` to each address of `to`.
///
/// ```
/// use earth::collective::{Group, broadcast, everywhere};
/// use earth::{Eu, Machine, Reply, threaded};
///
/// struct Names;
///
/// #[threaded]
/// impl Names {
///     /// Sends every node the names of all nodes.
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

/// Gives the value to the addresses of this node and forwards it to the others, which are ordered by node.
fn pass_on<T: Wire + Clone>(eu: &mut Eu<impl Sized>, value: &T, to: Vec<Reply<T>>) {
    let (here, mut away): (Vec<_>, Vec<_>) = to.into_iter().partition(|reply| reply.node() == eu.node());
    while !away.is_empty() {
        // Addresses of one node stay together.
        let node = away[away.len() / 2].node();
        let second_half = away.split_off(away.partition_point(|reply| reply.node() < node));
        if !seeded!(HalfNotTold) {
            eu.invoke(node, Broadcast::call(value.clone(), second_half));
        }
    }
    for reply in here {
        eu.put(reply, value.clone());
    }
}

/// Forwards a value to half of the nodes.
struct Broadcast<T>(PhantomData<fn(T)>);

#[threaded]
impl<T: Wire + Clone> Broadcast<T> {
    fn start(value: T, to: Vec<Reply<T>>, eu: &mut Eu<Self>) {
        pass_on(eu, &value, to);
    }
}
