//! One value to many inlets, along a tree of nodes.
//!
//! 1. Whoever has the value and the addresses puts it to those on its own node.
//! 2. It cuts the rest, ordered by node, in two, and invokes [`Broadcast`] on the first node of the farther
//!    half with the value and that half's addresses; then again with what is left, until nothing is.
//! 3. `start` there does the same with its half.
//!
//! A binomial tree: who has the value goes on sending while those it sent to send already.
//!
//! # Cost
//!
//! P - 1 messages (one to each node but the caller's that any address is on), log2 P steps of depth rounded
//! down if each node has as many addresses, one put an address, always within a node. A fiber and an invoke a
//! node. The addresses travel too, 20 bytes each: P/2 log2 P of them in all.
//!
//! # When it loses
//!
//! A step costs more than a message: a function is started on the way. With few nodes, or a sender that has
//! nothing else to do, a put to each address arrives as early. A value is copied for each address and each
//! node; a large one is better [`Published`](crate::Published), whose copies within a process are handles.

use super::group::Shared;
use crate::threaded_old;
use crate::unit::eu::Eu;
use crate::vocabulary::address::Reply;
use crate::vocabulary::name::Then;

/// Puts a copy of `value` to each of `to`. The caller lists [`Broadcast<T>`].
///
/// ```
/// use earth::collective::{Broadcast, Everywhere, Group, broadcast, everywhere};
/// use earth::{Machine, Reply, Then, threaded_old};
///
/// threaded_old! {
///     /// Tells every node the names of all.
///     fn Names(out: Reply<usize>)
///     calls  { Everywhere<Node>, Broadcast<Vec<String>> }
///     inlets { nodes: Vec<(String, Reply<Vec<String>>)> }
///     slots  { met: 1 => introduce }
///     fiber start(this, eu) {
///         let given = vec![this.out; eu.nodes()];
///         everywhere::<Node>(eu, Group::all(eu), given, eu.reply_to(Self::nodes, Self::met));
///         Then::Wait
///     }
///     fiber introduce(_this, eu) {
///         let (names, doors): (_, Vec<_>) = eu.take(Self::nodes).into_iter().unzip();
///         broadcast(eu, &names, doors);
///         Then::End
///     }
/// }
///
/// threaded_old! {
///     fn Node(out: Reply<usize>, hello: Reply<(String, Reply<Vec<String>>)>)
///     inlets { names: Vec<String> }
///     slots  { told: 1 => count }
///     fiber start(this, eu) {
///         eu.put(this.hello, (format!("node {}", eu.node()), eu.reply_to(Self::names, Self::told)));
///         Then::Wait
///     }
///     fiber count(this, eu) {
///         let names = eu.take(Self::names);
///         assert_eq!(names[eu.node().index()], format!("node {}", eu.node()));
///         if eu.node().index() == 0 {
///             eu.put(this.out, names.len());
///         }
///         Then::End
///     }
/// }
///
/// assert_eq!(Machine::threads(3).run_old::<Names>(())?.value, 3);
/// # Ok::<(), earth::Error>(())
/// ```
pub fn broadcast<T: Shared>(eu: &mut Eu, value: &T, to: impl IntoIterator<Item = Reply<T>>) {
    let mut to: Vec<_> = to.into_iter().collect();
    to.sort_by_key(|reply| reply.node());
    pass_on(eu, value, to);
}

/// Gives the value to the addresses of this node and sends the others, which are
/// ordered by node, on their way.
fn pass_on<T: Shared>(eu: &mut Eu, value: &T, to: Vec<Reply<T>>) {
    let (here, mut away): (Vec<_>, Vec<_>) = to.into_iter().partition(|reply| reply.node() == eu.node());
    while !away.is_empty() {
        // Addresses of one node stay together.
        let node = away[away.len() / 2].node();
        let far = away.split_off(away.partition_point(|reply| reply.node() < node));
        eu.invoke_old::<Broadcast<T>>(node, (Box::new((value.clone(), far)),));
    }
    for reply in here {
        eu.put(reply, value.clone());
    }
}

threaded_old! {
    /// The function that [`broadcast`] starts on every node it reaches.
    pub fn Broadcast<T: Shared>(work: Box<(T, Vec<Reply<T>>)>)
    fiber start(this, eu) {
        let to = std::mem::take(&mut this.work.1);
        pass_on(eu, &this.work.0, to);
        Then::End
    }
}
