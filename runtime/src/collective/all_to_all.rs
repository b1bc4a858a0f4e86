//! All to all: in each round every member sends a value to every member.
//!
//! 1. Each member has two inlets, one for its [`Peers`] and one for a round's values, whose addresses form
//!    its [`ExchangeInlets`]. A function that has received all members' `ExchangeInlets`s (by
//!    [`everywhere`](super::everywhere()), for example) calls [`all_to_all`].
//! 2. `AllToAll` starts an `Exchange` on each member's node and receives the inlets in which it takes each
//!    member's value: M addresses from each exchange.
//! 3. It puts to each member the addresses that take its values: the member's peers.
//! 4. *A round.* A member sends a value to each peer, the next member first and itself last, with
//!    [`Peers::send`]. When the member's exchange has one value from every member, it puts them to the member
//!    as one value, in the order of the members.
//!
//! # Why one inlet for each sender
//!
//! A member that sends its values of a round has received the previous round, with one value from each
//! member. Those members need not have received theirs, so a member's value may come one round ahead. It
//! arrives after that member's previous value, since messages from one node to another stay in order, and is
//! parked until the exchange has taken the previous value. It cannot come two rounds ahead: a member that
//! sends in round `r + 2` has every member's value of round `r + 1`, and each of these senders had all values
//! of round `r`. So at most one value per inlet is ever parked.
//!
//! # Cost
//!
//! | | cost |
//! |---|---|
//! | each round | M (M - 1) messages; 2 M puts within nodes (to the member itself, and to hand over); depth 1; one fiber of each exchange |
//! | once | M + 1 invokes, 2 M puts, 2 M^2 addresses in total, M + 1 frames |
//!
//! # When it loses
//!
//! Small values: each node sends M messages at once, where log2 M rounds of forwarding, with several values
//! in a message, send fewer. It also waits for all values. A member that can begin with one value should take
//! it in a separate inlet, as the stages of an FFT do.
//!
//! Blocks travel as values do, by handle within a process. They are not counted as block moves, and their
//! bytes are counted twice: to the exchange and from it.

use crate::{Arrived, Eu, Replies, Reply, Start, Then, Wire, threaded};

/// The replies at which a member receives its data for an exchange.
#[derive(Debug, Wire)]
pub struct ExchangeInlets<T: Wire> {
    /// The reply for the member's [`Peers`], put once.
    pub peers: Reply<Peers<T>>,
    /// The values of a round, in the order of the members.
    pub values: Reply<Vec<T>>,
}

/// The inlets that receive a member's values.
#[derive(Debug, Wire)]
pub struct Peers<T: Wire> {
    /// The inlet of each member for this member's values.
    inlets: Vec<Reply<T>>,
    own: usize,
}

impl<T: Wire> Peers<T> {
    /// Returns the number of members, including the caller.
    pub fn members(&self) -> usize {
        self.inlets.len()
    }

    /// Sends the member's values of the next round, given in the order of the members. The next member's
    /// value is sent first and its own last, so that the members do not all send to the same one at the same
    /// time. Send the values of a later round only after the values of the previous round have been taken. If
    /// there is no such round, the run ends with an error.
    ///
    /// # Panics
    ///
    /// If the number of values is not the number of members.
    pub fn send(&mut self, eu: &mut Eu<impl Sized>, values: impl IntoIterator<Item = T>) {
        let members = self.members();
        let mut values: Vec<_> = values.into_iter().take(members + 1).collect();
        assert!(values.len() == members, "a round needs one value for each of the {members} members");
        let next = (self.own + 1) % members;
        values.rotate_left(next);
        let inlets = self.inlets[next..].iter().chain(&self.inlets[..next]);
        for (inlet, value) in inlets.zip(values) {
            eu.put(*inlet, value);
        }
    }
}

/// Introduces members to each other for `rounds` rounds of all to all.
///
/// ```
/// use earth::collective::{Group, ExchangeInlets, Peers, all_to_all, everywhere};
/// use earth::{Arrived, Eu, Machine, Reply, threaded};
///
/// struct Chat;
///
/// #[threaded]
/// impl Chat {
///     /// Each of four members gets a word of every other.
///     fn start(out: Reply<String>, eu: &mut Eu<Self>) -> Self {
///         let given = (0..4).map(|member| (member, out));
///         everywhere::<Talker>(eu, Group::all(eu), given, eu.reply(Self::introduce().meets));
///         Chat
///     }
///
///     #[slot]
///     fn introduce(self, meets: Vec<ExchangeInlets<String>>, eu: &mut Eu<Self>) {
///         all_to_all(eu, 1, meets);
///     }
/// }
///
/// struct Talker {
///     member: u64,
///     out: Reply<String>,
/// }
///
/// #[threaded]
/// impl Talker {
///     fn start(member: u64, out: Reply<String>, hello: Reply<ExchangeInlets<String>>, eu: &mut Eu<Self>) -> Self {
///         let meet = ExchangeInlets { peers: eu.reply(Self::talk().peers), values: eu.reply(Self::listen().words) };
///         eu.put(hello, meet);
///         Talker { member, out }
///     }
///
///     #[slot]
///     fn talk(&mut self, mut peers: Peers<String>, eu: &mut Eu<Self>) {
///         let words = (0..peers.members()).map(|to| format!("{} to {to}", self.member));
///         peers.send(eu, words);
///     }
///
///     #[slot]
///     fn listen(self, words: Vec<String>, eu: &mut Eu<Self>) {
///         if self.member == 3 {
///             eu.put(self.out, words.join(", "));
///         }
///     }
/// }
///
/// let run = Machine::threads(2).run(Chat::call)?;
/// assert_eq!(run.value, "0 to 3, 1 to 3, 2 to 3, 3 to 3");
/// # Ok::<(), earth::Error>(())
/// ```
pub fn all_to_all<T: Wire>(eu: &mut Eu<impl Sized>, rounds: u32, members: Vec<ExchangeInlets<T>>) {
    eu.invoke(eu.node(), AllToAll::call(rounds, members));
}

/// Starts the exchanges and introduces the members.
struct AllToAll<T: Wire> {
    members: Vec<ExchangeInlets<T>>,
}

#[threaded]
impl<T: Wire> AllToAll<T> {
    fn start(rounds: u32, members: Vec<ExchangeInlets<T>>, eu: &mut Eu<Self>) -> Start<Self> {
        if members.is_empty() {
            return Start::End;
        }
        let inlets = eu.replies(Self::introduce().inlets);
        for (member, meet) in members.iter().enumerate() {
            let exchange = Exchange::call(members.len(), rounds, meet.values, inlets.at(member));
            eu.invoke(meet.values.node(), exchange);
        }
        Start::Wait(AllToAll { members })
    }

    #[slot]
    fn introduce(self, #[inlets(members.len())] inlets: Arrived<'_, Replies<T>>, eu: &mut Eu<Self>) {
        for (member, meet) in self.members.iter().enumerate() {
            let inlets = inlets.iter().map(|inlets| inlets.at(member)).collect();
            eu.put(meet.peers, Peers { inlets, own: member });
        }
    }
}

/// Collects the values of each round for one member.
struct Exchange<T: Wire> {
    rounds: u32,
    values: Reply<Vec<T>>,
}

#[threaded]
impl<T: Wire> Exchange<T> {
    /// Starts the part of one of `members` members, for `rounds` rounds; puts the inlets for each member's
    /// value to `hello`.
    fn start(
        members: usize,
        rounds: u32,
        values: Reply<Vec<T>>,
        hello: Reply<Replies<T>>,
        eu: &mut Eu<Self>,
    ) -> Start<Self> {
        eu.put(hello, eu.replies(Self::hand_over().from));
        if rounds == 0 { Start::End } else { Start::Wait(Exchange { rounds, values }) }
    }

    #[slot(again)]
    fn hand_over(&mut self, #[inlets(members)] from: Arrived<'_, T>, eu: &mut Eu<Self>) -> Then {
        eu.put(self.values, from.collect());
        self.rounds -= 1;
        if self.rounds == 0 { Then::End } else { Then::Wait }
    }
}
