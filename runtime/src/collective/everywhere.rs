//! Starts a function many times and collects the results of the instances.
//!
//! 1. [`everywhere`] invokes `Everywhere` on its own node, with each member's arguments.
//! 2. `start` invokes the members, member `i` on the node `i` modulo the number of nodes, each with the
//!    address of a separate inlet.
//! 3. `collect`, enabled when every member has replied, puts all results, in the order of the members, as one
//!    value.
//!
//! # Cost
//!
//! M invokes and M puts, which are messages for members on other nodes; depth 2. One frame, 2 fibers and one
//! invoke in addition to the members' own. A block among the arguments moves twice, the first time within the
//! node (the counter of moved bytes includes both).
//!
//! # When it loses
//!
//! One node sends and receives everything: M times the cost of a message, in sequence. That is unavoidable if
//! each member has different arguments, because they start on that node. If the results are combined anyway,
//! [`reduce`](super::reduce()) does both along a tree.

use super::gathered;
use super::group::{Given, Group, Member, MemberArgs, Output};
use crate::{Arrived, Call, Eu, Reply, Start, threaded};

/// Starts a member of `F` for each item of `given`, distributed round-robin over the nodes of `on`. The
/// results arrive as one value, in the order of the members.
///
/// In this example each member returns the inlet for its orders, and the main function writes to all of them.
///
/// ```
/// use earth::collective::{Group, everywhere};
/// use earth::{Arrived, Eu, Machine, Reply, Then, threaded};
///
/// struct Squares {
///     left: u64,
///     sum: u64,
///     out: Reply<u64>,
/// }
///
/// #[threaded]
/// impl Squares {
///     fn start(n: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
///         everywhere::<Square>(eu, Group::all(eu), 0..n, eu.reply(Self::order().doors));
///         Squares { left: n, sum: 0, out }
///     }
///
///     #[slot]
///     fn order(&mut self, doors: Vec<Reply<Reply<u64>>>, eu: &mut Eu<Self>) {
///         for door in doors {
///             eu.put(door, eu.reply(Self::add().square));
///         }
///     }
///
///     #[slot(again)]
///     fn add(&mut self, square: u64, eu: &mut Eu<Self>) -> Then {
///         self.sum += square;
///         self.left -= 1;
///         if self.left > 0 {
///             return Then::Wait;
///         }
///         eu.put(self.out, self.sum);
///         Then::End
///     }
/// }
///
/// struct Square {
///     n: u64,
/// }
///
/// #[threaded]
/// impl Square {
///     fn start(n: u64, door: Reply<Reply<Reply<u64>>>, eu: &mut Eu<Self>) -> Self {
///         eu.put(door, eu.reply(Self::work().order));
///         Square { n }
///     }
///
///     #[slot]
///     fn work(self, order: Reply<u64>, eu: &mut Eu<Self>) {
///         eu.put(order, self.n * self.n);
///     }
/// }
///
/// assert_eq!(Machine::threads(2).run(|out| Squares::call(5, out))?.value, 30);
/// # Ok::<(), earth::Error>(())
/// ```
pub fn everywhere<F: Member>(
    eu: &mut Eu<impl Sized>,
    on: Group,
    given: impl IntoIterator<Item = Given<F>>,
    out: Reply<Vec<Output<F>>>,
) {
    let given = gathered(given);
    eu.invoke(eu.node(), Everywhere::<F>::call(on, given, out));
}

/// Starts a member for each input, and collects the results in one value.
struct Everywhere<F: Member> {
    out: Reply<Vec<Output<F>>>,
}

#[threaded(members = given.len())]
impl<F: Member> Everywhere<F> {
    fn start(on: Group, given: Vec<Given<F>>, out: Reply<Vec<Output<F>>>, eu: &mut Eu<Self>) -> Start<Self> {
        if given.is_empty() {
            eu.put(out, Vec::new());
            return Start::End;
        }
        let result = eu.replies(Self::collect().result);
        for (member, given) in given.into_iter().enumerate() {
            eu.invoke(on.node_of(member), Call::<F>::new(F::Args::join(given, result.at(member))));
        }
        Start::Wait(Everywhere { out })
    }

    #[slot]
    fn collect(self, #[inlets(members)] result: Arrived<'_, Output<F>>, eu: &mut Eu<Self>) {
        eu.put(self.out, result.collect());
    }
}
