//! Everybody sends a value to everybody, round after round.
//!
//! 1. Each member has two inlets, one for its [`Peers`] and one for a round's values; [`Meet`] says where.
//!    Who has heard all members (by [`everywhere`](super::everywhere()), say) calls [`all_to_all`].
//! 2. [`AllToAll`] starts an [`Exchange`] on each member's node and hears where it takes each member's
//!    value: M addresses from each.
//! 3. It puts to each member the addresses that take its own values: the member's peers.
//! 4. *A round.* A member sends a value to each peer, itself included, with [`Peers::send`]. The
//!    member's exchange, when it has one from everybody, puts them all to the member as one value, in
//!    the order of the members.
//!
//! # Why one inlet for each sender
//!
//! Whoever sends its values of a round has those of the round before, one from each member among them, but
//! these members need not have theirs: the value of a member may come one round ahead. It comes behind the one
//! before, since what one node sends another arrives in order, and is parked until the exchange has taken that.
//! Two rounds ahead it cannot be: a member that sends in round `r + 2` has everybody's value of round `r + 1`, and
//! who sent that had all of round `r`. So at most one value for each inlet is ever parked.
//!
//! # Cost
//!
//! A round: M (M - 1) messages, 2 M puts within nodes (to oneself, and to hand over); depth 1; one fiber of
//! each exchange. Once: M + 1 invokes, 2 M puts, 2 M^2 addresses in all, M + 1 frames.
//!
//! # When it loses
//!
//! Small values: M messages from each node at once, where passing them on in log2 M rounds, several to a
//! message, sends fewer. And it waits for all: a member that can begin with one value should take it in an
//! inlet of its own, as the stages of an FFT do.
//!
//! Blocks travel as values do, by handle within a process. They are not counted as block moves, and their
//! bytes twice: to the exchange and from it.

use crate::threaded_old;
use crate::unit::eu::Eu;
use crate::vocabulary::address::{Replies, Reply};
use crate::vocabulary::name::Then;
use crate::vocabulary::wire::Wire;

/// The replies at which a member receives what it needs for an exchange.
#[derive(Debug, Wire)]
pub struct Meet<T: Wire> {
    /// The reply for the member's [`Peers`], put once.
    pub peers: Reply<Peers<T>>,
    /// The values of a round, in the order of the members.
    pub values: Reply<Vec<T>>,
}

/// Where a member's values go.
#[derive(Debug, Wire)]
pub struct Peers<T: Wire> {
    /// The inlet of each member for this member's values.
    inlets: Vec<Reply<T>>,
}

impl<T: Wire> Peers<T> {
    /// How many members there are, the one that asks included.
    pub fn members(&self) -> usize {
        self.inlets.len()
    }

    /// Sends the member's values of the next round, the first to member 0. Values of a later round are sent when those
    /// of the round before have been taken. If there is no such round, the run ends with an error.
    ///
    /// # Panics
    ///
    /// If there are not as many values as members.
    pub fn send(&mut self, eu: &mut Eu, values: impl IntoIterator<Item = T>) {
        let mut values = values.into_iter();
        let mut sent = 0;
        for (inlet, value) in self.inlets.iter().zip(&mut values) {
            eu.put(*inlet, value);
            sent += 1;
        }
        let members = self.members();
        assert!(
            sent == members && values.next().is_none(),
            "a round has a value for each of {members} members"
        );
    }
}

/// Introduces members to each other for `rounds` rounds of all to all. The caller lists [`AllToAll<T>`].
///
/// ```
/// use earth::collective::{AllToAll, Everywhere, Group, Meet, Peers, all_to_all, everywhere};
/// use earth::{Machine, Reply, Then, threaded_old};
///
/// threaded_old! {
///     /// Each of four members gets a word of every other.
///     fn Chat(out: Reply<String>)
///     calls  { Everywhere<Talker>, AllToAll<String> }
///     inlets { meets: Vec<Meet<String>> }
///     slots  { met: 1 => introduce }
///     fiber start(this, eu) {
///         let given = (0..4).map(|member| (member, this.out));
///         everywhere::<Talker>(eu, Group::all(eu), given, eu.reply_to(Self::meets, Self::met));
///         Then::Wait
///     }
///     fiber introduce(_this, eu) {
///         let meets = eu.take(Self::meets);
///         all_to_all(eu, 1, meets);
///         Then::End
///     }
/// }
///
/// threaded_old! {
///     fn Talker(member: u64, out: Reply<String>, hello: Reply<Meet<String>>)
///     inlets { peers: Peers<String>, words: Vec<String> }
///     slots  { introduced: 1 => talk, heard: 1 => listen }
///     fiber start(this, eu) {
///         let meet = Meet {
///             peers: eu.reply_to(Self::peers, Self::introduced),
///             values: eu.reply_to(Self::words, Self::heard),
///         };
///         eu.put(this.hello, meet);
///         Then::Wait
///     }
///     fiber talk(this, eu) {
///         let mut peers = eu.take(Self::peers);
///         let words = (0..peers.members()).map(|to| format!("{} to {to}", this.member));
///         peers.send(eu, words);
///         Then::Wait
///     }
///     fiber listen(this, eu) {
///         let words = eu.take(Self::words);
///         if this.member == 3 {
///             eu.put(this.out, words.join(", "));
///         }
///         Then::End
///     }
/// }
///
/// let run = Machine::threads(2).run_old::<Chat>(())?;
/// assert_eq!(run.value, "0 to 3, 1 to 3, 2 to 3, 3 to 3");
/// # Ok::<(), earth::Error>(())
/// ```
pub fn all_to_all<T: Wire>(eu: &mut Eu, rounds: u32, members: Vec<Meet<T>>) {
    eu.invoke_old::<AllToAll<T>>(eu.node(), (rounds, members));
}

threaded_old! {
    /// The function that [`all_to_all`] starts: it starts the exchanges and introduces the members.
    pub fn AllToAll<T: Wire>(rounds: u32, members: Vec<Meet<T>>)
    calls  { Exchange<T> }
    inlets { inlets[this.members.len()]: Replies<T> }
    slots  { all: (this.members.len()) => introduce }
    fiber start(this, eu) {
        if this.members.is_empty() {
            return Then::End;
        }
        let inlets = eu.replies_to_one(Self::inlets, Self::all);
        let count = this.members.len() as u32;
        for (member, meet) in this.members.iter().enumerate() {
            eu.invoke_old::<Exchange<T>>(meet.values.node(), (count, this.rounds, meet.values, inlets.at(member)));
        }
        Then::Wait
    }
    fiber introduce(this, eu) {
        let all: Vec<_> = (0..this.members.len()).map(|member| eu.take(Self::inlets.at(member))).collect();
        for (member, meet) in this.members.iter().enumerate() {
            eu.put(meet.peers, Peers { inlets: all.iter().map(|inlets| inlets.at(member)).collect() });
        }
        Then::End
    }
}

threaded_old! {
    /// The part of one member in an exchange of `members` members, for `rounds` rounds: it collects the values of a
    /// round.
    pub fn Exchange<T: Wire>(members: u32, rounds: u32, values: Reply<Vec<T>>, hello: Reply<Replies<T>>)
    inlets { from[this.members as usize]: T }
    slots  { full: (this.members), reset (this.members) => hand_over }
    fiber start(this, eu) {
        let from = eu.replies_to_one(Self::from, Self::full);
        eu.put(this.hello, from);
        if this.rounds == 0 { Then::End } else { Then::Wait }
    }
    fiber hand_over(this, eu) {
        let values = (0..this.members as usize).map(|member| eu.take(Self::from.at(member))).collect();
        eu.put(this.values, values);
        this.rounds -= 1;
        if this.rounds == 0 { Then::End } else { Then::Wait }
    }
}
