//! Starting a function many times and collecting what each instance says.
//!
//! 1. [`everywhere`] invokes [`Everywhere`] on its own node, with what each member is given.
//! 2. `start` invokes the members, member `i` on the node `i` modulo the number of nodes, each with the
//!    address of an inlet of its own.
//! 3. `tell`, enabled when every member has spoken, puts all they said, in the order of
//!    the members, as one value.
//!
//! # Cost
//!
//! M invokes and M puts, those to and from members elsewhere being messages; depth 2. One frame, 2 fibers and
//! one invoke besides the members' own. A block that is given moves twice, the first time within the node
//! (the counter of bytes moved says so).
//!
//! # When it loses
//!
//! One node sends and hears everything: M times the price of a message, one after another. That is as it must
//! be where each member is given something of its own, for it lies on that node. Where what they say is to be
//! combined anyway, [`reduce`](super::reduce()) does both along a tree.

use super::group::{Given, Group, Member, Said};
use crate::program::Main;
use crate::threaded_old;
use crate::unit::eu::Eu;
use crate::vocabulary::address::Reply;
use crate::vocabulary::name::Then;

/// Starts a member of `F` for each of `given`, dealt round the nodes of `on`; what they say arrives as one
/// value, in the order of the members. The caller lists [`Everywhere<F>`].
///
/// Here each member says where it takes its orders, and the main function writes to all of them.
///
/// ```
/// use earth::collective::{Everywhere, Group, everywhere};
/// use earth::{Machine, Reply, Then, threaded_old};
///
/// threaded_old! {
///     fn Squares(n: u64, out: Reply<u64>)
///     state  { sum: u64 = 0 }
///     calls  { Everywhere<Square> }
///     inlets { doors: Vec<Reply<Reply<u64>>>, square: u64 }
///     slots  { met: 1 => order, came: 1, reset 1 => add, all: (this.n) => done }
///     fiber start(this, eu) {
///         everywhere::<Square>(eu, Group::all(eu), 0..this.n, eu.reply_to(Self::doors, Self::met));
///         Then::Wait
///     }
///     fiber order(_this, eu) {
///         for door in eu.take(Self::doors) {
///             eu.put(door, eu.reply_to(Self::square, Self::came));
///         }
///         Then::Wait
///     }
///     fiber add(this, eu) {
///         this.sum += eu.take(Self::square);
///         eu.sync(Self::all);
///         Then::Wait
///     }
///     fiber done(this, eu) {
///         eu.put(this.out, this.sum);
///         Then::End
///     }
/// }
///
/// threaded_old! {
///     fn Square(n: u64, door: Reply<Reply<Reply<u64>>>)
///     inlets { order: Reply<u64> }
///     slots  { ordered: 1 => work }
///     fiber start(this, eu) {
///         eu.put(this.door, eu.reply_to(Self::order, Self::ordered));
///         Then::Wait
///     }
///     fiber work(this, eu) {
///         let order = eu.take(Self::order);
///         eu.put(order, this.n * this.n);
///         Then::End
///     }
/// }
///
/// assert_eq!(Machine::threads(2).run_old::<Squares>(5)?.value, 30);
/// # Ok::<(), earth::Error>(())
/// ```
pub fn everywhere<F: Member>(
    eu: &mut Eu,
    on: Group,
    given: impl IntoIterator<Item = Given<F>>,
    said: Reply<Vec<Said<F>>>,
) {
    let given = given.into_iter().collect();
    eu.invoke_old::<Everywhere<F>>(eu.node(), (Box::new((on, given)), said));
}

threaded_old! {
    /// The function that [`everywhere`] starts: it starts a member for each of the inputs, and collects what they say
    /// in one value.
    pub fn Everywhere<F: Member>(work: Box<(Group, Vec<Given<F>>)>, said: Reply<Vec<Said<F>>>)
    state  { members: usize = work.1.len() }
    calls  { F }
    inlets { word[this.members]: Said<F> }
    slots  { all: (this.members) => tell }
    fiber start(this, eu) {
        if this.members == 0 {
            eu.put(this.said, Vec::new());
            return Then::End;
        }
        let (on, given) = &mut *this.work;
        let word = eu.replies_to_one(Self::word, Self::all);
        for (member, given) in std::mem::take(given).into_iter().enumerate() {
            eu.invoke_old::<F>(on.node_of(member), F::Args::join(given, word.at(member)));
        }
        Then::Wait
    }
    fiber tell(this, eu) {
        let words = (0..this.members).map(|member| eu.take(Self::word.at(member))).collect();
        eu.put(this.said, words);
        Then::End
    }
}
