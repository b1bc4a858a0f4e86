//! What many members do together.

use earth::collective::{
    AllToAll, Barrier, Broadcast, Concat, Everywhere, Group, Meet, Peers, Reduce, Seat, Seats, all_to_all,
    broadcast, everywhere, reduce,
};
use earth::{Reply, Then, threaded_old};

use crate::machines::{Verdict, everywhere as on_every, gives};

threaded_old! {
    /// The numbers of `members` members, in their order.
    fn Listed(members: u64, out: Reply<Vec<u64>>)
    calls { Reduce<Says, Concat> }
    fiber start(this, eu) {
        reduce::<Says, Concat>(eu, Group::all(eu), 0..this.members, this.out);
        Then::End
    }
}

threaded_old! {
    fn Says(number: u64, out: Reply<Vec<u64>>)
    fiber start(this, eu) {
        eu.put(this.out, vec![this.number]);
        Then::End
    }
}

pub(crate) fn reduction() -> Verdict {
    on_every(4, |machine| gives(machine.run_old::<Listed>(7), (0..7).collect()))
}

threaded_old! {
    /// Tells four members a number; gives the sum of what they heard.
    fn Told(number: u64, out: Reply<u64>)
    state  { sum: u64 = 0, left: u64 = 4 }
    calls  { Everywhere<Listens>, Broadcast<u64> }
    inlets { doors: Vec<Reply<u64>>, heard: u64 }
    slots  { met: 1 => tell, came: 1, reset 1 => add }
    fiber start(_this, eu) {
        let heard = eu.reply_to(Self::heard, Self::came);
        everywhere::<Listens>(eu, Group::all(eu), vec![heard; 4], eu.reply_to(Self::doors, Self::met));
        Then::Wait
    }
    fiber tell(this, eu) {
        let doors = eu.take(Self::doors);
        broadcast(eu, &this.number, doors);
        Then::Wait
    }
    fiber add(this, eu) {
        this.sum += eu.take(Self::heard);
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        eu.put(this.out, this.sum);
        Then::End
    }
}

threaded_old! {
    fn Listens(heard: Reply<u64>, door: Reply<Reply<u64>>)
    inlets { number: u64 }
    slots  { told: 1 => tell }
    fiber start(this, eu) {
        eu.put(this.door, eu.reply_to(Self::number, Self::told));
        Then::Wait
    }
    fiber tell(this, eu) {
        let number = eu.take(Self::number);
        eu.put(this.heard, number);
        Then::End
    }
}

pub(crate) fn broadcasts() -> Verdict {
    on_every(4, |machine| gives(machine.run_old::<Told>(11), 44))
}

threaded_old! {
    /// Three members in step, each for one round more than the one before.
    fn March(rounds: u64, out: Reply<u64>)
    calls  { Barrier, Everywhere<Marcher> }
    inlets { seats: Seats, marched: Vec<u64> }
    slots  { built: 1 => begin, all: 1 => done }
    fiber start(_this, eu) {
        eu.invoke_old::<Barrier>(eu.node(), (3, eu.reply_to(Self::seats, Self::built)));
        Then::Wait
    }
    fiber begin(this, eu) {
        let seats = eu.take(Self::seats);
        let given = (0..3).map(|member| (this.rounds + member as u64, seats.at(member)));
        everywhere::<Marcher>(eu, Group::all(eu), given, eu.reply_to(Self::marched, Self::all));
        Then::Wait
    }
    fiber done(this, eu) {
        let marched = eu.take(Self::marched).iter().sum();
        eu.put(this.out, marched);
        Then::End
    }
}

threaded_old! {
    fn Marcher(rounds: u64, seat: Seat, out: Reply<u64>)
    state { steps: u64 = 0 }
    slots { opened: 1, reset 1 => step }
    fiber start(this, eu) {
        eu.put(this.seat, Some(eu.slot_ref(Self::opened)));
        Then::Wait
    }
    fiber step(this, eu) {
        this.steps += 1;
        if this.steps < this.rounds {
            eu.put(this.seat, Some(eu.slot_ref(Self::opened)));
            return Then::Wait;
        }
        eu.put(this.seat, None);
        eu.put(this.out, this.steps);
        Then::End
    }
}

pub(crate) fn barrier() -> Verdict {
    on_every(4, |machine| gives(machine.run_old::<March>(2), 9))
}

threaded_old! {
    /// Three members send each other numbers, three rounds; gives what all heard, in a way that tells rounds
    /// and members.
    fn Exchanges(out: Reply<Vec<u64>>)
    state  { heard: Vec<u64> = Vec::new(), left: u64 = 3 }
    calls  { Everywhere<Trader>, AllToAll<u64> }
    inlets { meets: Vec<Meet<u64>>, sum: u64 }
    slots  { met: 1 => introduce, came: 1, reset 1 => add }
    fiber start(_this, eu) {
        let sum = eu.reply_to(Self::sum, Self::came);
        let given = (0..3).map(|member| (member, sum));
        everywhere::<Trader>(eu, Group::all(eu), given, eu.reply_to(Self::meets, Self::met));
        Then::Wait
    }
    fiber introduce(_this, eu) {
        let meets = eu.take(Self::meets);
        all_to_all(eu, 3, meets);
        Then::Wait
    }
    fiber add(this, eu) {
        this.heard.push(eu.take(Self::sum));
        this.left -= 1;
        if this.left > 0 {
            return Then::Wait;
        }
        this.heard.sort_unstable();
        let heard = std::mem::take(&mut this.heard);
        eu.put(this.out, heard);
        Then::End
    }
}

threaded_old! {
    fn Trader(member: u64, sum: Reply<u64>, hello: Reply<Meet<u64>>)
    state  { round: u64 = 0, heard: u64 = 0, peers: Option<Peers<u64>> = None }
    inlets { peers: Peers<u64>, numbers: Vec<u64> }
    slots  { introduced: 1 => trade, heard: 1, reset 1 => listen }
    fiber start(this, eu) {
        let meet = Meet {
            peers: eu.reply_to(Self::peers, Self::introduced),
            values: eu.reply_to(Self::numbers, Self::heard),
        };
        eu.put(this.hello, meet);
        Then::Wait
    }
    fiber trade(this, eu) {
        let mut peers = eu.take(Self::peers);
        peers.send(eu, (0..3).map(|to| 3 * this.member + to));
        this.peers = Some(peers);
        Then::Wait
    }
    fiber listen(this, eu) {
        this.heard = eu.take(Self::numbers).into_iter().fold(this.heard, |heard, number| 10 * heard + number);
        this.round += 1;
        if this.round == 3 {
            eu.put(this.sum, this.heard);
            return Then::End;
        }
        if let Some(peers) = &mut this.peers {
            peers.send(eu, (0..3).map(|to| (3 * this.member + to + this.round) % 9));
        }
        Then::Wait
    }
}

/// By hand: member 0 hears 0, 3, 6, then each one more, modulo 9; member 1 hears 1, 4, 7; member 2 hears 2, 5, 8.
pub(crate) fn exchange() -> Verdict {
    on_every(4, |machine| gives(machine.run_old::<Exchanges>(()), vec![36_147_258, 147_258_360, 258_360_471]))
}
