//! Collectives of many rounds, barrier and all to all: nobody is early, nothing is
//! parked, and what each costs.

mod common;

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use common::{bad, good, on_every};
use earth::collective::{
    AllToAll, Barrier, Everywhere, Group, Meet, Peers, Seat, Seats, all_to_all, everywhere,
};
use earth::{Block, Config, Error, Eu, Machine, NodeId, Reply, Run, Then, Wire, threaded_old};

threaded_old! {
    /// `members` members in step; member `i` takes part in `rounds + i` rounds. If `eager`, the last one
    /// arrives twice in the first.
    fn March(members: u64, rounds: u64, eager: bool, out: Reply<u64>)
    calls  { Barrier, Everywhere<Marcher> }
    inlets { seats: Seats, marched: Vec<u64> }
    slots  { built: 1 => begin, all: 1 => done }
    fiber start(this, eu) {
        let last = NodeId::new(eu.nodes() - 1);
        eu.invoke_old::<Barrier>(last, (this.members as usize, eu.reply_to(Self::seats, Self::built)));
        Then::Wait
    }
    fiber begin(this, eu) {
        let seats = eu.take(Self::seats);
        let (members, rounds, eager) = (this.members, this.rounds, this.eager);
        let given = (0..members).map(|member| {
            let twice = eager && member + 1 == members;
            Box::new(Orders { members, rounds: rounds + member, eager, twice, seat: seats.at(member as usize) })
        });
        everywhere::<Marcher>(eu, Group::all(eu), given, eu.reply_to(Self::marched, Self::all));
        Then::Wait
    }
    fiber done(this, eu) {
        let marched = eu.take(Self::marched).iter().sum();
        eu.put(this.out, marched);
        Then::End
    }
}

/// How many members arrived at the barrier of each round of the program that runs now.
static ARRIVED: [AtomicU64; 128] = [const { AtomicU64::new(0) }; 128];

/// Programs that march run one at a time.
fn march(machine: &mut Machine, members: u64, rounds: u64, eager: bool) -> Result<Run<u64>, Error> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _alone = ONE_AT_A_TIME.lock();
    for arrived in &ARRIVED {
        arrived.store(0, Relaxed);
    }
    machine.run_old::<March>((members, rounds, eager))
}

#[derive(Wire)]
struct Orders {
    members: u64,
    rounds: u64,
    /// Whether somebody arrives twice, and whether this member does.
    eager: bool,
    twice: bool,
    seat: Seat,
}

threaded_old! {
    fn Marcher(orders: Box<Orders>, out: Reply<u64>)
    state { steps: u64 = 0 }
    slots { opened: 1, reset 1 => step }
    fiber start(this, eu) {
        ARRIVED[0].fetch_add(1, Relaxed);
        for _ in 0..=u32::from(this.orders.twice) {
            eu.put(this.orders.seat, Some(eu.slot_ref(Self::opened)));
        }
        Then::Wait
    }
    fiber step(this, eu) {
        let round = this.steps as usize;
        if round == 0 || !this.orders.eager {
            // Who has left counts as arrived.
            assert_eq!(ARRIVED[round].load(Relaxed), this.orders.members, "let go before all had arrived");
        }
        this.steps += 1;
        let last = if this.steps < this.orders.rounds { round + 1 } else { ARRIVED.len() - 1 };
        for arrived in &ARRIVED[round + 1..=last] {
            arrived.fetch_add(1, Relaxed);
        }
        if this.steps < this.orders.rounds {
            eu.put(this.orders.seat, Some(eu.slot_ref(Self::opened)));
            return Then::Wait;
        }
        eu.put(this.orders.seat, None);
        eu.put(this.out, this.steps);
        Then::End
    }
}

#[test]
fn a_barrier_opens_for_all_who_have_not_left() {
    on_every(|case| {
        for (members, rounds) in [(0, 1), (1, 1), (3, 4), (13, 5)] {
            let run = march(&mut case.machine(), members, rounds, false).unwrap();
            let arrivals = members * rounds + (0..members).sum::<u64>();
            assert_eq!(run.value, arrivals);
            // The barrier's start, and one round more than the last member's steps, in
            // which that member leaves.
            let opened = if members == 0 { 1 } else { 1 + rounds + members };
            let told = u64::from(members > 0);
            assert_eq!(run.counters.fibers, 3 + opened + 1 + told + members + arrivals);
            // Of `Everywhere` as usual; then the barrier's seats, and the value of the run.
            let everywhere = members + 1;
            // Each arrival and its answer, each leave, and what the barrier signals
            // for those who left before.
            let absent = (0..members).sum::<u64>();
            let signals = everywhere + 2 + 2 * arrivals + members + absent;
            assert_eq!(run.counters.signals, signals);
            assert_eq!(run.counters.parked, 0);
        }
    });
    for config in [Config::Spn, Config::Dual] {
        let run = march(&mut Machine::threads(64).config(config), 64, 10, false).unwrap();
        assert_eq!(run.value, 640 + (0..64).sum::<u64>());
    }
}

#[test]
fn who_arrives_twice_does_not_stand_for_another() {
    on_every(|case| {
        // Member 2 stays longest, so that its second arrival is one that no round was left for.
        let error = march(&mut case.machine(), 3, 2, true).expect_err("an arrival too many");
        assert!(matches!(error, Error::StaleAddress { .. } | Error::EndedTooEarly { .. }), "{error}");
    });
}

threaded_old! {
    /// `members` members send each other blocks of `who * 100 + to + round`, for `rounds` rounds; each
    /// gives the sum of what it got.
    fn Trade(members: u64, rounds: u32, out: Reply<Vec<u64>>)
    calls  { Everywhere<Trader>, AllToAll<Block<u64>> }
    inlets { meets: Vec<Meet<Block<u64>>>, sum[this.members as usize]: u64 }
    slots  { met: 1 => introduce, all: (this.members) => done }
    fiber start(this, eu) {
        let sums = eu.replies_to_one(Self::sum, Self::all);
        let given = (0..this.members).map(|member| (member as u32, this.rounds, sums.at(member as usize)));
        everywhere::<Trader>(eu, Group::all(eu), given, eu.reply_to(Self::meets, Self::met));
        Then::Wait
    }
    fiber introduce(this, eu) {
        let meets = eu.take(Self::meets);
        all_to_all(eu, this.rounds, meets);
        Then::Wait
    }
    fiber done(this, eu) {
        let sums = (0..this.members as usize).map(|member| eu.take(Self::sum.at(member))).collect();
        eu.put(this.out, sums);
        Then::End
    }
}

threaded_old! {
    fn Trader(member: u32, rounds: u32, sum: Reply<u64>, hello: Reply<Meet<Block<u64>>>)
    state  { peers: Option<Peers<Block<u64>>> = None, round: u64 = 0, total: u64 = 0 }
    inlets { peers_in: Peers<Block<u64>>, blocks: Vec<Block<u64>> }
    slots  { introduced: 1 => begin, got: 1, reset 1 => add }
    fiber start(this, eu) {
        let meet = Meet {
            peers: eu.reply_to(Self::peers_in, Self::introduced),
            values: eu.reply_to(Self::blocks, Self::got),
        };
        eu.put(this.hello, meet);
        Then::Wait
    }
    fiber begin(this, eu) {
        this.peers = Some(eu.take(Self::peers_in));
        this.send(eu);
        Then::Wait
    }
    fiber add(this, eu) {
        let blocks = eu.take(Self::blocks);
        for (from, block) in blocks.iter().enumerate() {
            assert_eq!(block.row(0), [from as u64 * 100 + u64::from(this.member) + this.round; 3], "round {}", this.round);
            this.total += block.row(0)[0];
        }
        this.round += 1;
        if this.round < u64::from(this.rounds) {
            this.send(eu);
            return Then::Wait;
        }
        eu.put(this.sum, this.total);
        Then::End
    }
}

impl Trader {
    fn send(&mut self, eu: &mut Eu) {
        let (member, round) = (u64::from(self.member), self.round);
        let Some(peers) = &mut self.peers else { unreachable!("introduced before") };
        let values = 0..peers.members() as u64;
        peers.send(eu, values.map(|to| Block::from_fn(1, 3, |_, _| member * 100 + to + round)));
    }
}

#[test]
fn everybody_gets_a_block_of_everybody_in_order() {
    let trade = |machine: &mut Machine, nodes: usize, members: u64, rounds: u32| {
        let run = good::<Trade>(machine, (members, rounds));
        let sum = |to: u64| {
            (0..u64::from(rounds))
                .map(|r| (0..members).map(|from| from * 100 + to + r).sum::<u64>())
                .sum::<u64>()
        };
        assert_eq!(run.value, (0..members).map(sum).collect::<Vec<_>>());
        let (m, r) = (members, u64::from(rounds));
        assert_eq!(run.counters.invokes, 1 + m + 1 + m);
        // What `everywhere` hears; inlets, peers; a round's blocks, and they handed over; sums.
        assert_eq!(run.counters.signals, (m + 1) + 2 * m + r * (m * m + m) + m + 1);
        assert_eq!(run.counters.frames, 1 + 1 + m + 1 + m);
        // To the exchange, and from it.
        assert_eq!(run.counters.bytes_moved, 2 * 24 * r * m * m);
        // A value may come one round early, before each round but the first.
        assert!(run.counters.parked <= r.saturating_sub(1) * m * m && run.counters.parked_high <= m * m);
        if m <= nodes as u64 {
            // Start, hello, exchange, inlets, peers, sum of each member but the first.
            assert_eq!(run.counters.events_sent, 6 * (m - 1) + r * m * (m - 1));
        }
    };
    on_every(|case| {
        for (members, rounds) in [(1, 3), (2, 1), (3, 5), (8, 2)] {
            trade(&mut case.machine(), case.nodes, members, rounds);
        }
    });
    for config in [Config::Spn, Config::Dual] {
        trade(&mut Machine::threads(64).config(config), 64, 64, 3);
    }
}

threaded_old! {
    /// Two members of an exchange of one round: the first sends `values` values, the second two in each of
    /// `rounds` rounds, as does the first then.
    fn Pair(values: u64, rounds: u64, out: Reply<u64>)
    calls  { AllToAll<u64> }
    inlets { peers: Peers<u64>, got: Vec<u64>, others: Peers<u64>, theirs: Vec<u64> }
    slots  { introduced: 2 => send, came: 2 => answer }
    fiber start(_this, eu) {
        let first = Meet {
            peers: eu.reply_to(Self::peers, Self::introduced),
            values: eu.reply_to(Self::got, Self::came),
        };
        let second = Meet {
            peers: eu.reply_to(Self::others, Self::introduced),
            values: eu.reply_to(Self::theirs, Self::came),
        };
        all_to_all(eu, 1, vec![first, second]);
        Then::Wait
    }
    fiber send(this, eu) {
        let (mut first, mut second) = (eu.take(Self::peers), eu.take(Self::others));
        first.send(eu, 0..this.values);
        for round in 0..this.rounds {
            second.send(eu, 0..2);
            if round > 0 {
                first.send(eu, 0..2);
            }
        }
        Then::Wait
    }
    fiber answer(this, eu) {
        eu.take(Self::got);
        eu.take(Self::theirs);
        eu.put(this.out, 0);
        Then::End
    }
}

#[test]
fn a_round_with_other_values_than_members_is_refused() {
    on_every(|case| {
        for values in [0, 1, 3] {
            let error = bad::<Pair>(&mut case.machine(), (values, 0));
            let Error::Panicked { at, message } = error else { panic!("{error}") };
            assert_eq!(
                (at.fiber.as_str(), message.as_str()),
                ("send", "a round has a value for each of 2 members")
            );
        }
    });
}

#[test]
fn a_member_that_sends_nothing_is_found_out() {
    on_every(|case| {
        let error = bad::<Pair>(&mut case.machine(), (2, 0));
        let Error::Stuck(stuck) = error else { panic!("{error}") };
        let full = earth::StuckSlot { slot: "full".to_owned(), got: 1, expected: 2 };
        let waiting = |frame: &earth::StuckFrame| frame.waiting.contains(&full);
        assert_eq!(stuck.shown.iter().filter(|frame| waiting(frame)).count(), 2, "{stuck}");
    });
}

#[test]
fn a_round_that_was_not_agreed_on_is_found_out() {
    on_every(|case| {
        assert_eq!(good::<Pair>(&mut case.machine(), (2, 1)).value, 0);
        let error = bad::<Pair>(&mut case.machine(), (2, 2));
        assert!(matches!(error, Error::StaleAddress { .. } | Error::EndedTooEarly { .. }), "{error}");
    });
}
