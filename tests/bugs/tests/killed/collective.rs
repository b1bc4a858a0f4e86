//! Collective operations of many members.

use earth::collective::{
    Barrier, Concat, ExchangeInlets, Group, Peers, Seat, Seats, all_to_all, broadcast, everywhere, reduce,
};
use earth::{Arrived, Eu, Reply, Then, threaded};

use crate::machines::{Verdict, everywhere as on_every, gives};

/// Puts the numbers of `members` members, in their order.
struct Listed;

#[threaded]
impl Listed {
    fn start(members: u64, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) {
        let all = Group::all(eu);
        reduce::<Says, _>(eu, all, 0..members, Concat, out);
    }
}

struct Says;

#[threaded]
impl Says {
    fn start(number: u64, out: Reply<Vec<u64>>, eu: &mut Eu<Self>) {
        eu.put(out, vec![number]);
    }
}

pub(crate) fn reduction() -> Verdict {
    on_every(4, |machine| gives(machine.run(|out| Listed::call(7, out)), (0..7).collect()))
}

/// Broadcasts a number to four members. Puts the sum of the numbers that they received.
struct Told {
    number: u64,
    out: Reply<u64>,
}

#[threaded]
impl Told {
    fn start(number: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        let (all, heard) = (Group::all(eu), eu.replies(Self::add().heard));
        let doors = eu.reply(Self::tell().doors);
        everywhere::<Listens>(eu, all, (0..4).map(|member| heard.at(member)), doors);
        Told { number, out }
    }

    #[slot]
    fn tell(&mut self, doors: Vec<Reply<u64>>, eu: &mut Eu<Self>) {
        broadcast(eu, &self.number, doors);
    }

    #[slot]
    fn add(self, #[inlets(4)] heard: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, heard.sum());
    }
}

struct Listens {
    heard: Reply<u64>,
}

#[threaded]
impl Listens {
    fn start(heard: Reply<u64>, door: Reply<Reply<u64>>, eu: &mut Eu<Self>) -> Self {
        eu.put(door, eu.reply(Self::tell().number));
        Listens { heard }
    }

    #[slot]
    fn tell(self, number: u64, eu: &mut Eu<Self>) {
        eu.put(self.heard, number);
    }
}

pub(crate) fn broadcasts() -> Verdict {
    on_every(4, |machine| gives(machine.run(|out| Told::call(11, out)), 44))
}

/// Three members in step. Each member takes part in one round more than the previous one.
struct March {
    rounds: u64,
    out: Reply<u64>,
}

#[threaded]
impl March {
    fn start(rounds: u64, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.invoke(eu.node(), Barrier::call(3, eu.reply(Self::begin().seats)));
        March { rounds, out }
    }

    #[slot]
    fn begin(&mut self, seats: Seats, eu: &mut Eu<Self>) {
        let given = (0..3).map(|member| (self.rounds + member as u64, seats.at(member)));
        let (all, marched) = (Group::all(eu), eu.reply(Self::done().marched));
        everywhere::<Marcher>(eu, all, given, marched);
    }

    #[slot]
    fn done(self, marched: Vec<u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, marched.iter().sum());
    }
}

struct Marcher {
    rounds: u64,
    steps: u64,
    seat: Seat,
    out: Reply<u64>,
}

#[threaded]
impl Marcher {
    fn start(rounds: u64, seat: Seat, out: Reply<u64>, eu: &mut Eu<Self>) -> Self {
        eu.put(seat, Some(eu.slot_ref(Self::step())));
        Marcher { rounds, steps: 0, seat, out }
    }

    #[slot(sync, again)]
    fn step(&mut self, eu: &mut Eu<Self>) -> Then {
        self.steps += 1;
        if self.steps < self.rounds {
            eu.put(self.seat, Some(eu.slot_ref(Self::step())));
            return Then::Wait;
        }
        eu.put(self.seat, None);
        eu.put(self.out, self.steps);
        Then::End
    }
}

pub(crate) fn barrier() -> Verdict {
    on_every(4, |machine| gives(machine.run(|out| March::call(2, out)), 9))
}

/// Three members send each other numbers, for three rounds. Puts all received numbers, as digits that show
/// rounds and members.
struct Exchanges {
    out: Reply<Vec<u64>>,
}

#[threaded]
impl Exchanges {
    fn start(out: Reply<Vec<u64>>, eu: &mut Eu<Self>) -> Self {
        let (all, sums) = (Group::all(eu), eu.replies(Self::end().heard));
        let given = (0..3).map(|member| (member as u64, sums.at(member)));
        let meets = eu.reply(Self::introduce().meets);
        everywhere::<Trader>(eu, all, given, meets);
        Exchanges { out }
    }

    #[slot]
    fn introduce(&mut self, meets: Vec<ExchangeInlets<u64>>, eu: &mut Eu<Self>) {
        all_to_all(eu, 3, meets);
    }

    #[slot]
    fn end(self, #[inlets(3)] heard: Arrived<'_, u64>, eu: &mut Eu<Self>) {
        eu.put(self.out, heard.collect());
    }
}

struct Trader {
    member: u64,
    round: u64,
    heard: u64,
    peers: Option<Peers<u64>>,
    sum: Reply<u64>,
}

#[threaded]
impl Trader {
    fn start(member: u64, sum: Reply<u64>, hello: Reply<ExchangeInlets<u64>>, eu: &mut Eu<Self>) -> Self {
        let meet =
            ExchangeInlets { peers: eu.reply(Self::trade().peers), values: eu.reply(Self::listen().numbers) };
        eu.put(hello, meet);
        Trader { member, round: 0, heard: 0, peers: None, sum }
    }

    #[slot]
    fn trade(&mut self, peers: Peers<u64>, eu: &mut Eu<Self>) {
        self.peers.insert(peers).send(eu, (0..3).map(|to| 3 * self.member + to));
    }

    #[slot(again)]
    fn listen(&mut self, numbers: Vec<u64>, eu: &mut Eu<Self>) -> Then {
        self.heard = numbers.into_iter().fold(self.heard, |heard, number| 10 * heard + number);
        self.round += 1;
        if self.round == 3 {
            eu.put(self.sum, self.heard);
            return Then::End;
        }
        if let Some(peers) = &mut self.peers {
            peers.send(eu, (0..3).map(|to| (3 * self.member + to + self.round) % 9));
        }
        Then::Wait
    }
}

/// Expected by hand: member 0 receives 0, 3, 6, then each one more, modulo 9; member 1 receives 1, 4, 7;
/// member 2 receives 2, 5, 8.
pub(crate) fn exchange() -> Verdict {
    on_every(4, |machine| gives(machine.run(Exchanges::call), vec![36_147_258, 147_258_360, 258_360_471]))
}
